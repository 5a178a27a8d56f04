//! Which host profiles a command knows: the arguments that every command about hosts takes.

use std::path::PathBuf;

use clap::Args;

use super::settings_arguments::ReadSettings;
use crate::error::Failure;
use crate::hosts::{Freshness, KnownHosts, STALE_AFTER_DAYS};

/// Which host profiles are known, and how old they may be.
#[derive(Debug, Args)]
pub(in crate::cli) struct ProfileArgs {
    /// Read further host profiles from this folder instead of your own
    ///
    /// A profile with the id of a known host replaces what that one does; any other adds a host.
    #[arg(long, value_name = "DIR", help_heading = HOSTS)]
    hosts_dir: Option<PathBuf>,

    /// After how many days a profile is shown as old; 180 unless set
    #[arg(long, value_name = "DAYS", help_heading = HOSTS)]
    stale_after_days: Option<u32>,
}

/// The heading of options about hosts.
pub(in crate::cli) const HOSTS: &str = "Hosts";

impl ProfileArgs {
    /// The hosts that are known.
    ///
    /// # Errors
    /// When a profile somebody added cannot be used.
    pub(in crate::cli) fn load(&self, read: &ReadSettings) -> Result<KnownHosts, Failure> {
        let set = || read.settings.hosts.hosts_dir(read.path.as_deref()?);
        KnownHosts::load(self.hosts_dir.clone().or_else(set).as_deref())
    }

    /// How old they may be.
    pub(in crate::cli) fn freshness(&self, read: &ReadSettings) -> Freshness {
        let days = self
            .stale_after_days
            .or(read.settings.hosts.stale_after_days);
        Freshness::new(days.unwrap_or(STALE_AFTER_DAYS))
    }
}
