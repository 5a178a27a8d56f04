//! Whether evidence is of the server at hand: of one that was launched in the same way.

use std::collections::BTreeSet;

use sayso_core::lock::{Launch, LaunchSource};
use sayso_core::reveal::reveal_line;
use sayso_verify::evidence::Launched;
use sayso_verify::session::NAME_OF_WORKSPACE;

use crate::error::quoted;
use crate::redact::words;

/// Whether a server that is launched like this is the one that was watched. What bears on it is the
/// command with its arguments, the names of the variables that are set, and the directory where both
/// are known; a saved listing was launched by nobody, and the definitions in it speak for themselves.
pub(super) fn is_same(watched: &Launched, now: &Launch) -> bool {
    match (&watched.command, &now.source) {
        (_, LaunchSource::File(_) | LaunchSource::Elsewhere) => true,
        (None, LaunchSource::Command(_)) | (_, LaunchSource::Url(_)) => false,
        (Some(watched_line), LaunchSource::Command(line)) => {
            let names = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
            let same_directory = match (&watched.directory, &now.directory) {
                (Some(watched), Some(now)) => watched == now,
                _ => true,
            };
            same_directory
                && names(&watched.environment) == names(&now.environment)
                && same_words(watched_line, line)
        }
    }
}

/// The launch that was watched, in words.
pub(super) fn watched(launch: &Launched) -> String {
    let command = launch.command.as_deref();
    let command = command.map_or("something without a name".to_owned(), |line| {
        format!("`{}`", reveal_line(line))
    });
    with_rest(command, launch.directory.as_deref(), &launch.environment)
}

/// A launch in words.
pub(super) fn shown(launch: &Launch) -> String {
    let source = match &launch.source {
        LaunchSource::Command(line) => format!("`{}`", reveal_line(line)),
        LaunchSource::Url(place) | LaunchSource::File(place) => {
            format!("`{}`", reveal_line(place))
        }
        LaunchSource::Elsewhere => "something without a name".to_owned(),
    };
    with_rest(source, launch.directory.as_deref(), &launch.environment)
}

fn with_rest(command: String, directory: Option<&str>, environment: &[String]) -> String {
    let directory = directory.map_or(String::new(), |directory| {
        format!(" in `{}`", reveal_line(directory))
    });
    let shown: Vec<_> = environment.iter().map(|name| reveal_line(name)).collect();
    let variables = match shown.is_empty() {
        true => String::new(),
        false => format!(" with {}", quoted(shown.iter().map(AsRef::as_ref))),
    };
    format!("{command}{directory}{variables}")
}

fn same_words(watched: &str, line: &str) -> bool {
    match (words(watched), words(line)) {
        (Some(watched), Some(line)) => {
            watched.len() == line.len()
                && watched
                    .iter()
                    .zip(&line)
                    .all(|(watched, word)| is_same_word(watched, word))
        }
        _ => watched == line,
    }
}

/// Where the fixture's folder stood when the server was watched, any folder may stand.
fn is_same_word(watched: &str, word: &str) -> bool {
    if watched == word {
        return true;
    }
    match watched.split_once(NAME_OF_WORKSPACE) {
        Some((before, behind)) => word
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(behind))
            .is_some_and(|folder| !folder.is_empty()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::lock::{Launch, LaunchSource};
    use sayso_verify::evidence::Launched;

    use super::{is_same, shown, watched};

    fn launch(line: &str, environment: &[&str]) -> Launch {
        Launch {
            source: LaunchSource::Command(line.to_owned()),
            environment: environment.iter().map(ToString::to_string).collect(),
            ..Launch::default()
        }
    }

    #[test]
    fn a_launch_is_the_same_by_its_words_and_the_names_of_its_variables() {
        let known = Launched::from(&launch(
            "npx -y notes '{workspace}' --db={workspace}/a.db",
            &["TOKEN"],
        ));
        let with = |line: &str, names: &[&str]| is_same(&known, &launch(line, names));
        assert!(with(
            "npx -y notes '{workspace}' --db={workspace}/a.db",
            &["TOKEN"]
        ));
        assert!(with(
            "npx -y notes '/srv/my notes' --db=/srv/a.db",
            &["TOKEN"]
        ));
        for (line, names) in [
            ("npx -y notes /srv --db=/srv/a.db", &[][..]),
            ("npx -y notes /srv --db=/srv/a.db", &["TOKEN", "READ_ONLY"]),
            ("npx -y notes /srv --db=/srv/b.db", &["TOKEN"]),
            ("npx -y notes /srv --db=/srv/a.db --write", &["TOKEN"]),
            ("npx -y others /srv --db=/srv/a.db", &["TOKEN"]),
        ] {
            assert!(!with(line, names), "{line} {names:?}");
        }
    }

    #[test]
    fn a_saved_listing_was_launched_by_nobody_and_a_url_is_another_server() {
        let known = Launched::from(&launch("notes", &[]));
        let of = |source| Launch {
            source,
            ..Launch::default()
        };
        assert!(is_same(
            &known,
            &of(LaunchSource::File("tools.json".to_owned()))
        ));
        assert!(is_same(&known, &of(LaunchSource::Elsewhere)));
        assert!(!is_same(
            &known,
            &of(LaunchSource::Url("http://127.0.0.1/".to_owned()))
        ));
    }

    #[test]
    fn directories_count_where_both_are_known() {
        let within = |directory: Option<&str>| Launch {
            directory: directory.map(str::to_owned),
            ..launch("notes", &["B", "A"])
        };
        let known = Launched::from(&within(Some("one")));
        assert!(is_same(&known, &within(Some("one"))));
        assert!(is_same(&known, &within(None)));
        assert!(!is_same(&known, &within(Some("two"))));
        insta::assert_snapshot!(watched(&known), @"`notes` in `one` with `B`, `A`");
        insta::assert_snapshot!(shown(&launch("notes", &[])), @"`notes`");
    }
}
