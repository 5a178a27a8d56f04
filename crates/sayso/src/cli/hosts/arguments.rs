//! What `sayso hosts` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::profile_arguments::{HOSTS, ProfileArgs};
use crate::cli::reading_arguments::ReadingArgs;
use crate::cli::report_arguments::{DetailArgs, ReportArgs};
use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;
use crate::hosts::{Choice, ModeChoice};

/// Show what hosts do with each tool, as its hints are and as they might be
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("quiet", |quiet| quiet.help("Only the matrix and the counts")),
    mut_arg("verbose", |verbose| verbose.help("A row for every tool, and every host by name"))
)]
pub(in crate::cli) struct HostsArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// Only this host; may be repeated
    ///
    /// `NAME` is the host in the mode a new user has, `NAME:MODE` in another. A host whose build
    /// is no longer current is shown only when it is named.
    #[arg(long, value_name = "NAME[:MODE]", help_heading = HOSTS)]
    pub(super) host: Vec<Choice>,

    /// `all` for each mode of each host, or with --host the id of a mode; the one a new user has unless set
    #[arg(long, value_name = "all|ID", help_heading = HOSTS)]
    pub(super) mode: Option<ModeChoice>,

    /// List the hosts that are known, with version, date, how sure it is, and modes
    #[arg(long, conflicts_with_all = ["tool", "with", "evidence", "ruling"], help_heading = HOSTS)]
    pub(super) list: bool,

    #[command(flatten)]
    pub(super) profiles: ProfileArgs,

    /// Why: the rule that decides about this tool in each host, and what it rests on
    #[arg(long, value_name = "NAME", help_heading = QUESTIONS)]
    pub(super) tool: Option<String>,

    /// Put these hints over the listing, and show before and after
    ///
    /// JSON by tool, `{ "TOOL": { "readOnlyHint": true } }`, a saved listing with annotations, or
    /// TOML by tool, `[TOOL]` with `readOnlyHint = true`.
    #[arg(long, value_name = "FILE", help_heading = QUESTIONS)]
    pub(super) with: Option<PathBuf>,

    /// Put what was observed over the listing: what hosts would do if it claimed nothing that was
    /// contradicted at work
    #[arg(long, value_name = "FILE", conflicts_with = "with", help_heading = QUESTIONS)]
    pub(super) evidence: Option<PathBuf>,

    /// Hold what hosts do against what is true of each tool, written as for --with
    #[arg(long, value_name = "FILE", help_heading = QUESTIONS)]
    pub(super) ruling: Option<PathBuf>,

    #[command(flatten, next_help_heading = HOSTS)]
    pub(super) settings: SettingsArgs,

    #[command(flatten)]
    pub(super) report: ReportArgs<Format>,

    #[command(flatten)]
    pub(super) detail: DetailArgs,
}

const QUESTIONS: &str = "Questions";

const EXAMPLES: &str = "\
Examples:
  sayso hosts --example                           an embedded server in every host
  sayso hosts tools.json --host NAME --mode all   one host in each of its modes
  sayso hosts tools.json --tool delete_file       why each host does what it does
  sayso hosts tools.json --with annotations.json  what other hints would change
  sayso hosts tools.json --ruling true.toml       who asks too little, who too much
  sayso hosts --list                              the hosts that are known

Exit codes: 0 shown, 2 wrong usage, 3 a target could not be read";

/// The formats a report on hosts can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: hosts that treat the listing alike share a column
    #[default]
    Human,
    /// A versioned JSON document
    Json,
    /// Markdown that fits a pull-request comment
    Markdown,
    /// One self-contained page with the whole matrix
    Html,
}
