//! Who connected.

use std::collections::BTreeMap;

use serde_json::Value;

use super::timeline::{TimedEvent, Timeline};
use crate::journal::{Json, Record};

/// One connection of a client. In the modern era over HTTP there are none; there all requests
/// from one name and version count as one.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct ObservedClient {
    /// Which run of a server it was connected to, from 0.
    pub run: usize,
    /// When it arrived.
    pub at_ms: f64,
    /// `stdio` or `http`.
    pub transport: Option<String>,
    /// `legacy` or `modern`; none if it never said.
    pub era: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The protocol version it asked for.
    pub protocol_asked: Option<String>,
    /// The protocol version that was spoken.
    pub protocol: Option<String>,
    /// Its capabilities.
    pub capabilities: Option<Value>,
    /// Whether it had the listing already when the journal was begun anew.
    pub had_listing: bool,
    /// When it fetched the listing.
    pub listed_at_ms: Vec<f64>,
    /// The streams for notifications it opened: `get`, `subscription`.
    pub streams: Vec<String>,
    /// How often it was told that the listing changed.
    pub notified: u64,
    /// Its other requests and notifications, by method.
    pub other_messages: BTreeMap<String, u64>,
    /// What it was refused.
    pub protocol_errors: Vec<ProtocolError>,
    /// When its connection ended.
    pub ended_at_ms: Option<f64>,
    /// How its connection ended.
    pub ended: Option<String>,
}

/// A request that was answered with a protocol error.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProtocolError {
    /// The error's code.
    pub code: i64,
    /// The error's message.
    pub message: String,
}

impl ObservedClient {
    fn take(&mut self, event: TimedEvent<'_>) {
        match event.record {
            Record::Connected {
                transport,
                has_listing,
            } => {
                self.transport = Some(transport.clone());
                self.had_listing = has_listing.is_some();
            }
            Record::Introduced {
                era,
                client,
                client_version,
                protocol_asked,
                protocol,
                capabilities,
                ..
            } => {
                self.era.clone_from(era);
                self.name.clone_from(client);
                self.version.clone_from(client_version);
                self.protocol_asked.clone_from(protocol_asked);
                self.protocol.clone_from(protocol);
                self.capabilities = capabilities.as_ref().map(Json::value);
            }
            Record::Listed { .. } => self.listed_at_ms.push(event.at_ms),
            Record::StreamOpened { kind } => self.streams.push(kind.clone()),
            Record::Notified { method } if method.ends_with("tools/list_changed") => {
                self.notified += 1;
            }
            Record::Received { method } => {
                *self.other_messages.entry(method.clone()).or_default() += 1;
            }
            Record::Refused { code, message, .. } => self.protocol_errors.push(ProtocolError {
                code: *code,
                message: message.clone(),
            }),
            Record::Disconnected { reason } => {
                self.ended_at_ms = Some(event.at_ms);
                self.ended = Some(reason.clone());
            }
            _ => {}
        }
    }
}

/// Every connection, in order of arrival.
pub(super) fn clients(timeline: &Timeline<'_>) -> Vec<ObservedClient> {
    let mut clients: Vec<ObservedClient> = Vec::new();
    for event in timeline.events() {
        let Some(index) = event.client else { continue };
        if index == clients.len() {
            clients.push(ObservedClient {
                run: event.run,
                at_ms: event.at_ms,
                ..ObservedClient::default()
            });
        }
        if let Some(client) = clients.get_mut(index) {
            client.take(event);
        }
    }
    clients
}
