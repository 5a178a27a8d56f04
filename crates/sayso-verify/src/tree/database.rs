//! SQLite databases with what lies beside them: one thing, and weighed by its rows.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::between::{self, Moments};
use super::{Look, records, sqlite};
use crate::change::{Loss, What};

/// What SQLite puts beside a database (its documentation, "Temporary Files Used By SQLite").
const BESIDE: [&str; 3] = ["-wal", "-journal", "-shm"];

/// The databases that these paths belong to, which were there before and are after.
pub(super) fn of(moments: &Moments<'_>, paths: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let databases = paths
        .iter()
        .map(|path| beside(path).unwrap_or_else(|| path.clone()));
    let found: BTreeSet<PathBuf> = databases.collect();
    let is_there = |look: &Look, path: &Path| moments.bytes(look, path);
    found
        .into_iter()
        .filter(|path| {
            is_there(moments.before, path).is_some_and(|bytes| sqlite::is_database(&bytes))
                && is_there(moments.after, path).is_some()
        })
        .collect()
}

/// Whether this lies beside a database, before or after.
pub(super) fn is_beside_one(moments: &Moments<'_>, path: &Path) -> bool {
    beside(path).is_some_and(|database| {
        [moments.before, moments.after].into_iter().any(|look| {
            let bytes = moments.bytes(look, &database);
            bytes.is_some_and(|bytes| sqlite::is_database(&bytes))
        })
    })
}

/// The database that a file lies beside, by its name.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.as_os_str().to_str()?;
    let mut ends = BESIDE.iter();
    ends.find_map(|end| name.strip_suffix(end))
        .map(PathBuf::from)
}

/// What became of a database, what is lost, what changed inside, and whether it holds the same as before
/// in other bytes.
pub(super) fn change(
    moments: &Moments<'_>,
    path: &Path,
) -> Option<(What, Loss, Option<String>, bool)> {
    let before = moments.at(moments.before, path)?;
    let after = moments.at(moments.after, path)?;
    let what = between::what(Some(&before), Some(&after));
    let rows = |look: &Look| {
        let beside = |end: &str| {
            let mut name = OsString::from(path);
            name.push(end);
            moments.bytes(look, Path::new(&name))
        };
        let database = moments.bytes(look, path)?;
        let (log, journal) = (beside("-wal"), beside("-journal"));
        let folder = &moments.tree.contents;
        sqlite::rows(&database, log.as_deref(), journal.as_deref(), folder)
    };
    let (Some(old), Some(new)) = (rows(moments.before), rows(moments.after)) else {
        let what = what?;
        let lost = match what {
            What::Changed | What::Truncated => Loss::Unknown,
            _ => Loss::Nothing,
        };
        return Some((what, lost, None, false));
    };
    let (lost, detail) = records::lost(&old, &new, "row");
    match (detail, what) {
        (None, Some(What::Changed)) => {
            let detail = "the same rows in other bytes".to_owned();
            Some((What::Changed, Loss::Nothing, Some(detail), true))
        }
        (None, what) => Some((what?, Loss::Nothing, None, false)),
        (detail, what) => {
            let is_of_contents = matches!(what, Some(What::Truncated));
            let what = what.filter(|_| is_of_contents).unwrap_or(What::Changed);
            Some((what, lost, detail, false))
        }
    }
}
