//! One request of a host, from its arrival to its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::link::AskError;
use super::outbox::{Gone, Outbox};
use super::peer::{Era, Peer};
use super::write;
use crate::jsonrpc::{Id, Message};

/// A request that is being answered, and the way back to whoever sent it. Cheap to clone; it may
/// outlive the request, and then everything fails as [`Gone`].
#[derive(Clone, Debug)]
pub struct Exchange(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    peer: Peer,
    id: Id,
    method: String,
    outbox: Outbox,
    /// Whether the outbox is this request's alone.
    owns_outbox: bool,
    /// One of [`RUNS`], [`COMMITTED`] and [`CANCELLED`].
    fate: AtomicU8,
    is_over: AtomicBool,
    over: Notify,
}

const RUNS: u8 = 0;
const COMMITTED: u8 = 1;
const CANCELLED: u8 = 2;

impl Exchange {
    pub(super) fn new(
        peer: Peer,
        id: Id,
        method: String,
        outbox: Outbox,
        owns_outbox: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            peer,
            id,
            method,
            outbox,
            owns_outbox,
            fate: AtomicU8::new(RUNS),
            is_over: AtomicBool::new(false),
            over: Notify::new(),
        }))
    }

    /// The request's id, which is the host's.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.0.id
    }

    /// The request's method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.0.method
    }

    /// Who sent it.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.0.peer
    }

    /// Whether this is the same request.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Sends a notification on the stream of this request, which over pipes is the connection.
    /// `params` is JSON. It waits while the host is slow to take what was sent before. Where the
    /// host accepts no stream the notification is lost.
    ///
    /// # Errors
    /// When the host takes nothing any more, or the request is over.
    pub async fn notify(&self, method: &str, params: Option<&str>) -> Result<(), Gone> {
        if self.is_over() {
            return Err(Gone);
        }
        let notification = write::notification(method, params);
        self.0.outbox.send(notification).await
    }

    /// Asks the host something on behalf of this request. `params` is JSON. Dropped before the
    /// answer, it is cancelled. Only the legacy era has this.
    ///
    /// # Errors
    /// When the host cannot be asked, does not answer in time, or is gone; and when the request
    /// is over.
    pub async fn ask(
        &self,
        method: &str,
        params: Option<&str>,
        timeout: Duration,
    ) -> Result<Message, AskError> {
        if self.0.peer.era() != Some(Era::Legacy) {
            return Err(AskError::Impossible);
        }
        if self.is_over() {
            return Err(AskError::Gone);
        }
        let link = self.0.peer.link();
        tokio::select! {
            answer = link.ask(&self.0.outbox, method, params, timeout) => answer,
            () = self.over() => Err(AskError::Gone),
        }
    }

    /// Whether the host can be asked something on behalf of this request: in the legacy era,
    /// where there is a stream to ask on.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        self.0.peer.era() == Some(Era::Legacy) && self.0.outbox.takes_requests()
    }

    /// Settles that the request is answered: from here on it cannot be cancelled. `false` where
    /// it has been, so that there is to be no answer.
    #[must_use]
    pub fn commit(&self) -> bool {
        self.settle(COMMITTED)
    }

    /// Settles that it is cancelled, unless something else is settled.
    pub(super) fn cancel(&self) -> bool {
        self.settle(CANCELLED)
    }

    fn settle(&self, fate: u8) -> bool {
        let before = self
            .0
            .fate
            .compare_exchange(RUNS, fate, Ordering::AcqRel, Ordering::Acquire);
        before.is_ok() || before == Err(fate) && fate == COMMITTED
    }

    /// Whether the host takes nothing any more, or the request is over.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_over() || self.0.outbox.is_closed()
    }

    /// Waits until [`Self::is_closed`].
    pub async fn closed(&self) {
        tokio::select! {
            () = self.0.outbox.closed() => {}
            () = self.over() => {}
        }
    }

    /// The request is over: its answer, if there is one, is all that follows.
    pub(super) fn end(&self) {
        self.0.is_over.store(true, Ordering::Release);
        self.0.over.notify_waiters();
    }

    /// Nothing follows any more, the answer included.
    pub(super) fn end_stream(&self) {
        self.end();
        if self.0.owns_outbox {
            self.0.outbox.end();
        }
    }

    pub(super) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Acquire)
    }

    async fn over(&self) {
        let over = self.0.over.notified();
        tokio::pin!(over);
        // From here on nothing is missed.
        over.as_mut().enable();
        if !self.is_over() {
            over.await;
        }
    }
}
