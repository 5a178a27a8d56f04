//! Whose a file is, by its path.

use std::path::Path;

use super::Names;
use crate::change::{Class, Place, names_in};

/// Whose a file is.
pub(super) fn of(path: &Path, place: Place, names: &Names) -> Class {
    let parts = names_in(path);
    // What the user works on is the user's, whatever it is called, unless it is made again.
    match Class::by_names(&parts) {
        Some(Class::Cache) => return Class::Cache,
        _ if place == Place::Workspace => return Class::UserData,
        Some(class) => return class,
        None => {}
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
