//! What lies between two looks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::{Entry, Kind};
use super::{Location, Look, Names, Tree, class, database, git, loss, rename};
use crate::change::{Change, Class, Place, What};

/// Two looks at the same folders.
pub(super) struct Moments<'a> {
    pub(super) tree: &'a Tree,
    pub(super) before: &'a Look,
    pub(super) after: &'a Look,
}

impl<'a> Moments<'a> {
    pub(super) const fn new(tree: &'a Tree, before: &'a Look, after: &'a Look) -> Self {
        Self {
            tree,
            before,
            after,
        }
    }

    /// What is at a path, whether it was written or lies below.
    pub(super) fn at(&self, look: &Look, path: &Path) -> Option<Arc<Entry>> {
        if let Some(entry) = look.get(path) {
            return Some(Arc::clone(entry)).filter(|entry| entry.kind != Kind::Removed);
        }
        let folder = self.tree.folder(path)?;
        if matches!(folder.location, Location::Plain(_)) {
            return None;
        }
        let mut above = path.ancestors().skip(1);
        let is_hidden = above
            .by_ref()
            .take_while(|above| above.starts_with(&folder.path))
            .any(|above| look.get(above).is_some_and(|entry| entry.hides()));
        if is_hidden {
            return None;
        }
        self.tree.lower_entry(path)
    }

    /// The bytes of the file that was at a path.
    pub(super) fn bytes(&self, look: &Look, path: &Path) -> Option<Vec<u8>> {
        self.tree.bytes(path, self.at(look, path)?.as_ref())
    }

    /// Everything below a path, written or not.
    pub(super) fn below(&self, look: &Look, path: &Path) -> BTreeMap<PathBuf, Arc<Entry>> {
        let mut paths: BTreeSet<PathBuf> = self.tree.lower_below(path).into_iter().collect();
        paths.extend(look.below(path).map(|(path, _)| path.clone()));
        let found = paths.into_iter().filter_map(|path| {
            let entry = self.at(look, &path)?;
            Some((path, entry))
        });
        found.collect()
    }

    /// Everything in the workspace after.
    pub(super) fn workspace(&self) -> BTreeMap<PathBuf, Arc<Entry>> {
        let folders = self.tree.folders.iter();
        let workspaces = folders.filter(|folder| folder.place == Place::Workspace);
        workspaces
            .flat_map(|folder| self.below(self.after, &folder.path))
            .filter(|(path, _)| {
                let folder = self.tree.folder(path);
                folder.is_some_and(|folder| folder.place == Place::Workspace)
            })
            .collect()
    }

    /// All changes, by path.
    pub(super) fn changes(&self, names: &Names) -> Vec<Change> {
        let mut paths = self.touched();
        let databases = database::of(self, &paths);
        paths.retain(|path| !databases.contains(path) && !database::is_beside_one(self, path));
        let repositories = git::Repositories::of(self, &paths);
        let mut changes: Vec<Change> = paths
            .iter()
            .filter_map(|path| self.change(path, &repositories, names))
            .collect();
        let of_databases = databases.iter().filter_map(|path| {
            let (what, lost, detail, is_same) = database::change(self, path)?;
            let class = match is_same {
                true => Class::Cache,
                false => class::of(path, self.place(path), names),
            };
            Some(Change {
                path: path.clone(),
                place: self.place(path),
                class,
                what,
                lost,
                detail,
            })
        });
        changes.extend(of_databases);
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        self.give_folders_to_owners(&mut changes);
        rename::join(changes, self)
    }

