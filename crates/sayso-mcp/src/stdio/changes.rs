//! What a server tells unasked: changes of its list, over the pipe that everything comes over.

use tokio::time::Instant;

use super::{StdioConnection, Turn};
use crate::connection::{ConnectionError, MOMENT};
use crate::frames::Frame;
use crate::jsonrpc::{Id, Message, Outgoing};
use crate::subscription::{Word, word};

/// Whether changes of the list are told of.
#[derive(Debug, Default)]
pub(super) enum Listening {
    /// As in the legacy era: to everybody.
    #[default]
    Always,
    /// Nobody subscribed, or the subscription is over.
    No,
    /// To whoever subscribed with this id (MCP 2026-07-28, "Subscriptions").
    Subscribed(Id),
}

impl StdioConnection {
    /// Subscribes, and waits until the server says that it took the subscription up.
    pub(super) async fn subscribe(
        &mut self,
        subscription: &Outgoing,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        let Some(id) = subscription.id() else {
            return Ok(());
        };
        self.queue(&subscription.to_json());
        loop {
            while let Some(frame) = self.arrived.pop_front() {
                match about(&frame, &id) {
                    Some(Word::Acknowledged) => {
                        self.listening = Listening::Subscribed(id);
                        return Ok(());
                    }
                    Some(Word::Over(error)) => return Err(error),
                    // Without a question nothing else is an answer.
                    None => drop(self.take(frame, None)),
                }
            }
            match self.turn(deadline).await {
                Turn::More => {}
                Turn::Ended if !self.arrived.is_empty() => {}
                Turn::Ended => return Err(ConnectionError::Closed),
                Turn::TimedOut => {
                    self.inbox.give_up(id);
                    return Err(ConnectionError::TimedOut(self.heard()));
                }
            }
        }
    }

    /// Reads until the list changed, the deadline passed, or the server ended.
    pub(super) async fn read_until_change(&mut self, deadline: Instant) {
        let deadline = match self.listening {
            Listening::Always | Listening::Subscribed(_) => deadline,
            Listening::No => deadline.min(Instant::now() + MOMENT),
        };
        let before = self.inbox.list_changes();
        loop {
            while let Some(frame) = self.arrived.pop_front() {
                // Without a question nothing is an answer.
                let _ = self.take(frame, None);
            }
            if self.inbox.list_changes() > before {
                return;
            }
            let turn = self.turn(deadline).await;
            if turn != Turn::More && self.arrived.is_empty() {
                return;
            }
        }
    }

    /// Whether a message is about the subscription, which may be over then.
    pub(super) fn hears_of_subscription(&mut self, message: &Message) -> bool {
        let Listening::Subscribed(id) = &self.listening else {
            return false;
        };
        match word(message, id) {
            Some(Word::Over(_)) => self.listening = Listening::No,
            Some(Word::Acknowledged) => {}
            None => return false,
        }
        true
    }
}

fn about(frame: &Frame, id: &Id) -> Option<Word> {
    match frame {
        Frame::Message(message) => word(message, id),
        _ => None,
    }
}
