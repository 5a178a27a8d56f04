//! What a server sends: which of it is the answer that is waited for, and where the rest goes.

use std::sync::Arc;

use sayso_core::json::Document;
use sayso_core::listing::ObservationKind;

use super::Shared;
use super::exchange::Exchange;
use crate::connection::ConnectionError;
use crate::http::HttpError;
use crate::jsonrpc::{Fault, Id, Message, MessageKind, NotAMessage};
use crate::upstream::common::id_at;

/// What a text is to the request whose answer is waited for.
pub(super) enum Taken {
    Answer(Message),
    /// Its answer cannot be taken.
    Failed(ConnectionError),
    /// No message, or no answer; perhaps it was meant to be one.
    Junk(ConnectionError),
    /// Another message, taken care of.
    Other,
}

impl Shared {
    /// Takes a text from the server: on the stream of a request, or on its own.
    pub(super) fn take(
        self: &Arc<Self>,
        mut text: Vec<u8>,
        exchange: Option<&Exchange<'_>>,
    ) -> Taken {
        if text.starts_with(b"\xEF\xBB\xBF") {
            self.common
                .inbox()
                .observe(ObservationKind::ByteOrderMark, "at the start of a message");
            text.drain(..3);
        }
        let start = text
            .get(..text.len().min(1 << 10))
            .unwrap_or_default()
            .to_vec();
        let document = match Document::from_bytes(text, self.client.limits()) {
            Ok(document) => document,
            Err(reason) => {
                let is_limit = reason.kind.is_limit();
                let excerpt = self.client.excerpt(&start);
                self.common
                    .inbox()
                    .observe(ObservationKind::NotJson, &excerpt);
                let error = HttpError::NotJson { reason, excerpt }.into();
                return if is_limit {
                    Taken::Failed(error)
                } else {
                    Taken::Junk(error)
                };
            }
        };
        let asked = exchange.map(|exchange| Id::from(exchange.id));
        match Message::classify(document) {
            Ok(message) => self.take_message(message, asked.as_ref(), exchange),
            Err(unclassified) => {
                self.common.inbox().take_unclassified(&unclassified);
                match unclassified.reason {
                    NotAMessage::NotJsonRpc => {
                        let text = unclassified.document.text().as_bytes();
                        let excerpt = self.client.excerpt(text);
                        Taken::Junk(HttpError::NotJsonRpc { excerpt }.into())
                    }
                    NotAMessage::Invalid { id, fault } => {
                        let is_final = fault == Fault::Batch || id.is_some() && id == asked;
                        let error = ConnectionError::InvalidAnswer(fault);
                        if is_final {
                            Taken::Failed(error)
                        } else {
                            Taken::Junk(error)
                        }
                    }
                }
            }
        }
    }

    fn take_message(
        self: &Arc<Self>,
        message: Message,
        asked: Option<&Id>,
        exchange: Option<&Exchange<'_>>,
    ) -> Taken {
        let related = exchange.map(|exchange| exchange.outbound.key);
        match message.kind() {
            MessageKind::Response { id } if Some(id) == asked => return Taken::Answer(message),
            // Without an id it answers the request that it came in response to.
            MessageKind::Error { id, .. }
                if asked.is_some() && (id.is_none() || id.as_ref() == asked) =>
            {
                return Taken::Answer(message);
            }
            MessageKind::Response { .. } | MessageKind::Error { .. } => {
                self.common.take_unawaited(&message);
            }
            MessageKind::Request { .. } => {
                let shared = Arc::clone(self);
                let send = move |reply| shared.post_aside(reply);
                self.common.take_request(message, related, send);
            }
            MessageKind::Notification { method } => {
                if let Some(exchange) = exchange.filter(|_| method == "notifications/progress") {
                    exchange.beat.mark();
                }
                let cancels = method == "notifications/cancelled"
                    && id_at(&message, &["requestId"])
                        .is_some_and(|id| self.common.cancel_incoming(&id));
                if !cancels {
                    self.common.listener.notification(message, related);
                }
            }
        }
        Taken::Other
    }
}
