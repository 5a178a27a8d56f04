//! What `sayso classify` takes.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use crate::cli::profile_arguments::ProfileArgs;
use crate::cli::reading_arguments::ReadingArgs;
use crate::cli::report_arguments::{DetailArgs, ReportArgs};
use crate::cli::rulings_arguments::RulingsArgs;
use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;

/// Decide the hints of each tool with the evidence beside them, and write the decisions down
///
/// In a terminal it asks about every tool that has no ruling yet, or changed since: one tool a
/// screen, the questions in the order in which they mean something. What is answered is written
/// after each tool, so that a session can be quit and taken up again.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    group = ArgGroup::new("what").multiple(false),
    mut_arg("format", |format| format.help("How to write what is suggested").requires("suggest")),
    mut_arg("output", |output| output.help("Write what is told to a file instead of standard output")),
    mut_arg("quiet", |quiet| quiet.help("Only the counts, and what makes the run fail")),
    mut_arg("verbose", |verbose| verbose.help("The whole matrix of hosts, and every tool"))
)]
pub(in crate::cli) struct ClassifyArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// Only this tool, also where it has a ruling; may be repeated
    #[arg(long, value_name = "NAME", help_heading = RULINGS)]
    pub(super) tool: Vec<String>,

    /// Print what is suggested, marked as not reviewed, instead of asking
    #[arg(long, group = "what", help_heading = RULINGS)]
    pub(super) suggest: bool,

    /// Take the rulings of this file over instead of asking
    ///
    /// It is what --suggest prints as TOML, reviewed: what is right stays, what is wrong is
    /// corrected, and `reviewed = false` has become a date or `true`.
    #[arg(long, group = "what", value_name = "FILE", help_heading = RULINGS)]
    pub(super) answers: Option<PathBuf>,

    /// Compare only: fail when a ruling is missing, stale, or not what the tool claims
    #[arg(long, group = "what", help_heading = RULINGS)]
    pub(super) check: bool,

    #[command(flatten, next_help_heading = RULINGS)]
    pub(super) rulings: RulingsArgs,

    /// What was observed of the tools at work, to stand beside what is suggested; `sayso verify`
    /// writes it
    #[arg(long, value_name = "FILE", help_heading = RULINGS)]
    pub(super) evidence: Option<PathBuf>,

    /// Who decides, as the rulings tell it
    #[arg(long, value_name = "NAME", help_heading = RULINGS)]
    pub(super) reviewer: Option<String>,

    /// Write the proposed annotations of all tools with a ruling, for `sayso hosts --with FILE`
    #[arg(long, value_name = "FILE", conflicts_with = "suggest", help_heading = RULINGS)]
    pub(super) annotations: Option<PathBuf>,

    #[command(flatten, next_help_heading = RULINGS)]
    pub(super) profiles: ProfileArgs,

    #[command(flatten, next_help_heading = RULINGS)]
    pub(super) settings: SettingsArgs,

    #[command(flatten)]
    pub(super) report: ReportArgs<Format>,

    #[command(flatten)]
    pub(super) detail: DetailArgs,
}

const RULINGS: &str = "Rulings";

const EXAMPLES: &str = "\
Examples:
  sayso classify -- node dist/server.js               answer the questions in a terminal
  sayso classify --suggest --example > answers.toml   what is suggested, to be reviewed in an editor
  sayso classify --answers answers.toml --example     take the reviewed answers over
  sayso classify --check -- node dist/server.js       in CI: is every tool ruled, and as it was?
  sayso classify --tool send_mail -- ./server         decide again about one tool

Exit codes: 0 decided, or nothing that fails; 1 --check found a ruling missing, stale or contradicted;
2 wrong usage or an unusable file; 3 a target could not be read to its end";

/// How suggestions are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// As rulings, to be reviewed and given to --answers
    #[default]
    Toml,
    /// For programs, with the evidence and where it stands
    Json,
}
