//! Who asks at the same time is written with one transaction, and fails alone.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use sayso_store::sqlite::{Role, SqliteStore};
use sayso_store::{EntryQuery, Receipt, Store as _, StoreError};

use super::{NOW, intent, open};

/// How many transactions there are in the log of the file: a frame that ends one says how many
/// pages the file has then (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
fn transactions(path: &Path) -> usize {
    const HEADER: usize = 32;
    const FRAME: usize = 24 + 4096;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = std::fs::read(log).unwrap();
    let frames = log[HEADER..].chunks_exact(FRAME);
    frames.filter(|frame| frame[4..8] != [0; 4]).count()
}

/// Appends all of them at the same time, on the one thread there is.
async fn append_all(
    store: &Arc<SqliteStore>,
    calls: Vec<String>,
) -> Vec<Result<Receipt, StoreError>> {
    let append = |call: String| {
        let store = Arc::clone(store);
        tokio::spawn(async move { store.append(NOW, intent(&call)).await })
    };
    let mut done = Vec::new();
    for appending in calls.into_iter().map(append).collect::<Vec<_>>() {
        done.push(appending.await.unwrap());
    }
    done
}

async fn calls_in(store: &SqliteStore) -> Vec<String> {
    let entries = store.entries(EntryQuery::default()).await.unwrap();
    let calls = entries.iter().filter_map(|entry| entry.record.call());
    calls.map(str::to_owned).collect()
}

#[tokio::test]
async fn who_asks_at_the_same_time_is_written_with_few_transactions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Arc::new(open(&path, Role::Gate));
    let before = transactions(&path);
    let mut made = Vec::new();
    for round in 0..10 {
        let calls = (0..50).map(|caller| format!("{round}-{caller}")).collect();
        let start = transactions(&path);
        for appended in append_all(&store, calls).await {
            appended.unwrap();
        }
        made.push(transactions(&path) - start);
    }
    // Until others are seen to come at the same time, who asks does not wait for them.
    assert!(made[0] < 20, "{made:?}");
    assert_eq!(made[1..], [1; 9]);
    assert_eq!(transactions(&path) - before, made.iter().sum::<usize>());
    assert_eq!(store.verify(|_| {}).unwrap().unwrap().entries, 500);
}

#[tokio::test]
async fn who_asks_alone_again_is_written_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Arc::new(open(&path, Role::Gate));
    let calls = (0..50).map(|caller| format!("many-{caller}")).collect();
    append_all(&store, calls).await;
    for call in 0..40 {
        store
            .append(NOW, intent(&format!("one-{call}")))
            .await
            .unwrap();
    }
    // Polled once, and not for a second time.
    let mut append = store.append(NOW, intent("last"));
    let mut polled = std::future::poll_fn(|cx| std::task::Poll::Ready(append.as_mut().poll(cx)));
    assert!(std::pin::pin!(&mut polled).await.is_ready());
}

/// Lets another connection refuse calls whose id has this in it, in one of SQLite's ways.
fn refuse(path: &Path, word: &str, way: &str) {
    let other = rusqlite::Connection::open(path).unwrap();
    let trigger = format!(
        "CREATE TRIGGER refuse BEFORE INSERT ON journal WHEN instr(new.record, '{word}')
         BEGIN SELECT RAISE({way}, 'refused'); END"
    );
    other.execute_batch(&trigger).unwrap();
}

#[tokio::test]
async fn one_that_fails_among_many_fails_alone() {
    for way in ["ABORT", "FAIL", "ROLLBACK"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let store = Arc::new(open(&path, Role::Gate));
        refuse(&path, "bad", way);
        let names = |round: u32| {
            (0..40).map(move |call| match call {
                30 => format!("{round}-bad"),
                _ => format!("{round}-{call}"),
            })
        };
        for round in 0..3 {
            let done = append_all(&store, names(round).collect()).await;
            let failed = done.iter().zip(names(round)).filter_map(|(done, name)| {
                let error = done.as_ref().err()?;
                Some(format!("{name}: {error}").replace(path.to_str().unwrap(), "FILE"))
            });
            let failed: Vec<_> = failed.collect();
            assert_eq!(failed, [format!("{round}-bad: the store `FILE`: refused")]);
        }
        let mut kept = calls_in(&store).await;
        kept.sort();
        let mut good: Vec<_> = (0..3).flat_map(names).collect();
        good.retain(|name| !name.ends_with("bad"));
        good.sort();
        assert_eq!(kept, good, "{way}");
        assert_eq!(store.verify(|_| {}).unwrap().unwrap().entries, 117);
    }
}

