//! What goes wrong with a store, and what to do about it.

use std::path::{Path, PathBuf};

use sayso_core::approval::NotDecided;

/// What went wrong with a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no file.
    #[error("there is no store `{}`", .0.display())]
    Missing(PathBuf),
    /// The file cannot be made or opened.
    #[error("cannot open the store `{}`: {said}", .path.display())]
    Unopened {
        /// The file.
        path: PathBuf,
        /// Why.
        said: String,
    },
    /// A file of something else.
    #[error("`{}` is no store of the gate", .0.display())]
    Foreign(PathBuf),
    /// A store of another version of its format.
    #[error("the store `{}` has format {found}; this version of sayso reads format {known}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: i64,
        /// The format that can be read.
        known: i64,
    },
    /// Another gate writes to it.
    #[error("another gate has the store `{}`", .0.display())]
    Taken(PathBuf),
    /// Another process did not stop writing to it in time.
    #[error("the store `{}` was busy for too long", .0.display())]
    Busy(PathBuf),
    /// No room.
    #[error("no room to write to the store `{}`", .0.display())]
    Full(PathBuf),
    /// It may not be written to.
    #[error("the store `{}` cannot be written to", .0.display())]
    ReadOnly(PathBuf),
    /// The disk does not take what is written or give what is read.
    #[error("the disk failed under the store `{}`: {said}", .path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        said: String,
    },
    /// The file is damaged.
    #[error("the store `{}` is damaged: {said}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and from where on.
        said: String,
    },
    /// Something else went wrong with the file.
    #[error("the store `{}`: {said}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        said: String,
    },
    /// The store has ended.
    #[error("the store `{}` is closed", .0.display())]
    Closed(PathBuf),
    /// A record is longer than an entry may be.
    #[error("a record of {bytes} bytes is too long for the journal: at most {limit} fit")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// What fits.
        limit: usize,
    },
    /// No approval has this id.
    #[error("there is no approval `{0}`")]
    UnknownApproval(String),
    /// The approval takes no answer.
    #[error("approval `{id}` takes no answer: {why}")]
    NotDecided {
        /// Its id.
        id: String,
        /// Why.
        why: NotDecided,
    },
}

impl StoreError {
    /// What to do next, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Missing(_) => {
                "the gate makes it when it starts; name the file with `--store FILE`"
            }
            Self::Foreign(_) => "name another file",
            Self::Format { found, known, .. } if found > known => {
                "use the version of sayso that wrote it, or a newer one"
            }
            Self::Taken(_) => "stop the other gate, or give this one a store of its own",
            Self::Busy(_) => "another program holds a lock on the file; close it and try again",
            Self::Full(_) => "make room on the disk; calls are refused until there is some",
            Self::ReadOnly(_) => "check who may write to the file and its folder",
            Self::Disk { .. } => {
                "check the disk, and how long files may be there; calls are refused until it works"
            }
            Self::Damaged { .. } => {
                "keep the file as it is, and start with another; `sayso journal verify` names the first entry that is damaged"
            }
            Self::UnknownApproval(_) => "`sayso approvals list` shows those there are",
            _ => return None,
        })
    }

    /// What SQLite says of a file.
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let path = path.to_owned();
        let said = error.to_string();
        match error.sqlite_error_code() {
            Some(Code::NotADatabase) => Self::Foreign(path),
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy(path),
            Some(Code::DiskFull) => Self::Full(path),
            Some(Code::ReadOnly | Code::PermissionDenied) => Self::ReadOnly(path),
            Some(Code::DatabaseCorrupt) => Self::Damaged { path, said },
            Some(Code::SystemIoFailure) => Self::Disk { path, said },
            Some(Code::CannotOpen) => Self::Unopened { path, said },
            _ => Self::Failed { path, said },
        }
    }
}
