//! What `sayso audit` takes.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::audit_report::{FailOn, Format};
use crate::error::Failure;

/// Read the tools of MCP servers and report what they claim, leave out and contradict
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct AuditArgs {
    /// A server's URL, a file with a saved listing, or `-` for a listing on standard input
    ///
    /// A saved listing is a `tools/list` result, a whole JSON-RPC response, a JSON-lines
    /// transcript or a bare array of tools.
    #[arg(value_name = "TARGET")]
    pub(super) targets: Vec<String>,

    /// A command that starts a server which speaks on standard input and output
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,

    /// Audit the servers in a host's configuration file
    #[arg(long, value_name = "FILE", help_heading = TARGETS)]
    pub(super) config: Option<PathBuf>,

    /// Audit the servers in every host configuration found on this machine
    #[arg(long, conflicts_with = "config", help_heading = TARGETS)]
    pub(super) discover: bool,

    /// Of a configuration, audit only the server with this name; may be repeated
    #[arg(long, value_name = "NAME", help_heading = TARGETS)]
    pub(super) server: Vec<String>,

    /// Audit an embedded example server of forty tools: as found, or after an honest fix
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "plain", help_heading = TARGETS)]
    pub(super) example: Option<Example>,

    /// Set an environment variable for the command
    #[arg(long, value_name = "NAME=VALUE", requires = "command", help_heading = TARGETS)]
    env: Vec<String>,

    /// Start the command in this directory
    #[arg(long, value_name = "DIR", requires = "command", help_heading = TARGETS)]
    pub(super) cwd: Option<PathBuf>,

    /// Send a header to every URL named as a target
    #[arg(long, value_name = "NAME: VALUE", help_heading = TARGETS)]
    header: Vec<String>,

    /// Send the token in this environment variable to every URL named as a target
    #[arg(long, value_name = "VAR", help_heading = TARGETS)]
    pub(super) bearer_env: Option<String>,

    /// Which protocol to speak; `both` compares what a server lists in each
    #[arg(long, value_enum, default_value_t, help_heading = READING)]
    pub(super) era: EraChoice,

    /// How long to wait for each answer, such as 500ms, 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration, help_heading = READING)]
    pub(super) timeout: Duration,

    /// How long to wait for the first answer; 60s unless set, or 120s for a command that fetches a package first
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = READING)]
    pub(super) start_timeout: Option<Duration>,

    /// Read each listing twice and compare
    #[arg(long, help_heading = READING)]
    pub(super) read_twice: bool,

    /// Give each started server an empty home of its own, and make every other file read-only (Linux)
    #[arg(long, help_heading = READING)]
    pub(super) private_home: bool,

    /// Start servers without a network (Linux)
    #[arg(long, help_heading = READING)]
    pub(super) no_network: bool,

    /// How many targets to read side by side; one per processor, at least two, unless set
    #[arg(long, short, value_name = "N", help_heading = READING)]
    pub(super) jobs: Option<NonZeroUsize>,

    /// Hold the listing against a specification or a directory's rules: `anthropic-connectors`,
    /// `anthropic-mcpb`, `openai-apps` or `spec-2026-07-28`
    #[arg(long, value_name = "ID", help_heading = JUDGING)]
    pub(super) profile: Option<String>,

    /// Compare with an accepted, saved listing: claiming less risk than before is an error
    #[arg(long, value_name = "FILE", help_heading = JUDGING)]
    pub(super) baseline: Option<PathBuf>,

    /// The mildest severity that makes the run fail; `error` unless set
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = JUDGING)]
    pub(super) fail_on: Option<FailOn>,

    /// Read settings from this file instead of the nearest `sayso.toml`
    #[arg(long, value_name = "FILE", help_heading = JUDGING)]
    pub(super) settings: Option<PathBuf>,

    /// Read no settings file
    #[arg(long, conflicts_with = "settings", help_heading = JUDGING)]
    pub(super) no_settings: bool,

    /// How to write the report
    #[arg(long, short, value_enum, default_value_t, help_heading = OUTPUT)]
    pub(super) format: Format,

    /// Write the report to a file instead of standard output
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) output: Option<PathBuf>,

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

    /// Only the counts and what makes the run fail
    #[arg(long, short, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub(super) quiet: bool,

    /// Also tools without a finding, and what servers wrote to standard error
    #[arg(long, short, help_heading = OUTPUT)]
    pub(super) verbose: bool,
}

