//! How a report is written, where to and how much of it: the arguments that every command with a
//! report takes.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::output;
use crate::audit_report::{Detail, Presentation};
use crate::error::Failure;

/// In which format a report is written, and where to.
#[derive(Debug, Args)]
pub(in crate::cli) struct ReportArgs<F: ReportFormat> {
    /// How to write the report
    #[arg(long, short, value_enum, default_value = default_word::<F>(), help_heading = OUTPUT)]
    pub(in crate::cli) format: F,

    /// Write the report to a file instead of standard output
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(in crate::cli) output: Option<PathBuf>,
}

/// How much is told. What that is, each command says in its help.
#[derive(Clone, Copy, Debug, Args)]
pub(in crate::cli) struct DetailArgs {
    /// Less
    #[arg(long, short, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub(in crate::cli) quiet: bool,

    /// More
    #[arg(long, short, help_heading = OUTPUT)]
    pub(in crate::cli) verbose: bool,
}

/// The heading of options about what is written.
pub(in crate::cli) const OUTPUT: &str = "Output";

/// The formats that a command can write its report in.
pub(in crate::cli) trait ReportFormat:
    ValueEnum + Default + Send + Sync + 'static
{
}

impl<F: ValueEnum + Default + Send + Sync + 'static> ReportFormat for F {}

/// The default on the command line. `default_value_t` keeps it in a static, which all instances of a
/// generic function share.
fn default_word<F: ReportFormat>() -> &'static str {
    let value = F::default().to_possible_value();
    // A command line is built once or twice in a run.
    value.map_or("", |value| value.get_name().to_owned().leak())
}

impl<F: ReportFormat> ReportArgs<F> {
    /// Writes a report where it was asked for; it is told whether colour is taken there.
    pub(in crate::cli) fn write(
        &self,
        detail: Detail,
        report: impl FnOnce(&Presentation, &mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        output::write(self.output.as_deref(), report, detail)
    }
}

impl From<DetailArgs> for Detail {
    fn from(arguments: DetailArgs) -> Self {
        match (arguments.quiet, arguments.verbose) {
            (true, _) => Self::Quiet,
            (_, true) => Self::Verbose,
            _ => Self::Normal,
        }
    }
}
