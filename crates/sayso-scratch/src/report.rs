//! What a journal says about the hosts that were there.

mod calls;
mod changes;
mod clients;
mod timeline;

use std::collections::BTreeMap;

pub use calls::{AskedPerson, CallEnd, Counts, ObservedCall, ObservedTool, Repeat};
pub use changes::{ClaimChange, ListingChange, Reaction};
pub use clients::{ObservedClient, ProtocolError};

use crate::journal::{BadLine, Contents, Record};
use crate::store::{Change, State};
use timeline::Timeline;

/// What hosts did, by one journal. Times are milliseconds since the journal's first line;
/// clients and calls are named by their place in their lists, from 0.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Observed {
    /// When the journal begins, RFC 3339; none if it is empty.
    pub began: Option<String>,
    /// From the first line to the last.
    pub duration_ms: f64,
    /// Each connection, in order of arrival.
    pub clients: Vec<ObservedClient>,
    /// Each time something else was set, beginning with the start.
    pub settings: Vec<ObservedSettings>,
    /// Each change of the listing while a server ran, and what clients made of it.
    pub listing_changes: Vec<ListingChange>,
    /// Every call of a tool, in order.
    pub calls: Vec<ObservedCall>,
    /// Each tool that was listed or called, with its calls counted.
    pub tools: Vec<ObservedTool>,
    /// The store at the beginning and at the end; none if no server started.
    pub store: Option<ObservedStore>,
    /// Lines of the journal that could not be read.
    pub bad_lines: Vec<BadLine>,
}

/// What was set from some time on, other than the defaults.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ObservedSettings {
    /// From when on.
    pub at_ms: f64,
    /// Value by key, as they are written.
    pub settings: BTreeMap<String, String>,
}

/// The store at the beginning and at the end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ObservedStore {
    /// When the first server started.
    pub before: State,
    /// After the last call.
    pub after: State,
    /// The numbers that are not the same.
    pub changes: Vec<Change>,
}

impl Observed {
    /// Works out what hosts did.
    #[must_use]
    pub fn from_journal(contents: &Contents) -> Self {
        let timeline = Timeline::of(&contents.entries);
        let clients = clients::clients(&timeline);
        let calls = calls::calls(&timeline, &clients);
        Self {
            began: contents.entries.first().map(|entry| {
                let began = entry.time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ");
                began.to_string()
            }),
            duration_ms: timeline.last_ms(),
            settings: settings(&timeline),
            listing_changes: changes::changes(&timeline, &clients, &calls),
            tools: calls::tools(&timeline, &calls),
            store: store(&timeline),
            clients,
            calls,
            bad_lines: contents.bad_lines.clone(),
        }
    }
}

fn settings(timeline: &Timeline<'_>) -> Vec<ObservedSettings> {
    let mut all: Vec<ObservedSettings> = Vec::new();
    for event in timeline.events() {
        if let Record::Settings { settings } = event.record
            && all.last().is_none_or(|last| last.settings != *settings)
        {
            all.push(ObservedSettings {
                at_ms: event.at_ms,
                settings: settings.clone(),
            });
        }
    }
    all
}

fn store(timeline: &Timeline<'_>) -> Option<ObservedStore> {
    let mut states = timeline.events().filter_map(|event| match event.record {
        Record::Started { state, .. } | Record::Worked { state, .. } => Some(*state),
        _ => None,
    });
    let before = states.next()?;
    let after = states.last().unwrap_or(before);
    Some(ObservedStore {
        before,
        after,
        changes: after.changes_since(&before),
    })
}
