//! What goes out to a host, in order.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};

/// How many messages may wait for a host that is slow to take them.
const BACKLOG: usize = 256;

/// How long a host may take for the next message before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something that goes out.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// A message, on one line.
    Message(String),
    /// Nothing more: the connection breaks.
    Break,
}

impl Outgoing {
    /// What there is to write; `None` where the connection breaks.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Message(text) => Some(text),
            Self::Break => None,
        }
    }
}

/// The host takes nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host takes nothing any more")]
pub struct Gone;

/// Where messages to one host, or on one stream, are put. Clones are the same, and do not keep
/// the stream open: that ends when one of them says so.
#[derive(Clone, Debug)]
pub(super) struct Outbox(Arc<Shared>);

/// Where they are taken from. Dropping it closes the outbox.
#[derive(Debug)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    kind: Kind,
    state: Mutex<State>,
    /// A permit is room for one message.
    room: Semaphore,
    /// Tells that the state has become closed.
    closed: Notify,
}

/// What may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Everything.
    Conversation,
    /// Notifications and answers, but no requests of ours.
    Notices,
    /// Only the answer, which comes another way: everything else is lost.
    Mute,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Outgoing>,
    /// Nothing is taken any more.
    is_closed: bool,
    /// Nothing more is put.
    is_ended: bool,
    is_broken_off: bool,
    reader: Option<Waker>,
}

pub(super) fn outbox(kind: Kind) -> (Outbox, Queue) {
    let shared = Arc::new(Shared {
        kind,
        state: Mutex::default(),
        room: Semaphore::new(BACKLOG),
        closed: Notify::new(),
    });
    (Outbox(Arc::clone(&shared)), Queue(shared))
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting.clear();
        drop(state);
        self.room.close();
        self.closed.notify_waiters();
    }
}

impl Outbox {
    /// Sends a message of one line. Waits while too much waits already, for a minute at most.
    pub(super) async fn send(&self, message: String) -> Result<(), Gone> {
        self.put(Outgoing::Message(message)).await
    }

    /// As [`Self::send`], unless it would have to wait.
    pub(super) fn try_send(&self, message: String) -> bool {
        if self.0.kind == Kind::Mute {
            return false;
        }
        match self.0.room.try_acquire() {
            Ok(room) => {
                room.forget();
                self.push(Outgoing::Message(message)).is_ok()
            }
            Err(_) => false,
        }
    }

    /// Ends the connection behind what was sent before.
    pub(super) async fn break_off(&self) {
        self.0.state().is_broken_off = true;
        // Fails where the host is gone already.
        let _ = self.put(Outgoing::Break).await;
    }

    pub(super) fn is_broken_off(&self) -> bool {
        self.0.state().is_broken_off
    }

    /// Nothing more will be sent.
    pub(super) fn end(&self) {
        let reader = {
            let mut state = self.0.state();
            state.is_ended = true;
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        self.0.closed.notify_waiters();
    }

    /// Whether requests of ours may go out here.
    pub(super) fn takes_requests(&self) -> bool {
        self.0.kind == Kind::Conversation
    }

    /// Whether the host takes nothing any more, or nothing more is sent.
    pub(super) fn is_closed(&self) -> bool {
        let state = self.0.state();
        state.is_closed || state.is_ended
    }

    /// Waits until [`Self::is_closed`].
    pub(super) async fn closed(&self) {
        let closed = self.0.closed.notified();
        tokio::pin!(closed);
        // From here on nothing is missed.
        closed.as_mut().enable();
        if !self.is_closed() {
            closed.await;
        }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    async fn put(&self, outgoing: Outgoing) -> Result<(), Gone> {
        if self.0.kind == Kind::Mute {
            return if self.is_closed() { Err(Gone) } else { Ok(()) };
        }
        let room = match self.0.room.try_acquire() {
            Ok(room) => room,
            Err(_) => match tokio::time::timeout(PATIENCE, self.0.room.acquire()).await {
                Ok(Ok(room)) => room,
                Ok(Err(_)) => return Err(Gone),
                Err(_) => {
                    self.0.close();
                    return Err(Gone);
                }
            },
        };
        room.forget();
        self.push(outgoing)
    }

    fn push(&self, outgoing: Outgoing) -> Result<(), Gone> {
        let reader = {
            let mut state = self.0.state();
            if state.is_closed || state.is_ended {
                return Err(Gone);
            }
            state.waiting.push_back(outgoing);
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }
}

impl Queue {
    pub(super) fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        let mut state = self.0.state();
        if let Some(next) = state.waiting.pop_front() {
            drop(state);
            self.0.room.add_permits(1);
            return Poll::Ready(Some(next));
        }
        if state.is_ended || state.is_closed {
            return Poll::Ready(None);
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The next message; `None` at the end.
    pub(super) async fn recv(&mut self) -> Option<Outgoing> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// Waits until a message waits.
    pub(super) async fn ready(&mut self) {
        poll_fn(|cx| {
            let mut state = self.0.state();
            if !state.waiting.is_empty() {
                return Poll::Ready(());
            }
            state.reader = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// The next message, if one waits.
    pub(super) fn try_message(&mut self) -> Option<String> {
        let mut state = self.0.state();
        let next = state
            .waiting
            .pop_front_if(|next| matches!(next, Outgoing::Message(_)))?;
        drop(state);
        self.0.room.add_permits(1);
        next.into_text()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.state().waiting.is_empty()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.0.close();
    }
}
