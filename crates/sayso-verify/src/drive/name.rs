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

/// Texts that mean nothing in particular, by words of the argument's name.
pub(super) const TEXTS: [(&[&str], &str); 10] = [
    (&["table"], "items"),
    (&["timezone", "tz"], "Europe/Berlin"),
    (&["time"], "12:30"),
    (&["date", "since", "until", "day"], "2024-01-01"),
    (&["glob", "pattern", "regex"], "*"),
    (&["query", "search", "keyword", "term"], "notes"),
    (&["old", "oldtext", "find"], "Buy milk."),
    (&["email", "mail"], "nobody@example.invalid"),
    (&["language", "lang", "locale"], "en"),
    (&["name", "title"], "made-up-name"),
];

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

/// An argument, as far as words tell.
struct Named<'a> {
    name: Vec<String>,
    tool: Vec<String>,
    about: String,
    built: &'a Built,
}

impl Named<'_> {
    fn any(&self, among: &[&str]) -> bool {
        among
            .iter()
            .any(|word| self.name.iter().any(|known| known == word))
    }

    fn does(&self, among: &[&str]) -> bool {
        among
            .iter()
            .any(|word| self.tool.iter().any(|known| known == word))
    }

    fn first(&self, kinds: &[Known]) -> Option<String> {
        let mut values = kinds.iter().filter_map(|kind| self.built.value(*kind));
        values.next().map(str::to_owned)
    }

    /// Something of the fixture; the inner `None` where it should be and is not there.
    fn of_fixture(&self, is_path: bool) -> Option<Option<String>> {
        let creates = self.does(&["create", "make", "mkdir"]);
        if self.any(&["repo", "repository"]) {
            return Some(self.first(&[Known::Repository, Known::Folder]));
        }
        // These are no paths: `source_timezone`, and what git compares with.
        if self.any(&["timezone", "tz"]) {
            return None;
        }
        if self.any(&["branch"]) && self.any(&["type", "kind"]) {
            return Some(Some("local".to_owned()));
        }
        let compared = self.does(&["git"]) && self.any(&["target", "base"]);
        if compared || self.any(&["branch", "ref", "revision", "commit"]) {
            return Some(match creates && !self.any(&["base"]) {
                true => Some("made-up-branch".to_owned()),
                false => self
                    .first(&[Known::Branch])
                    .or_else(|| Some("main".to_owned())),
            });
        }
        if self.any(&["url", "uri", "link", "href"]) {
            return Some(self.first(&[Known::Url]));
        }
        if self.any(&["database", "db"]) {
            return Some(self.first(&[Known::Database]));
        }
        let is_sql =
            self.any(&["sql"]) || self.about.contains("sql") || self.about.contains("select");
        if is_sql && self.any(&["query", "sql", "statement"]) {
            return Some(Some(statement(&self.about, &self.tool)));
        }
        let is_folder = self.any(&["directory", "dir", "folder", "cwd", "root"]);
        if is_folder || self.about.contains("directory path") {
            return Some(self.first(if creates {
                &[Known::NewFolder]
            } else {
                &[Known::Folder]
            }));
        }
        if self.any(&["destination", "dest", "target"]) {
            return Some(self.first(&[Known::NewFile]));
        }
        is_path.then(|| self.path(creates))
    }

    fn path(&self, creates: bool) -> Option<String> {
        if creates && self.does(&["directory", "folder"]) {
            return self.first(&[Known::NewFolder]);
        }
        if !creates && self.does(&["list", "tree", "search", "directory", "find"]) {
            return self.first(&[Known::Folder]);
        }
        // There is no such file in the box.
        if self.does(&["excel", "workbook", "sheet", "image", "media"]) {
            return None;
        }
        self.first(&[Known::File, Known::Ignored, Known::Records, Known::Json])
    }

    /// A text that means nothing in particular; `None` where nobody can know one.
    fn of_nothing(&self) -> Option<&'static str> {
        // The number of a thing, a key to it, or who somebody is, is nothing that could be made up.
        const UNKNOWN: [&str; 9] = [
            "id", "ids", "token", "key", "secret", "password", "cursor", "session", "account",
        ];
        if self.any(&UNKNOWN) && !self.any(&["timezone"]) {
            return None;
        }
        let found = TEXTS.iter().find(|(words, _)| self.any(words));
        Some(found.map_or("Some text that was made up.", |(_, text)| *text))
    }
}

/// A text for an argument of this name; `None` where nobody can know one.
pub(super) fn text(name: &str, about: &str, tool: &str, built: &Built) -> Option<String> {
    let named = Named {
        name: words(name),
        tool: words(tool),
        about: about.to_lowercase(),
        built,
    };
    match named.of_fixture(is_path(name)) {
        Some(found) => found,
        None => named.of_nothing().map(str::to_owned),
    }
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
