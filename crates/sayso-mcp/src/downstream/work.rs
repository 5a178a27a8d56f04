//! Requests that run.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::Reply;
use super::exchange::Exchange;
use crate::jsonrpc::{Id, code};

/// A request that runs as long as it is polled, side by side with others.
pub(super) struct Work {
    pub(super) exchange: Exchange,
    /// `None` where there is to be no answer: it was cancelled, or its connection is over.
    pub(super) answer: Pin<Box<dyn Future<Output = Option<Answer>> + Send>>,
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("exchange", &self.exchange)
            .finish_non_exhaustive()
    }
}

/// How a request is answered.
#[derive(Debug)]
pub(super) enum Answer {
    /// With this message.
    Text {
        text: String,
        /// The code, if it is an error.
        code: Option<i64>,
    },
    /// By breaking the connection off.
    Break,
}

impl Answer {
    pub(super) fn new(id: &Id, reply: &Reply) -> Self {
        match reply.to_json(id) {
            Some(text) => Self::Text {
                text,
                code: reply.code(),
            },
            None => Self::Break,
        }
    }

    /// Sends it as the last on a stream of its own, or among others on a pipe.
    pub(super) async fn send(self, exchange: &Exchange) {
        let outbox = exchange.outbox();
        match self {
            // Nobody is there to be told where this fails.
            Self::Text { text, .. } => drop(outbox.send(text).await),
            Self::Break => outbox.break_off().await,
        }
    }
}

/// Runs a request to its end, and answers on its outbox.
pub(super) async fn run(work: Work) {
    if let Some(answer) = work.answer.await {
        answer.send(&work.exchange).await;
    }
    work.exchange.end_stream();
}

/// Ends an exchange when dropped.
#[derive(Debug)]
pub(super) struct Ends(pub(super) Exchange);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Counts what runs. Clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    running: AtomicUsize,
    none: Notify,
}

/// One that runs, until it is dropped.
#[derive(Debug)]
pub(super) struct Counted(Tally);

impl Tally {
    /// One more; `None` where `most` run already.
    pub(super) fn begin(&self, most: usize) -> Option<Counted> {
        let before = self.0.running.fetch_add(1, Ordering::AcqRel);
        let counted = Counted(self.clone());
        (before < most).then_some(counted)
    }

    /// Waits until none runs.
    pub(super) async fn none(&self) {
        let none = self.0.none.notified();
        tokio::pin!(none);
        loop {
            // From here on nothing is missed.
            none.as_mut().enable();
            if self.0.running.load(Ordering::Acquire) == 0 {
                return;
            }
            none.as_mut().await;
            none.set(self.0.none.notified());
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let count = &self.0.0;
        if count.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            count.none.notify_waiters();
        }
    }
}

/// The refusal of a request where as many run as may.
pub(super) fn too_many(most: usize) -> super::Refusal {
    super::Refusal::new(
        code::INTERNAL_ERROR,
        format!("{most} requests run already, which is as many as may"),
    )
}
