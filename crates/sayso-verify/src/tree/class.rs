//! Whose a file is, by its path.

use std::path::{Component, Path};

use super::Names;
use crate::change::{Class, Place};

/// Folders of a home that tools fill again by themselves.
const CACHES: [&str; 6] = [
    "__pycache__",
    ".cache",
    "_cacache",
    "node-compile-cache",
    ".pytest_cache",
    ".mypy_cache",
];

/// Whose a file is.
pub(super) fn of(path: &Path, place: Place, names: &Names) -> Class {
    let parts: Vec<String> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            _ => None,
        })
        .collect();
    let name = parts.last().map(String::as_str).unwrap_or_default();
    let is_in = |folder: &str| parts.iter().any(|part| part == folder);
    if CACHES.iter().any(|folder| is_in(folder)) || has_end(name, &[".pyc", "-shm", ".tsbuildinfo"])
    {
        return Class::Cache;
    }
    // What the user works on is the user's, whatever it is called.
    if place == Place::Workspace {
        return Class::UserData;
    }
    if has_end(name, &[".log"]) || is_in("_logs") || is_in("logs") {
        return Class::Log;
    }
    let is_own = names
        .made_at_start
        .iter()
        .any(|made| path.starts_with(made))
        || parts.iter().any(|part| carries(part, &names.server));
    match (is_own, place) {
        (true, Place::Home | Place::Temporary) => Class::OwnState,
        // Nobody looks for a file of theirs among these.
        (false, Place::Temporary) => Class::Cache,
        _ => Class::UserData,
    }
}

fn has_end(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.ends_with(end))
}

/// Whether a name has one of these words in it, as a word.
fn carries(name: &str, words: &[String]) -> bool {
    let mut parts = name.split(|character: char| !character.is_alphanumeric());
    parts.any(|part| !part.is_empty() && words.iter().any(|word| word == part)) || {
        let bare = name.trim_start_matches('.');
        words.iter().any(|word| word == bare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_owners() {
        let names = Names {
            server: vec!["memory".to_owned()],
            made_at_start: vec!["/h/.state".into()],
        };
        for (path, place, is) in [
            ("/w/notes.md", Place::Workspace, Class::UserData),
            ("/w/app.log", Place::Workspace, Class::UserData),
            ("/w/__pycache__/a.pyc", Place::Workspace, Class::Cache),
            ("/h/.npm/_cacache/x", Place::Home, Class::Cache),
            ("/h/.npm/_logs/x", Place::Home, Class::Log),
            ("/h/.memory/graph.json", Place::Home, Class::OwnState),
            ("/h/.state/x", Place::Home, Class::OwnState),
            ("/h/letter.txt", Place::Home, Class::UserData),
            (
                "/h/lib/readabilipy/javascript/x.js",
                Place::Elsewhere,
                Class::UserData,
            ),
            ("/tmp/x", Place::Temporary, Class::Cache),
        ] {
            assert_eq!(of(Path::new(path), place, &names), is, "{path}");
        }
    }
}
