//! What a change has lost, by what kind of file it is in.

use std::path::{Path, PathBuf};

use super::between::Moments;
use super::entry::{Entry, Kind};
use super::{archive, git, records, text};
use crate::change::Loss;

/// What is lost, and in words what changed inside.
pub(super) fn of(
    moments: &Moments<'_>,
    path: &Path,
    before: Option<&Entry>,
    after: Option<&Entry>,
    repositories: &git::Repositories,
) -> (Loss, Option<String>) {
    if git::is_weighed(path) {
        return (repositories.loss(path), None);
    }
    let nothing = (Loss::Nothing, None);
    let Some(entry) = before else {
        return nothing;
    };
    let size = match &entry.kind {
        Kind::File { size, .. } => *size,
        Kind::Link(target) if after.is_none_or(|after| after.kind != entry.kind) => {
            // The way to something, and no more, is gone.
            let detail = format!("it led to {}", target.display());
            return (Loss::Nothing, Some(detail));
        }
        _ => return nothing,
    };
    if after.is_some_and(|after| after.kind == entry.kind) || size == 0 {
        return nothing;
    }
    let (loss, detail) = match after.filter(|after| matches!(after.kind, Kind::File { .. })) {
        None => (Loss::Bytes(size), None),
        Some(after) => {
            let old = moments.tree.bytes(path, entry);
            match (old, moments.tree.bytes(path, after)) {
                (Some(old), Some(new)) => of_contents(path, &old, &new),
                _ => (Loss::Unknown, None),
            }
        }
    };
    if loss.is_loss() {
        if let Some(other) = kept_elsewhere(moments, entry) {
            return (Loss::Recoverable(other.display().to_string()), detail);
        }
        if repositories.has(path) {
            let from = "an object of its repository".to_owned();
            return (Loss::Recoverable(from), detail);
        }
    }
    (loss, detail)
}

/// Whether a file that changed holds the same, but for when it was saved.
pub(super) fn is_saved_again(moments: &Moments<'_>, path: &Path) -> bool {
    let read = |look| {
        let entry = moments.at(look, path)?;
        moments.tree.bytes(path, &entry)
    };
    let both = read(moments.before).zip(read(moments.after));
    both.is_some_and(|(old, new)| archive::is_same(&old, &new))
}

/// The same contents under another name afterwards; what git writes down for itself does not count.
fn kept_elsewhere(moments: &Moments<'_>, entry: &Entry) -> Option<PathBuf> {
    let mut after = moments.after.0.iter();
    after
        .find(|(path, other)| other.kind == entry.kind && !git::is_weighed(path))
        .map(|(path, _)| path.clone())
}

fn of_contents(path: &Path, old: &[u8], new: &[u8]) -> (Loss, Option<String>) {
    let plain = text::lost(old, new);
    if plain == Loss::Nothing {
        return (plain, records::added(path, old, new));
    }
    if let Some(told) = records::of(path, old, new) {
        return told;
    }
    (plain, None)
}
