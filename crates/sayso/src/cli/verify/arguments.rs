//! What `sayso verify` takes.

use std::path::PathBuf;

use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, ArgAction, Args, ValueEnum};
use sayso_verify::judge::Standard;
use sayso_verify::plan::Mode;

use crate::audit_report::{FailOn, Format};
use crate::cli::reading_arguments::TimeoutArgs;
use crate::cli::report_arguments::{DetailArgs, OUTPUT, ReportArgs};
use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;

/// Watch the tools of a server at work in a jail, and hold what they do against what they claim
///
/// Each tool is called by a fresh server, on a fixture and with a home of its own; the person's files
/// are never written, and nothing reaches a network unless `--live` says to which hosts. Linux, as an
/// ordinary user.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args = not_for_verifying(),
    mut_arg("quiet", |quiet| quiet.help("Only the counts and what is contradicted")),
    mut_arg("verbose", |verbose| verbose.help("Also the whole of each witness"))
)]
pub(in crate::cli) struct VerifyArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

    #[command(flatten)]
    pub(super) timeouts: TimeoutArgs,

    /// Call only this tool; may be repeated
    #[arg(long, value_name = "NAME", help_heading = CALLING)]
    pub(super) tool: Vec<String>,

    /// Make the calls that this file has instead, and hold what comes of them against what it expects
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "explore"], help_heading = CALLING)]
    pub(super) scenario: Option<PathBuf>,

    /// What the server works on: one of the fixtures that come with sayso
    ///
    /// `{workspace}` in the server's command stands for its folder, in which the server is started
    /// unless `--cwd` says where.
    #[arg(long, value_name = "NAME", conflicts_with = "workspace", help_heading = CALLING)]
    pub(super) fixture: Option<String>,

    /// What the server works on: a copy of this folder, which stands for it in the server's command
    #[arg(long, value_name = "DIR", help_heading = CALLING)]
    pub(super) workspace: Option<PathBuf>,

    /// Try this many more variants of arguments for each tool
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = CALLING)]
    pub(super) explore: usize,

    /// How many milliseconds each call is watched at least; 1500 unless set
    #[arg(long, value_name = "MS", help_heading = CALLING)]
    pub(super) settle: Option<u64>,

    /// Which jail to use; the best one that this machine allows unless set
    #[arg(long, value_enum, value_name = "MODE", help_heading = JAIL)]
    pub(super) jail: Option<JailMode>,

    /// Let the server really reach this host, by name or address; may be repeated
    #[arg(long, value_name = "HOST", help_heading = JAIL)]
    pub(super) live: Vec<String>,

    /// Answer other connections with a short page instead of "network is unreachable"
    #[arg(long, help_heading = JAIL)]
    pub(super) sink: bool,

    /// Tell what this machine allows, and verify nothing
    #[arg(long, help_heading = JAIL)]
    pub(super) probe: bool,

    /// What counts as the user's data besides that: `own-state=counts`, `cache=counts` or
    /// `log=counts`; each is told apart unless set
    #[arg(long, value_name = "CLASS=counts|apart", value_parser = standard, help_heading = JUDGING)]
    pub(super) standard: Vec<StandardPart>,

    /// Accept contradictions that this file of evidence already has, of the same tool definition
    #[arg(long, value_name = "FILE", help_heading = JUDGING)]
    pub(super) baseline: Option<PathBuf>,

    /// The mildest severity that makes the run fail; `error` unless set
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = JUDGING)]
    pub(super) fail_on: Option<FailOn>,

    #[command(flatten, next_help_heading = JUDGING)]
    pub(super) settings: SettingsArgs,

    /// Keep what was seen in this file; `sayso.evidence.json` unless set
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) evidence: Option<PathBuf>,

    /// Write every call with all that was seen to this folder, a file a tool, as JSON lines
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(super) transcripts: Option<PathBuf>,

    /// No progress, and no evidence written unless `--evidence` names the file
    #[arg(long, help_heading = OUTPUT)]
    pub(super) ci: bool,

    #[command(flatten)]
    pub(super) report: ReportArgs<Format>,

    #[command(flatten)]
    pub(super) detail: DetailArgs,
}

