//! The tasks of this repository: `cargo xtask --help`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who runs it"
)]

mod evaluate;
mod generate;
mod install;
mod test;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The tasks of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Measures the rules over labelled cases: recall, false alarms, rule by rule.
    Evaluate {
        /// The cases, one JSON object a line.
        file: PathBuf,
        /// Measure suggestions instead: how sure they are, and how often right, hint by hint.
        #[arg(long)]
        suggest: bool,
        /// Also print every case that was missed, raised a false alarm or got a wrong suggestion.
        #[arg(long, short)]
        verbose: bool,
    },
    /// Writes the reference pages that are made from the program.
    Generate {
        /// Change nothing; fail when a page is not up to date.
        #[arg(long)]
        check: bool,
    },
    /// Installs the pinned servers and clients that the tests and benchmarks need.
    Install,
    /// Installs what the tests need, runs all of them, and says what was skipped and why.
    Test {
        /// Passed on to `cargo test`.
        #[arg(last = true)]
        cargo: Vec<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Evaluate {
            file,
            suggest: true,
            verbose,
        } => evaluate::suggestion::run(&file, verbose),
        Task::Evaluate { file, verbose, .. } => evaluate::run(&file, verbose),
        Task::Generate { check } => generate::run(check),
        Task::Install => install::install().map(|()| ExitCode::SUCCESS),
        Task::Test { cargo } => test::run(&cargo),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What stops a task.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    /// A file or process could not be handled.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What happened.
        source: std::io::Error,
    },
    /// Something that is needed is not there and cannot be installed from here.
    #[error("{what} is missing\nhint: {install}, then run this again")]
    Missing {
        /// What is needed.
        what: &'static str,
        /// How to get it.
        install: String,
    },
    /// A command ended with an error of its own.
    #[error("`{command}` failed with {status}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
}

/// Adds what was tried to an I/O error.
pub(crate) trait While<T> {
    /// The same result, its error with `what` was tried.
    fn while_trying(self, what: impl Into<String>) -> Result<T, TaskError>;
}

impl<T> While<T> for std::io::Result<T> {
    fn while_trying(self, what: impl Into<String>) -> Result<T, TaskError> {
        self.map_err(|source| TaskError::Io {
            what: what.into(),
            source,
        })
    }
}

/// The program to build with.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest
        .parent()
        .map_or_else(|| manifest.clone(), PathBuf::from)
}
