//! `sayso journal`: what the gate wrote down.

mod export;
mod filter;
mod follow;
mod verify;

use std::ops::ControlFlow;

use clap::{Args, Subcommand};
use sayso_core::journal::{Broken, Entry, WrittenEntry};
use sayso_store::sqlite::{Role, SqliteStore};
use sayso_store::{EntryQuery, StoreError};

use super::store_arguments::{StoreArgs, failure};
use super::{output, to_stdout};
use crate::audit_report::{Detail, Presentation};
use crate::error::{Failure, Outcome};
use crate::exit;
use crate::report::journal::{self as report, JournalFormat, Outcomes, Row, Standing};
use filter::Filter;

/// Look at what the gate wrote down: every call, its decision and its outcome
#[derive(Debug, Args)]
pub(super) struct JournalArgs {
    #[command(subcommand)]
    command: JournalCommand,
}

#[derive(Debug, Subcommand)]
enum JournalCommand {
    Show(ShowArgs),
    Follow(follow::FollowArgs),
    Verify(verify::VerifyArgs),
    Export(export::ExportArgs),
}

const EXAMPLES: &str = "\
Examples:
  sayso journal show --since 2h
  sayso journal show --decision deny --limit 20
  sayso journal show --call c0a1b2 --format json";

/// Show entries, the newest last
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct ShowArgs {
    #[command(flatten)]
    filter: Filter,

    /// At most so many, of those that fit the newest
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 50)]
    limit: usize,

    /// How to write them
    #[arg(long, short, value_enum, default_value_t)]
    format: JournalFormat,

    #[command(flatten)]
    store: StoreArgs,
}

impl JournalArgs {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            JournalCommand::Show(arguments) => arguments.run(),
            JournalCommand::Follow(arguments) => arguments.run(),
            JournalCommand::Verify(arguments) => arguments.run(),
            JournalCommand::Export(arguments) => arguments.run(),
        }
    }
}

impl ShowArgs {
    fn run(self) -> Outcome {
        let store = self.store.open(Role::Reader)?;
        let rows = newest(&store, &self.filter, self.limit)?;
        let write = |presentation: &Presentation, out: &mut dyn std::io::Write| {
            report::write(&rows, self.format, presentation, out)
        };
        output::write(None, write, Detail::Normal)?;
        Ok(exit::CLEAN)
    }
}

/// The newest entries that fit, in the order they were written.
fn newest(store: &SqliteStore, filter: &Filter, limit: usize) -> Result<Vec<Row>, Failure> {
    let query = EntryQuery {
        newest_first: true,
        limit: usize::MAX,
        ..filter.query()
    };
    let mut rows = Vec::new();
    let mut outcomes = Outcomes::default();
    let mut stopped = Ok(());
    if limit > 0 {
        store
            .scan(&query, |found| {
                let row = found.map_err(|broken| damaged(&broken));
                let row = row.and_then(|entry| {
                    row_of(filter, entry, |entry| outcomes.standing(store, entry))
                });
                match row {
                    Ok(row) => rows.extend(row),
                    Err(failure) => {
                        stopped = Err(failure);
                        return ControlFlow::Break(());
                    }
                }
                if rows.len() < limit {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(failure)?;
    }
    stopped?;
    rows.reverse();
    Ok(rows)
}

/// An entry that fits, with what is known of its call. Every entry is asked for its standing: what
/// does not fit may be the outcome of what does.
fn row_of(
    filter: &Filter,
    written: WrittenEntry,
    standing: impl FnOnce(&Entry) -> Result<Standing, StoreError>,
) -> Result<Option<Row>, Failure> {
    let entry = read(&written)?;
    let standing = standing(&entry).map_err(failure)?;
    Ok(filter.fits(&entry.record).then_some(Row {
        entry,
        written,
        standing,
    }))
}

fn read(written: &WrittenEntry) -> Result<Entry, Failure> {
    let seq = written.seq;
    written.read().map_err(|why| damaged(&Broken { seq, why }))
}

/// An entry that cannot be shown.
fn damaged(broken: &Broken) -> Failure {
    Failure::usage(format!("the journal is damaged: {broken}"))
        .hint("`sayso journal verify` looks at the whole chain")
}

/// Writes lines at once, so that whoever reads them sees them.
fn print(text: &str) -> Result<(), Failure> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}