const CALLING: &str = "Calling";
const JAIL: &str = "Jail";
const JUDGING: &str = "Judging";

const EXAMPLES: &str = "\
Examples:
  sayso verify --probe                                   what this machine allows
  sayso verify --example                                 an embedded server
  sayso verify -- npx -y my-mcp-server {workspace}       a server that is told its folder
  sayso verify --tool move_file --explore 8 -- ./server  one tool, with more variants
  sayso verify --ci --baseline sayso.evidence.json --format sarif -- ./server    in CI

Exit codes: 0 nothing contradicted, 1 findings at or above --fail-on, 2 wrong usage or no jail, 3 a
server could not be verified";

/// Options that other commands with targets take, each refused with what there is instead.
fn not_for_verifying() -> impl IntoIterator<Item = Arg> {
    let alone = "tools are verified one after the other";
    let refused = [
        (
            "era",
            None,
            "a server in the jail is spoken with as it asks for",
        ),
        ("jobs", Some('j'), alone),
        (
            "private-home",
            None,
            "the jail always gives a server a home of its own",
        ),
        (
            "no-network",
            None,
            "the jail has no network unless `--live HOST` lets a server reach one",
        ),
    ];
    refused.map(|(name, short, instead)| {
        Arg::new(name)
            .long(name)
            .short(short)
            .hide(true)
            .action(ArgAction::SetTrue)
            .value_parser(UnknownArgumentValueParser::suggest(instead))
    })
}

/// Which jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum JailMode {
    /// Namespaces, with overlays over the home and the server's package
    Namespaces,
    /// Landlock and a system call filter, with scratch folders
    Landlock,
}

impl From<JailMode> for Mode {
    fn from(mode: JailMode) -> Self {
        match mode {
            JailMode::Namespaces => Self::Namespaces,
            JailMode::Landlock => Self::Landlock,
        }
    }
}

/// Whether a class of changes counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StandardPart {
    class: Class,
    counts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    OwnState,
    Cache,
    Log,
}

fn standard(text: &str) -> Result<StandardPart, String> {
    let wrong = || {
        "write `own-state`, `cache` or `log`, then `=counts` or `=apart`, such as own-state=counts"
            .to_owned()
    };
    let (class, what) = text.split_once('=').ok_or_else(wrong)?;
    let class = match class {
        "own-state" => Class::OwnState,
        "cache" => Class::Cache,
        "log" => Class::Log,
        _ => return Err(wrong()),
    };
    let counts = match what {
        "counts" => true,
        "apart" => false,
        _ => return Err(wrong()),
    };
    Ok(StandardPart { class, counts })
}

impl VerifyArgs {
    /// What counts.
    pub(super) fn standard(&self) -> Standard {
        let mut standard = Standard::default();
        for part in &self.standard {
            match part.class {
                Class::OwnState => standard.own_state = part.counts,
                Class::Cache => standard.cache = part.counts,
                Class::Log => standard.log = part.counts,
            }
        }
        standard
    }

    /// Where evidence is kept.
    pub(super) fn evidence_file(&self) -> Option<PathBuf> {
        let named = self.evidence.clone();
        named.or_else(|| (!self.ci).then(|| sayso_verify::evidence::FILE_NAME.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, StandardPart, standard};

    #[test]
    fn a_standard_names_a_class_and_says_whether_it_counts() {
        let counts = StandardPart {
            class: Class::OwnState,
            counts: true,
        };
        assert_eq!(standard("own-state=counts"), Ok(counts));
        for wrong in ["own-state", "user=counts", "log=no", ""] {
            assert!(standard(wrong).is_err(), "{wrong}");
        }
    }
}
