//! `sayso journal follow`.

use std::ops::ControlFlow;
use std::time::Duration;

use clap::Args;
use sayso_store::EntryQuery;
use sayso_store::sqlite::{Role, SqliteStore};

use super::filter::Filter;
use super::{damaged, newest, print, row_of};
use crate::cli::output;
use crate::cli::store_arguments::{StoreArgs, failure, runtime};
use crate::error::{Failure, Outcome};
use crate::report::journal::{self as report, JournalFormat, Row, Standing};
use crate::run::Stop;

/// How often the store is looked at.
const INTERVAL: Duration = Duration::from_millis(200);

/// How many entries are taken at once.
const BATCH: usize = 1_000;

/// Show entries as they come, until Ctrl-C
#[derive(Debug, Args)]
pub(super) struct FollowArgs {
    #[command(flatten)]
    filter: Filter,

    /// Begin with so many of those that are there
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 10)]
    limit: usize,

    /// How to write them; `json` writes a line each
    #[arg(long, short, value_enum, default_value_t)]
    format: JournalFormat,

    #[command(flatten)]
    store: StoreArgs,
}

impl FollowArgs {
    pub(super) fn run(self) -> Outcome {
        let store = self.store.open(Role::Reader)?;
        runtime()?.block_on(async {
            // Listened to before anything is written, so that whoever saw something can stop it.
            let mut stop = Stop::listen();
            tokio::select! {
                code = stop.received() => Ok(code),
                ended = self.follow(&store) => match ended {
                    Err(failure) => Err(failure),
                    Ok(never) => match never {},
                },
            }
        })
    }

    async fn follow(&self, store: &SqliteStore) -> Result<std::convert::Infallible, Failure> {
        // What comes while the first are written is behind this.
        let mut last = last(store)?;
        let first = newest(store, &self.filter, self.limit)?;
        let first = first.into_iter().filter(|row| row.entry.seq <= last);
        self.print(&first.collect::<Vec<_>>())?;
        loop {
            let rows = self.after(store, &mut last)?;
            self.print(&rows)?;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// What came behind this number, which moves on.
    fn after(&self, store: &SqliteStore, last: &mut u64) -> Result<Vec<Row>, Failure> {
        let query = EntryQuery {
            after: Some(*last),
            limit: BATCH,
            ..EntryQuery::default()
        };
        let query = EntryQuery {
            call: self.filter.query().call,
            since: self.filter.query().since,
            ..query
        };
        let mut rows = Vec::new();
        let mut stopped = Ok(());
        store
            .scan(&query, |found| {
                let row = found.map_err(|broken| damaged(&broken)).and_then(|entry| {
                    *last = entry.seq;
                    // It has only just begun.
                    row_of(&self.filter, entry, |_| Ok(Standing::Told))
                });
                match row {
                    Ok(row) => rows.extend(row),
                    Err(failure) => {
                        stopped = Err(failure);
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            })
            .map_err(failure)?;
        stopped.map(|()| rows)
    }

    fn print(&self, rows: &[Row]) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        print(&report::lines(rows, self.format, &output::presentation()))
    }
}

/// The number of the last entry.
fn last(store: &SqliteStore) -> Result<u64, Failure> {
    let query = EntryQuery {
        newest_first: true,
        limit: 1,
        ..EntryQuery::default()
    };
    let mut last = 0;
    let each = |found: Result<sayso_core::journal::WrittenEntry, _>| {
        last = found.map_or_else(
            |broken: sayso_core::journal::Broken| broken.seq,
            |entry| entry.seq,
        );
        ControlFlow::Break(())
    };
    store.scan(&query, each).map_err(failure)?;
    Ok(last)
}
