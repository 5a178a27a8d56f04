//! Who writes: a thread, for whatever waits when it begins; or who asks, when nobody else does.
//! Either way one at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use sayso_core::journal::{Record, Timestamp};
use tokio::sync::{mpsc, oneshot};

use super::Durability;
use super::checkpoint::Checkpointer;
use super::work::{Job, Turn, Work};
use crate::{Receipt, StoreError};

/// How many requests may wait; who asks then waits with them.
const WAITING: usize = 8_192;

/// How many requests go into one transaction.
const BATCH: usize = 512;

/// How long the text of a record may be, in bytes. SQLite refuses at 1,000,000,000.
const LONGEST: usize = 256 << 20;

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

/// Where requests go to be written.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    requests: mpsc::Sender<Request>,
    shared: Arc<Shared>,
    /// Whether a request that comes alone is done by whoever asks.
    at_once: bool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread shares with those who ask.
#[derive(Debug)]
struct Shared {
    /// How many wait for an answer.
    asking: AtomicUsize,
    /// None once it is closed.
    work: Mutex<Option<Work>>,
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
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let (requests, queue) = mpsc::channel(WAITING);
        let shared = Arc::new(Shared {
            asking: AtomicUsize::new(0),
            work: Mutex::new(Some(Work::new(path, connection, checkpointer))),
        });
        let thread = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("store-writer".to_owned())
                .spawn(move || shared.run(queue))
        };
        let thread = thread.map_err(|error| StoreError::Failed {
            path: path.to_owned(),
            said: format!("cannot start the thread that writes: {error}"),
        })?;
        Ok(Self {
            path: path.to_owned(),
            requests,
            shared,
            at_once: durability == Durability::Process,
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
        let _asking = self.shared.ask();
        if let Some(job) = self.at_once(job) {
            let sent = self.requests.send(Request::Job(job)).await;
            sent.map_err(|_| closed())?;
        }
        told.await.map_err(|_| closed())?
    }

    /// Does a request that comes while no other waits, on the thread of who asks: to wake another
    /// thread, and to be woken by it, takes longer than the write itself, which goes to the system's
    /// memory and not to the disk. What has to wait for the disk or for another process is given
    /// back, for the thread.
    fn at_once(&self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let alone = self.at_once && self.waiting() == 1 && !self.requests.is_closed();
        match self.shared.work.try_lock() {
            Ok(mut work) if alone => match work.as_mut() {
                Some(work) => work.at_once(job),
                None => Some(job),
            },
            _ => Some(job),
        }
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
        let act = move |turn: &mut Turn<'_>| turn.append_text(at, record.kind(), &text).map(Ok);
        self.write(act).await
    }

    /// How many wait for an answer.
    pub(super) fn waiting(&self) -> usize {
        self.shared.asking.load(Ordering::Relaxed)
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

/// Somebody who waits for an answer; nobody once it is dropped.
struct Asking<'a>(&'a AtomicUsize);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    fn ask(&self) -> Asking<'_> {
        self.asking.fetch_add(1, Ordering::Relaxed);
        Asking(&self.asking)
    }

    fn run(&self, mut queue: mpsc::Receiver<Request>) {
        let mut batch = Vec::with_capacity(BATCH);
        while queue.blocking_recv_many(&mut batch, BATCH) > 0 {
            let mut jobs = Vec::with_capacity(batch.len());
            for request in batch.drain(..) {
                match request {
                    Request::Job(job) => jobs.push(job),
                    // What was sent before it closed is still written.
                    Request::Close => queue.close(),
                }
            }
            if let Some(work) = self.work().as_mut().filter(|_| !jobs.is_empty()) {
                work.transact(jobs);
            }
        }
        *self.work() = None;
    }

    fn work(&self) -> MutexGuard<'_, Option<Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
