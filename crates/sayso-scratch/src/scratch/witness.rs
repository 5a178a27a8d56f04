//! Writes down what happens on a connection.

use sayso_core::json::Value;
use sayso_mcp::server::{Event, Peer, PersonAnswer};

use super::Scratch;
use crate::journal::{Json, Record};

impl Scratch {
    /// Writes an event down.
    pub(super) fn write_down(&self, peer: &Peer, event: Event<'_>) {
        // What belongs to no connection has the number 0.
        let connection = Some(peer.connection()).filter(|number| *number > 0);
        // Before this event is kept in mind: the new journal must not tell it twice.
        self.keep_begun();
        if connection.is_some()
            && let Some(introduction) = self.remember(peer, &event)
        {
            self.journal.append(connection, introduction);
        }
        if let Some(record) = self.record(peer, event) {
            self.journal.append(connection, record);
        }
    }

    fn record(&self, peer: &Peer, event: Event<'_>) -> Option<Record> {
        Some(match event {
            Event::Connected => Record::Connected {
                transport: peer.transport().to_string(),
                has_listing: None,
            },
            Event::Disconnected { reason } => Record::Disconnected {
                reason: reason.to_string(),
            },
            Event::Listed { request_id, cursor } => Record::Listed {
                request_id: request_id.to_owned(),
                cursor: cursor.map(str::to_owned),
                revision: self.current().revision,
            },
            Event::Called {
                request_id,
                name,
                arguments,
            } => Record::Called {
                request_id: request_id.to_owned(),
                tool: name.to_owned(),
                arguments: arguments.and_then(json),
                declared: self.current().listing.declared(name),
            },
            Event::Answered { request_id, how } => Record::Answered {
                request_id: request_id.to_owned(),
                how: how.to_string(),
            },
            Event::Cancelled { request_id, reason } => Record::Cancelled {
                request_id: request_id.to_owned(),
                reason: reason.map(str::to_owned),
            },
            Event::Asked {
                request_id,
                message,
            } => Record::Asked {
                request_id: request_id.to_owned(),
                message: message.to_owned(),
            },
            Event::PersonAnswered { request_id, answer } => person_answered(request_id, answer),
            other => return plain(other),
        })
    }
}

/// The events that are written down word for word. `Initialized` and `Discovered` are written
/// down as introductions; an event of a later version of the protocol's crate is left out.
fn plain(event: Event<'_>) -> Option<Record> {
    Some(match event {
        Event::Notified { method } => Record::Notified {
            method: method.to_owned(),
        },
        Event::StreamOpened { kind } => Record::StreamOpened {
            kind: kind.to_string(),
        },
        Event::StreamClosed { kind } => Record::StreamClosed {
            kind: kind.to_string(),
        },
        Event::Received { method } => Record::Received {
            method: method.to_owned(),
        },
        Event::Refused {
            request_id,
            code,
            message,
        } => Record::Refused {
            request_id: request_id.map(str::to_owned),
            code,
            message: message.to_owned(),
        },
        _ => return None,
    })
}

fn person_answered(request_id: &str, answer: &PersonAnswer) -> Record {
    let (word, content) = match answer {
        PersonAnswer::Accepted(content) => {
            let content = content.as_ref().map(|content| content.root().raw());
            ("accepted", content.map(str::to_owned))
        }
        PersonAnswer::Declined => ("declined", None),
        PersonAnswer::Cancelled => ("cancelled", None),
        PersonAnswer::Failed(reason) => ("failed", Some(reason.clone())),
    };
    Record::PersonAnswered {
        request_id: request_id.to_owned(),
        answer: word.to_owned(),
        content,
    }
}

fn json(value: Value<'_>) -> Option<Json> {
    Json::new(value.raw())
}
