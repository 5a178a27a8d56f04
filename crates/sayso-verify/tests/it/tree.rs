//! What lies between two looks at files.

mod loss;
#[cfg(target_os = "linux")]
mod overlay;
mod properties;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use sayso_verify::change::{Change, Class, Loss, Place, What};
use sayso_verify::tree::{Folder, Location, Names, Tree};

struct Files {
    folder: tempfile::TempDir,
    tree: Tree,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let contents = folder.path().join("contents");
        let files = folder.path().join("files");
        fs::create_dir(&contents).unwrap();
        fs::create_dir(&files).unwrap();
        let folders = vec![Folder {
            path: "/w".into(),
            place: Place::Workspace,
            location: Location::Plain(files),
        }];
        Self {
            folder,
            tree: Tree::new(folders, contents),
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("files").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).unwrap();
    }

    /// What an act changes, a line each.
    fn changed(&mut self, act: impl FnOnce(&Self)) -> Vec<String> {
        self.changes(act).iter().map(line).collect()
    }

    fn changes(&mut self, act: impl FnOnce(&Self)) -> Vec<Change> {
        let before = self.tree.look(&BTreeSet::new()).unwrap();
        assert_eq!(self.tree.between(&before, &before, &Names::default()), []);
        act(self);
        let after = self.tree.look(&BTreeSet::new()).unwrap();
        self.tree.between(&before, &after, &Names::default())
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b.example",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .current_dir(self.at(""))
            .output()
            .unwrap();
        assert!(status.status.success(), "{arguments:?} {status:?}");
    }
}

fn line(change: &Change) -> String {
    let what = match &change.what {
        What::Renamed { from } => format!("renamed from {}", from.display()),
        What::Mode { before, after } => format!("mode {before:o} to {after:o}"),
        other => format!("{other:?}").to_lowercase(),
    };
    let lost = match &change.lost {
        Loss::Nothing => String::new(),
        Loss::Recoverable(from) => format!(", recoverable from {from}"),
        Loss::Bytes(count) => format!(", {count} bytes lost"),
        Loss::Items { count, of } => format!(", {count} {of} lost"),
        Loss::Unknown => ", replaced".to_owned(),
    };
    let detail = change
        .detail
        .as_deref()
        .map(|detail| format!(" ({detail})"))
        .unwrap_or_default();
    format!("{}: {what}{lost}{detail}", change.path.display())
}

