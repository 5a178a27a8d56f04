//! Which settings file a command reads: the arguments that every command with settings takes.

use std::path::PathBuf;

use clap::Args;

use crate::config::{self, Settings, SettingsError};
use crate::error::Failure;

/// Which settings file to read.
#[derive(Debug, Args)]
pub(in crate::cli) struct SettingsArgs {
    /// Read settings from this file instead of the nearest `sayso.toml`
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Read no settings file
    #[arg(long, conflicts_with = "settings")]
    no_settings: bool,
}

/// The settings of the project and the file they are from, if there is one.
#[derive(Debug, Default)]
pub(in crate::cli) struct ReadSettings {
    pub(in crate::cli) settings: Settings,
    pub(in crate::cli) path: Option<PathBuf>,
}

impl SettingsArgs {
    /// Reads the file named, or the nearest one.
    pub(in crate::cli) fn read(&self) -> Result<ReadSettings, Failure> {
        let Some(path) = self.path() else {
            return Ok(ReadSettings::default());
        };
        Ok(ReadSettings {
            settings: Settings::read(&path).map_err(wrong)?,
            path: Some(path),
        })
    }

    /// The file named, or the nearest one; shown as it is found from here.
    fn path(&self) -> Option<PathBuf> {
        if self.no_settings {
            return None;
        }
        if let Some(path) = &self.settings {
            return Some(path.clone());
        }
        let directory = std::env::current_dir().ok()?;
        let found = config::find(&directory)?;
        Some(
            found
                .strip_prefix(&directory)
                .map(PathBuf::from)
                .unwrap_or(found),
        )
    }
}

impl ReadSettings {
    /// The file, as it is shown.
    pub(in crate::cli) fn file(&self) -> Option<String> {
        self.path.as_ref().map(|path| path.display().to_string())
    }
}

/// As a command ends with it.
pub(in crate::cli) fn wrong(error: SettingsError) -> Failure {
    Failure::usage(error.to_string()).hint_if_known(error.hint())
}