const TARGETS: &str = "Targets";
const READING: &str = "Reading";
const JUDGING: &str = "Judging";
const OUTPUT: &str = "Output";

const EXAMPLES: &str = "\
Examples:
  sayso audit --example                           an embedded server
  sayso audit -- npx -y my-mcp-server             a server, started by its command
  sayso audit https://mcp.example.com/mcp         a server, by its URL
  sayso audit tools.json                          a saved listing
  sayso audit --discover                          every server configured on this machine
  sayso audit --format sarif --fail-on warning -- ./server    in CI

Exit codes: 0 clean, 1 findings at or above --fail-on, 2 wrong usage, 3 a target could not be read";

/// Which example server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Example {
    /// Forty tools without annotations
    Plain,
    /// The same tools after an honest fix
    Annotated,
}

/// Which protocol is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraChoice {
    /// `initialize` first, the modern protocol when the server asks for it
    #[default]
    Auto,
    /// Up to 2025-11-25
    Legacy,
    /// From 2026-07-28
    Modern,
    /// One reading in each, compared
    Both,
}

// A parser's error would show the value, which may be a secret.
impl AuditArgs {
    /// The environment variables to set.
    pub(super) fn env(&self) -> Result<Vec<(String, String)>, Failure> {
        let malformed = || {
            Failure::usage("a value of `--env` has no name or no `=`")
                .hint("write it as `--env NAME=VALUE`")
        };
        let pairs = self.env.iter().map(|text| variable(text));
        pairs.map(|pair| pair.ok_or_else(malformed)).collect()
    }

    /// The headers to send.
    pub(super) fn headers(&self) -> Result<Vec<(String, String)>, Failure> {
        let malformed = || {
            Failure::usage("a value of `--header` has no name or no colon")
                .hint("write it as `--header 'NAME: VALUE'`")
        };
        let pairs = self.header.iter().map(|text| header(text));
        pairs.map(|pair| pair.ok_or_else(malformed)).collect()
    }
}

fn variable(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let is_valid = !name.is_empty() && !text.contains('\0');
    is_valid.then(|| (name.to_owned(), value.to_owned()))
}

fn header(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

/// A number of seconds, or a number with a unit: `30`, `1.5s`, `500ms`, `2m`.
fn duration(text: &str) -> Result<Duration, String> {
    let bare = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let with_unit = if bare {
        format!("{text}s")
    } else {
        text.to_owned()
    };
    with_unit
        .parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|duration| Duration::try_from(duration).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            "write it as a number of seconds or with a unit, such as 500ms, 30s or 2m".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use sayso_audit::profile::Profile;

    use super::{AuditArgs, duration, header, variable};

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

    #[test]
    fn values_are_read_as_people_write_them() {
        for (text, millis) in [
            ("30", 30_000),
            ("1.5", 1500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1m 30s", 90_000),
        ] {
            assert_eq!(duration(text).unwrap().as_millis(), millis, "{text}");
        }
        for text in ["", "0", "-3s", "soon", "5 parsecs", "999999999999999999999"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(
            header("X-Key:  a:b ").unwrap(),
            ("X-Key".to_owned(), "a:b".to_owned())
        );
        assert!(header("no colon").is_none() && header(": value").is_none());
        assert_eq!(
            variable("A=b=c").unwrap(),
            ("A".to_owned(), "b=c".to_owned())
        );
        assert!(variable("A").is_none() && variable("=b").is_none());
    }
}
