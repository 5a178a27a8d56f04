//! The file: one gate at a time, known again, refused when it is something else.

use sayso_store::sqlite::{Role, SqliteStore};
use sayso_store::{EntryQuery, Store as _, StoreError};

use super::{NOW, intent, open, options};

/// The error without the folder, and its hint.
fn told(error: &StoreError, folder: &tempfile::TempDir) -> String {
    let folder = format!("{}/", folder.path().display());
    let hint = error.hint().unwrap_or("none");
    format!("{error}\nhint: {hint}").replace(&folder, "")
}

#[tokio::test]
async fn a_second_gate_is_kept_out_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.store");
    let gate = open(&path, Role::Gate);
    gate.append(NOW, intent("a")).await.unwrap();
    let second = SqliteStore::open(&options(&path, Role::Gate)).unwrap_err();
    insta::assert_snapshot!(told(&second, &folder), @"
    another gate has the store `gate.store`
    hint: stop the other gate, or give this one a store of its own
    ");
    for role in [Role::Beside, Role::Reader] {
        let other = open(&path, role);
        let entries = other.entries(EntryQuery::default()).await.unwrap();
        assert_eq!(entries.len(), 1);
    }
    gate.close().await.unwrap();
    let third = open(&path, Role::Gate);
    assert_eq!(third.append(NOW, intent("b")).await.unwrap().seq, 2);
}

#[tokio::test]
async fn a_reader_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.store");
    drop(open(&path, Role::Gate));
    let reader = open(&path, Role::Reader);
    let refused = reader.append(NOW, intent("a")).await.unwrap_err();
    insta::assert_snapshot!(told(&refused, &folder), @"
    the store `gate.store` cannot be written to
    hint: check who may write to the file and its folder
    ");
}

#[test]
fn only_a_gate_makes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.store");
    for role in [Role::Beside, Role::Reader] {
        let missing = SqliteStore::open(&options(&path, role)).unwrap_err();
        assert_eq!(missing, StoreError::Missing(path.clone()));
    }
    assert!(!path.exists());
    let inside = folder.path().join("new/folder/gate.store");
    open(&inside, Role::Gate);
    assert!(inside.exists());
}

#[cfg(unix)]
#[test]
fn a_store_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.store");
    let _store = open(&path, Role::Gate);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    let words =
        "something else entirely, long enough to be taken for the head of a file\n".repeat(9);
    std::fs::write(&text, &words).unwrap();
    let other = folder.path().join("other.sqlite");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection
        .execute_batch("CREATE TABLE notes (note)")
        .unwrap();
    let newer = folder.path().join("newer.store");
    drop(open(&newer, Role::Gate));
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    let mut lines = Vec::new();
    for path in [&text, &other, &newer] {
        for role in [Role::Gate, Role::Beside] {
            let error = SqliteStore::open(&options(path, role)).unwrap_err();
            lines.push(told(&error, &folder));
        }
    }
    assert_eq!(std::fs::read_to_string(&text).unwrap(), words);
    lines.dedup();
    insta::assert_snapshot!(lines.join("\n"), @"
    `notes.txt` is no store of the gate
    hint: name another file
    `other.sqlite` is no store of the gate
    hint: name another file
    the store `newer.store` has format 7; this version of sayso reads format 1
    hint: use the version of sayso that wrote it, or a newer one
    ");
}
