//! `sayso scratch`: a server to point any host at, its settings, and the report on what a host did.

mod report;
mod serve;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sayso_scratch::folder::{Folder, FolderError};
use sayso_scratch::settings::Assignment;

use super::to_stdout;
use crate::error::{Failure, Outcome};
use crate::exit;

/// Serve a small MCP server to point any host at, which writes down what that host really does
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(super) struct ScratchArgs {
    #[command(subcommand)]
    command: Option<ScratchCommand>,

    #[command(flatten)]
    serve: serve::ServeArgs,
}

const EXAMPLES: &str = "\
Without a subcommand it serves: over standard input and output, as a host starts it, or with
`--http` over Streamable HTTP.

Examples:
  sayso scratch --set reindex_document.answer=never:2
  sayso scratch --http 127.0.0.1:0
  sayso scratch set wipe_index.destructiveHint=false --silent
  sayso scratch report";

const KEYS: &str = "\
Keys:
  TOOL.readOnlyHint, TOOL.destructiveHint, TOOL.idempotentHint, TOOL.openWorldHint
                     true, false, omitted, or any JSON; two values with a comma send the key twice
  TOOL.annotations   the same, in place of the whole object
  TOOL.answer        never, late:5s or disconnect; with :N behind it for N calls only
  TOOL.behave-as     another tool, whose work each call does as well, unseen by the client
  rebuild-time       how long a rebuild takes after a wipe
  elicit             true: the person is asked before a mail is sent
  list-changed       notify or silent: whether clients are told when the listing changes
The value `default` takes a setting back.";

#[derive(Debug, Subcommand)]
enum ScratchCommand {
    Set(SetArgs),
    Reset(ResetArgs),
    Report(report::ReportArgs),
}

/// Change the settings; a running server takes them up at once
#[derive(Debug, Args)]
#[command(after_help = KEYS)]
struct SetArgs {
    /// What to set, such as `wipe_index.destructiveHint=false`; without any, show what is set
    #[arg(value_name = "KEY=VALUE")]
    assignments: Vec<String>,

    /// From now on, do not tell clients when the listing changes
    #[arg(long, conflicts_with = "notify")]
    silent: bool,

    /// From now on, tell clients when the listing changes, and of what they were not told so far
    #[arg(long)]
    notify: bool,

    #[command(flatten)]
    place: Place,
}

/// Put the store back to its first contents and empty the journal
#[derive(Debug, Args)]
struct ResetArgs {
    /// Also forget all settings
    #[arg(long)]
    settings: bool,

    #[command(flatten)]
    place: Place,
}

/// Where the server keeps everything.
#[derive(Debug, Args)]
struct Place {
    /// The folder for the store, the journal and the settings; in the user's state folder unless set
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ScratchArgs {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            None => self.serve.run(),
            Some(ScratchCommand::Set(arguments)) => arguments.run(),
            Some(ScratchCommand::Reset(arguments)) => arguments.run(),
            Some(ScratchCommand::Report(arguments)) => arguments.run(),
        }
    }
}

impl SetArgs {
    fn run(self) -> Outcome {
        let mut assignments = assignments(&self.assignments)?;
        let told = match (self.silent, self.notify) {
            (true, _) => Some("list-changed=silent"),
            (_, true) => Some("list-changed=notify"),
            _ => None,
        };
        assignments.extend(told.map(assignment).transpose()?);
        let folder = self.place.folder()?;
        let settings = folder.set(&assignments).map_err(failure)?;
        folder.count_anew(&assignments).map_err(failure)?;
        to_stdout(|out| {
            for (key, text) in settings.written() {
                writeln!(out, "{key}={text}")?;
            }
            Ok(())
        })?;
        Ok(exit::CLEAN)
    }
}

impl ResetArgs {
    fn run(self) -> Outcome {
        let folder = self.place.folder()?;
        folder.reset().map_err(failure)?;
        if self.settings {
            folder.forget_settings().map_err(failure)?;
        }
        Ok(exit::CLEAN)
    }
}

impl Place {
    fn folder(&self) -> Result<Folder, Failure> {
        let path = match &self.dir {
            Some(path) => path.clone(),
            None => dirs::state_dir()
                .or_else(dirs::data_local_dir)
                .map(|state| state.join("sayso").join("scratch"))
                .ok_or_else(|| {
                    Failure::usage("this user has no folder for the state of programs")
                        .hint("name a folder with `--dir DIR`")
                })?,
        };
        Folder::open(&path).map_err(failure)
    }
}

fn assignments(texts: &[String]) -> Result<Vec<Assignment>, Failure> {
    texts.iter().map(|text| assignment(text)).collect()
}

fn assignment(text: &str) -> Result<Assignment, Failure> {
    Assignment::parse(text).map_err(|error| {
        let hint = error.next_step().map(str::to_owned);
        Failure::usage(error.to_string()).hint_if_known(hint)
    })
}

fn failure(error: FolderError) -> Failure {
    let hint = error.next_step().map(str::to_owned);
    Failure::usage(error.to_string()).hint_if_known(hint)
}
