//! What was installed, kept beside the gate's settings, so that it can be taken out again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::replace::replace_file;

const FILE_NAME: &str = "sayso.installed.json";

/// All that was installed with one settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    pub(crate) installed: Vec<Installed>,
}

/// What was done to one configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Installed {
    /// Id of the host.
    pub(crate) host: String,
    /// Its configuration.
    pub(crate) file: PathBuf,
    /// The entry that runs the gate: its name and what stands there.
    pub(crate) entry: String,
    pub(crate) value: serde_json::Value,
    /// The digest of the file as it was last written.
    pub(crate) written: String,
    /// What went behind the gate, the oldest first.
    pub(crate) steps: Vec<Step>,
}

/// One time that servers went behind the gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The configuration as it was before.
    pub(crate) backup: PathBuf,
    /// The names of the servers in it.
    pub(crate) moved: Vec<String>,
}

impl Record {
    /// The record beside these settings; an empty one where there is none.
    ///
    /// # Errors
    /// When there is one that cannot be read.
    pub(crate) fn read(settings: &Path) -> Result<Self, Failure> {
        let path = Self::path(settings);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self {
                    version: 1,
                    installed: Vec::new(),
                });
            }
            Err(error) => {
                let message = format!("cannot read `{}`", path.display());
                return Err(Failure::usage(message).source(error));
            }
        };
        serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!("`{}` is no record of what was installed", path.display()))
                .source(error)
                .hint("put the servers back from the copies beside the host's configuration, then remove it")
        })
    }

    /// Where it is kept.
    pub(crate) fn path(settings: &Path) -> PathBuf {
        settings.with_file_name(FILE_NAME)
    }

    pub(super) fn write(&self, settings: &Path) -> Result<(), Failure> {
        let path = Self::path(settings);
        let failed = |error: std::io::Error| {
            Failure::usage(format!("cannot write `{}`", path.display())).source(error)
        };
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| failed(std::io::Error::other(error)))?;
        text.push('\n');
        replace_file(&path, text.as_bytes()).map_err(failed)
    }

    /// What was done to a file.
    pub(crate) fn of(&self, file: &Path) -> Option<&Installed> {
        self.installed
            .iter()
            .find(|installed| installed.file == file)
    }

    /// The record without a file.
    pub(super) fn without(&self, file: &Path) -> Self {
        let mut record = self.clone();
        record.installed.retain(|installed| installed.file != file);
        record
    }
}
