//! Writes down what happens on a connection.

use std::sync::PoisonError;

use sayso_core::json::Value;
use sayso_mcp::server::{Event, Peer, PersonAnswer};

use super::Scratch;
use crate::journal::{Json, Record};

impl Scratch {
    /// Writes an event down.
    pub(super) fn write_down(&self, peer: &Peer, event: Event<'_>) {
        // What belongs to no connection has the number 0.
        let connection = Some(peer.connection()).filter(|number| *number > 0);
        match event {
            Event::Initialized { asked, .. } => self.introduce(peer, "initialize", asked),
            Event::Discovered => self.introduce(peer, "server/discover", None),
            Event::Listed { .. } => self.introduce_once(peer, "tools/list"),
            Event::Called { .. } => self.introduce_once(peer, "tools/call"),
            _ => {}
        }
        if let Some(record) = self.record(peer, event) {
            self.journal.append(connection, record);
        }
    }

    /// In the modern era a client may begin with any request.
    fn introduce_once(&self, peer: &Peer, method: &str) {
        let introduced = self
            .introduced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&peer.connection());
        if !introduced && peer.era().is_some() {
            self.introduce(peer, method, None);
        }
    }

    fn introduce(&self, peer: &Peer, method: &str, protocol_asked: Option<&str>) {
        self.introduced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(peer.connection());
        let client = peer.client();
        self.journal.append(
            Some(peer.connection()),
            Record::Introduced {
                method: method.to_owned(),
                era: peer.era().map(|era| era.to_string()),
                client: client.map(|client| client.name.clone()),
                client_version: client.map(|client| client.version.clone()),
                protocol_asked: protocol_asked.map(str::to_owned),
                protocol: peer.protocol_version().map(str::to_owned),
                capabilities: peer.capabilities().and_then(json),
            },
        );
    }

    fn record(&self, peer: &Peer, event: Event<'_>) -> Option<Record> {
        Some(match event {
            Event::Connected => Record::Connected {
                transport: peer.transport().to_string(),
            },
            Event::Disconnected { reason } => {
                self.introduced
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(&peer.connection());
                Record::Disconnected {
                    reason: reason.to_string(),
                }
            }
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
