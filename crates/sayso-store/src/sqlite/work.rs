//! Transactions: what several ask for at once is done in one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use sayso_core::journal::{Hash, Record, Timestamp, WrittenRecord, hash_written};

use super::checkpoint::Checkpointer;
use super::file::BUSY_TIMEOUT;
use super::journal;
use crate::{Receipt, StoreError};

/// How many bytes are written before the file itself is brought up to date.
const CHECKPOINT: usize = 4 << 20;

/// What a transaction writes beside what is in its records, in bytes: it writes whole pages.
const PAGE: usize = 4_096;

/// One request: what it does in the transaction, and who is told what came of it.
pub(super) trait Job: Send {
    /// Does it. An error is one of the database: then nothing of the transaction is committed, and
    /// it is done again, alone.
    fn act(&mut self, turn: &mut Turn<'_>) -> rusqlite::Result<()>;

    /// Tells who asked, once it is known whether the transaction was committed.
    fn settle(self: Box<Self>, committed: Result<(), StoreError>);
}

/// Several requests.
pub(super) type Jobs = Vec<Box<dyn Job>>;

/// One request's turn within a transaction.
pub(super) struct Turn<'a> {
    /// The connection, within a transaction.
    pub(super) connection: &'a Connection,
    /// Where the journal ends.
    pub(super) head: &'a mut Option<Receipt>,
    /// The file.
    pub(super) path: &'a Path,
    bytes: &'a mut usize,
}

impl Turn<'_> {
    /// Appends a record to the journal.
    pub(super) fn append(&mut self, at: Timestamp, record: &Record) -> rusqlite::Result<Receipt> {
        self.append_written(at, &record.written())
    }

    /// As [`Turn::append`], with the record written down already.
    pub(super) fn append_written(
        &mut self,
        at: Timestamp,
        record: &WrittenRecord,
    ) -> rusqlite::Result<Receipt> {
        let WrittenRecord { kind, text } = record;
        let previous = self.head.map_or(Hash::NONE, |head| head.hash);
        let seq = self.head.map_or(1, |head| head.seq + 1);
        let hash = hash_written(previous, seq, at, kind, text);
        self.connection
            .prepare_cached(
                "INSERT INTO journal (seq, at, kind, previous, hash, record)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute((seq, at.0, kind, &previous.0, &hash.0, text))?;
        *self.bytes += text.len() + 256;
        let receipt = Receipt { seq, hash };
        *self.head = Some(receipt);
        Ok(receipt)
    }
}

/// The connection that writes, and where the journal ends.
#[derive(Debug)]
pub(super) struct Work {
    path: PathBuf,
    connection: Connection,
    head: Option<Receipt>,
    /// `PRAGMA data_version` when the head was read: it moves when another connection commits.
    seen: Option<i64>,
    bytes: usize,
    /// Whether another process that is writing is waited for.
    patient: bool,
    checkpointer: Checkpointer,
}

impl Work {
    pub(super) fn new(path: &Path, connection: Connection, checkpointer: Checkpointer) -> Self {
        Self {
            path: path.to_owned(),
            connection,
            head: None,
            seen: None,
            bytes: 0,
            patient: true,
            checkpointer,
        }
    }

