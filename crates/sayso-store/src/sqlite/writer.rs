//! Who writes: whoever asks, for all who ask at that moment; or a thread, where that has to wait for
//! the disk or for another process. Either way one at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use sayso_core::journal::{Timestamp, WrittenRecord};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::Durability;
use super::checkpoint::Checkpointer;
use super::work::{Job, Jobs, Turn, Work};
use crate::{Receipt, StoreError};

/// How many requests may wait; who asks then waits with them.
const WAITING: usize = 8_192;

/// How many requests go into one transaction.
const BATCH: usize = 512;

/// After how many requests that came alone it is seen again whether others come with one.
const ALONE: u32 = 16;

/// For how many transactions others are expected once some came.
const EXPECTED: u32 = 32;

/// How long the text of a record may be, in bytes. SQLite refuses at 1,000,000,000.
const LONGEST: usize = 256 << 20;

/// A request with an answer of this type.
struct Asked<T, F> {
    act: F,
    answer: Option<Result<T, StoreError>>,
    tell: oneshot::Sender<Result<T, StoreError>>,
    _room: OwnedSemaphorePermit,
}

impl<T, F> Job for Asked<T, F>
where
    T: Send,
    F: FnMut(&mut Turn<'_>) -> rusqlite::Result<Result<T, StoreError>> + Send,
{
    fn act(&mut self, turn: &mut Turn<'_>) -> rusqlite::Result<()> {
        self.answer = Some((self.act)(turn)?);
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
    shared: Arc<Shared>,
    /// Whether requests are done by whoever asks.
    at_once: bool,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// What the thread shares with those who ask.
#[derive(Debug)]
struct Shared {
    /// How many wait for an answer.
    asking: AtomicUsize,
    queue: Mutex<Queue>,
    /// Wakes the thread.
    wake: Condvar,
    room: Arc<Semaphore>,
    /// None once it is closed.
    work: Mutex<Option<Work>>,
}

/// Requests that are to be written with the next transaction.
#[derive(Default)]
struct Queue {
    jobs: Jobs,
    /// They are the thread's to do.
    handed_over: bool,
    /// No more are taken.
    closed: bool,
    /// The thread takes no more.
    ended: bool,
    /// For how many more transactions others are expected.
    expected: u32,
    /// How many requests came alone since that was last seen.
    alone: u32,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("jobs", &self.jobs.len())
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

impl Queue {
    /// Whether a request is to be done by itself, as nobody else is there that it could be done with.
    fn is_alone(&mut self) -> bool {
        if self.closed || self.expected > 0 || !self.jobs.is_empty() || self.alone >= ALONE {
            self.alone = 0;
            return false;
        }
        self.alone += 1;
        true
    }
}

impl Writer {
    pub(super) fn start(
        path: &Path,
        connection: Connection,
        checkpointer: Checkpointer,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared {
            asking: AtomicUsize::new(0),
            queue: Mutex::default(),
            wake: Condvar::new(),
            room: Arc::new(Semaphore::new(WAITING)),
            work: Mutex::new(Some(Work::new(path, connection, checkpointer))),
        });
        let thread = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("store-writer".to_owned())
                .spawn(move || shared.run())
        };
        let thread = thread.map_err(|error| StoreError::Failed {
            path: path.to_owned(),
            said: format!("cannot start the thread that writes: {error}"),
        })?;
        Ok(Self {
            path: path.to_owned(),
            shared,
            at_once: durability == Durability::Process,
            thread: Arc::new(Mutex::new(Some(thread))),
        })
    }

    /// Asks for something to be written, and waits until it is committed. The inner error is one
    /// of the request alone: what it wrote until then is committed with the rest. What is asked for
    /// may be done more than once, of which one is committed.
    ///
    /// Where nothing has to be waited for, no other thread is woken for it: that takes longer than
    /// the write itself, which goes to the system's memory and not to the disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        mut act: impl FnMut(&mut Turn<'_>) -> rusqlite::Result<Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _asking = self.shared.ask();
        if self.at_once
            && let Some(done) = self.alone(&mut act)
        {
            return done;
        }
        let room = Arc::clone(&self.shared.room).acquire_owned().await;
        let (tell, told) = oneshot::channel();
        let job = Box::new(Asked {
            act,
            answer: None,
            tell,
            _room: room.map_err(|_| self.closed())?,
        });
        if let Some(lead) = self.queue(job)? {
            // Whatever else is ready to run now comes to its own request meanwhile.
            tokio::task::yield_now().await;
            drop(lead);
        }
        told.await.map_err(|_| self.closed())?
    }

    /// Does a request by itself, where it comes alone and has to wait for nothing.
    fn alone<T>(
        &self,
        act: &mut impl FnMut(&mut Turn<'_>) -> rusqlite::Result<Result<T, StoreError>>,
    ) -> Option<Result<T, StoreError>> {
        if !self.shared.queue().is_alone() {
            return None;
        }
        let mut work = self.shared.work.try_lock().ok()?;
        work.as_mut()?.alone(act).map(Result::flatten)
    }

    /// Puts a request with the others. The first one leads.
    fn queue(&self, job: Box<dyn Job>) -> Result<Option<Lead<'_>>, StoreError> {
        let mut queue = self.shared.queue();
        if queue.closed {
            return Err(self.closed());
        }
        queue.jobs.push(job);
        if self.at_once {
            let is_first = queue.jobs.len() == 1;
            return Ok(is_first.then(|| Lead(&self.shared)));
        }
        queue.handed_over = true;
        self.shared.wake.notify_one();
        Ok(None)
    }

    fn closed(&self) -> StoreError {
        StoreError::Closed(self.path.clone())
    }

    /// Appends a record to the journal.
    pub(super) async fn append(
        &self,
        at: Timestamp,
        record: WrittenRecord,
    ) -> Result<Receipt, StoreError> {
        if record.text.len() > LONGEST {
            return Err(StoreError::TooLong {
                bytes: record.text.len(),
                limit: LONGEST,
            });
        }
        let act = move |turn: &mut Turn<'_>| turn.append_written(at, &record).map(Ok);
        self.write(act).await
    }

    /// How many wait for an answer.
    pub(super) fn waiting(&self) -> usize {
        self.shared.asking.load(Ordering::Relaxed)
    }

    /// Takes no more requests, and ends once what waits is written.
    pub(super) async fn close(&self) {
        self.shared.close();
        let thread = Arc::clone(&self.thread);
        let join = move || {
            // Held until it has ended: whoever closes it, too, waits as long.
            let mut thread = thread.lock().unwrap_or_else(PoisonError::into_inner);
            thread.take().map(JoinHandle::join)
        };
        let _ = tokio::task::spawn_blocking(join).await;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// Somebody who waits for an answer; nobody once it is dropped.
struct Asking<'a>(&'a AtomicUsize);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whose turn it is to write for all: done when it is dropped, whether its own caller waits or has
/// gone.
struct Lead<'a>(&'a Shared);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.0.write_now();
    }
}

