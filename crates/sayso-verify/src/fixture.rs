//! Folders for servers to work on, where a mistake shows: what git ignores, what others wrote, what is
//! there already.
//!
//! A fixture is made in place each time, so that git's index fits the files' times. The same fixture has
//! the same files each time, and so the same digest.

mod copy;
mod folders;
mod office;
mod pages;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use pages::Pages;

use sayso_core::suggest::nearest;

/// What there is to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Workspace,
    Git,
    Records,
    Databases,
    Pages,
    Empty,
    Copy(PathBuf),
}

/// The fixtures in the box: the name, and what it is.
const NAMES: [(&str, &str, Kind); 6] = [
    (
        "workspace",
        "a bit of everything: a git repository, records, databases, a workbook, pages, links, existing files",
        Kind::Workspace,
    ),
    (
        "git",
        "a git repository with a branch that tracks a file which is ignored here",
        Kind::Git,
    ),
    (
        "records",
        "JSON lines and JSON that several programs wrote",
        Kind::Records,
    ),
    (
        "databases",
        "SQLite databases in both journal modes",
        Kind::Databases,
    ),
    (
        "pages",
        "a server of web pages on this machine",
        Kind::Pages,
    ),
    ("empty", "an empty folder", Kind::Empty),
];

/// A name that is no fixture's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fixture called `{name}`")]
pub struct UnknownFixture {
    /// The name.
    pub name: String,
    /// One that may have been meant.
    pub suggestion: Option<&'static str>,
}

/// Why there is no fixture.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// A file could not be made or copied.
    #[error("cannot make {}: {source}", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// How.
        source: io::Error,
    },
    /// git did not do its part.
    #[error("cannot make the git repository of the fixture: {0}")]
    Git(String),
    /// A database could not be made.
    #[error("cannot make a database of the fixture: {0}")]
    Database(#[from] rusqlite::Error),
    /// There is too much to copy.
    #[error("{} has more than {limit}: name a smaller folder", path.display())]
    TooMuch {
        /// The folder.
        path: PathBuf,
        /// Of what, and how much.
        limit: String,
    },
}

/// What a value of the fixture is, for arguments to be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// A folder with files in it.
    Folder,
    /// A file with text.
    File,
    /// Another file, which is there too.
    OtherFile,
    /// A path where nothing is.
    NewFile,
    /// A path where no folder is.
    NewFolder,
    /// A path below the workspace that leads out of it.
    Outside,
    /// A file of JSON.
    Json,
    /// A file of JSON lines.
    Records,
    /// A file with a table in commas.
    Table,
    /// A git repository.
    Repository,
    /// A branch of it that is not checked out.
    Branch,
    /// A file that is ignored here and tracked on that branch.
    Ignored,
    /// A database.
    Database,
    /// A query that only reads.
    Query,
    /// A page on this machine.
    Url,
}

/// A fixture that was made.
#[derive(Debug)]
pub struct Built {
    /// Its folder.
    pub root: PathBuf,
    /// What is in it.
    pub values: Vec<(Known, String)>,
    /// The pages that belong to it; they are served until this is dropped.
    pub pages: Option<Pages>,
    /// The home of the server that works on it, once that is known.
    pub home: Option<PathBuf>,
}

impl Fixture {
    /// The names there are, and what they are.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        NAMES.iter().map(|(name, what, _)| (*name, *what))
    }

    /// The fixture of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, UnknownFixture> {
        let found = NAMES.iter().find(|(known, ..)| *known == name);
        found
            .map(|(_, _, kind)| Self(kind.clone()))
            .ok_or_else(|| UnknownFixture {
                name: name.to_owned(),
                suggestion: nearest(name, NAMES.map(|(known, ..)| known)),
            })
    }

    /// A copy of a person's own folder.
    #[must_use]
    pub const fn of_folder(folder: PathBuf) -> Self {
        Self(Kind::Copy(folder))
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        let known = NAMES.iter().find(|(_, _, kind)| *kind == self.0);
        match (&self.0, known) {
            (Kind::Copy(folder), _) => format!("a copy of {}", folder.display()),
            (_, Some((name, ..))) => (*name).to_owned(),
            (_, None) => String::new(),
        }
    }

    /// Makes it in this folder, which is empty or not there yet.
    ///
    /// # Errors
    /// When a part of it cannot be made.
    pub fn build(&self, into: &Path) -> Result<Built, FixtureError> {
        folders::folder(into)?;
        let mut built = Built {
            root: into.to_owned(),
            values: Vec::new(),
            pages: None,
            home: None,
        };
        let all = self.0 == Kind::Workspace;
        if all || self.0 == Kind::Git {
            folders::repository(&mut built)?;
        }
        if all || self.0 == Kind::Records {
            folders::records(&mut built)?;
        }
        if all || self.0 == Kind::Databases {
            folders::databases(&mut built)?;
        }
        if all || self.0 == Kind::Pages {
            let pages = Pages::serve();
            let pages = pages.map_err(|source| FixtureError::Io {
                path: into.to_owned(),
                source,
            })?;
            built.values.push((Known::Url, pages.url()));
            built.pages = Some(pages);
        }
        if all {
            folders::texts(&mut built)?;
            office::workbook(&built)?;
        }
        if let Kind::Copy(folder) = &self.0 {
            copy::copy(folder, &mut built)?;
        }
        let missing = |name: &str| built.root.join(name).display().to_string();
        let (file, folder) = (missing("new-file.txt"), missing("new-folder"));
        built.values.push((Known::NewFile, file));
        built.values.push((Known::NewFolder, folder));
        built
            .values
            .push((Known::Folder, built.root.display().to_string()));
        Ok(built)
    }
}

impl fmt::Display for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

impl Built {
    /// A value of the fixture, the first of its kind.
    #[must_use]
    pub fn value(&self, known: Known) -> Option<&str> {
        let mut values = self.values.iter();
        values
            .find(|(kind, _)| *kind == known)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn know(&mut self, known: Known, name: &str) {
        let path = self.root.join(name).display().to_string();
        self.values.push((known, path));
    }
}

/// A placeholder nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{{{0}}}` stands for nothing here; there are `{{workspace}}`, `{{home}}` and, where the fixture has pages, `{{pages}}`, and `{{{{` is a brace"
)]
pub struct UnknownPlaceholder(pub String);

/// What stands for something in texts, and for what.
pub(crate) fn placeholders(built: &Built) -> Vec<(&'static str, String)> {
    let workspace = Some(built.root.display().to_string());
    let home = built.home.as_ref().map(|home| home.display().to_string());
    let pages = built.pages.as_ref().map(Pages::url);
    let all = [("workspace", workspace), ("home", home), ("pages", pages)];
    let known = all.into_iter();
    known
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// A text with its placeholders replaced: `{workspace}` by the fixture's folder, `{home}` by the server's
/// home, `{pages}` by the address of the fixture's pages.
///
/// # Errors
/// When something else stands in braces, or what stands there is not to be had.
pub fn fill(text: &str, built: &Built) -> Result<String, UnknownPlaceholder> {
    let known = placeholders(built);
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        if let Some(behind) = behind.strip_prefix('{') {
            filled.push('{');
            rest = behind;
            continue;
        }
        let Some((name, behind)) = behind.split_once('}') else {
            filled.push('{');
            rest = behind;
            continue;
        };
        match known.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => filled.push_str(value),
            None => return Err(UnknownPlaceholder(name.to_owned())),
        }
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}
