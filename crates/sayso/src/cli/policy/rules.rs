//! Which policies are looked at, and with which tools.

use std::path::PathBuf;

use clap::Args;
use sayso_core::lock::Lock;
use sayso_gateway::policy::{Policies, PolicySource};
use sayso_gateway::settings::GateSettings;

use crate::classify::file::RulingsFile;
use crate::cli::gate::place;
use crate::cli::settings_arguments::SettingsArgs;
use crate::error::Failure;
use crate::gate::rules::Place;
use crate::lock::file;
use crate::policy::{Known, failure, known, load};

/// Where the pinned tools, and what is ruled of them, are read from.
#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// The lock with the pinned tools; that of the settings, or `sayso.lock`, unless named
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,

    /// The rulings; those of the settings, or `sayso.rulings.toml`, unless named
    #[arg(long, value_name = "FILE")]
    rulings: Option<PathBuf>,

    #[command(flatten)]
    settings: SettingsArgs,
}

/// Policies and tools as they were read.
pub(super) struct Rules {
    pub(super) sources: Vec<PolicySource>,
    pub(super) known: Vec<Known>,
    /// The lock, as it is shown; `None` where there is none.
    pub(super) lock: Option<String>,
    /// The gate's settings.
    pub(super) settings: GateSettings,
}

impl RulesArgs {
    /// Reads everything; policies named here come instead of those of the settings.
    pub(super) fn read(&self, policies: &[String]) -> Result<Rules, Failure> {
        let read = self.settings.read()?;
        let mut place = place(&read);
        let lock = self.lock.clone().unwrap_or_else(|| place.lock());
        let rulings = self.rulings.clone().unwrap_or_else(|| place.rulings());
        let found = file::read(&lock)?;
        if found.is_none() && self.lock.is_some() {
            let lock = lock.display();
            return Err(Failure::usage(format!("there is no lock `{lock}`"))
                .hint("`sayso lock TARGET` pins a server and writes it"));
        }
        let rulings = RulingsFile::new(rulings).read()?;
        if !policies.is_empty() {
            place.settings.policy = policies.to_vec();
            // Named on the command line, files are counted from here.
            let sources = Place {
                settings: place.settings.clone(),
                folder: PathBuf::new(),
            };
            return Ok(rules(&place, sources.policies()?, found, &rulings, &lock));
        }
        let sources = place.policies()?;
        Ok(rules(&place, sources, found, &rulings, &lock))
    }
}

fn rules(
    place: &Place,
    sources: Vec<PolicySource>,
    found: Option<Lock>,
    rulings: &sayso_core::rulings::Rulings,
    path: &std::path::Path,
) -> Rules {
    let lock = found.is_some().then(|| path.display().to_string());
    Rules {
        sources,
        known: known(&found.unwrap_or_default(), rulings, &place.settings),
        lock,
        settings: place.settings.clone(),
    }
}

impl Rules {
    /// The policies, validated against the tools; where there is no lock, against none.
    pub(super) fn policies(&self) -> Result<Policies, Failure> {
        load(&self.sources, &self.known).map_err(|errors| failure(&errors))
    }
}
