//! What clients made of a listing that changed.

use sayso_core::hint::Hint;

use super::calls::ObservedCall;
use super::clients::ObservedClient;
use super::timeline::{Timeline, thousandths};
use crate::journal::Record;
use crate::listing::{Declared, DeclaredByTool};
use crate::settings::ListChanged;

/// A change of the listing while a server ran.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ListingChange {
    /// When.
    pub at_ms: f64,
    /// Which run of a server, from 0.
    pub run: usize,
    /// Whether clients were to be told.
    pub told: ListChanged,
    /// What is declared otherwise than before. Empty when only the spelling changed.
    pub claims: Vec<ClaimChange>,
    /// What each client did that was connected and had the listing from before.
    pub reactions: Vec<Reaction>,
}

/// A claim that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ClaimChange {
    /// The tool.
    pub tool: String,
    /// The hint's key, or `annotations`.
    pub key: &'static str,
    /// What was declared.
    pub before: String,
    /// What is declared.
    pub after: String,
}

/// What a client did after a change.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Reaction {
    /// Which client.
    pub client: usize,
    /// How long after the change a notification was sent to it; none if it was not, because it
    /// was not to be told or has no stream that could carry it.
    pub told_after_ms: Option<f64>,
    /// How long after the change it fetched the listing again; none if it did not.
    pub fetched_after_ms: Option<f64>,
    /// Its calls after the change and before it fetched the listing: made on the old one.
    pub calls_on_old_listing: usize,
}

/// Every change, in order.
pub(super) fn changes(
    timeline: &Timeline<'_>,
    clients: &[ObservedClient],
    calls: &[ObservedCall],
) -> Vec<ListingChange> {
    let mut changes = Vec::new();
    for (index, event) in timeline.events().enumerate() {
        let Record::Listing {
            told: Some(told),
            declared,
            ..
        } = event.record
        else {
            continue;
        };
        let before = timeline
            .events()
            .take(index)
            .filter(|earlier| earlier.run == event.run)
            .filter_map(|earlier| match earlier.record {
                Record::Listing { declared, .. } => Some(declared),
                _ => None,
            })
            .last();
        let reactions = clients.iter().enumerate().filter(|(_, client)| {
            let is_there = client.run == event.run
                && client.ended_at_ms.is_none_or(|ended| ended > event.at_ms);
            let first = client.listed_at_ms.first();
            let has_listed = first.is_some_and(|listed| *listed < event.at_ms);
            is_there && (client.had_listing || has_listed)
        });
        let reactions =
            reactions.map(|(client, _)| reaction(timeline, index, event.at_ms, client, calls));
        changes.push(ListingChange {
            at_ms: event.at_ms,
            run: event.run,
            told: *told,
            claims: before.map_or_else(Vec::new, |before| claims(before, declared)),
            reactions: reactions.collect(),
        });
    }
    changes
}

fn reaction(
    timeline: &Timeline<'_>,
    index: usize,
    changed_at: f64,
    client: usize,
    calls: &[ObservedCall],
) -> Reaction {
    let of_client = || {
        timeline
            .events_after(index)
            .filter(move |event| event.client == Some(client))
    };
    let after = |at_ms: f64| thousandths(at_ms - changed_at);
    let fetched = of_client().find(|event| matches!(event.record, Record::Listed { .. }));
    let told = of_client().find(|event| {
        matches!(event.record, Record::Notified { method } if method.ends_with("tools/list_changed"))
    });
    let on_old_listing = calls.iter().filter(|call| {
        call.client == client
            && call.at_ms > changed_at
            && fetched.is_none_or(|fetched| call.at_ms < fetched.at_ms)
    });
    Reaction {
        client,
        told_after_ms: told.map(|event| after(event.at_ms)),
        fetched_after_ms: fetched.map(|event| after(event.at_ms)),
        calls_on_old_listing: on_old_listing.count(),
    }
}

/// What is declared otherwise.
fn claims(before: &DeclaredByTool, after: &DeclaredByTool) -> Vec<ClaimChange> {
    let pairs = after
        .iter()
        .filter_map(|(tool, after)| Some((tool, before.get(tool)?, after)));
    pairs
        .flat_map(|(tool, before, after)| tool_claims(tool, before, after))
        .collect()
}

fn tool_claims(tool: &str, before: &Declared, after: &Declared) -> Vec<ClaimChange> {
    let change = |key, before: &str, after: &str| {
        (before != after).then(|| ClaimChange {
            tool: tool.to_owned(),
            key,
            before: before.to_owned(),
            after: after.to_owned(),
        })
    };
    let whole = change(
        "annotations",
        before.annotations.as_str(),
        after.annotations.as_str(),
    );
    let hints = Hint::ALL.into_iter().filter_map(|hint| {
        let (before, after) = (before.get(hint), after.get(hint));
        change(hint.key(), before.as_str(), after.as_str())
    });
    whole.into_iter().chain(hints).collect()
}
