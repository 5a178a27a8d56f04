//! What `sayso fix` takes.

use std::path::PathBuf;

use clap::Args;

use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;
use crate::report::fix::Format;

/// Find where tools are registered in source, and put the hints that were ruled there
///
/// Without --diff and --write it tells what there is: how many registrations carry each hint,
/// which listed tools were not found, and where annotations are dropped on the way to the server.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct FixArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

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

    /// The rulings; `sayso.rulings.toml` beside the nearest `sayso.toml`, or here, unless set
    ///
    /// Also a file of hints by tool, as `sayso hosts --ruling` takes it.
    #[arg(long, value_name = "FILE", help_heading = SOURCE)]
    pub(super) rulings: Option<PathBuf>,

    /// What the server is called in the rulings instead of by its command, address or file
    #[arg(long = "as", value_name = "NAME", help_heading = SOURCE)]
    pub(super) name: Option<String>,

    /// Write also into files with changes that are not committed
    #[arg(long, requires = "write", help_heading = SOURCE)]
    pub(super) allow_dirty: bool,

    #[command(flatten, next_help_heading = SOURCE)]
    pub(super) settings: SettingsArgs,

    /// How to write the report
    #[arg(long, short, value_enum, default_value_t, help_heading = OUTPUT)]
    pub(super) format: Format,

    /// Write the report to a file instead of standard output
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) output: Option<PathBuf>,

    /// Only the counts
    #[arg(long, short, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub(super) quiet: bool,

    /// Every registration
    #[arg(long, short, help_heading = OUTPUT)]
    pub(super) verbose: bool,
}

const SOURCE: &str = "Source";
const OUTPUT: &str = "Output";

const EXAMPLES: &str = "\
Examples:
  sayso fix --source src                                what is registered, and with which hints
  sayso fix --source src -- node dist/server.js         the same beside what the server lists
  sayso fix --source src --diff -- node dist/server.js  what the rulings would change, as a patch
  sayso fix --source src --write -- python server.py    write it, start the server again, count

Exit codes: 0 told, or all that is ruled stands in the source; 1 something that is ruled does not, or
could not be written; 2 wrong usage or an unusable file; 3 a target could not be read to its end";
