//! Many requests at once over the pipes of one process.
//!
//! One task reads everything and watches the process; whoever sends a request writes it
//! itself where the pipe has room. A server that does not read holds up nobody but those who
//! wait for it: what is not written yet is taken back when its time is over.

mod incoming;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Era, ObservationKind};
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::common::Common;
use super::failure::{Ended, Failed};
use super::options::{Kept, Outbound};
use super::pending::{Beat, Outcome, Pending, Waiting, time_is_up};
use super::{Listener, envelope};
use crate::connection::{Closing, ConnectionError, NO_ANSWER};
use crate::error::{Heard, ReadErrorKind};
use crate::jsonrpc::Id;
use crate::options::{OnProgress, Progress, ReadOptions, deadline};
use crate::stdio::outlet::{NotTaken, Outlet};
use crate::stdio::{StdioConnection, Turn};
use crate::target::StdioCommand;

const DOES_NOT_READ: &str = "the server does not read its standard input";
const NOBODY_WAITS: &str = "nobody waits for the answer any more";
const SUBSCRIBE: &str = "subscriptions/listen";

/// A conversation with a process. Dropping it ends the process.
pub(super) struct StdioConversation {
    shared: Arc<Shared>,
    driver: AbortHandle,
}

/// What the task that reads shares with those who ask.
struct Shared {
    common: Arc<Common>,
    outlet: Arc<Outlet>,
    pending: Pending,
    limits: Limits,
    is_modern: AtomicBool,
    /// A notification was sent, which a server may wrongly answer with an error.
    notified: AtomicBool,
    stderr: Arc<StderrSeen>,
    /// How long a process may take to end, once it is to.
    closing: watch::Sender<Option<Duration>>,
    /// What is to be told at the end, until it is.
    closed: watch::Sender<Option<Arc<Mutex<Closing>>>>,
}

/// What came on standard error so far.
#[derive(Debug, Default)]
struct StderrSeen(Mutex<(usize, Option<Instant>)>);

impl StderrSeen {
    fn line(&self) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = (seen.0 + 1, Some(Instant::now()));
    }
}

impl StdioConversation {
    /// Starts the server.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        command: &StdioCommand,
        common: Arc<Common>,
        limits: Limits,
        queue_bytes: usize,
    ) -> Result<Self, ReadErrorKind> {
        let stderr = Arc::new(StderrSeen::default());
        let options = reading(&common.listener, &stderr, limits.max_bytes);
        let connection = StdioConnection::open_within(command, &options, &limits, queue_bytes)?;
        let runtime = common.runtime.clone();
        let shared = Arc::new(Shared {
            outlet: connection.outlet(),
            common,
            pending: Pending::default(),
            limits,
            is_modern: AtomicBool::new(false),
            notified: AtomicBool::new(false),
            stderr,
            closing: watch::Sender::new(None),
            closed: watch::Sender::new(None),
        });
        let driver = runtime.spawn(drive(connection, Arc::clone(&shared)));
        Ok(Self {
            shared,
            driver: driver.abort_handle(),
        })
    }

    pub(super) fn common(&self) -> &Arc<Common> {
        &self.shared.common
    }

    pub(super) fn agreed(&self, era: Era) {
        let is_modern = era == Era::Modern;
        self.shared.is_modern.store(is_modern, Ordering::Relaxed);
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, outbound: &Outbound<'_>) -> Outcome {
        let shared = &self.shared;
        let id = shared.common.new_id();
        let (answer, mut answered) = oneshot::channel();
        let progress = progress_of(outbound, &shared.limits);
        let beat = progress.as_ref().map(|(_, beat)| Arc::clone(beat));
        let waiting = Waiting {
            key: outbound.key,
            answer,
            is_subscription: outbound.method == SUBSCRIBE,
            progress,
            is_doomed: false,
            kept: outbound.kept.cloned(),
        };
        if !shared.pending.insert(id, waiting) {
            return Err(shared.over());
        }
        let mut asked = Asked {
            shared,
            id,
            cancel: outbound.cancel_on_drop,
            done: false,
        };
        let line = envelope::request(id, outbound.method, outbound.params);
        if let Err(why) = shared.outlet.push(Some(id), line.into_bytes()) {
            shared.pending.remove(id);
            asked.done = true;
            return Err(match why {
                NotTaken::Closed => shared.over(),
                NotTaken::Full => Failed::because(DOES_NOT_READ),
            });
        }
        tokio::select! {
            biased;
            outcome = &mut answered => {
                asked.done = true;
                outcome.unwrap_or_else(|_| Err(Failed::sent(ConnectionError::Closed)))
            }
            () = time_is_up(outbound.deadline, beat.as_deref()) => Err(asked.give_up(NO_ANSWER)),
        }
    }

    /// Sends a notification, in order with the requests.
    pub(super) fn notify(&self, method: &str, params: Option<&str>) -> Result<(), Failed> {
        self.shared.notified.store(true, Ordering::Relaxed);
        let line = envelope::notification(method, params);
        match self.shared.outlet.push(None, line.into_bytes()) {
            Ok(()) => Ok(()),
            Err(NotTaken::Closed) => Err(self.shared.over()),
            Err(NotTaken::Full) => Err(Failed::because(DOES_NOT_READ)),
        }
    }

    /// Ends the conversation and the process.
    pub(super) async fn close(&self, patience: Duration) -> Closing {
        self.shared.closing.send_if_modified(|closing| {
            let first = closing.is_none();
            closing.get_or_insert(patience);
            first
        });
        let mut closed = self.shared.closed.subscribe();
        let Ok(closing) = closed.wait_for(Option::is_some).await else {
            return Closing::default();
        };
        let closing = closing.as_ref().map(|closing| {
            let mut closing = closing.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *closing)
        });
        let mut closing = closing.unwrap_or_default();
        closing
            .inbox
            .absorb(std::mem::take(&mut self.shared.common.inbox()));
        closing
    }
}

