//! The journal: numbers, chain, queries, and that whatever is changed is found.

use std::path::Path;

use proptest::prelude::*;
use sayso_core::journal::{Hash, Record, Started, Timestamp};
use sayso_store::sqlite::{Role, SqliteStore};
use sayso_store::{EntryQuery, Store as _, StoreError};

use super::{NOW, intent, open};

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_callers_at_once_make_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(open(&folder.path().join("store"), Role::Gate));
    let callers = (0..16).map(|caller| {
        let store = std::sync::Arc::clone(&store);
        tokio::spawn(async move {
            for call in 0..50 {
                let record = intent(&format!("{caller}-{call}"));
                store.append(NOW, record).await.unwrap();
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    let verified = store.verify(|_| {}).unwrap().unwrap();
    assert_eq!(verified.entries, 800);
    let health = store.check().await.unwrap();
    assert_eq!(health.head.unwrap().hash, verified.head);
    assert_eq!(health.waiting, 0);
}

#[tokio::test]
async fn the_chain_goes_on_after_the_store_was_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    for run in 0..3 {
        let store = open(&path, Role::Gate);
        for call in 0..4 {
            let record = intent(&format!("{run}-{call}"));
            let receipt = store.append(NOW, record).await.unwrap();
            assert_eq!(receipt.seq, run * 4 + call + 1);
        }
        store.close().await.unwrap();
        let late = store.append(NOW, intent("late")).await;
        assert_eq!(late.unwrap_err(), StoreError::Closed(path.clone()));
    }
    let store = open(&path, Role::Reader);
    assert_eq!(store.verify(|_| {}).unwrap().unwrap().entries, 12);
}

#[tokio::test]
async fn an_append_from_beside_takes_the_chain_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let gate = open(&path, Role::Gate);
    let beside = open(&path, Role::Beside);
    for call in 0..4 {
        gate.append(NOW, intent(&format!("gate-{call}")))
            .await
            .unwrap();
        beside
            .append(NOW, intent(&format!("beside-{call}")))
            .await
            .unwrap();
    }
    assert_eq!(gate.verify(|_| {}).unwrap().unwrap().entries, 8);
}

#[tokio::test]
async fn queries_take_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    for number in 1..=6 {
        let at = Timestamp(number * 10);
        let record = intent(if number % 2 == 0 { "even" } else { "odd" });
        store.append(at, record).await.unwrap();
    }
    let all = EntryQuery::default;
    let ask = async |query| {
        let entries = store.entries(query).await.unwrap();
        entries.iter().map(|entry| entry.seq).collect::<Vec<_>>()
    };
    let newest_first = EntryQuery {
        newest_first: true,
        limit: 2,
        ..all()
    };
    assert_eq!(ask(newest_first).await, [6, 5]);
    let between = EntryQuery {
        after: Some(2),
        before: Some(5),
        ..all()
    };
    assert_eq!(ask(between).await, [3, 4]);
    let of_call = EntryQuery {
        call: Some("even".to_owned()),
        ..all()
    };
    assert_eq!(ask(of_call).await, [2, 4, 6]);
    let since = EntryQuery {
        since: Some(Timestamp(50)),
        ..all()
    };
    assert_eq!(ask(since).await, [5, 6]);
}

/// A journal of five entries, closed.
async fn written(path: &Path) -> SqliteStore {
    let store = open(path, Role::Gate);
    let started = Started {
        version: "0.1.0".to_owned(),
        ..Started::default()
    };
    store.append(NOW, Record::Started(started)).await.unwrap();
    for call in ["a", "b", "c", "d"] {
        store.append(NOW, intent(call)).await.unwrap();
    }
    store.close().await.unwrap();
    open(path, Role::Reader)
}

/// What is found after somebody ran a statement on the file.
async fn tampered(statement: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = written(&path).await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(statement).unwrap();
    match store.verify(|_| {}).unwrap() {
        Ok(verified) => format!("holds, {} entries", verified.entries),
        Err(broken) => broken.to_string(),
    }
}

#[tokio::test]
async fn what_somebody_did_to_an_entry_is_named() {
    let mut told = Vec::new();
    for statement in [
        "",
        "UPDATE journal SET record = replace(record, 'wipe_index', 'read_index') WHERE seq = 3",
        "UPDATE journal SET record = record || ' ' WHERE seq = 3",
        "UPDATE journal SET kind = 'outcome' WHERE seq = 3",
        "UPDATE journal SET at = at + 1 WHERE seq = 3",
        "UPDATE journal SET hash = x'00' WHERE seq = 3",
        "UPDATE journal SET previous = zeroblob(32) WHERE seq = 3",
        "DELETE FROM journal WHERE seq = 1",
        "DELETE FROM journal WHERE seq IN (3, 4)",
        "DELETE FROM journal WHERE seq = 3; UPDATE journal SET seq = seq - 1 WHERE seq > 3",
        "UPDATE journal SET seq = 9 WHERE seq = 3",
    ] {
        told.push(tampered(statement).await);
    }
    let hash = |word: &str| word.len() >= 64 && word.chars().all(|c| c.is_ascii_hexdigit());
    let told = told.iter().map(|line| {
        let words = line.split(' ').map(|word| {
            if hash(word.trim_end_matches(',')) {
                "…"
            } else {
                word
            }
        });
        words.collect::<Vec<_>>().join(" ")
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    holds, 5 entries
    entry 3: it was changed: what it says has the hash … and it carries …
    entry 3: it was changed: what it says has the hash … and it carries …
    entry 3: it was changed: what it says has the hash … and it carries …
    entry 3: it was changed: what it says has the hash … and it carries …
    entry 3: it cannot be read: there is something else in its `hash`
    entry 3: it does not follow the entry before it: that has the hash … and it names …
    entry 1: it is missing; the next one there is 2
    entry 3: it is missing; the next one there is 5
    entry 3: it does not follow the entry before it: that has the hash … and it names …
    entry 3: it is missing; the next one there is 4
    ");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Any one byte of anything that is hashed.
    #[test]
    fn any_changed_byte_is_found(
        seq in 1u64..=5,
        column in prop::sample::select(vec!["record", "kind", "hash", "previous"]),
        at in any::<prop::sample::Index>(),
        by in 1u8..=255,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let store = runtime.block_on(written(&path));
        let connection = rusqlite::Connection::open(&path).unwrap();
        let select = format!("SELECT CAST({column} AS BLOB) FROM journal WHERE seq = ?1");
        let mut bytes: Vec<u8> = connection.query_row(&select, [seq], |row| row.get(0)).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        let cast = if matches!(column, "record" | "kind") { "CAST(?2 AS TEXT)" } else { "?2" };
        let update = format!("UPDATE journal SET {column} = {cast} WHERE seq = ?1");
        connection.execute(&update, (seq, &bytes)).unwrap();
        let broken = store.verify(|_| {}).unwrap().unwrap_err();
        prop_assert_eq!(broken.seq, seq);
    }
}

#[tokio::test]
async fn an_empty_journal_holds() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    let verified = store.verify(|_| {}).unwrap().unwrap();
    assert_eq!((verified.entries, verified.head), (0, Hash::NONE));
    assert_eq!(store.entries(EntryQuery::default()).await.unwrap(), []);
}
