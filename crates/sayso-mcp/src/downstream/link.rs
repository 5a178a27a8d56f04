//! The way back to a host: where to send what belongs to no request, and what it was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use super::outbox::{Gone, Outbox};
use super::{CANCELLED, write};
use crate::jsonrpc::{Id, Message};

/// How many requests of ours may wait for an answer on one connection.
const MAX_ASKED: usize = 1024;

/// Why a host's answer did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The host takes no requests here: it speaks the modern era, which has none, or there is no
    /// stream to send them on.
    #[error("the host cannot be asked here")]
    Impossible,
    /// It did not answer in time.
    #[error("the host did not answer in time")]
    TimedOut,
    /// It takes nothing any more, or the request is over that this belonged to.
    #[error("the host is gone")]
    Gone,
    /// Its answer can be read in two ways.
    #[error("the host's answer can be read in two ways: a key stands more than once")]
    Malformed,
}

impl From<Gone> for AskError {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

/// What comes back to a question.
type Answered = oneshot::Sender<Result<Message, AskError>>;

/// One per connection.
#[derive(Debug, Default)]
pub(super) struct Link(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The pipe, or the GET stream while one is open.
    outbox: Option<Outbox>,
    /// Requests of ours that wait for an answer.
    asked: HashMap<u64, Answered>,
    last_asked: u64,
}

impl Link {
    /// The lock is held for moments only, never while something is awaited.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outbox(&self) -> Option<Outbox> {
        self.state().outbox.clone()
    }

    /// Sends what belongs to no request here from now on; the stream before comes back.
    pub(super) fn set_outbox(&self, outbox: Outbox) -> Option<Outbox> {
        self.state().outbox.replace(outbox)
    }

    /// Forgets this stream, if it is still the one.
    pub(super) fn forget_outbox(&self, outbox: &Outbox) -> bool {
        let mut state = self.state();
        let is_it = state.outbox.as_ref().is_some_and(|own| own.is(outbox));
        if is_it {
            state.outbox = None;
        }
        is_it
    }

    /// Ends the stream for what belongs to no request.
    pub(super) fn close_stream(&self) {
        let outbox = self.state().outbox.take();
        if let Some(outbox) = outbox {
            outbox.end();
        }
    }

    /// Nothing goes out and nothing is waited for any more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        let (outbox, asked) = (state.outbox.take(), std::mem::take(&mut state.asked));
        drop(state);
        drop(asked);
        if let Some(outbox) = outbox {
            outbox.end();
        }
    }

    pub(super) fn notify(&self, method: &str, params: Option<&str>) -> bool {
        let outbox = self.outbox();
        outbox.is_some_and(|outbox| outbox.try_send(write::notification(method, params)))
    }

    /// Asks on this stream.
    pub(super) async fn ask(
        self: &Arc<Self>,
        outbox: &Outbox,
        method: &str,
        params: Option<&str>,
        timeout: Duration,
    ) -> Result<Message, AskError> {
        if !outbox.takes_requests() {
            return Err(AskError::Impossible);
        }
        let (sender, answer) = oneshot::channel();
        let number = {
            let mut state = self.state();
            if state.asked.len() >= MAX_ASKED {
                return Err(AskError::Impossible);
            }
            state.last_asked += 1;
            let number = state.last_asked;
            state.asked.insert(number, sender);
            number
        };
        let asking = Asking {
            link: self,
            outbox,
            number,
        };
        let request = write::request(asking.number, method, params);
        let asked = async {
            outbox.send(request).await?;
            tokio::select! {
                answer = answer => answer.map_err(|_| AskError::Gone)?,
                () = outbox.closed() => Err(AskError::Gone),
            }
        };
        tokio::time::timeout(timeout, asked)
            .await
            .unwrap_or(Err(AskError::TimedOut))
    }

    /// Gives an answer to whoever waits for it; `false` where nobody does.
    pub(super) fn resolve(&self, id: &Id, message: Result<Message, AskError>) -> bool {
        let Id::Number(number) = id else {
            return false;
        };
        let asked = number
            .parse()
            .ok()
            .and_then(|number: u64| self.state().asked.remove(&number));
        asked.is_some_and(|asked| asked.send(message).is_ok())
    }
}

/// A request of ours that waits; dropped unanswered, it is cancelled.
struct Asking<'a> {
    link: &'a Link,
    outbox: &'a Outbox,
    number: u64,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let waited = self.link.state().asked.remove(&self.number).is_some();
        if waited {
            let params = format!(r#"{{"requestId":{}}}"#, self.number);
            // May get lost where the host takes nothing.
            self.outbox
                .try_send(write::notification(CANCELLED, Some(&params)));
        }
    }
}