impl Drop for StdioConversation {
    fn drop(&mut self) {
        self.driver.abort();
        self.shared.finish(Ended::Closed);
    }
}

impl fmt::Debug for StdioConversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioConversation")
            .field("common", &self.shared.common)
            .finish_non_exhaustive()
    }
}

/// How the pipes are read: their owner needs no more of the options.
fn reading(
    listener: &Arc<dyn Listener>,
    stderr: &Arc<StderrSeen>,
    message_bytes: usize,
) -> ReadOptions {
    let (listener, stderr) = (Arc::clone(listener), Arc::clone(stderr));
    let mut options = ReadOptions {
        on_progress: Some(OnProgress::new(move |progress| {
            if let Progress::Stderr(line) = progress {
                stderr.line();
                listener.stderr(line);
            }
        })),
        ..ReadOptions::default()
    };
    options.limits.message_bytes = message_bytes;
    options
}

/// The token a request has its progress told with, where progress gives it more time.
fn progress_of(outbound: &Outbound<'_>, limits: &Limits) -> Option<(Id, Arc<Beat>)> {
    if !outbound.keep_alive_on_progress || outbound.deadline.is_none() {
        return None;
    }
    let params = Document::parse(outbound.params?.to_owned(), limits).ok()?;
    let token = Id::read(params.root().at(&["_meta", "progressToken"])?)?;
    Some((token, Arc::default()))
}

/// A request that is waited for. Dropped before its answer came, it is given up.
struct Asked<'s> {
    shared: &'s Arc<Shared>,
    id: u64,
    cancel: bool,
    done: bool,
}

impl Asked<'_> {
    fn give_up(&mut self, reason: &str) -> Failed {
        self.done = true;
        let heard = self.shared.heard();
        let waiting = self.shared.pending.remove(self.id);
        if self.shared.outlet.withdraw(self.id) {
            return Failed {
                said: Some(format!("{DOES_NOT_READ}: the request still waited for it")),
                ..Failed::unsent(ConnectionError::TimedOut(heard))
            };
        }
        if let Some(kept) = waiting.and_then(|waiting| waiting.kept) {
            self.shared.keep(self.id, kept);
        }
        if self.cancel {
            let line = envelope::cancelled(self.id, reason);
            // It stays due where the server does not read, and is of no use where it is gone.
            let _ = self.shared.outlet.push(None, line.into_bytes());
        }
        Failed {
            said: Some(NO_ANSWER.to_owned()),
            ..Failed::sent(ConnectionError::TimedOut(heard))
        }
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.give_up(NOBODY_WAITS);
        }
    }
}

