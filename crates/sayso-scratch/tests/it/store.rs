//! The store: its first contents, rebuilds, copies, and what is no store.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sayso_scratch::store::{Store, StoreError};
use sayso_scratch::tool::{Arguments, Tool, run};
use tempfile::TempDir;

use super::tools::arguments;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn new() -> (TempDir, Store) {
    let place = TempDir::new().unwrap();
    let store = Store::create(&place.path().join("store.sqlite")).unwrap();
    (place, store)
}

fn after(seconds: i64) -> Timestamp {
    NOW + SignedDuration::from_secs(seconds)
}

fn wipe(store: &Store, arguments: &Arguments, now: Timestamp) -> String {
    let rebuild = Duration::from_secs(8);
    run(store, Tool::WipeIndex, arguments, rebuild, now)
        .unwrap()
        .text()
}

#[test]
fn a_new_store_has_something_of_everything() {
    let (_place, store) = new();
    insta::assert_snapshot!(store.state(NOW).unwrap(), @"3 indexes, 0 rebuilding, 10 index entries, 4 pinned results, 10 documents, 3 tenants, 9 tenant records, 3 invoices, 2 notes, 0 outbox, 0 wipes, 0 reindexed");
}

#[test]
fn a_wipe_empties_the_index_until_the_rebuild_is_done_and_loses_what_was_pinned() {
    let (_place, store) = new();
    let before = store.state(NOW).unwrap();
    let arguments = arguments(Tool::WipeIndex, r#"{"index":"runbooks-v3"}"#).unwrap();
    let mut seen = vec![wipe(&store, &arguments, NOW)];
    let mut look = |at: i64| {
        let changes = store.state(after(at)).unwrap().changes_since(&before);
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        seen.push(format!("{at} s: {}", changes.join(", ")));
    };
    look(0);
    look(7);
    look(8);
    seen.push(wipe(&store, &arguments, after(7)));
    seen.push(wipe(&store, &arguments, after(9)));
    insta::assert_snapshot!(seen.join("\n"), @"
    the index `runbooks-v3` was dropped with 5 documents and 2 pinned results; it is being rebuilt and ready in 8.0 s
    0 s: rebuilding 0 → 1, index entries 10 → 5, pinned results 4 → 2, wipes 0 → 1
    7 s: rebuilding 0 → 1, index entries 10 → 5, pinned results 4 → 2, wipes 0 → 1
    8 s: pinned results 4 → 2, wipes 0 → 1
    the index `runbooks-v3` is being rebuilt: it is ready in 1.0 s
    the index `runbooks-v3` was dropped with 5 documents and 0 pinned results; it is being rebuilt and ready in 8.0 s
    ");
}

#[test]
fn a_copy_goes_its_own_way() {
    let (place, store) = new();
    let copy = store.copy_to(&place.path().join("copy.sqlite")).unwrap();
    assert_eq!(copy.state(NOW).unwrap(), store.state(NOW).unwrap());
    let arguments = arguments(Tool::PurgeTenant, r#"{"tenant":"larkspur"}"#).unwrap();
    run(&copy, Tool::PurgeTenant, &arguments, Duration::ZERO, NOW).unwrap();
    assert_eq!(copy.state(NOW).unwrap().tenants, 2);
    assert_eq!(store.state(NOW).unwrap().tenants, 3);
    // Neither takes the place of something.
    assert!(matches!(
        store.copy_to(copy.path()),
        Err(StoreError::Exists(_))
    ));
    assert!(matches!(
        Store::create(copy.path()),
        Err(StoreError::Exists(_))
    ));
    copy.reseed().unwrap();
    assert_eq!(copy.state(NOW).unwrap(), store.state(NOW).unwrap());
}

#[test]
fn what_was_done_is_there_after_opening_again_and_for_others() {
    let (place, store) = new();
    let other = Store::open(store.path()).unwrap();
    let arguments = arguments(Tool::AppendNote, r#"{"page":"p","text":"t"}"#).unwrap();
    run(&store, Tool::AppendNote, &arguments, Duration::ZERO, NOW).unwrap();
    assert_eq!(other.state(NOW).unwrap().notes, 3);
    drop((store, other));
    let store = Store::open(&place.path().join("store.sqlite")).unwrap();
    assert_eq!(store.state(NOW).unwrap().notes, 3);
}

#[test]
fn many_can_make_it_at_once() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store.sqlite");
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let open = || Store::open(&path).unwrap().state(NOW).unwrap().documents;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(counts, [10; 8]);
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let place = TempDir::new().unwrap();
    let text = place.path().join("notes.txt");
    std::fs::write(
        &text,
        "not a database, and long enough to be seen as something else",
    )
    .unwrap();
    assert!(matches!(Store::open(&text), Err(StoreError::Foreign(_))));
    assert!(
        std::fs::read_to_string(&text)
            .unwrap()
            .starts_with("not a database")
    );

    let other = place.path().join("other.sqlite");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection
        .execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (1)")
        .unwrap();
    drop(connection);
    assert!(matches!(Store::open(&other), Err(StoreError::Foreign(_))));

    let newer = place.path().join("newer.sqlite");
    drop(Store::create(&newer).unwrap());
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    assert!(matches!(
        Store::open(&newer),
        Err(StoreError::Version { found: 7, .. })
    ));
}
