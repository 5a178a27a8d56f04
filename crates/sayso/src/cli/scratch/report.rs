//! `sayso scratch report`.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::Args;
use sayso_scratch::journal::Journal;
use sayso_scratch::report::Observed;

use super::Place;
use crate::audit_report::Detail;
use crate::cli::output;
use crate::cli::profile_arguments::{HOSTS, ProfileArgs};
use crate::cli::settings_arguments::SettingsArgs;
use crate::error::{Failure, Outcome};
use crate::exit;
use crate::hosts::{Choice, KnownHosts, ModeChoice};
use crate::profile_check::{ProfileCheck, clients_of};
use crate::report::scratch::{ScratchFormat, write};

/// Tell from a journal what a host really did
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The journal; that of the folder unless named
    #[arg(value_name = "JOURNAL", conflicts_with = "dir")]
    journal: Option<PathBuf>,

    /// How to write the report
    #[arg(long, short, value_enum, default_value_t)]
    format: ScratchFormat,

    /// Write the report to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    place: Place,

    /// Hold the profile of this host against what every client did; without it, each profile that knows a client by its name
    #[arg(long, value_name = "NAME[:MODE]", help_heading = HOSTS)]
    host: Option<Choice>,

    #[command(flatten)]
    profiles: ProfileArgs,

    #[command(flatten, next_help_heading = HOSTS)]
    settings: SettingsArgs,
}

impl ReportArgs {
    pub(super) fn run(self) -> Outcome {
        output::check_directories([&self.output])?;
        let known = self.profiles.load(&self.settings.read()?)?;
        let path = match &self.journal {
            Some(path) => path.clone(),
            None => self.place.folder()?.journal(),
        };
        let contents = Journal::read(&path).map_err(|error| {
            let is_missing = error.kind() == ErrorKind::NotFound;
            Failure::usage(format!("cannot read the journal `{}`", path.display()))
                .source(error)
                .hint_if_known(is_missing.then_some(
                    "point a host at `sayso scratch` first, or name another folder with `--dir`",
                ))
        })?;
        let observed = Observed::from_journal(&contents);
        let checks = self.checks(&known, &observed)?;
        let report = |presentation: &_, out: &mut dyn std::io::Write| {
            write(&observed, &checks, self.format, presentation, out)
        };
        output::write(self.output.as_deref(), report, Detail::Normal)?;
        Ok(exit::CLEAN)
    }

    /// The profiles held against what was seen.
    fn checks<'k>(
        &self,
        known: &'k KnownHosts,
        observed: &Observed,
    ) -> Result<Vec<ProfileCheck<'k>>, Failure> {
        if let Some(host) = &self.host {
            let everyone = (0..observed.clients.len()).collect();
            return Ok(vec![ProfileCheck::new(
                known.column(host)?,
                everyone,
                observed,
            )]);
        }
        let columns = known.columns(&[], &ModeChoice::Default)?.into_iter();
        let checks = columns.filter_map(|column| {
            let clients = clients_of(&column, observed);
            (!clients.is_empty()).then(|| ProfileCheck::new(column, clients, observed))
        });
        Ok(checks.collect())
    }
}
