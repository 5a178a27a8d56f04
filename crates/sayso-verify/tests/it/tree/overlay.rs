//! Overlays: what was written lies in one folder, what was there before in another.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat, setxattr};
use sayso_verify::change::Place;
use sayso_verify::tree::{Folder, Location, Names, Tree};

use super::line;

struct Overlay {
    folder: tempfile::TempDir,
    tree: Tree,
}

impl Overlay {
    /// Over a folder with `a`, `folder/b` and `folder/in/c`.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["contents", "upper", "lower/folder/in"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["a", "folder/b", "folder/in/c"] {
            fs::write(at("lower").join(name), format!("the text of {name}\n")).unwrap();
        }
        let (lower, upper) = (at("lower"), at("upper"));
        let folders = vec![Folder {
            path: "/w".into(),
            place: Place::Workspace,
            location: Location::Overlay { lower, upper },
        }];
        let tree = Tree::new(folders, at("contents"));
        Self { folder, tree }
    }

    fn upper(&self, name: &str) -> PathBuf {
        self.folder.path().join("upper").join(name)
    }

    /// What the kernel leaves where something was removed.
    fn whiteout(&self, name: &str) {
        mknodat(
            CWD,
            self.upper(name),
            FileType::CharacterDevice,
            Mode::empty(),
            0,
        )
        .unwrap();
    }

    fn changed(&mut self, act: impl FnOnce(&Self)) -> Vec<String> {
        let before = self.tree.look(&BTreeSet::new()).unwrap();
        act(self);
        let after = self.tree.look(&BTreeSet::new()).unwrap();
        let changes = self.tree.between(&before, &after, &Names::default());
        changes.iter().map(line).collect()
    }
}

#[test]
fn what_is_removed_is_told_with_all_that_was_in_it() {
    let mut overlay = Overlay::new();
    let changed = overlay.changed(|overlay| {
        overlay.whiteout("a");
        overlay.whiteout("folder");
    });
    insta::assert_snapshot!(changed.join("\n"), @"
    /w/a: deleted, 14 bytes lost
    /w/folder: deleted
    /w/folder/b: deleted, 21 bytes lost
    /w/folder/in: deleted
    /w/folder/in/c: deleted, 24 bytes lost
    ");
    // A folder that is made anew hides what was there.
    let changed = overlay.changed(|overlay| {
        fs::remove_file(overlay.upper("folder")).unwrap();
        fs::create_dir(overlay.upper("folder")).unwrap();
        let opaque = "user.overlay.opaque";
        setxattr(overlay.upper("folder"), opaque, b"y", XattrFlags::empty()).unwrap();
        fs::write(overlay.upper("folder/new"), "").unwrap();
    });
    assert_eq!(changed, ["/w/folder: created", "/w/folder/new: created"]);
}

#[test]
fn a_folder_made_anew_at_once_is_told_by_what_it_held() {
    let mut overlay = Overlay::new();
    let changed = overlay.changed(|overlay| {
        fs::create_dir(overlay.upper("folder")).unwrap();
        let opaque = "user.overlay.opaque";
        setxattr(overlay.upper("folder"), opaque, b"y", XattrFlags::empty()).unwrap();
    });
    insta::assert_snapshot!(changed.join("\n"), @"
    /w/folder/b: deleted, 21 bytes lost
    /w/folder/in: deleted
    /w/folder/in/c: deleted, 24 bytes lost
    ");
}

#[test]
fn a_copy_is_no_change_until_it_differs() {
    let mut overlay = Overlay::new();
    let copy = |overlay: &Overlay| {
        fs::create_dir_all(overlay.upper("folder")).unwrap();
        let lower = overlay.folder.path().join("lower/folder/b");
        let time = fs::metadata(&lower).unwrap().modified().unwrap();
        fs::copy(lower, overlay.upper("folder/b")).unwrap();
        let copied = fs::File::options()
            .append(true)
            .open(overlay.upper("folder/b"))
            .unwrap();
        copied.set_modified(time).unwrap();
    };
    assert_eq!(overlay.changed(copy), [""; 0]);
    let changed = overlay.changed(|overlay| {
        fs::write(
            overlay.upper("folder/b"),
            "the text of folder/b\nand more\n",
        )
        .unwrap();
    });
    assert_eq!(changed, ["/w/folder/b: changed"]);
}

#[test]
fn a_time_that_is_set_on_a_copy_is_told() {
    let mut overlay = Overlay::new();
    let changed = overlay.changed(|overlay| {
        fs::copy(overlay.folder.path().join("lower/a"), overlay.upper("a")).unwrap();
        let copied = fs::File::options()
            .append(true)
            .open(overlay.upper("a"))
            .unwrap();
        copied.set_modified(std::time::UNIX_EPOCH).unwrap();
    });
    assert_eq!(changed, ["/w/a: times"]);
}

#[test]
fn a_folder_that_moves_is_one_change() {
    let mut overlay = Overlay::new();
    let changed = overlay.changed(|overlay| {
        overlay.whiteout("folder");
        fs::create_dir_all(overlay.upper("moved/in")).unwrap();
        fs::write(overlay.upper("moved/b"), "the text of folder/b\n").unwrap();
        fs::write(overlay.upper("moved/in/c"), "the text of folder/in/c\n").unwrap();
    });
    assert_eq!(changed, ["/w/moved: renamed from /w/folder"]);
}

#[test]
fn the_digest_is_that_of_the_folder_as_it_is_seen() {
    let mut overlay = Overlay::new();
    let lower = overlay.folder.path().join("lower");
    let plain = |path: PathBuf| {
        let contents = overlay.folder.path().join("contents");
        let location = Location::Plain(path);
        let folder = Folder {
            path: "/elsewhere".into(),
            place: Place::Workspace,
            location,
        };
        let mut tree = Tree::new(vec![folder], contents);
        let look = tree.look(&BTreeSet::new()).unwrap();
        tree.digest(&look)
    };
    let of_lower = plain(lower.clone());
    let look = overlay.tree.look(&BTreeSet::new()).unwrap();
    assert_eq!(overlay.tree.digest(&look), of_lower);
    overlay.whiteout("a");
    let look = overlay.tree.look(&BTreeSet::new()).unwrap();
    let without = overlay.tree.digest(&look);
    assert_ne!(without, of_lower);
}
