//! A journal's lines on one clock, each with the client it is about.

use std::collections::HashMap;

use crate::journal::{Entry, Record};

/// The lines of a journal.
#[derive(Debug)]
pub(super) struct Timeline<'e> {
    events: Vec<TimedEvent<'e>>,
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedEvent<'e> {
    /// Milliseconds since the first line.
    pub(super) at_ms: f64,
    /// Which run of a server, from 0.
    pub(super) run: usize,
    /// Which client, from 0 in order of arrival.
    pub(super) client: Option<usize>,
    /// What happened.
    pub(super) record: &'e Record,
}

impl<'e> Timeline<'e> {
    /// Puts entries on one clock: within a process that which never goes back, between
    /// processes the time of day.
    pub(super) fn of(entries: &'e [Entry]) -> Self {
        let mut runs: HashMap<u32, (usize, f64)> = HashMap::new();
        let mut count = 0;
        let mut clients: HashMap<(usize, u64), usize> = HashMap::new();
        let first = entries.first().map(|entry| entry.time);
        let events = entries.iter().map(|entry| {
            // A process id may come again with another process.
            let begins = matches!(entry.record, Record::Started { .. });
            if begins || !runs.contains_key(&entry.process) {
                let since_first = first.map_or(0.0, |first| {
                    entry.time.duration_since(first).as_millis_f64()
                });
                runs.insert(entry.process, (count, since_first - entry.offset_ms));
                count += 1;
            }
            let (run, base) = runs.get(&entry.process).copied().unwrap_or_default();
            let client = entry.connection.map(|connection| {
                let next = clients.len();
                *clients.entry((run, connection)).or_insert(next)
            });
            TimedEvent {
                at_ms: thousandths(base + entry.offset_ms),
                run,
                client,
                record: &entry.record,
            }
        });
        Self {
            events: events.collect(),
        }
    }

    /// The lines in the order they stand.
    pub(super) fn events(&self) -> impl Iterator<Item = TimedEvent<'e>> {
        self.events.iter().copied()
    }

    /// The lines behind one of them.
    pub(super) fn events_after(&self, index: usize) -> impl Iterator<Item = TimedEvent<'e>> {
        self.events.iter().skip(index + 1).copied()
    }

    /// When the last line was written.
    pub(super) fn last_ms(&self) -> f64 {
        self.events.last().map_or(0.0, |event| event.at_ms)
    }
}

/// To a microsecond: what a journal has.
pub(super) fn thousandths(milliseconds: f64) -> f64 {
    (milliseconds * 1000.0).round() / 1000.0
}
