//! What a process writes: which of it answers whom, and where the rest goes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sayso_core::listing::ObservationKind;

use super::Shared;
use crate::connection::ConnectionError;
use crate::frames::Frame;
use crate::inbox::excerpt_around;
use crate::jsonrpc::{Fault, Message, MessageKind, NotAMessage};
use crate::stdio::{AFTERMATH, StdioConnection};
use crate::subscription::SUBSCRIPTION_ID;
use crate::upstream::common::{id_at, number};
use crate::upstream::failure::Failed;

impl Shared {
    /// Fails the request that a text means to answer: the one it names, or the only one.
    fn fail(&self, id: Option<u64>, error: ConnectionError) {
        if let Some(id) = id.or_else(|| self.pending.only()) {
            // It may have been given up.
            let _ = self.answer(id, Err(Failed::sent(error)));
        }
    }

    /// As [`fail`](Self::fail), unless a better answer comes soon: it may have been a log of the
    /// answer, cut short.
    fn fail_later(self: &Arc<Self>, id: Option<u64>, error: ConnectionError) {
        let Some(id) = id.or_else(|| self.pending.only()) else {
            return;
        };
        if self.pending.doom(id) {
            let shared = Arc::downgrade(self);
            self.common.runtime.spawn(async move {
                tokio::time::sleep(AFTERMATH).await;
                if let Some(shared) = shared.upgrade() {
                    shared.fail(Some(id), error);
                }
            });
        }
    }

    fn observe(&self, kind: ObservationKind, detail: &str) {
        self.common.inbox().observe(kind, detail);
    }

    /// Takes what came.
    pub(super) fn take(self: &Arc<Self>, frame: Frame, connection: &StdioConnection) {
        match frame {
            Frame::Message(message) => self.take_message(message),
            Frame::Unclassified(unclassified) => {
                self.common.inbox().take_unclassified(&unclassified);
                if let NotAMessage::Invalid { id, fault } = unclassified.reason {
                    let id = id.as_ref().and_then(number);
                    if id.is_some() || fault == Fault::Batch {
                        self.fail(id, ConnectionError::InvalidAnswer(fault));
                    }
                }
            }
            Frame::Broken { error, text } => {
                self.observe(ObservationKind::NotJson, &text);
                let excerpt = excerpt_around(&text, error.offset);
                let is_limit = error.kind.is_limit();
                let broken = ConnectionError::BrokenAnswer { error, excerpt };
                let id = id_in(text.as_bytes());
                if is_limit {
                    self.fail(id, broken);
                } else {
                    self.fail_later(id, broken);
                }
            }
            Frame::TooLong => {
                self.observe(ObservationKind::NotJson, "a line past the cap");
                let max_bytes = self.limits.max_bytes;
                let id = id_in(connection.head_of_too_long());
                self.fail(id, ConnectionError::TooLong { max_bytes });
            }
            Frame::Noise(text) => self.observe(ObservationKind::NotJson, &text),
            Frame::Glued(text) => self.observe(ObservationKind::GluedMessage, &text),
            Frame::ByteOrderMark => self.observe(
                ObservationKind::ByteOrderMark,
                "at the start of a line on standard output",
            ),
        }
    }

    fn take_message(&self, message: Message) {
        let id = match message.kind() {
            MessageKind::Response { id } | MessageKind::Error { id: Some(id), .. } => number(id),
            // So far it can only be about the one request: the server could not read its id.
            MessageKind::Error { id: None, .. } if !self.notified.load(Ordering::Relaxed) => {
                self.pending.only()
            }
            MessageKind::Error { id: None, .. } => None,
            MessageKind::Notification { .. } => return self.take_notification(message),
            MessageKind::Request { .. } => {
                let outlet = Arc::clone(&self.outlet);
                let send = move |reply: String| {
                    // One that does not read gets no more replies.
                    let _ = outlet.push(None, format!("{reply}\n").into_bytes());
                    std::future::ready(())
                };
                return self.common.take_request(message, None, send);
            }
        };
        let waiting = id.and_then(|id| self.pending.remove(id));
        let Some(waiting) = waiting else {
            if let Some(id) = id {
                self.pending.let_go(id);
            }
            return self.common.take_unawaited(&message);
        };
        if let Err(Ok(message)) = waiting.answer.send(Ok(message)) {
            self.common.take_unawaited(&message);
        }
    }

    fn take_notification(&self, message: Message) {
        let MessageKind::Notification { method } = message.kind() else {
            return;
        };
        let mut related = None;
        let mut over = None;
        if self.is_modern.load(Ordering::Relaxed) {
            let keys: &[&str] = match method.as_str() {
                "notifications/cancelled" => &["requestId"],
                _ => &["_meta", SUBSCRIPTION_ID],
            };
            let id = id_at(&message, keys).as_ref().and_then(number);
            if let Some((id, (key, is_subscription))) =
                id.and_then(|id| Some((id, self.pending.key(id)?)))
            {
                related = Some(key);
                over = Some(id).filter(|_| is_subscription && method == "notifications/cancelled");
            }
        } else if method == "notifications/cancelled"
            && id_at(&message, &["requestId"]).is_some_and(|id| self.common.cancel_incoming(&id))
        {
            return;
        }
        if method == "notifications/progress"
            && self.pending.waits_for_progress()
            && let Some(token) = id_at(&message, &["progressToken"])
        {
            self.pending.beat(&token);
        }
        self.common.listener.notification(message, related);
        if over.is_some() {
            let how = "ended the subscription".to_owned();
            self.fail(over, ConnectionError::NotListening(how));
        }
    }
}

/// The id on a line that begins as a message does and cannot be read. What stands deeper than
/// the envelope is not taken for it.
fn id_in(line: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find(line, b"\"id\"")?;
    let (before, behind) = line.split_at(at);
    let is_envelope =
        before.iter().filter(|byte| **byte == b'{').count() == 1 && !before.contains(&b'[');
    let value = behind.get(4..)?.trim_ascii_start().strip_prefix(b":")?;
    let value = value.trim_ascii_start();
    let digits = value
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let text = std::str::from_utf8(value.get(..digits)?).ok()?;
    text.parse().ok().filter(|_| is_envelope)
}
