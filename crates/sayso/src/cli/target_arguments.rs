//! Which servers a command is about and how their listings are read: the arguments that every
//! command with targets takes.

mod plan;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

pub(in crate::cli) use plan::Plan;

use crate::error::Failure;
use crate::run::RunOptions;

/// Which servers, and how to read them.
#[derive(Debug, Args)]
pub(in crate::cli) struct TargetArgs {
    /// A server's URL, a file with a saved listing, or `-` for a listing on standard input
    ///
    /// A saved listing is a `tools/list` result, a whole JSON-RPC response, a JSON-lines
    /// transcript or a bare array of tools.
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// A command that starts a server which speaks on standard input and output
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// Read the servers in a host's configuration file
    #[arg(long, value_name = "FILE", help_heading = TARGETS)]
    config: Option<PathBuf>,

    /// Read the servers in every host configuration found on this machine
    #[arg(long, conflicts_with = "config", help_heading = TARGETS)]
    discover: bool,

    /// Of a configuration, read only the server with this name; may be repeated
    #[arg(long, value_name = "NAME", help_heading = TARGETS)]
    server: Vec<String>,

    /// Read an embedded example server of forty tools: as found, or after an honest fix
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "plain", help_heading = TARGETS)]
    example: Option<Example>,

    /// Set an environment variable for the command
    #[arg(long, value_name = "NAME=VALUE", requires = "command", help_heading = TARGETS)]
    env: Vec<String>,

    /// Start the command in this directory
    #[arg(long, value_name = "DIR", requires = "command", help_heading = TARGETS)]
    cwd: Option<PathBuf>,

    /// Send a header to every URL named as a target
    #[arg(long, value_name = "NAME: VALUE", help_heading = TARGETS)]
    header: Vec<String>,

    /// Send the token in this environment variable to every URL named as a target
    #[arg(long, value_name = "VAR", help_heading = TARGETS)]
    bearer_env: Option<String>,

    /// Which protocol to speak; `both` compares what a server lists in each
    #[arg(long, value_enum, default_value_t, help_heading = READING)]
    era: EraChoice,

    /// How long to wait for each answer, such as 500ms, 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration, help_heading = READING)]
    timeout: Duration,

    /// How long to wait for the first answer; 60s unless set, or 120s for a command that fetches a package first
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = READING)]
    start_timeout: Option<Duration>,

    /// Give each started server an empty home of its own, and make every other file read-only (Linux)
    #[arg(long, help_heading = READING)]
    private_home: bool,

    /// Start servers without a network (Linux)
    #[arg(long, help_heading = READING)]
    no_network: bool,

    /// How many targets to read side by side; one per processor, at least two, unless set
    #[arg(long, short, value_name = "N", help_heading = READING)]
    jobs: Option<NonZeroUsize>,
}

const TARGETS: &str = "Targets";

/// The heading of options about how a listing is read.
pub(in crate::cli) const READING: &str = "Reading";

/// Which example server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Example {
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

impl TargetArgs {
    /// Every target that was asked for, in the order of the command line: configurations, the
    /// example, arguments, the command. `verb` says in errors what is done with them.
    ///
    /// # Errors
    /// When there is none, or what is said of one cannot be.
    pub(in crate::cli) fn plan(&self, verb: &Verb) -> Result<Plan, Failure> {
        plan::plan(self, verb)
    }

    /// The option about how a listing is read that is set, where a command reads none so.
    pub(in crate::cli) fn of_reading(&self) -> Option<&'static str> {
        let set = [
            ("--era", self.era != EraChoice::Auto),
            ("--private-home", self.private_home),
            ("--no-network", self.no_network),
            ("--jobs", self.jobs.is_some()),
        ];
        set.into_iter()
            .find(|(_, is_set)| *is_set)
            .map(|(option, _)| option)
    }

    /// Whether a target is named at all.
    pub(in crate::cli) fn asks_for_any(&self) -> bool {
        let by_configuration = self.config.is_some() || self.discover || !self.server.is_empty();
        let by_name = !self.targets.is_empty() || !self.command.is_empty();
        by_configuration || by_name || self.example.is_some()
    }

    /// How the targets are read; `jobs` is what the settings say.
    pub(in crate::cli) fn run_options(
        &self,
        jobs: Option<NonZeroUsize>,
        progress: bool,
    ) -> RunOptions {
        let processors = std::thread::available_parallelism()
            .map_or(2, usize::from)
            .max(2);
        RunOptions {
            jobs: self.jobs.or(jobs).map_or(processors, usize::from),
            era: self.era,
            timeout: self.timeout,
            start_timeout: self.start_timeout,
            read_twice: false,
            private_home: self.private_home,
            no_network: self.no_network,
            progress,
        }
    }

    /// The environment variables to set. An error does not show the value, which may be a secret.
    fn env(&self) -> Result<Vec<(String, String)>, Failure> {
        let malformed = || {
            Failure::usage("a value of `--env` has no name or no `=`")
                .hint("write it as `--env NAME=VALUE`")
        };
        let pairs = self.env.iter().map(|text| variable(text));
        pairs.map(|pair| pair.ok_or_else(malformed)).collect()
    }

    /// The headers to send. An error does not show the value, which may be a secret.
    fn headers(&self) -> Result<Vec<(String, String)>, Failure> {
        let malformed = || {
            Failure::usage("a value of `--header` has no name or no colon")
                .hint("write it as `--header 'NAME: VALUE'`")
        };
        let pairs = self.header.iter().map(|text| header(text));
        pairs.map(|pair| pair.ok_or_else(malformed)).collect()
    }
}

/// What a command does with its targets, for errors.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Verb {
    /// In a sentence: "there is nothing to …".
    pub(in crate::cli) does: &'static str,
    /// The command that shows what comes of it.
    pub(in crate::cli) example: &'static str,
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
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
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
    use super::{duration, header, variable};

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
