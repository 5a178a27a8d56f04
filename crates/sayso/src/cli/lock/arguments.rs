//! What `sayso lock` takes.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::cli::reading_arguments::ReadingArgs;
use crate::cli::report_arguments::{DetailArgs, ReportArgs};
use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;
use crate::lock::FailOn;
use crate::report::lock::Format;

/// Pin what servers list, and say what changed since and which way
///
/// Without --check and --accept it pins servers that are not in the lock yet; a pin that is
/// there is compared and left as it is. Before a live server is pinned it is started twice and asked
/// three times; a listing that is not the same each time is not pinned.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    group = ArgGroup::new("what").multiple(false),
    mut_arg("quiet", |quiet| quiet.help("Only what makes the run fail, and the counts")),
    mut_arg("verbose", |verbose| verbose.help("Every difference in full, old beside new"))
)]
pub(in crate::cli) struct LockArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// Compare only, and fail when a tool claims less risk, reaches further or is new
    ///
    /// Without a target each server in the lock is read as it was when it was pinned: from its
    /// saved listing, its URL, its place in a configuration, or by its command.
    #[arg(long, group = "what", help_heading = PINNING)]
    pub(super) check: bool,

    /// Show what changed, old beside new, and take it over once that is confirmed
    ///
    /// With a name only that tool; may be repeated as `--accept=NAME`. Everything else stays pinned
    /// as it was.
    #[arg(long, group = "what", value_name = "TOOL", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = PINNING)]
    pub(super) accept: Option<Vec<String>>,

    /// Show what is pinned
    #[arg(long, group = "what", help_heading = PINNING)]
    pub(super) list: bool,

    /// Do not ask before a change is taken over
    #[arg(long, short, requires = "accept", help_heading = PINNING)]
    pub(super) yes: bool,

    /// The lock
    #[arg(long, value_name = "FILE", default_value = "sayso.lock", help_heading = PINNING)]
    pub(super) file: PathBuf,

    /// What to call the server in the lock instead of by its command, address or file
    #[arg(long = "as", value_name = "NAME", help_heading = PINNING)]
    pub(super) name: Option<String>,

    /// The mildest change that makes the run fail; `relaxing` unless set
    #[arg(long, value_enum, value_name = "DIRECTION", default_value_t, hide_default_value = true, help_heading = PINNING)]
    pub(super) fail_on: FailOn,

    #[command(flatten, next_help_heading = PINNING)]
    pub(super) settings: SettingsArgs,

    #[command(flatten)]
    pub(super) report: ReportArgs<Format>,

    #[command(flatten)]
    pub(super) detail: DetailArgs,
}

const PINNING: &str = "Pinning";

const EXAMPLES: &str = "\
Examples:
  sayso lock -- node dist/server.js            pin a server; commit sayso.lock
  sayso lock --config .mcp.json                pin every server of a configuration
  sayso lock --check                           in CI: what changed, and which way?
  sayso lock --accept                          show every difference, ask, and take it over
  sayso lock --accept=search -- ./server       take over one tool, leave the others as they were
  sayso lock --list                            what is pinned

Exit codes: 0 pinned, or nothing that fails changed; 1 something changed that fails, or a listing
that cannot be pinned; 2 wrong usage or an unusable lock; 3 a target could not be read to its end";
