//! What a change has lost, by what kind of file it is in.

use std::path::{Path, PathBuf};

use super::{Entry, Kind, Look, Moments, git, records, sqlite, text};
use crate::change::Loss;

/// What SQLite puts beside a database.
const BESIDE: [&str; 3] = ["-wal", "-journal", "-shm"];

/// What is lost, and in words what changed inside.
pub(super) fn of(
    moments: &Moments<'_>,
    path: &Path,
    before: Option<&Entry>,
    after: Option<&Entry>,
) -> (Loss, Option<String>) {
    if belongs_to_database(moments, path) {
        return (Loss::Nothing, None);
    }
    if let Some(below) = git::below_git(path) {
        return (of_repository(&below, before, after), None);
    }
    let Some(entry) = before else {
        return (Loss::Nothing, None);
    };
    let Kind::File { size, .. } = entry.kind else {
        return (Loss::Nothing, None);
    };
    if after.is_some_and(|after| after.kind == entry.kind) || size == 0 {
        return (Loss::Nothing, None);
    }
    let Some(old) = moments.bytes(entry) else {
        return (Loss::Unknown, None);
    };
    let (loss, detail) = match after.filter(|after| matches!(after.kind, Kind::File { .. })) {
        Some(after) => match moments.bytes(after) {
            Some(new) => of_contents(moments, path, &old, &new),
            None => (Loss::Unknown, None),
        },
        None => (Loss::Bytes(size), None),
    };
    if loss.is_loss() {
        if let Some(other) = kept_elsewhere(moments, entry) {
            return (Loss::Recoverable(other.display().to_string()), detail);
        }
        if git::has_object(moments, path, &old) {
            return (
                Loss::Recoverable("an object of its repository".to_owned()),
                detail,
            );
        }
    }
    (loss, detail)
}

/// The same contents under another name afterwards.
fn kept_elsewhere(moments: &Moments<'_>, entry: &Entry) -> Option<PathBuf> {
    let mut after = moments.after.0.iter();
    after
        .find(|(_, other)| other.kind == entry.kind)
        .map(|(path, _)| path.clone())
}

fn of_contents(
    moments: &Moments<'_>,
    path: &Path,
    old: &[u8],
    new: &[u8],
) -> (Loss, Option<String>) {
    if sqlite::is_database(old) {
        return of_database(moments, path, old, new);
    }
    let is_lines = path
        .extension()
        .is_some_and(|end| end == "jsonl" || end == "ndjson" || end == "json");
    if is_lines && let (Some(old), Some(new)) = (records::lines(old), records::lines(new)) {
        return records::lost(&old, &new, "record");
    }
    if let (Some(old), Some(new)) = (records::members(old), records::members(new)) {
        return records::lost(&old, &new, "member");
    }
    (text::lost(old, new), None)
}

pub(super) fn of_database(
    moments: &Moments<'_>,
    path: &Path,
    old: &[u8],
    new: &[u8],
) -> (Loss, Option<String>) {
    let log = |look: &Look| {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        moments
            .at(look, Path::new(&log))
            .and_then(|entry| moments.bytes(&entry))
    };
    let contents = &moments.tree.contents;
    let old = sqlite::rows(old, log(moments.before).as_deref(), contents);
    let new = sqlite::rows(new, log(moments.after).as_deref(), contents);
    match (old, new) {
        (Some(old), Some(new)) => records::lost(&old, &new, "row"),
        _ => (Loss::Unknown, None),
    }
}

/// Whether this is what SQLite puts beside a database: its rows are weighed there.
pub(super) fn belongs_to_database(moments: &Moments<'_>, path: &Path) -> bool {
    database_of(path).is_some_and(|database| {
        [moments.before, moments.after].into_iter().any(|look| {
            let bytes = moments
                .at(look, &database)
                .and_then(|entry| moments.bytes(&entry));
            bytes.is_some_and(|bytes| sqlite::is_database(&bytes))
        })
    })
}

/// The database that a file lies beside, by its name.
pub(super) fn database_of(path: &Path) -> Option<PathBuf> {
    let name = path.as_os_str().to_str()?;
    BESIDE
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .map(PathBuf::from)
}

/// Of a repository's own files: what git keeps of the past is there to change; a branch that is gone is
/// a name that is lost, though its commits are there for a while.
fn of_repository(below: &Path, before: Option<&Entry>, after: Option<&Entry>) -> Loss {
    let is_ref = below.starts_with("refs") && before.is_some();
    match after {
        None if is_ref => Loss::Items {
            count: 1,
            of: "ref".to_owned(),
        },
        Some(_) if is_ref => Loss::Recoverable("the reflog".to_owned()),
        _ => Loss::Nothing,
    }
}
