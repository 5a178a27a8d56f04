//! Which servers a command is about: the arguments that every command with targets takes.

mod plan;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(in crate::cli) use plan::Plan;

use crate::error::Failure;

/// Which servers, and how to reach them.
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
}

const TARGETS: &str = "Targets";

/// Which example server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Example {
    /// Forty tools without annotations
    Plain,
    /// The same tools after an honest fix
    Annotated,
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

    /// Whether a target is named at all.
    pub(in crate::cli) fn asks_for_any(&self) -> bool {
        let by_configuration = self.config.is_some() || self.discover || !self.server.is_empty();
        let by_name = !self.targets.is_empty() || !self.command.is_empty();
        by_configuration || by_name || self.example.is_some()
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

#[cfg(test)]
mod tests {
    use super::{header, variable};

    #[test]
    fn values_are_read_as_people_write_them() {
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
