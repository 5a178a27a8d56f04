//! Which rulings a command works with: the arguments that every command about rulings takes.

use std::path::{Path, PathBuf};

use clap::Args;
use sayso_core::rulings::FILE_NAME;

use super::settings_arguments::ReadSettings;

/// Which file of rulings, and which server in it.
#[derive(Debug, Args)]
pub(in crate::cli) struct RulingsArgs {
    /// The rulings; `sayso.rulings.toml` beside the nearest `sayso.toml`, or here, unless set
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) rulings: Option<PathBuf>,

    /// What to call the server in the rulings instead of by its command, address or file
    #[arg(long = "as", value_name = "NAME")]
    pub(in crate::cli) name: Option<String>,
}

impl RulingsArgs {
    /// The file of rulings.
    pub(in crate::cli) fn path(&self, read: &ReadSettings) -> PathBuf {
        self.rulings.clone().unwrap_or_else(|| {
            let beside = read.path.as_deref().and_then(Path::parent);
            beside.unwrap_or(Path::new("")).join(FILE_NAME)
        })
    }
}
