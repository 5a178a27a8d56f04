//! The one thread that writes. Whatever waits when it begins goes into one transaction.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use sayso_core::journal::{Hash, Record, Timestamp, hash_written};
use tokio::sync::{mpsc, oneshot};

use super::checkpoint::Checkpointer;
use super::journal;
use crate::{Receipt, StoreError};

/// How many requests may wait; who asks then waits with them.
const WAITING: usize = 8_192;

/// How many requests go into one transaction.
const BATCH: usize = 512;

/// How many bytes are written before the file itself is brought up to date.
const CHECKPOINT: usize = 4 << 20;

/// How long the text of a record may be, in bytes. SQLite refuses at 1,000,000,000.
const LONGEST: usize = 256 << 20;

/// One request: what it does in the transaction, and who is told what came of it.
trait Job: Send {
    /// Does it. An error is one of the database, and ends the whole transaction.
    fn act(&mut self, turn: &mut Turn<'_>) -> rusqlite::Result<()>;

    /// Tells who asked, once it is known whether the transaction was committed.
    fn settle(self: Box<Self>, committed: Result<(), StoreError>);
}

/// A request with an answer of this type.
struct Asked<T, F> {
    act: Option<F>,
    answer: Option<Result<T, StoreError>>,
    tell: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Asked<T, F>
where
    T: Send,
    F: FnOnce(&mut Turn<'_>) -> rusqlite::Result<Result<T, StoreError>> + Send,
{
    fn act(&mut self, turn: &mut Turn<'_>) -> rusqlite::Result<()> {
        if let Some(act) = self.act.take() {
            self.answer = Some(act(turn)?);
        }
        Ok(())
    }

    fn settle(self: Box<Self>, committed: Result<(), StoreError>) {
        let told = match (committed, self.answer) {
            (Ok(()), Some(answer)) => answer,
            (Err(error), _) => Err(error),
            // It did nothing, so nothing is told: who asked sees that this end is gone.
            (Ok(()), None) => return,
        };
        // Who asked may have gone: what was written stays written.
        let _ = self.tell.send(told);
    }
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
        self.append_text(at, record.kind(), record.call(), &record.text())
    }

    /// As [`Turn::append`], with the record written down already.
    pub(super) fn append_text(
        &mut self,
        at: Timestamp,
        kind: &str,
        call: Option<&str>,
        text: &str,
    ) -> rusqlite::Result<Receipt> {
        let previous = self.head.map_or(Hash::NONE, |head| head.hash);
        let seq = self.head.map_or(1, |head| head.seq + 1);
        let hash = hash_written(previous, seq, at, kind, text);
        self.connection
            .prepare_cached(
                "INSERT INTO journal (seq, at, kind, call, previous, hash, record)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute((seq, at.0, kind, call, &previous.0, &hash.0, text))?;
        *self.bytes += text.len() + 256;
        let receipt = Receipt { seq, hash };
        *self.head = Some(receipt);
        Ok(receipt)
    }
}

/// Where requests go to be written.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    requests: mpsc::Sender<Request>,
    waiting: Arc<AtomicUsize>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Request {
    Job(Box<dyn Job>),
    Close,
}

impl Writer {
    pub(super) fn start(
        path: &Path,
        connection: Connection,
        checkpointer: Checkpointer,
    ) -> Result<Self, StoreError> {
        let (requests, queue) = mpsc::channel(WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        let work = Work {
            path: path.to_owned(),
            connection,
            head: None,
            seen: None,
            bytes: 0,
            waiting: Arc::clone(&waiting),
            checkpointer,
        };
        let thread = thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || work.run(queue))
            .map_err(|error| StoreError::Failed {
                path: path.to_owned(),
                said: format!("cannot start the thread that writes: {error}"),
            })?;
        Ok(Self {
            path: path.to_owned(),
            requests,
            waiting,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Asks for something to be written, and waits until it is committed. The inner error is one
    /// of the request alone: what it wrote until then is committed with the rest.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Turn<'_>) -> rusqlite::Result<Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let closed = || StoreError::Closed(self.path.clone());
        let (tell, told) = oneshot::channel();
        let job = Box::new(Asked {
            act: Some(act),
            answer: None,
            tell,
        });
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.requests.send(Request::Job(job)).await.is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(closed());
        }
        told.await.map_err(|_| closed())?
    }

    /// Appends a record to the journal.
    pub(super) async fn append(
        &self,
        at: Timestamp,
        record: Record,
    ) -> Result<Receipt, StoreError> {
        let text = record.text();
        if text.len() > LONGEST {
            return Err(StoreError::TooLong {
                bytes: text.len(),
                limit: LONGEST,
            });
        }
        let act = move |turn: &mut Turn<'_>| {
            turn.append_text(at, record.kind(), record.call(), &text)
                .map(Ok)
        };
        self.write(act).await
    }

    /// How many requests wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Takes no more requests, and ends once what waits is written.
    pub(super) async fn close(&self) {
        let _ = self.requests.send(Request::Close).await;
        self.requests.closed().await;
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // It has nothing left to do but to close its connection.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

/// What the thread works with.
struct Work {
    path: PathBuf,
    connection: Connection,
    head: Option<Receipt>,
    /// `PRAGMA data_version` when the head was read: it moves when another connection commits.
    seen: Option<i64>,
    bytes: usize,
    waiting: Arc<AtomicUsize>,
    checkpointer: Checkpointer,
}

impl Work {
    fn run(mut self, mut queue: mpsc::Receiver<Request>) {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            if queue.blocking_recv_many(&mut batch, BATCH) == 0 {
                return;
            }
            let close = batch
                .iter()
                .any(|request| matches!(request, Request::Close));
            if close {
                // What was sent before it closed is still written.
                queue.close();
            }
            let jobs = batch.drain(..).filter_map(|request| match request {
                Request::Job(job) => Some(job),
                Request::Close => None,
            });
            let jobs: Vec<Box<dyn Job>> = jobs.collect();
            self.waiting.fetch_sub(jobs.len(), Ordering::Relaxed);
            if !jobs.is_empty() {
                self.transact(jobs);
            }
        }
    }

    /// Does all of them in one transaction, and tells who asked.
    fn transact(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let before = self.head;
        let mut done = self.begin();
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