#[tokio::test]
async fn others_are_written_where_the_first_of_them_went_away() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&folder.path().join("store"), Role::Gate));
    let calls = (0..50).map(|caller| format!("{caller}")).collect();
    append_all(&store, calls).await;
    let mut first = store.append(NOW, intent("first"));
    let mut second = store.append(NOW, intent("second"));
    std::future::poll_fn(|cx| {
        assert!(first.as_mut().poll(cx).is_pending());
        assert!(second.as_mut().poll(cx).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    drop(first);
    assert_eq!(second.await.unwrap().seq, 52);
}

#[tokio::test]
async fn what_waits_when_it_closes_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Arc::new(open(&path, Role::Gate));
    let calls = (0..50).map(|caller| format!("{caller}")).collect();
    append_all(&store, calls).await;
    let mut append = store.append(NOW, intent("waits"));
    std::future::poll_fn(|cx| {
        assert!(append.as_mut().poll(cx).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    store.close().await.unwrap();
    assert_eq!(append.await.unwrap().seq, 51);
    let late = store.append(NOW, intent("late")).await;
    assert_eq!(late.unwrap_err(), StoreError::Closed(path));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Each is written once, wherever callers go away.
    #[test]
    fn nothing_is_written_twice_or_left_out(
        rounds in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..24), 1..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(open(&folder.path().join("store"), Role::Gate));
        let (kept, stayed) = runtime.block_on(async {
            let mut stayed = Vec::new();
            for (round, stay) in rounds.iter().enumerate() {
                let mut appending = Vec::new();
                for (caller, stay) in stay.iter().enumerate() {
                    let (store, call) = (Arc::clone(&store), format!("{round}-{caller}"));
                    let name = call.clone();
                    let append = tokio::spawn(async move {
                        store.append(NOW, intent(&call)).await
                    });
                    appending.push((name, *stay, append));
                }
                tokio::task::yield_now().await;
                for (_, stay, append) in &appending {
                    if !stay {
                        append.abort();
                    }
                }
                for (name, _, append) in appending {
                    if let Ok(appended) = append.await {
                        stayed.push((appended.unwrap().seq, name));
                    }
                }
            }
            // Behind whatever is still under way.
            store.check().await.unwrap();
            (calls_in(&store).await, stayed)
        });
        for (seq, name) in &stayed {
            prop_assert_eq!(&kept[usize::try_from(*seq).unwrap() - 1], name);
        }
        let mut once = kept.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), kept.len());
        let all: usize = rounds.iter().map(Vec::len).sum();
        prop_assert_eq!(kept.len(), all, "aborted once they were asked for");
        let verified = store.verify(|_| {}).unwrap();
        prop_assert!(verified.is_ok(), "{verified:?}");
    }
}

/// Whatever is written, and however fast: a log that nobody empties would fill the disk.
#[tokio::test]
async fn the_log_of_the_file_has_an_end() {
    const LONGEST: u64 = 32_768 * (24 + 4096);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Arc::new(open(&path, Role::Gate));
    let log = folder.path().join("store-wal");
    let long = "x".repeat(8 << 20);
    let mut longest = 0;
    for round in 0..20 {
        store
            .append(NOW, intent(&format!("{round}-{long}")))
            .await
            .unwrap();
        longest = longest.max(std::fs::metadata(&log).unwrap().len());
    }
    assert!(longest < LONGEST + (16 << 20), "{longest}");
    // More was written than fits into it.
    let written = std::fs::metadata(&path).unwrap().len() + longest;
    assert!(written > LONGEST, "{written}");
}
