//! `sayso journal export`.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use sayso_core::journal::WrittenEntry;
use sayso_store::EntryQuery;
use sayso_store::sqlite::{Role, SqliteStore};

use super::filter::Filter;
use super::{damaged, read};
use crate::cli::store_arguments::{StoreArgs, failure};
use crate::cli::{output, to_stdout};
use crate::error::{Failure, Outcome};
use crate::exit;
use crate::report::journal::{Events, ExportFormat};

const FORMATS: &str = "\
Formats:
  jsonl   every entry as it was hashed, a line each: canonical JSON (RFC 8785). The member `hash` is
          SHA-256 over the line without it. Invisible characters stand in it as they came.
  ocsf    calls and refusals as events of the class API Activity (6003) of the Open Cybersecurity
          Schema Framework 1.3.0, a line each. Everything else the journal tells has no such event.";

/// Write entries for other programs
#[derive(Debug, Args)]
#[command(after_help = FORMATS)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    filter: Filter,

    /// How to write them
    #[arg(long, short, value_enum, default_value_t)]
    format: ExportFormat,

    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

impl ExportArgs {
    pub(super) fn run(self) -> Outcome {
        output::check_directories([&self.output])?;
        let store = self.store.open(Role::Reader)?;
        match &self.output {
            None => to_stdout(|out| self.export(&store, out))?,
            Some(path) => {
                let unwritten = |error| {
                    Failure::usage(format!("cannot write `{}`", path.display())).source(error)
                };
                let file = std::fs::File::create(path).map_err(unwritten)?;
                let mut out = io::BufWriter::new(file);
                self.export(&store, &mut out)
                    .and_then(|()| out.flush())
                    .map_err(unwritten)?;
            }
        }
        Ok(exit::CLEAN)
    }

    /// An entry that cannot be read ends it; what is before it has been written then.
    fn export(&self, store: &SqliteStore, out: &mut dyn Write) -> io::Result<()> {
        let query = EntryQuery {
            limit: usize::MAX,
            ..self.filter.query()
        };
        let mut events = Events::default();
        let mut done = Ok(());
        let scanned = store.scan(&query, |found| {
            let written = found
                .map_err(|broken| io::Error::other(damaged(&broken)))
                .and_then(|entry| self.write(&mut events, &entry, out));
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    done = Err(error);
                    ControlFlow::Break(())
                }
            }
        });
        scanned.map_err(|error| io::Error::other(failure(error)))?;
        done?;
        for (seq, line) in events.unknown()? {
            if !store
                .may_run(seq)
                .map_err(|error| io::Error::other(failure(error)))?
            {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn write(
        &self,
        events: &mut Events,
        written: &WrittenEntry,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let entry = read(written).map_err(io::Error::other)?;
        if !self.filter.fits(&entry.record) {
            return Ok(());
        }
        match self.format {
            ExportFormat::Jsonl => writeln!(out, "{}", written.line()),
            ExportFormat::Ocsf => match events.of(entry)? {
                Some(line) => writeln!(out, "{line}"),
                None => Ok(()),
            },
        }
    }
}
