//! What `sayso journal` shows: entries for people, for programs, and as events of OCSF.

mod human;
mod ocsf;

use std::collections::HashSet;
use std::io;

use sayso_core::journal::{Entry, Record, WrittenEntry};
use sayso_store::StoreError;
use sayso_store::sqlite::SqliteStore;

use super::safe_json;
use crate::audit_report::Presentation;
pub(crate) use ocsf::Events;

/// The formats entries can be shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum JournalFormat {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
}

/// The formats entries can be exported in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// Lines of JSON, as they were hashed
    #[default]
    Jsonl,
    /// Lines of JSON, as events of OCSF
    Ocsf,
}

/// An entry that is shown.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) entry: Entry,
    pub(crate) written: WrittenEntry,
    pub(crate) standing: Standing,
}

/// What is known of a call beyond the entry that it goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The entry says it all, or another one has the outcome.
    Told,
    /// It is still running, as far as anybody knows.
    Running,
    /// It went out, and nobody knows what became of it.
    Unknown,
}

/// Whose outcome has been seen, for who goes from the newest entry to the oldest: the outcome comes
/// before the intent then.
#[derive(Debug, Default)]
pub(crate) struct Outcomes(HashSet<(String, u32)>);

impl Outcomes {
    /// How the call of an entry stands.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn standing(
        &mut self,
        store: &SqliteStore,
        entry: &Entry,
    ) -> Result<Standing, StoreError> {
        Ok(match &entry.record {
            Record::Outcome(outcome) => {
                self.0.insert((outcome.call.clone(), outcome.attempt));
                Standing::Told
            }
            Record::Intent(call) if !self.0.remove(&(call.call.clone(), call.attempt)) => {
                if store.may_run(entry.seq)? {
                    Standing::Running
                } else {
                    Standing::Unknown
                }
            }
            _ => Standing::Told,
        })
    }
}

impl Standing {
    /// The standing as one word; none where there is nothing to say.
    const fn word(self) -> Option<&'static str> {
        match self {
            Self::Told => None,
            Self::Running => Some("running"),
            Self::Unknown => Some("unknown"),
        }
    }
}

/// Writes entries.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    rows: &[Row],
    format: JournalFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        JournalFormat::Human if rows.is_empty() => writeln!(out, "no entry fits"),
        JournalFormat::Human => out.write_all(human::render(rows, presentation).as_bytes()),
        JournalFormat::Json => {
            let rows: Vec<String> = rows
                .iter()
                .map(|row| format!("\n    {}", line(row)))
                .collect();
            let end = if rows.is_empty() { "" } else { "\n  " };
            writeln!(
                out,
                "{{\n  \"version\": 1,\n  \"entries\": [{}{end}]\n}}",
                rows.join(",")
            )
        }
    }
}

/// Entries as lines, each on its own.
pub(crate) fn lines(rows: &[Row], format: JournalFormat, presentation: &Presentation) -> String {
    match format {
        JournalFormat::Human => human::render(rows, presentation),
        JournalFormat::Json => rows.iter().map(|row| line(row) + "\n").collect(),
    }
}

/// An entry as JSON, with `standing` where an outcome is missing. Characters that hide are escaped:
/// that is another spelling of the same value.
fn line(row: &Row) -> String {
    let mut text = row.written.line();
    if let Some(word) = row.standing.word() {
        text.truncate(text.len().saturating_sub(1));
        text.push_str(&format!(",\"standing\":\"{word}\"}}"));
    }
    safe_json::escape(&text)
}
