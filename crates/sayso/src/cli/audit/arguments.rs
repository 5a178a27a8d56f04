//! What `sayso audit` takes.

use std::path::PathBuf;

use clap::Args;

use crate::audit_report::{FailOn, Format};
use crate::cli::reading_arguments::{READING, ReadingArgs};
use crate::cli::report_arguments::{DetailArgs, OUTPUT, ReportArgs};
use crate::cli::settings_arguments::SettingsArgs;
use crate::cli::target_arguments::TargetArgs;

/// Read the tools of MCP servers and report what they claim, leave out and contradict
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("quiet", |quiet| quiet.help("Only the counts and what makes the run fail")),
    mut_arg("verbose", |verbose| verbose.help("Also tools without a finding, and what servers wrote to standard error"))
)]
pub(in crate::cli) struct AuditArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// Read each listing twice and compare
    #[arg(long, help_heading = READING)]
    pub(super) read_twice: bool,

    /// Hold the listing against a specification or a directory's rules: `anthropic-connectors`,
    /// `anthropic-mcpb`, `openai-apps` or `spec-2026-07-28`
    #[arg(long, value_name = "ID", help_heading = JUDGING)]
    pub(super) profile: Option<String>,

    /// Compare with an accepted, saved listing: claiming less risk than before is an error
    #[arg(long, value_name = "FILE", help_heading = JUDGING)]
    pub(super) baseline: Option<PathBuf>,

    /// Take in what was observed of the tools at work, as `sayso verify` wrote it down
    #[arg(long, value_name = "FILE", help_heading = JUDGING)]
    pub(super) evidence: Option<PathBuf>,

    /// The directory with the server's source, so that findings point to the tool's registration
    ///
    /// TypeScript, JavaScript, Python, Rust, C#, Java, Kotlin and Go are read; `sayso fix` says
    /// more of what is found.
    #[arg(long, value_name = "DIR", help_heading = JUDGING)]
    pub(super) source: Option<PathBuf>,

    /// The mildest severity that makes the run fail; `error` unless set
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = JUDGING)]
    pub(super) fail_on: Option<FailOn>,

    #[command(flatten, next_help_heading = JUDGING)]
    pub(super) settings: SettingsArgs,

    #[command(flatten)]
    pub(super) report: ReportArgs<Format>,

    /// Write the skeleton of a directory submission; for the profile `openai-apps`
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) emit_submission: Option<PathBuf>,

    /// Write the listing to a file as it came, to audit or to compare with later
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) save: Option<PathBuf>,

    /// Print only the tools' names, in the order they came
    #[arg(long, conflicts_with_all = ["show", "format", "emit_submission"], help_heading = OUTPUT)]
    pub(super) names: bool,

    /// Print only this tool's entry, as it came
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["format", "emit_submission"], help_heading = OUTPUT)]
    pub(super) show: Option<String>,

    /// With --show, print the very bytes instead of indented JSON
    #[arg(long, requires = "show", help_heading = OUTPUT)]
    pub(super) raw: bool,

    #[command(flatten)]
    pub(super) detail: DetailArgs,
}

const JUDGING: &str = "Judging";

const EXAMPLES: &str = "\
Examples:
  sayso audit --example                           an embedded server
  sayso audit -- npx -y my-mcp-server             a server, started by its command
  sayso audit https://mcp.example.com/mcp         a server, by its URL
  sayso audit tools.json                          a saved listing
  sayso audit --discover                          every server configured on this machine
  sayso audit --format sarif --fail-on warning -- ./server    in CI

Exit codes: 0 clean, 1 findings at or above --fail-on, 2 wrong usage, 3 a target could not be read";

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use sayso_audit::profile::Profile;

    use super::AuditArgs;

    #[test]
    fn the_help_names_every_profile() {
        let command = AuditArgs::augment_args(clap::Command::new("audit"));
        let profile = command
            .get_arguments()
            .find(|argument| argument.get_id() == "profile")
            .unwrap();
        let help = profile.get_help().unwrap().to_string();
        let named: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
        assert_eq!(
            named,
            Profile::all()
                .map(|profile| profile.id.as_str())
                .collect::<Vec<_>>()
        );
    }
}
