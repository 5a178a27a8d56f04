//! Where a scratch server keeps everything: one folder.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::settings::{Assignment, Key, Settings, SettingsError, ToolKey, edit};
use crate::store::{Store, StoreError};

/// A folder with `store.sqlite`, `journal.jsonl` and `settings.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

/// What went wrong with a folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file or the folder cannot be read or written.
    #[error("cannot {what} `{}`: {error}", .path.display())]
    File {
        /// What was tried: `read`, `write`, `make`.
        what: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FolderError {
    pub(crate) fn file(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { what, path, error }
    }

    /// What to do next, where that is known.
    #[must_use]
    pub fn next_step(&self) -> Option<&str> {
        match self {
            Self::Settings(error) => error.next_step(),
            Self::File { .. } | Self::Store(_) => None,
        }
    }
}

impl Folder {
    /// The folder, which is made where it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        std::fs::create_dir_all(path).map_err(FolderError::file("make", path))?;
        Ok(Self(path.to_owned()))
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the store is.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.0.join("store.sqlite")
    }

    /// Where the journal is.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    /// Where the settings are.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.0.join("settings.toml")
    }

    /// The text of the settings file; empty where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn settings_text(&self) -> Result<String, FolderError> {
        let path = self.settings();
        match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read.map_err(FolderError::file("read", &path)),
        }
    }

    /// Reads a text of the settings file.
    ///
    /// # Errors
    /// When something in it is wrong.
    pub fn parse_settings(&self, text: &str) -> Result<Settings, SettingsError> {
        Settings::parse(text, &self.settings().display().to_string())
    }

    /// Changes the settings file and gives what is set now. A running server takes it up.
    ///
    /// # Errors
    /// When the file is wrong, would be wrong afterwards, or cannot be written.
    pub fn set(&self, assignments: &[Assignment]) -> Result<Settings, FolderError> {
        let path = self.settings();
        let text = self.settings_text()?;
        let edited = edit(&text, &path.display().to_string(), assignments)?;
        if edited != text {
            self.write_settings(&edited)?;
        }
        Ok(self.parse_settings(&edited)?)
    }

    /// Counts anew how many answers were withheld, for each tool whose `answer` is among these:
    /// whoever sets it again means the calls that come from now on.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn count_anew(&self, assignments: &[Assignment]) -> Result<(), FolderError> {
        let path = self.store();
        if !path.exists() {
            return Ok(());
        }
        let store = Store::open(&path)?;
        for assignment in assignments {
            if let Key::Tool(tool, ToolKey::Answer) = assignment.key {
                store.forget_withheld(tool.name())?;
            }
        }
        Ok(())
    }

    /// Puts the whole file in place at once: a server that reads it sees no half of it.
    fn write_settings(&self, text: &str) -> Result<(), FolderError> {
        let path = self.settings();
        let beside = self
            .0
            .join(format!(".settings-{}.toml", std::process::id()));
        let written = std::fs::File::create(&beside)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| std::fs::rename(&beside, &path));
        written.map_err(|error| {
            // The error of writing is the one to tell.
            let _ = std::fs::remove_file(&beside);
            FolderError::file("write", &path)(error)
        })
    }

    /// Makes the store as new and empties the journal; a running server goes on with them.
    ///
    /// # Errors
    /// When either cannot be written.
    pub fn reset(&self) -> Result<(), FolderError> {
        Store::open(&self.store())?.reseed()?;
        let journal = self.journal();
        let emptied = std::fs::File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&journal);
        emptied.map_err(FolderError::file("write", &journal))?;
        Ok(())
    }

    /// Removes the settings: everything is as it is without any.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn forget_settings(&self) -> Result<(), FolderError> {
        let path = self.settings();
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FolderError::file("remove", &path)(error))
            }
            _ => Ok(()),
        }
    }
}
