//! What lies between two looks at the files.

use std::path::PathBuf;

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