impl Shared {
    fn ask(&self) -> Asking<'_> {
        self.asking.fetch_add(1, Ordering::Relaxed);
        Asking(&self.asking)
    }

    /// Writes what is asked for, or leaves it to the thread where that has to wait.
    fn write_now(&self) {
        let jobs = self.take();
        if jobs.is_empty() {
            // The thread has them.
            return;
        }
        let left = match self.work.try_lock() {
            Ok(mut work) if jobs.len() <= BATCH => match work.as_mut() {
                Some(work) => work.at_once(jobs),
                // Dropped, they tell that it is closed.
                None => return,
            },
            _ => jobs,
        };
        if !left.is_empty() {
            self.hand_over(left);
        }
    }

    /// What waits, as much of it as goes into one transaction.
    fn take(&self) -> Jobs {
        let mut queue = self.queue();
        queue.expected = match queue.jobs.len() {
            0 | 1 => queue.expected.saturating_sub(1),
            _ => EXPECTED,
        };
        std::mem::take(&mut queue.jobs)
    }

    fn hand_over(&self, mut jobs: Jobs) {
        let mut queue = self.queue();
        if queue.ended {
            return;
        }
        jobs.append(&mut queue.jobs);
        queue.jobs = jobs;
        queue.handed_over = true;
        self.wake.notify_one();
    }

    fn close(&self) {
        self.queue().closed = true;
        self.wake.notify_one();
    }

    fn run(&self) {
        while let Some(mut jobs) = self.next() {
            while !jobs.is_empty() {
                let rest = jobs.split_off(jobs.len().min(BATCH));
                if let Some(work) = self.work().as_mut() {
                    work.transact(jobs);
                }
                jobs = rest;
            }
        }
        *self.work() = None;
    }

    /// What was handed over; at the end, what is left. None once it is closed and nothing is left.
    fn next(&self) -> Option<Jobs> {
        let mut queue = self.queue();
        while !queue.handed_over && !queue.closed {
            queue = self
                .wake
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        queue.handed_over = false;
        queue.ended = queue.closed && queue.jobs.is_empty();
        (!queue.ended).then(|| std::mem::take(&mut queue.jobs))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> MutexGuard<'_, Option<Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
