//! Killed at any moment, and out of room: what was acknowledged is there, and the chain holds.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use sayso_store::sqlite::Role;
use sayso_store::{EntryQuery, Store as _};

use super::{NOW, intent, open};

/// The example beside this test, which Cargo builds with it.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().unwrap().parent().unwrap();
    target.join("examples").join(name)
}

fn appender(path: &Path, callers: &str) -> Child {
    Command::new(example("append_forever"))
        .arg(path)
        .arg(callers)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn killed_under_load_the_chain_holds_and_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut most = 0;
    for kill in 0..20u64 {
        let mut child = appender(&path, if kill % 2 == 0 { "32" } else { "1" });
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut acknowledged = out.lines().map(|line| line.unwrap());
        // After more and more entries, so that it falls at other moments.
        for line in acknowledged.by_ref().take(20 + 173 * kill as usize % 2_000) {
            most = most.max(line.parse().unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // The last line may be cut off by the kill; every whole one was acknowledged.
        let rest = acknowledged.filter_map(|line| line.parse().ok());
        most = rest.fold(most, u64::max);
        let store = open(&path, Role::Gate);
        let verified = store.verify(|_| {}).unwrap().unwrap();
        assert!(verified.last >= most, "{} < {most}", verified.last);
    }
}

/// How many bytes files of a process may have is the nearest thing to a full disk that needs no
/// disk of its own.
#[cfg(target_os = "linux")]
#[test]
fn without_room_appends_fail_and_with_room_they_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let status = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$1\""])
        .arg(example("run_out_of_room"))
        .arg(&path)
        .status()
        .unwrap();
    assert!(status.success());
    let store = open(&path, Role::Gate);
    assert!(store.verify(|_| {}).unwrap().is_ok());
}

#[tokio::test]
async fn another_writer_that_holds_on_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = open(&path, Role::Gate);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let append = store.append(NOW, intent("a"));
    let release = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        other.execute_batch("ROLLBACK").unwrap();
    };
    let (appended, ()) = tokio::join!(append, release);
    assert_eq!(appended.unwrap().seq, 1);
    let entries = store.entries(EntryQuery::default()).await.unwrap();
    assert_eq!(entries.len(), 1);
}