#[test]
fn files_that_change_are_told() {
    let mut files = Files::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        files.write(name, &format!("the text of {name}\n"));
    }
    fs::create_dir(files.at("folder")).unwrap();
    let changed = files.changed(|files| {
        files.write("a", "the text of a\nand more\n");
        files.write("b", "");
        fs::remove_file(files.at("c")).unwrap();
        fs::rename(files.at("d"), files.at("moved")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(files.at("e"), mode).unwrap();
        // Written as it was.
        files.write("f", "the text of f\n");
        files.write("new", "");
        std::os::unix::fs::symlink("a", files.at("link")).unwrap();
        fs::remove_dir(files.at("folder")).unwrap();
        files.write("folder", "");
    });
    insta::assert_snapshot!(changed.join("\n"), @"
    /w/a: changed
    /w/b: truncated, 13 bytes lost
    /w/c: deleted, 14 bytes lost
    /w/e: mode 644 to 600
    /w/folder: retyped
    /w/link: created
    /w/moved: renamed from /w/d
    /w/new: created
    ");
}

#[test]
fn a_time_that_is_set_is_told_and_one_that_moves_is_not() {
    let mut files = Files::new();
    files.write("a", "x");
    let changed = files.changed(|files| {
        let file = fs::File::options()
            .append(true)
            .open(files.at("a"))
            .unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    });
    assert_eq!(changed, ["/w/a: times"]);
}

#[test]
fn rows_are_weighed_and_not_bytes() {
    for mode in ["delete", "wal"] {
        let mut files = Files::new();
        let open = |files: &Files| Connection::open(files.at("t.db")).unwrap();
        let held = open(&files);
        held.pragma_update(None, "journal_mode", mode).unwrap();
        held.execute_batch("create table t (a); insert into t values (1), (2), (3)")
            .unwrap();
        let added = files.changed(|files| {
            open(files).execute("insert into t values (4)", []).unwrap();
        });
        assert_eq!(added, ["/w/t.db: changed (1 row(s) added)"], "{mode}");
        let lost = files.changed(|files| {
            open(files)
                .execute("delete from t where a < 3", [])
                .unwrap();
        });
        assert_eq!(
            lost,
            ["/w/t.db: changed, 2 row lost (2 row(s) gone)"],
            "{mode}"
        );
        let read = files.changed(|files| {
            let count: i64 = open(files)
                .query_row("select count(*) from t", [], |row| row.get(0))
                .unwrap();
            assert_eq!(count, 2);
        });
        assert_eq!(read, [""; 0], "{mode}");
    }
}

#[test]
fn records_may_move() {
    let mut files = Files::new();
    files.write("r.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    let moved = files.changed(|files| files.write("r.jsonl", "{\"n\":2}\n{\"n\": 1}\n{\"n\":3}\n"));
    assert_eq!(moved, ["/w/r.jsonl: changed (1 record(s) added)"]);
    let lost = files.changed(|files| files.write("r.jsonl", "{\"n\":3}\n"));
    assert_eq!(
        lost,
        ["/w/r.jsonl: changed, 2 record lost (2 record(s) gone)"]
    );
}

#[test]
fn a_repository_gives_back_what_it_has() {
    let mut files = Files::new();
    files.git(&["init", "-q"]);
    files.write("tracked", "one\n");
    files.git(&["add", "tracked"]);
    files.git(&["commit", "-qm", "one"]);
    files.git(&["checkout", "-qb", "other"]);
    files.write("tracked", "two\n");
    files.write("ignored", "theirs\n");
    files.git(&["add", "-f", "."]);
    files.git(&["commit", "-qm", "two"]);
    files.git(&["checkout", "-q", "main"]);
    files.write(".git/info/exclude", "ignored\n");
    files.write("ignored", "written by hand and nowhere else\n");
    let changes = files.changes(|files| files.git(&["checkout", "-q", "other"]));
    let of = |name: &str| {
        let change = changes
            .iter()
            .find(|change| change.path == Path::new("/w").join(name));
        line(change.unwrap())
    };
    assert_eq!(
        of("tracked"),
        "/w/tracked: changed, recoverable from an object of its repository"
    );
    assert_eq!(of("ignored"), "/w/ignored: changed, 32 bytes lost");
    let own = changes
        .iter()
        .filter(|change| change.path.starts_with("/w/.git"));
    assert!(
        own.clone().all(|change| !change.lost.is_loss()),
        "{changes:#?}"
    );
}

#[test]
fn a_stale_index_is_a_cache() {
    let mut files = Files::new();
    files.git(&["init", "-q"]);
    files.write("tracked", "one\n");
    files.git(&["add", "tracked"]);
    files.git(&["commit", "-qm", "one"]);
    let later = fs::File::options()
        .append(true)
        .open(files.at("tracked"))
        .unwrap();
    later
        .set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000))
        .unwrap();
    let changes = files.changes(|files| files.git(&["status"]));
    let index: Vec<_> = changes
        .iter()
        .map(|change| (change.path.as_path(), change.class))
        .collect();
    assert_eq!(index, [(Path::new("/w/.git/index"), Class::Cache)]);
}

#[test]
#[cfg(target_os = "linux")]
fn an_attribute_is_told() {
    let mut files = Files::new();
    files.write("a", "x");
    let changed = files.changed(|files| {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(files.at("a"), "user.lies", b"told", flags).unwrap();
    });
    assert_eq!(changed, ["/w/a: attributes"]);
}