impl Shared {
    /// Why nothing can be sent any more.
    fn over(&self) -> Failed {
        Failed::because(self.common.ended().unwrap_or(Ended::PipeClosed).to_string())
    }

    fn heard(&self) -> Heard {
        let (stderr_lines, last) = *self.stderr.0.lock().unwrap_or_else(PoisonError::into_inner);
        let inbox = self.common.inbox();
        let first = |kind| inbox.first(kind).map(str::to_owned);
        Heard {
            stderr_lines,
            stderr_quiet: last.map(|last| last.elapsed()),
            other_id: first(ObservationKind::UnknownId),
            noise: first(ObservationKind::NotJson).or_else(|| first(ObservationKind::NotJsonRpc)),
        }
    }

    /// Ends the conversation: nobody waits any more.
    fn finish(self: &Arc<Self>, how: Ended) {
        let said = how.to_string();
        let waiting = self.pending.drain();
        self.common.end(how);
        for (id, waiting) in waiting {
            let sent = !self.outlet.withdraw(id);
            if let Some(kept) = waiting.kept.filter(|_| sent) {
                self.keep(id, kept);
            }
            let failed = Failed {
                error: ConnectionError::Closed,
                sent,
                said: Some(said.clone()),
            };
            // Nobody may wait any more.
            let _ = waiting.answer.send(Err(failed));
        }
    }

    /// Keeps what belongs to a request that went out and is not waited for any more, until the
    /// server answers it all the same, its process is gone, or its time is over.
    fn keep(self: &Arc<Self>, id: u64, kept: Kept) {
        let due = (kept.until)();
        if due <= Instant::now() || !self.pending.abandon(id, kept) {
            return;
        }
        let shared = Arc::downgrade(self);
        self.common.runtime.spawn(async move {
            tokio::time::sleep_until(due).await;
            if let Some(shared) = shared.upgrade() {
                shared.pending.let_go(id);
            }
        });
    }

    fn answer(&self, id: u64, outcome: Outcome) -> Result<(), Outcome> {
        match self.pending.remove(id) {
            Some(waiting) => waiting.answer.send(outcome),
            None => Err(outcome),
        }
    }
}

/// Reads until the process or its output ends, or it is to end; then ends it.
async fn drive(mut connection: StdioConnection, shared: Arc<Shared>) {
    // Also when a listener panics nobody waits for ever.
    let shared = Finishing(shared);
    let shared = &shared.0;
    let mut closing = shared.closing.subscribe();
    let never = deadline(Instant::now(), Duration::MAX);
    let patience = loop {
        while let Some(frame) = connection.next_frame() {
            shared.take(frame, &connection);
        }
        if connection.is_nearly_over() {
            shared.pending.refuse();
        }
        tokio::select! {
            turn = connection.turn(never) => {
                if turn == Turn::Ended && !connection.has_frames() {
                    break None;
                }
            }
            closing = closing.wait_for(Option::is_some) => {
                break closing.ok().and_then(|patience| *patience);
            }
        }
    };
    let how = match patience {
        Some(_) => Ended::Closed,
        None => connection.exited().map_or(Ended::PipeClosed, Ended::Exited),
    };
    shared.finish(how);
    let closing = connection.end_within(patience).await;
    shared.pending.let_all_go();
    shared
        .closed
        .send_replace(Some(Arc::new(Mutex::new(closing))));
}

/// Finishes when it is dropped.
struct Finishing(Arc<Shared>);

impl Drop for Finishing {
    fn drop(&mut self) {
        self.0.finish(Ended::PipeClosed);
        self.0.pending.let_all_go();
        self.0.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_default();
            first
        });
    }
}
