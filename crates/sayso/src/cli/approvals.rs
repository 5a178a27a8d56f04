//! `sayso approvals`: what waits for a person, and the person's answer.

use std::io::{self, Write as _};

use clap::{Args, Subcommand, ValueEnum};
use sayso_core::approval::{Approval, State, Verdict};
use sayso_core::reveal::reveal_line;
use sayso_core::suggest::nearest;
use sayso_store::sqlite::{Role, SqliteStore};
use sayso_store::{ApprovalFilter, Store as _};

use super::ask::{ask, somebody_is_there};
use super::output;
use super::store_arguments::{StoreArgs, failure, now, runtime};
use crate::audit_report::{Detail, Presentation};
use crate::error::{Failure, Outcome};
use crate::exit;
use crate::report::approvals::{self as report, ApprovalsFormat};

/// See which calls wait for a person, and answer
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ApprovalsArgs {
    #[command(subcommand)]
    command: ApprovalsCommand,
}

const EXAMPLES: &str = "\
An approval holds for one call: this caller, this tool as it is defined now, these arguments, under
these policies, once, until it expires. It can be given beside a running gate.

Examples:
  sayso approvals list
  sayso approvals show 7k2m9q4x1b8c            everything that will run
  sayso approvals approve 7k2m9q4x1b8c";

#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    List(ListArgs),
    Show(ShowArgs),
    Approve(ApproveArgs),
    Deny(DenyArgs),
}

/// Show the calls that wait for a person
#[derive(Debug, Args)]
struct ListArgs {
    /// Those that stand otherwise, too
    #[arg(long, conflicts_with = "state")]
    all: bool,

    /// Those that stand so
    #[arg(long, value_enum, value_name = "STATE")]
    state: Option<StateChoice>,

    /// At most so many, the newest
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 50)]
    limit: usize,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    store: StoreArgs,
}

/// How to write them.
#[derive(Debug, Args)]
struct FormatArgs {
    /// How to write it
    #[arg(long, short, value_enum, default_value_t)]
    format: ApprovalsFormat,
}

/// [`State`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum StateChoice {
    /// Nobody answered yet
    Pending,
    /// Given, and not used
    Approved,
    /// Refused
    Denied,
    /// Given and used
    Spent,
    /// Nobody answered in time, or it was not used in time
    Expired,
}

/// Show everything about one: what will run, and why somebody is asked
#[derive(Debug, Args)]
struct ShowArgs {
    /// Its id
    id: String,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    store: StoreArgs,
}

/// Let a call run, once
#[derive(Debug, Args)]
struct ApproveArgs {
    #[command(flatten)]
    answer: AnswerArgs,

    /// Do not show it and ask before
    #[arg(long, short)]
    yes: bool,
}

/// Refuse a call
#[derive(Debug, Args)]
struct DenyArgs {
    #[command(flatten)]
    answer: AnswerArgs,
}

/// Which one is answered, and by whom.
#[derive(Debug, Args)]
struct AnswerArgs {
    /// Its id
    id: String,

    /// Who answers, for the journal; the name of the user unless set
    #[arg(long, value_name = "NAME")]
    by: Option<String>,

    #[command(flatten)]
    store: StoreArgs,
}

impl ApprovalsArgs {
    pub(super) fn run(self) -> Outcome {
        let runtime = runtime()?;
        match self.command {
            ApprovalsCommand::List(arguments) => runtime.block_on(arguments.run()),
            ApprovalsCommand::Show(arguments) => runtime.block_on(arguments.run()),
            ApprovalsCommand::Approve(arguments) => runtime.block_on(arguments.run()),
            ApprovalsCommand::Deny(arguments) => {
                runtime.block_on(arguments.answer.answer(Verdict::Deny, false))
            }
        }
    }
}

impl ListArgs {
    async fn run(self) -> Outcome {
        let state = match (self.all, self.state) {
            (true, _) => None,
            (_, None | Some(StateChoice::Pending)) => Some(State::Pending),
            (_, Some(StateChoice::Approved)) => Some(State::Approved),
            (_, Some(StateChoice::Denied)) => Some(State::Denied),
            (_, Some(StateChoice::Spent)) => Some(State::Spent),
            (_, Some(StateChoice::Expired)) => Some(State::Expired),
        };
        let store = self.store.open(Role::Reader)?;
        let now = now();
        let which = ApprovalFilter {
            state,
            now,
            limit: self.limit,
        };
        let approvals = store.approvals(which).await.map_err(failure)?;
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::write_list(&approvals, now, self.format.format, presentation, out)
        };
        output::write(None, write, Detail::Normal)?;
        Ok(exit::CLEAN)
    }
}

impl ShowArgs {
    async fn run(self) -> Outcome {
        let store = self.store.open(Role::Reader)?;
        let approval = find(&store, &self.id).await?;
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::write_one(&approval, now(), self.format.format, presentation, out)
        };
        output::write(None, write, Detail::Normal)?;
        Ok(exit::CLEAN)
    }
}

impl ApproveArgs {
    async fn run(self) -> Outcome {
        self.answer.answer(Verdict::Approve, !self.yes).await
    }
}

impl AnswerArgs {
    async fn answer(self, verdict: Verdict, ask_first: bool) -> Outcome {
        let store = self.store.open(Role::Beside)?;
        let approval = find(&store, &self.id).await?;
        if ask_first && approval.state(now()) == State::Pending {
            if !somebody_is_there() {
                return Err(
                    Failure::usage("nothing was approved: there is nobody to ask")
                        .hint("read `sayso approvals show`, then add `--yes`"),
                );
            }
            let write = |presentation: &Presentation, out: &mut dyn io::Write| {
                let format = ApprovalsFormat::Human;
                report::write_one(&approval, now(), format, presentation, out)
            };
            output::write(None, write, Detail::Normal)?;
            if !ask("Let this call run, once?")? {
                writeln!(anstream::stderr(), "nothing was answered; it still waits")?;
                return Ok(exit::CLEAN);
            }
        }
        let by = self.by.unwrap_or_else(user);
        let decided = store
            .decide(&self.id, verdict, &by, now())
            .await
            .map_err(failure)?;
        store.close().await.map_err(failure)?;
        super::to_stdout(|out| {
            let said = match verdict {
                Verdict::Approve => "approved",
                Verdict::Deny => "denied",
            };
            let (server, tool) = (&decided.binding.server, &decided.binding.tool);
            let about = format!("{said}: {} ({server}/{tool})", decided.id);
            writeln!(out, "{}", reveal_line(&about))
        })?;
        Ok(exit::CLEAN)
    }
}

/// One approval; of an id that is unknown the nearest is named.
async fn find(store: &SqliteStore, id: &str) -> Result<Approval, Failure> {
    if let Some(approval) = store.approval(id).await.map_err(failure)? {
        return Ok(approval);
    }
    let which = ApprovalFilter {
        state: Some(State::Pending),
        now: now(),
        limit: 1_000,
    };
    let pending = store.approvals(which).await.map_err(failure)?;
    let unknown = Failure::usage(format!("there is no approval `{id}`"));
    Err(
        match nearest(id, pending.iter().map(|approval| approval.id.as_str())) {
            Some(meant) => unknown.hint(format!("did you mean `{meant}`?")),
            None => unknown.hint("`sayso approvals list --all` shows those there are"),
        },
    )
}

/// The user's name, as the system has it.
fn user() -> String {
    ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()))
        .unwrap_or_else(|| "terminal".to_owned())
}