    /// Does one thing now in a transaction of its own; `None`, and nothing is done, where another
    /// process is writing.
    pub(super) fn alone<T>(
        &mut self,
        act: &mut impl FnMut(&mut Turn<'_>) -> rusqlite::Result<T>,
    ) -> Option<Result<T, StoreError>> {
        if !self.begin_at_once() {
            return None;
        }
        let done = self.complete(act);
        Some(done.map_err(|error| StoreError::of(&self.path, &error)))
    }

    /// Does all of them now in one transaction. They are given back, and nothing is done, where
    /// another process is writing or one of them fails: what comes next may have to wait.
    pub(super) fn at_once(&mut self, mut jobs: Jobs) -> Jobs {
        if !self.begin_at_once() {
            return jobs;
        }
        match self.complete(&mut |turn| act(&mut jobs, turn)) {
            Ok(()) => settle(jobs, &Ok(())),
            Err(_) if jobs.len() > 1 => return jobs,
            Err(error) => settle(jobs, &Err(StoreError::of(&self.path, &error))),
        }
        Jobs::new()
    }

    /// Does all of them in one transaction, and tells who asked. Where one of them fails, each is
    /// done again in a transaction of its own, so that it fails alone.
    pub(super) fn transact(&mut self, mut jobs: Jobs) {
        let told = match self.begin_patiently() {
            Ok(()) => match self.complete(&mut |turn| act(&mut jobs, turn)) {
                Err(_) if jobs.len() > 1 => return self.one_by_one(jobs),
                done => done,
            },
            not_begun => not_begun,
        };
        let told = told.map_err(|error| StoreError::of(&self.path, &error));
        settle(jobs, &told);
    }

    fn one_by_one(&mut self, jobs: Jobs) {
        let mut not_begun = None;
        for mut job in jobs {
            if not_begun.is_none()
                && let Err(error) = self.begin_patiently()
            {
                // The others are not made to wait for that as long again.
                not_begun = Some(StoreError::of(&self.path, &error));
            }
            let told = match &not_begun {
                Some(error) => Err(error.clone()),
                None => self
                    .complete(&mut |turn| job.act(turn))
                    .map_err(|error| StoreError::of(&self.path, &error)),
            };
            job.settle(told);
        }
    }

    /// Does something in the transaction that was begun, and commits. After an error nothing of it
    /// is there.
    fn complete<T>(
        &mut self,
        act: &mut impl FnMut(&mut Turn<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let before = self.head;
        let acted = act(&mut Turn {
            connection: &self.connection,
            head: &mut self.head,
            path: &self.path,
            bytes: &mut self.bytes,
        });
        let done = acted.and_then(|answer| self.execute("COMMIT").map(|()| answer));
        if done.is_err() {
            self.undo(before);
        }
        self.bytes += PAGE;
        if self.bytes >= CHECKPOINT {
            self.bytes = 0;
            self.checkpointer.wake();
        }
        done
    }

    /// Begins, and says whether: not where another process is writing. Whatever else is wrong is
    /// told when it is tried again.
    fn begin_at_once(&mut self) -> bool {
        if self.patient {
            self.patient = self.connection.busy_timeout(Duration::ZERO).is_err();
        }
        !self.patient && self.begin().is_ok()
    }

    fn begin_patiently(&mut self) -> rusqlite::Result<()> {
        if !self.patient {
            self.connection.busy_timeout(BUSY_TIMEOUT)?;
            self.patient = true;
        }
        self.begin()
    }

    /// Begins a transaction that holds off other writers, and finds out where the journal ends.
    fn begin(&mut self) -> rusqlite::Result<()> {
        let begun = self.try_begin();
        if begun.is_err() {
            self.undo(self.head);
        }
        begun
    }

    fn try_begin(&mut self) -> rusqlite::Result<()> {
        self.execute("BEGIN IMMEDIATE")?;
        let version = self
            .connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if self.seen != Some(version) {
            self.head = journal::head(&self.connection)?;
            self.seen = Some(version);
        }
        Ok(())
    }

    /// Goes back to before the transaction.
    fn undo(&mut self, before: Option<Receipt>) {
        self.head = before;
        // It is read again before anything is built on it.
        self.seen = None;
        // SQLite ends the transaction by itself after some errors.
        if !self.connection.is_autocommit() {
            let _ = self.execute("ROLLBACK");
        }
    }

    fn execute(&self, statement: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(statement)?.execute([])?;
        Ok(())
    }
}

fn act(jobs: &mut Jobs, turn: &mut Turn<'_>) -> rusqlite::Result<()> {
    jobs.iter_mut().try_for_each(|job| job.act(turn))
}

fn settle(jobs: Jobs, told: &Result<(), StoreError>) {
    for job in jobs {
        job.settle(told.clone());
    }
}
