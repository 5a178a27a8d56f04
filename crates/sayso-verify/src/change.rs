//! What lies between two looks at the files.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Which folder something is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// What the server works on: the fixture, or a copy of the person's folder.
    Workspace,
    /// The person's home.
    Home,
    /// Folders for temporary files.
    Temporary,
    /// Anywhere else: the server's own package among it.
    Elsewhere,
}

/// Whose a changed file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A log.
    Log,
    /// A cache: it is made again from what is there.
    Cache,
    /// What the server keeps for itself, in a folder it made or that carries its name.
    OwnState,
    /// The user's data.
    UserData,
}

/// Folders that tools fill again by themselves.
const CACHES: [&str; 7] = [
    "__pycache__",
    ".cache",
    "_cacache",
    "node-compile-cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
];

impl Class {
    /// What a file is by the [names in](names_in) its path alone, where they say anything: a cache or
    /// a log.
    pub(crate) fn by_names(names: &[String]) -> Option<Self> {
        let name = names.last().map(String::as_str).unwrap_or_default();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        let is_in = |folder: &str| names.iter().any(|name| name == folder);
        let is_cache = CACHES.iter().any(|folder| is_in(folder));
        if is_cache || ends(&[".pyc", ".pyo", "-shm", ".tsbuildinfo"]) {
            return Some(Self::Cache);
        }
        (ends(&[".log"]) || is_in("_logs") || is_in("logs")).then_some(Self::Log)
    }
}

/// The names a path consists of, in lower case.
pub(crate) fn names_in(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        _ => None,
    });
    names.collect()
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The path, as the server sees it.
    pub path: PathBuf,
    /// Where that is.
    pub place: Place,
    /// Whose it is.
    pub class: Class,
    /// What became of it.
    pub what: What,
    /// What is lost of what was there before.
    pub lost: Loss,
    /// In words, what changed inside, where the bytes mislead: rows, records, refs.
    pub detail: Option<String>,
}

/// What became of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// It is new.
    Created,
    /// It holds something else.
    Changed,
    /// It is empty, or shorter and otherwise the same.
    Truncated,
    /// It was there under another path.
    Renamed {
        /// That path.
        from: PathBuf,
    },
    /// It is gone.
    Deleted,
    /// It is of another type: a file, a folder, a link.
    Retyped,
    /// Its mode, in octal, before and after.
    Mode {
        /// Before.
        before: u32,
        /// After.
        after: u32,
    },
    /// It was saved again: nothing that it holds is different but when that was.
    SavedAgain,
    /// Its time of change was set, and nothing else.
    Times,
    /// Its extended attributes.
    Attributes,
}

/// What is lost of what was there before a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Nothing: it was added to, or it is still to be had.
    #[default]
    Nothing,
    /// Nothing that cannot be had again, and from where: a commit, another name.
    Recoverable(String),
    /// So many bytes that are nowhere else.
    Bytes(u64),
    /// So many rows, records, members or refs.
    Items {
        /// How many.
        count: u64,
        /// Of what: `row`, `record`, `ref`, `member`.
        of: String,
    },
    /// Something was replaced, and how much of it cannot be said.
    Unknown,
}

impl Loss {
    /// Whether something is gone that cannot be had again.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        match self {
            Self::Nothing | Self::Recoverable(_) => false,
            Self::Bytes(_) | Self::Items { .. } | Self::Unknown => true,
        }
    }
}
