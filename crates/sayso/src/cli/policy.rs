//! `sayso policy`.

mod explain;
mod rules;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use rules::RulesArgs;

use super::output;
use crate::audit_report::Detail;
use crate::config::SettingsError;
use crate::error::{Failure, Outcome};
use crate::policy::cases;
use crate::report::policy::{self as report, Checked};
use crate::{exit, saved};

/// Check policies, try them with cases, and explain what they decide
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

const EXAMPLES: &str = "\
Policies are those of `[gate]` in `sayso.toml` unless others are named: names of ready sets, or
Cedar files. They are held against the tools that are pinned in `sayso.lock`.

Examples:
  sayso policy check
  sayso policy check spec-default two-of-three rules.cedar
  sayso policy test cases.toml
  sayso policy explain --server crm --tool message --arguments '{\"action\":\"delete\"}'";

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    Check(CheckArgs),
    Test(TestArgs),
    Explain(Box<explain::ExplainArgs>),
}

/// Validate policies against the pinned tools
#[derive(Debug, Args)]
struct CheckArgs {
    /// Ready sets or Cedar files; those of the settings unless named
    #[arg(value_name = "POLICY")]
    policies: Vec<String>,

    #[command(flatten)]
    rules: RulesArgs,
}

/// Try policies with cases, and show where they decide otherwise
#[derive(Debug, Args)]
struct TestArgs {
    /// The cases, in TOML
    #[arg(value_name = "CASES")]
    cases: PathBuf,

    /// A ready set or a Cedar file instead of those of the settings; can be repeated
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,

    #[command(flatten)]
    rules: RulesArgs,
}

impl PolicyArgs {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            PolicyCommand::Check(arguments) => arguments.run(),
            PolicyCommand::Test(arguments) => arguments.run(),
            PolicyCommand::Explain(arguments) => arguments.run(),
        }
    }
}

impl CheckArgs {
    fn run(self) -> Outcome {
        let rules = self.rules.read(&self.policies)?;
        let checked = Checked {
            policies: rules.policies()?,
            sources: &rules.sources,
            known: &rules.known,
            lock: rules.lock.as_deref(),
        };
        output::write(None, |_, out| report::check(&checked, out), Detail::Normal)?;
        Ok(exit::CLEAN)
    }
}

impl TestArgs {
    fn run(self) -> Outcome {
        let rules = self.rules.read(&self.policies)?;
        let policies = rules.policies()?;
        let file = self.cases.display().to_string();
        let text = saved::read_text(&self.cases).map_err(|error| {
            Failure::usage(format!("cannot read the cases `{file}`")).source(error)
        })?;
        let tried = cases::try_all(&text, &file, &policies, &rules.known, now())
            .map_err(|error| wrong(&error))?;
        output::write(
            None,
            |_, out| report::test(&tried, &file, out),
            Detail::Normal,
        )?;
        let passed = tried.iter().all(|tried| tried.passed);
        Ok(if passed { exit::CLEAN } else { exit::FINDINGS })
    }
}

fn wrong(error: &SettingsError) -> Failure {
    Failure::usage(error.to_string()).hint_if_known(error.hint())
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
