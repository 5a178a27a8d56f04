//! What a journal begins with, and what has to stand there again when somebody empties it while
//! the server runs.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use jiff::Timestamp;
use sayso_mcp::server::{Event, Peer};

use super::Scratch;
use crate::journal::{Json, Record};
use crate::settings::Settings;
use crate::store::StoreError;

/// A connection that is open.
#[derive(Clone, Debug)]
pub(super) struct KnownClient {
    peer: Peer,
    /// What was written down when it said who it is.
    introduction: Option<Record>,
    /// The listing it fetched last.
    listing: Option<u64>,
}

impl Scratch {
    /// Writes down what a reader has to know of what follows.
    pub(super) fn begin(&self, again: bool) -> Result<(), StoreError> {
        let current = self.current();
        self.journal.append(
            None,
            Record::Started {
                version: self.version.clone(),
                transport: self.transport.to_string(),
                state: self.store.state(Timestamp::now())?,
                again,
            },
        );
        self.journal.append(None, settings(&current.settings));
        let latest = (&current.revision, &current.listing.declared);
        for (revision, declared) in current.earlier.iter().chain([latest]) {
            self.journal.append(
                None,
                Record::Listing {
                    revision: *revision,
                    told: None,
                    declared: declared.clone(),
                },
            );
        }
        for (connection, client) in self.clients().iter() {
            let transport = client.peer.transport().to_string();
            let connected = Record::Connected {
                transport,
                has_listing: client.listing,
            };
            self.journal.append(Some(*connection), connected);
            if let Some(introduction) = client.introduction.clone() {
                self.journal.append(Some(*connection), introduction);
            }
        }
        Ok(())
    }

    /// Begins the journal anew if it was emptied.
    pub(super) fn keep_begun(&self) {
        if self.journal.was_emptied() {
            // Without the store there is nothing to tell; the next call says why.
            let _ = self.begin(true);
        }
    }

    /// Writes down what happened just now.
    pub(super) fn note(&self, connection: Option<u64>, record: Record) {
        self.keep_begun();
        self.journal.append(connection, record);
    }

    /// Keeps in mind what an event tells of its client; gives what it said of itself, if it did
    /// so with this event.
    pub(super) fn remember(&self, peer: &Peer, event: &Event<'_>) -> Option<Record> {
        let revision = self.current().revision;
        let mut clients = self.clients();
        if let Event::Disconnected { .. } = event {
            clients.remove(&peer.connection());
            return None;
        }
        let client = clients
            .entry(peer.connection())
            .or_insert_with(|| KnownClient {
                peer: peer.clone(),
                introduction: None,
                listing: None,
            });
        if let Event::Listed { .. } = event {
            client.listing = Some(revision);
        }
        let introduction = match event {
            Event::Initialized { asked, .. } => introduction(peer, "initialize", *asked),
            Event::Discovered => introduction(peer, "server/discover", None),
            // In the modern era a client may begin with any request.
            Event::Listed { .. } if client.introduction.is_none() => {
                introduction(peer, "tools/list", None)
            }
            Event::Called { .. } if client.introduction.is_none() => {
                introduction(peer, "tools/call", None)
            }
            _ => return None,
        };
        client.introduction = Some(introduction.clone());
        Some(introduction)
    }

    fn clients(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, KnownClient>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The settings as a line of the journal.
pub(super) fn settings(settings: &Settings) -> Record {
    let written = settings.written();
    let written = written.map(|(key, text)| (key.to_string(), text.to_owned()));
    Record::Settings {
        settings: written.collect(),
    }
}

fn introduction(peer: &Peer, method: &str, protocol_asked: Option<&str>) -> Record {
    let client = peer.client();
    let capabilities = peer.capabilities();
    Record::Introduced {
        method: method.to_owned(),
        era: peer.era().map(|era| era.to_string()),
        client: client.map(|client| client.name.clone()),
        client_version: client.map(|client| client.version.clone()),
        protocol_asked: protocol_asked.map(str::to_owned),
        protocol: peer.protocol_version().map(str::to_owned),
        capabilities: capabilities.and_then(|value| Json::new(value.raw())),
    }
}