    /// A folder outside the workspace that came or went with what is in it belongs to whoever owns that:
    /// one of caches and logs alone is no more than they are.
    fn give_folders_to_owners(&self, changes: &mut [Change]) {
        // Folders stand before what is in them.
        for place in (0..changes.len()).rev() {
            let (upto, behind) = changes.split_at_mut(place + 1);
            let Some(folder) = upto.last_mut() else {
                continue;
            };
            let look = match folder.what {
                What::Created => self.after,
                What::Deleted => self.before,
                _ => continue,
            };
            let entry = self.at(look, &folder.path);
            let is_folder = entry.is_some_and(|entry| matches!(entry.kind, Kind::Folder { .. }));
            if !is_folder || folder.place == Place::Workspace || folder.class != Class::UserData {
                continue;
            }
            let within = behind
                .iter()
                .take_while(|change| change.path.starts_with(&folder.path));
            if let Some(class) = within.map(|change| change.class).max() {
                folder.class = class;
            }
        }
    }

    /// Paths at which something may be different.
    fn touched(&self) -> BTreeSet<PathBuf> {
        let mut paths = BTreeSet::new();
        let all = self.before.0.keys().chain(self.after.0.keys());
        for path in all {
            let (before, after) = (self.before.get(path), self.after.get(path));
            let is_same = match (before, after) {
                (Some(before), Some(after)) => Arc::ptr_eq(before, after) || before == after,
                _ => false,
            };
            if is_same || !paths.insert(path.clone()) {
                continue;
            }
            // What lies below it was hidden, or has come to light.
            let hides = |entry: Option<&Arc<Entry>>| entry.is_some_and(|entry| entry.hides());
            if hides(before) != hides(after) {
                paths.extend(self.tree.lower_below(path));
            }
        }
        paths
    }

    pub(super) fn place(&self, path: &Path) -> Place {
        let folder = self.tree.folder(path);
        folder.map_or(Place::Elsewhere, |folder| folder.place)
    }

    fn change(
        &self,
        path: &Path,
        repositories: &git::Repositories,
        names: &Names,
    ) -> Option<Change> {
        let (before, after) = (self.at(self.before, path), self.at(self.after, path));
        let what = what(before.as_deref(), after.as_deref())?;
        let place = self.place(path);
        let class = match git::is_refreshed_index(self, path) {
            true => Class::Cache,
            false => class::of(path, place, names),
        };
        let (lost, detail) = loss::of(
            self,
            path,
            before.as_deref(),
            after.as_deref(),
            repositories,
        );
        let what = match what {
            What::Changed if loss::is_saved_again(self, path) => What::SavedAgain,
            what => what,
        };
        Some(Change {
            path: path.to_owned(),
            place,
            class,
            what,
            lost,
            detail,
        })
    }
}

/// What became of an entry; `None` where nothing did.
pub(super) fn what(before: Option<&Entry>, after: Option<&Entry>) -> Option<What> {
    let (before, after) = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => return Some(What::Created),
        (Some(_), None) => return Some(What::Deleted),
        (Some(before), Some(after)) => (before, after),
    };
    if before.is_alike(after) {
        // A folder's time moves with what is in it, and a file's where it is written as it was.
        let is_set = before.modified != after.modified
            && matches!(after.kind, Kind::File { .. } | Kind::Folder { .. })
            && after.has_set_time();
        return is_set.then_some(What::Times);
    }
    match (&before.kind, &after.kind) {
        (Kind::File { digest, .. }, Kind::File { digest: other, .. }) if digest == other => {}
        (Kind::File { size: before, .. }, Kind::File { size: 0, .. }) if *before > 0 => {
            return Some(What::Truncated);
        }
        (Kind::File { .. }, Kind::File { .. }) | (Kind::Link(_), Kind::Link(_))
            if before.kind != after.kind =>
        {
            return Some(What::Changed);
        }
        (one, other) if std::mem::discriminant(one) != std::mem::discriminant(other) => {
            return Some(What::Retyped);
        }
        _ => {}
    }
    match before.mode == after.mode {
        true if before.attributes != after.attributes => Some(What::Attributes),
        true => None,
        false => Some(What::Mode {
            before: before.mode & 0o7777,
            after: after.mode & 0o7777,
        }),
    }
}
