//! What is gone under one name and there under another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::between::Moments;
use super::entry::{Entry, Kind};
use crate::change::{Change, Loss, What};

/// Joins what is gone with what is new and the same; of a folder all of it as one.
pub(super) fn join(mut changes: Vec<Change>, moments: &Moments<'_>) -> Vec<Change> {
    let mut moved = BTreeMap::new();
    folders(&changes, moments, &mut moved);
    files(&changes, moments, &mut moved);
    if moved.is_empty() {
        return changes;
    }
    let sources: BTreeSet<&PathBuf> = moved.values().collect();
    let is_within = |path: &Path| {
        let mut above = path.ancestors().skip(1);
        above.any(|above| sources.contains(&above.to_owned()) || moved.contains_key(above))
    };
    changes.retain_mut(|change| {
        if is_within(&change.path) && matches!(change.what, What::Created | What::Deleted) {
            return false;
        }
        if change.what == What::Deleted && sources.contains(&change.path) {
            return false;
        }
        if let Some(from) = moved
            .get(&change.path)
            .filter(|_| change.what == What::Created)
        {
            change.what = What::Renamed { from: from.clone() };
            change.lost = Loss::Nothing;
        }
        true
    });
    changes
}

fn of<'a>(changes: &'a [Change], what: &'a What) -> impl Iterator<Item = &'a PathBuf> {
    let found = changes.iter().filter(move |change| change.what == *what);
    found.map(|change| &change.path)
}

/// Folders that are gone and new with the same in them, and something in them.
fn folders(changes: &[Change], moments: &Moments<'_>, moved: &mut BTreeMap<PathBuf, PathBuf>) {
    let is_folder = |entry: Option<&Entry>| {
        entry.is_some_and(|entry| matches!(entry.kind, Kind::Folder { .. }))
    };
    let mut gone = BTreeMap::new();
    for path in of(changes, &What::Deleted) {
        let entry = moments.at(moments.before, path);
        if is_folder(entry.as_deref())
            && path.parent().is_none_or(|above| !gone.contains_key(above))
        {
            gone.insert(path.as_path(), inside(moments, true, path));
        }
    }
    if gone.is_empty() {
        return;
    }
    for path in of(changes, &What::Created) {
        let is_inside = path
            .ancestors()
            .skip(1)
            .any(|above| moved.contains_key(above));
        if is_inside || !is_folder(moments.at(moments.after, path).as_deref()) {
            continue;
        }
        let held = inside(moments, false, path);
        let same = gone
            .iter()
            .find(|(_, was)| !was.is_empty() && **was == held);
        if let Some(from) = same.map(|(from, _)| (*from).to_owned()) {
            gone.remove(from.as_path());
            moved.insert(path.clone(), from);
        }
    }
}

/// What a folder holds, by the way to it.
fn inside(moments: &Moments<'_>, is_before: bool, path: &Path) -> BTreeMap<PathBuf, Kind> {
    let look = match is_before {
        true => moments.before,
        false => moments.after,
    };
    let found = moments
        .below(look, path)
        .into_iter()
        .filter_map(|(below, entry)| {
            let below = below.strip_prefix(path).ok()?.to_owned();
            let kind = match &entry.kind {
                Kind::Folder { .. } => Kind::Folder { is_opaque: false },
                other => other.clone(),
            };
            (!below.as_os_str().is_empty()).then_some((below, kind))
        });
    found.collect()
}

/// Files that are gone and new with the same contents; empty ones where they are the same file.
fn files(changes: &[Change], moments: &Moments<'_>, moved: &mut BTreeMap<PathBuf, PathBuf>) {
    let key = |entry: &Entry| match entry.kind {
        Kind::File { digest, size } => {
            let inode = if size == 0 { entry.stamp.inode } else { 0 };
            Some((digest, inode))
        }
        _ => None,
    };
    let mut gone: BTreeMap<_, Vec<&PathBuf>> = BTreeMap::new();
    for path in of(changes, &What::Deleted) {
        if let Some(key) = moments
            .at(moments.before, path)
            .and_then(|entry| key(&entry))
        {
            gone.entry(key).or_default().push(path);
        }
    }
    // Each has one source; the first in order goes first.
    gone.values_mut().for_each(|paths| paths.reverse());
    for path in of(changes, &What::Created) {
        let key = moments
            .at(moments.after, path)
            .and_then(|entry| key(&entry));
        let from = key.and_then(|key| gone.get_mut(&key)?.pop());
        if let Some(from) = from {
            moved.insert(path.clone(), from.clone());
        }
    }
}
