//! What `sayso fix` takes.

use std::path::PathBuf;

use clap::Args;

use crate::cli::reading_arguments::ReadingArgs;
use crate::cli::report_arguments::{DetailArgs, ReportArgs};
use crate::cli::rulings_arguments::RulingsArgs;
use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;
use crate::report::fix::Format;

/// Find where tools are registered in source, and put the hints that were ruled there
///
/// Without --diff and --write it tells what there is: how many registrations carry each hint,
/// which listed tools were not found, and where annotations are dropped on the way to the server.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("rulings", |rulings| rulings.long_help(RULINGS)),
    mut_arg("quiet", |quiet| quiet.help("Only the counts")),
    mut_arg("verbose", |verbose| verbose.help("Every registration"))
)]
pub(in crate::cli) struct FixArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// The directory with the server's source: TypeScript, JavaScript, Python, Rust, C#, Java,
    /// Kotlin and Go are read
    ///
    /// Hidden folders, what .gitignore names, dependencies, build output and tests are left out.
    #[arg(long, value_name = "DIR", help_heading = SOURCE)]
    pub(super) source: PathBuf,

    /// Show what would be written, as a patch
    #[arg(long, conflicts_with = "write", help_heading = SOURCE)]
    pub(super) diff: bool,

    /// Write it, then start the server again and count once more
    #[arg(long, help_heading = SOURCE)]
    pub(super) write: bool,

    #[command(flatten, next_help_heading = SOURCE)]
    pub(super) rulings: RulingsArgs,

    /// Write also into files with changes that are not committed
    #[arg(long, requires = "write", help_heading = SOURCE)]
    pub(super) allow_dirty: bool,

    #[command(flatten, next_help_heading = SOURCE)]
    pub(super) settings: SettingsArgs,

    #[command(flatten)]
    pub(super) report: ReportArgs<Format>,

    #[command(flatten)]
    pub(super) detail: DetailArgs,
}

const SOURCE: &str = "Source";

const RULINGS: &str = "\
The rulings; `sayso.rulings.toml` beside the nearest `sayso.toml`, or here, unless set

Also a file of hints by tool, as `sayso hosts --ruling` takes it.";

const EXAMPLES: &str = "\
Examples:
  sayso fix --source src                                what is registered, and with which hints
  sayso fix --source src -- node dist/server.js         the same beside what the server lists
  sayso fix --source src --diff -- node dist/server.js  what the rulings would change, as a patch
  sayso fix --source src --write -- python server.py    write it, start the server again, count

Exit codes: 0 told, or all that is ruled stands in the source; 1 something that is ruled does not, or
could not be written; 2 wrong usage or an unusable file; 3 a target could not be read to its end";
