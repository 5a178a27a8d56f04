//! The command line: a file a command. This file says what there is; each command's file says
//! what it takes and does it.

mod approvals;
mod ask;
mod audit;
mod classify;
mod completions;
mod doctor;
mod example_server;
mod explain;
mod fix;
mod gate;
mod generate_reference;
mod hosts;
mod install;
mod jail;
mod journal;
mod lock;
mod output;
mod policy;
mod profile_arguments;
mod reading_arguments;
mod report_arguments;
mod rulings_arguments;
mod scratch;
mod settings_arguments;
mod store_arguments;
mod supervise;
mod target_arguments;
mod trace;
mod verify;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
pub(crate) use hosts::arguments::Format as HostsFormat;
pub(crate) use jail::NAME as JAIL;
pub(crate) use reading_arguments::{EraChoice, duration};
pub(crate) use supervise::NAME as SUPERVISE;

use crate::error::{Failure, Outcome};
use crate::{example, exit};

/// Read what MCP servers claim about their tools, and hold the claims against everything else they say.
#[derive(Debug, Parser)]
#[command(name = "sayso", version, propagate_version = true, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Whether to use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorWhen,
}

const AFTER_HELP: &str = "Start with `sayso audit --example`.";

#[derive(Debug, Subcommand)]
enum Command {
    Audit(Box<audit::AuditArgs>),
    Verify(Box<verify::VerifyArgs>),
    Fix(Box<fix::FixArgs>),
    Hosts(Box<hosts::HostsArgs>),
    Lock(Box<lock::LockArgs>),
    Classify(Box<classify::ClassifyArgs>),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    Explain(explain::ExplainArgs),
    Trace(Box<trace::TraceArgs>),
    Gate(Box<gate::GateArgs>),
    Policy(Box<policy::PolicyArgs>),
    Scratch(Box<scratch::ScratchArgs>),
    Approvals(Box<approvals::ApprovalsArgs>),
    Journal(Box<journal::JournalArgs>),
    Completions(completions::CompletionsArgs),
}

/// Commands that are not for users: neither help, completions nor the reference know them.
#[derive(Debug, Parser)]
#[command(name = "sayso")]
enum InternalCommand {
    #[command(name = example::COMMAND)]
    ExampleServer(example_server::ExampleServerArgs),
    #[command(name = generate_reference::NAME)]
    GenerateReference(generate_reference::GenerateReferenceArgs),
}

/// Whether to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ColorWhen {
    /// On a terminal, as NO_COLOR and CLICOLOR_FORCE say
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColorWhen {
    fn choice(self) -> anstream::ColorChoice {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
    }
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    // The supervisor and a jail have to be set up before any thread or runtime exists, and take no
    // options of ours.
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some(OsStr::new(supervise::NAME)) {
        return supervise::run(arguments);
    }
    if first.as_deref() == Some(OsStr::new(jail::NAME)) {
        return jail::run(arguments);
    }
    let is_internal = [example::COMMAND, generate_reference::NAME]
        .iter()
        .any(|name| first.as_deref() == Some(OsStr::new(name)));
    let outcome = if is_internal {
        InternalCommand::try_parse().map(InternalCommand::run)
    } else {
        Cli::try_parse().map(Cli::run)
    };
    match outcome {
        Ok(outcome) => ended(outcome),
        Err(error) => usage(&error),
    }
}

/// Tells what stopped a command, and gives the exit code.
fn ended(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        // Whoever read our output has seen enough.
        Err(failure) if failure.is_broken_pipe() => ExitCode::from(exit::CLEAN),
        Err(failure) => {
            // Nothing is left to be done if standard error is gone too.
            let _ = failure.print(&mut anstream::stderr());
            ExitCode::from(failure.code())
        }
    }
}

impl Cli {
    fn run(self) -> Outcome {
        self.color.choice().write_global();
        match self.command {
            Command::Audit(arguments) => arguments.run(),
            Command::Verify(arguments) => arguments.run(),
            Command::Fix(arguments) => arguments.run(),
            Command::Hosts(arguments) => arguments.run(),
            Command::Lock(arguments) => arguments.run(),
            Command::Classify(arguments) => arguments.run(),
            Command::Install(arguments) => arguments.run(),
            Command::Uninstall(arguments) => arguments.run(),
            Command::Doctor(arguments) => arguments.run(),
            Command::Explain(arguments) => arguments.run(),
            Command::Trace(arguments) => arguments.run(),
            Command::Gate(arguments) => arguments.run(),
            Command::Policy(arguments) => arguments.run(),
            Command::Scratch(arguments) => arguments.run(),
            Command::Approvals(arguments) => arguments.run(),
            Command::Journal(arguments) => arguments.run(),
            Command::Completions(arguments) => arguments.run(),
        }
    }
}

impl InternalCommand {
    fn run(self) -> Outcome {
        match self {
            Self::ExampleServer(arguments) => arguments.run(),
            Self::GenerateReference(arguments) => arguments.run(),
        }
    }
}

/// Help and version go to standard output and are no failure; the rest is wrong usage.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::from(if error.use_stderr() {
        exit::USAGE
    } else {
        exit::CLEAN
    })
}

/// The command line as data, for completions and the reference.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Writes to standard output; a reader that went away is no failure of ours.
fn to_stdout(
    write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    use std::io::Write as _;
    let mut out = std::io::BufWriter::new(anstream::stdout().lock());
    write(&mut out)?;
    out.flush()?;
    Ok(())
}
