//! `sayso scratch report`.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::Args;
use sayso_scratch::journal::Journal;
use sayso_scratch::report::Observed;

use super::Place;
use crate::audit_report::Detail;
use crate::cli::output;
use crate::error::{Failure, Outcome};
use crate::exit;
use crate::report::scratch::{ScratchFormat, write};

/// Tell from a journal what a host really did
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The journal; that of the folder unless named
    #[arg(value_name = "JOURNAL", conflicts_with = "dir")]
    journal: Option<PathBuf>,

    /// How to write it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: ScratchFormat,

    /// Write it to this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    place: Place,
}

impl ReportArgs {
    pub(super) fn run(self) -> Outcome {
        output::check_directories([&self.output])?;
        let path = match self.journal {
            Some(path) => path,
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
        let report = |presentation: &_, out: &mut dyn std::io::Write| {
            write(&observed, self.format, presentation, out)
        };
        output::write(self.output.as_deref(), report, Detail::Normal)?;
        Ok(exit::CLEAN)
    }
}
