//! Which call an attempt belongs to.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::{Attempt, Confined};

/// How long after its answer a call may be what still acts.
const LATE: Duration = Duration::from_secs(10);

/// Different attempts that are kept of one call.
const MAX_KEPT: usize = 32;

/// Different attempts outside of calls that are remembered.
const MAX_HABITS: usize = 1024;

/// A call, as far as what is found of it needs that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// Its id in the journal.
    pub(crate) call: String,
    /// The tool, by its name at the server.
    pub(crate) tool: String,
    /// Whether it was taken to only read.
    pub(crate) read_only: bool,
    /// Whether it may reach beyond a closed domain.
    pub(crate) open_world: bool,
}

/// What was refused of a call that nobody waits for any more.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The call.
    pub(crate) label: Label,
    /// What it tried.
    pub(crate) attempts: Vec<Attempt>,
}

/// Keeps the calls of one confined process apart.
pub(crate) struct Record {
    confined: Box<dyn Confined>,
    reports: UnboundedSender<Report>,
    book: Mutex<Book>,
    /// Calls of a tool that is suspected run alone.
    turns: tokio::sync::RwLock<()>,
}

#[derive(Default)]
struct Book {
    next: u64,
    running: BTreeMap<u64, Running>,
    /// The call that ended last.
    last: Option<(Running, Instant)>,
    /// What was tried while no call ran: it belongs to none.
    habits: HashSet<Attempt>,
    /// Tools that ran beside others when something was tried.
    suspects: BTreeSet<String>,
}

struct Running {
    label: Label,
    found: Vec<Attempt>,
    /// So many of them whoever made the call was told of.
    told: usize,
}

impl Running {
    /// What of these is new.
    fn find(&mut self, attempts: &[Attempt]) -> Vec<Attempt> {
        let mut new = Vec::new();
        for attempt in attempts {
            if self.found.len() < MAX_KEPT && !self.found.contains(attempt) {
                self.found.push(attempt.clone());
                new.push(attempt.clone());
            }
        }
        new
    }
}

/// A call that runs on a confined process. Dropped, it does not any more.
pub(crate) struct Turn<'a> {
    record: &'a Record,
    key: u64,
    _turn: Side<'a>,
}

enum Side<'a> {
    Beside {
        _guard: tokio::sync::RwLockReadGuard<'a, ()>,
    },
    Alone {
        _guard: tokio::sync::RwLockWriteGuard<'a, ()>,
    },
}

impl Record {
    pub(crate) fn new(confined: Box<dyn Confined>, reports: UnboundedSender<Report>) -> Self {
        Self {
            confined,
            reports,
            book: Mutex::default(),
            turns: tokio::sync::RwLock::default(),
        }
    }

    pub(crate) fn confined(&self) -> &dyn Confined {
        &*self.confined
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins, once it may run beside those that do.
    pub(crate) async fn begin(&self, label: Label) -> Turn<'_> {
        let is_suspect = self.book().suspects.contains(&label.tool);
        let turn = if is_suspect {
            Side::Alone {
                _guard: self.turns.write().await,
            }
        } else {
            Side::Beside {
                _guard: self.turns.read().await,
            }
        };
        // What came before it is none of its doing.
        self.account();
        let mut book = self.book();
        let key = book.next;
        book.next += 1;
        let running = Running {
            label,
            found: Vec::new(),
            told: 0,
        };
        book.running.insert(key, running);
        Turn {
            record: self,
            key,
            _turn: turn,
        }
    }

    /// Gives attempts that nobody has looked at to the call they belong to, and reports what is new
    /// of a call that has had its answer.
    pub(crate) fn account(&self) {
        let report = self.attributed();
        self.report(report);
    }

    fn report(&self, report: Option<Report>) {
        if let Some(report) = report {
            // At the end of the gate nobody listens.
            let _ = self.reports.send(report);
        }
    }

    fn attributed(&self) -> Option<Report> {
        let mut book = self.book();
        let mut attempts = self.confined.attempts();
        attempts.retain(|attempt| !book.habits.contains(attempt));
        if attempts.is_empty() {
            return None;
        }
        let tools: BTreeSet<String> = book
            .running
            .values()
            .map(|running| running.label.tool.clone())
            .collect();
        match tools.len() {
            0 => book.late(attempts),
            1 => {
                for running in book.running.values_mut() {
                    running.find(&attempts);
                }
                None
            }
            _ => {
                tracing::warn!(
                    tools = tools.iter().cloned().collect::<Vec<_>>().join(", "),
                    attempt = attempts.first().map(ToString::to_string),
                    "one of these tools tried to act and was refused; they run alone from now on"
                );
                book.suspects.extend(tools);
                None
            }
        }
    }
}

impl Book {
    /// Attempts that were made while no call ran.
    fn late(&mut self, attempts: Vec<Attempt>) -> Option<Report> {
        match &mut self.last {
            Some((last, ended)) if ended.elapsed() < LATE => {
                let attempts = last.find(&attempts);
                let label = last.label.clone();
                (!attempts.is_empty()).then_some(Report { label, attempts })
            }
            _ => {
                if self.habits.len() < MAX_HABITS {
                    self.habits.extend(attempts);
                }
                None
            }
        }
    }
}

impl Turn<'_> {
    /// What the call tried so far.
    pub(crate) fn found(&self) -> Vec<Attempt> {
        self.record.account();
        let mut book = self.record.book();
        let Some(running) = book.running.get_mut(&self.key) else {
            return Vec::new();
        };
        running.told = running.found.len();
        running.found.clone()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.record.account();
        let mut book = self.record.book();
        let Some(running) = book.running.remove(&self.key) else {
            return;
        };
        // The host has cancelled it, and nobody has asked what it did.
        let untold = running.found.get(running.told..).unwrap_or_default();
        let report = (!untold.is_empty()).then(|| Report {
            label: running.label.clone(),
            attempts: untold.to_vec(),
        });
        book.last = Some((running, Instant::now()));
        drop(book);
        self.record.report(report);
    }
}
