//! Transactions: what several ask for at once is done in one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use sayso_core::journal::{Hash, Record, Timestamp, hash_written};

use super::checkpoint::Checkpointer;
use super::file::BUSY_TIMEOUT;
use super::journal;
use crate::{Receipt, StoreError};

/// How many bytes are written before the file itself is brought up to date.
const CHECKPOINT: usize = 4 << 20;

/// One request: what it does in the transaction, and who is told what came of it.
pub(super) trait Job: Send {
    /// Does it. An error is one of the database, and ends the whole transaction.
    fn act(&mut self, turn: &mut Turn<'_>) -> rusqlite::Result<()>;

    /// Tells who asked, once it is known whether the transaction was committed.
    fn settle(self: Box<Self>, committed: Result<(), StoreError>);
}

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
        self.append_text(at, record.kind(), &record.text())
    }

    /// As [`Turn::append`], with the record written down already.
    pub(super) fn append_text(
        &mut self,
        at: Timestamp,
        kind: &str,
        text: &str,
    ) -> rusqlite::Result<Receipt> {
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
            checkpointer,
        }
    }

    /// Does one request now, unless another process is writing: then it is given back as it was.
    pub(super) fn at_once(&mut self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let impatient = self.connection.busy_timeout(Duration::ZERO).is_ok();
        let begun = self.begin();
        let _ = self.connection.busy_timeout(BUSY_TIMEOUT);
        if !impatient || begun.is_err() {
            // Whatever it is, it is told when it is tried again.
            self.undo(self.head);
            return Some(job);
        }
        self.finish(begun, vec![job]);
        None
    }

    /// Does all of them in one transaction, and tells who asked.
    pub(super) fn transact(&mut self, jobs: Vec<Box<dyn Job>>) {
        let begun = self.begin();
        self.finish(begun, jobs);
    }

    fn finish(&mut self, begun: rusqlite::Result<()>, mut jobs: Vec<Box<dyn Job>>) {
        let before = self.head;
        let mut done = begun;
        for job in &mut jobs {
            if done.is_err() {
                break;
            }
            done = job.act(&mut Turn {
                connection: &self.connection,
                head: &mut self.head,
                path: &self.path,
                bytes: &mut self.bytes,
            });
        }
        let done = done.and_then(|()| self.execute("COMMIT"));
        let told = done.map_err(|error| {
            self.undo(before);
            StoreError::of(&self.path, &error)
        });
        for job in jobs {
            job.settle(told.clone());
        }
        if self.bytes >= CHECKPOINT {
            self.bytes = 0;
            self.checkpointer.wake();
        }
    }

    /// Begins a transaction that holds off other writers, and finds out where the journal ends.
    fn begin(&mut self) -> rusqlite::Result<()> {
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
