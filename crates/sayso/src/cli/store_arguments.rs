//! Which store a command works on.

use std::path::PathBuf;

use clap::Args;
use sayso_core::journal::Timestamp;
use sayso_store::StoreError;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};

use super::settings_arguments::SettingsArgs;
use crate::error::Failure;

/// Where the gate keeps everything.
#[derive(Debug, Args)]
pub(in crate::cli) struct StoreArgs {
    /// The gate's store; the one of the settings, or `sayso.db`, unless named
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    #[command(flatten)]
    settings: SettingsArgs,
}

impl StoreArgs {
    /// The file.
    pub(in crate::cli) fn path(&self) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.store {
            return Ok(path.clone());
        }
        let read = self.settings.read()?;
        let folder = read.path.as_deref().and_then(std::path::Path::parent);
        let store = read.settings.gate.store();
        Ok(folder.map_or_else(|| store.to_owned(), |folder| folder.join(store)))
    }

    /// Opens the store, to look at or to answer in.
    pub(in crate::cli) fn open(&self, role: Role) -> Result<SqliteStore, Failure> {
        SqliteStore::open(&Options {
            path: self.path()?,
            role,
            // An answer is given once: it is worth the wait.
            durability: Durability::Power,
        })
        .map_err(failure)
    }
}

/// What stops a command when the store does.
pub(in crate::cli) fn failure(error: StoreError) -> Failure {
    Failure::usage(error.to_string()).hint_if_known(error.hint())
}

/// Now.
pub(in crate::cli) fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

/// A runtime for one command.
pub(in crate::cli) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage("cannot start").source(error))
}
