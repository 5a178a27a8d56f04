//! What an argument is likely to be, by its name and its description.

use crate::fixture::{Built, Known};

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        let begins = character.is_uppercase() && was_small;
        if begins || !character.is_alphanumeric() {
            words.push(String::new());
        }
        was_small = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether an argument of this name is a path.
pub(super) fn is_path(name: &str) -> bool {
    const PATHS: [&str; 12] = [
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "filepath",
        "source",
        "destination",
        "dest",
        "target",
        "directory",
        "dir",
    ];
    words(name)
        .iter()
        .any(|word| PATHS.contains(&word.as_str()))
}

/// A text for an argument of this name; `None` where nobody can know one.
pub(super) fn text(name: &str, about: &str, tool: &str, built: &Built) -> Option<String> {
    let name_words = words(name);
    let tool_words = words(tool);
    let about = about.to_lowercase();
    let has = |word: &str| name_words.iter().any(|known| known == word);
    let any = |among: &[&str]| among.iter().any(|word| has(word));
    let does = |among: &[&str]| {
        among
            .iter()
            .any(|word| tool_words.iter().any(|known| known == word))
    };
    let first = |kinds: &[Known]| {
        kinds
            .iter()
            .find_map(|kind| built.value(*kind))
            .map(str::to_owned)
    };
    if any(&["repo", "repository"]) {
        return first(&[Known::Repository, Known::Folder]);
    }
    if any(&["branch", "ref", "revision", "commit"]) {
        return match does(&["create"]) {
            true => Some("made-up-branch".to_owned()),
            false => first(&[Known::Branch]).or_else(|| Some("main".to_owned())),
        };
    }
    if any(&["url", "uri", "link", "href"]) {
        return first(&[Known::Url]);
    }
    if any(&["database", "db"]) {
        return first(&[Known::Database]);
    }
    if any(&["query", "sql", "statement"])
        && (about.contains("sql") || about.contains("select") || has("sql"))
    {
        return Some(statement(&about, &tool_words));
    }
    if any(&["directory", "dir", "folder", "cwd", "root"]) || about.contains("directory path") {
        return match does(&["create", "make", "mkdir"]) {
            true => first(&[Known::NewFolder]),
            false => first(&[Known::Folder]),
        };
    }
    if any(&["destination", "dest", "target"]) {
        return first(&[Known::NewFile]);
    }
    if is_path(name) {
        return match (
            does(&["list", "tree", "search", "directory", "find"]),
            does(&["create"]),
        ) {
            (true, false) => first(&[Known::Folder]),
            (_, true) if does(&["directory", "folder"]) => first(&[Known::NewFolder]),
            _ if does(&["excel", "workbook", "sheet", "image", "media"]) => None,
            _ => first(&[Known::File, Known::Ignored, Known::Records, Known::Json]),
        };
    }
    if any(&["table"]) {
        return Some("items".to_owned());
    }
    if any(&["timezone", "tz"]) {
        return Some("Europe/Berlin".to_owned());
    }
    if has("time") {
        return Some("12:30".to_owned());
    }
    if any(&["date", "since", "until", "day"]) {
        return Some("2024-01-01".to_owned());
    }
    // The number of a thing, a key to it, or who somebody is, is nothing that could be made up.
    if any(&[
        "id", "ids", "token", "key", "secret", "password", "cursor", "session", "account",
    ]) {
        return None;
    }
    if any(&["glob", "pattern", "regex"]) {
        return Some("*".to_owned());
    }
    Some(
        match () {
            () if any(&["query", "search", "keyword", "term"]) => "notes",
            () if any(&["old", "oldtext", "find"]) => "Buy milk.",
            () if any(&["email", "mail"]) => "nobody@example.invalid",
            () if any(&["language", "lang", "locale"]) => "en",
            () if any(&["name", "title"]) => "made-up-name",
            () => "Some text that was made up.",
        }
        .to_owned(),
    )
}

/// A statement that does what the tool is for.
fn statement(about: &str, tool: &[String]) -> String {
    let is = |word: &str| about.contains(word) || tool.iter().any(|known| known == word);
    if is("create") {
        "create table made_up (name text)".to_owned()
    } else if is("write") || is("insert") {
        "insert into items (name, count) values ('made up', 1)".to_owned()
    } else {
        "select * from items".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("repo_path"), ["repo", "path"]);
        assert_eq!(words("sourceTimezone"), ["source", "timezone"]);
        assert_eq!(words("excludePatterns"), ["exclude", "patterns"]);
        assert_eq!(words("oldURL"), ["old", "url"]);
        assert!(is_path("file_path") && is_path("destination") && !is_path("pathology"));
    }
}
