//! The words for what a host did.

use std::collections::BTreeMap;

use sayso_core::hint::{Claim, Hint};
use sayso_scratch::journal::WithheldAnswer;
use sayso_scratch::listing::{Declared, Shape};
use sayso_scratch::report::{
    CallEnd, ClaimChange, ListingChange, Observed, ObservedCall, ObservedClient, Reaction,
};
use sayso_scratch::settings::ListChanged;

/// A time or a while, in seconds.
pub(super) fn seconds(milliseconds: f64) -> String {
    format!("{:.3} s", milliseconds / 1000.0)
}

/// What a client calls itself.
pub(super) fn name(client: &ObservedClient) -> String {
    let name = client.name.as_deref().unwrap_or("a client without a name");
    match client.version.as_deref() {
        Some(version) if !version.is_empty() => format!("{name} {version}"),
        _ => name.to_owned(),
    }
}

/// A client's number and name.
pub(super) fn numbered(observed: &Observed, client: usize) -> String {
    let name = observed.clients.get(client).map(name).unwrap_or_default();
    format!("client {}, {name}", client + 1)
}

/// How it was connected and what it can do.
pub(super) fn connection(client: &ObservedClient) -> String {
    let mut parts: Vec<String> = client.transport.iter().cloned().collect();
    match (&client.protocol, &client.protocol_asked) {
        (Some(spoken), Some(asked)) if spoken != asked => {
            parts.push(format!("MCP {spoken} (asked for {asked})"));
        }
        (Some(spoken), _) => parts.push(format!("MCP {spoken}")),
        (None, _) => parts.push("said nothing about itself".to_owned()),
    }
    if let Some(capabilities) = &client.capabilities {
        let names: Vec<&str> = capabilities
            .as_object()
            .into_iter()
            .flat_map(|members| members.keys().map(String::as_str))
            .collect();
        parts.push(if names.is_empty() {
            "no capabilities".to_owned()
        } else {
            format!("capabilities: {}", names.join(", "))
        });
    }
    parts.join(" · ")
}

/// What it did besides calling tools.
pub(super) fn course(client: &ObservedClient) -> String {
    let mut parts = vec![match client.listed_at_ms.as_slice() {
        [] if client.had_listing => "had the listing before".to_owned(),
        [] => "never fetched the listing".to_owned(),
        times => {
            let times: Vec<String> = times.iter().map(|time| seconds(*time)).collect();
            format!("fetched the listing at {}", times.join(", "))
        }
    }];
    if !client.streams.is_empty() {
        parts.push(format!(
            "listened for notifications ({})",
            client.streams.join(", ")
        ));
    }
    let other = client
        .other_messages
        .iter()
        .filter(|(method, _)| *method != "notifications/initialized")
        .map(|(method, count)| match count {
            1 => format!("`{method}`"),
            _ => format!("`{method}` {count} times"),
        })
        .collect::<Vec<_>>();
    if !other.is_empty() {
        parts.push(format!("sent {}", other.join(", ")));
    }
    if let Some(ended) = &client.ended {
        let when = client.ended_at_ms.map(seconds).unwrap_or_default();
        parts.push(format!("ended at {when}: {ended}"));
    }
    parts.join("; ")
}

/// What was set otherwise than before.
pub(super) fn settings(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> String {
    let set = after
        .iter()
        .filter(|(key, text)| before.get(*key) != Some(text))
        .map(|(key, text)| format!("{key}={text}"));
    let unset = before
        .keys()
        .filter(|key| !after.contains_key(*key))
        .map(|key| format!("{key}=default"));
    let all: Vec<String> = set.chain(unset).collect();
    if all.is_empty() {
        "all defaults".to_owned()
    } else {
        all.join(", ")
    }
}

/// A claim as a client prints it: `None` where it is absent.
pub(super) fn claim(claim: Claim) -> String {
    match claim {
        Claim::Absent => "None".to_owned(),
        other => other.to_string(),
    }
}

/// Whether there is something odd about the whole `annotations` value.
pub(super) fn shape(declared: &Declared) -> Option<String> {
    match declared.annotations {
        Shape::Object | Shape::Absent => None,
        odd => Some(format!("annotations {}", odd.as_str())),
    }
}

/// What a change of the listing was.
pub(super) fn change(change: &ListingChange) -> String {
    let told = match change.told {
        ListChanged::Notify => "with a notification",
        ListChanged::Silent => "silently",
    };
    let claims: Vec<String> = change.claims.iter().map(claim_change).collect();
    let claims = if claims.is_empty() {
        "only the spelling of the listing".to_owned()
    } else {
        claims.join(", ")
    };
    format!("at {}, {told}: {claims}", seconds(change.at_ms))
}

fn claim_change(change: &ClaimChange) -> String {
    let value = |word: &str| {
        if word == "absent" {
            "None".to_owned()
        } else {
            word.to_owned()
        }
    };
    let (before, after) = (value(&change.before), value(&change.after));
    format!("{}.{} {before} → {after}", change.tool, change.key)
}

/// What a client made of a change.
pub(super) fn reaction(observed: &Observed, reaction: &Reaction) -> String {
    let told = match reaction.told_after_ms {
        Some(after) => format!("was told after {}", seconds(after)),
        None => "was not told".to_owned(),
    };
    let fetched = match reaction.fetched_after_ms {
        Some(after) => format!("fetched the listing after {}", seconds(after)),
        None => "did not fetch the listing again".to_owned(),
    };
    let calls = match reaction.calls_on_old_listing {
        0 => "no call on the old one".to_owned(),
        1 => "1 call on the old one".to_owned(),
        count => format!("{count} calls on the old one"),
    };
    let client = numbered(observed, reaction.client);
    format!("{client}: {told}, {fetched}; {calls}")
}

/// How a call ended.
pub(super) fn end(call: &ObservedCall) -> String {
    let after = call.ended_after_ms.map(seconds).unwrap_or_default();
    let end = match &call.end {
        CallEnd::Result => format!("result after {after}"),
        CallEnd::Failure => format!("failed after {after}"),
        CallEnd::Refusal => format!("protocol error after {after}"),
        CallEnd::InputRequired => format!("asked back after {after}"),
        CallEnd::Cancelled {
            reason: Some(reason),
        } => format!("cancelled after {after}: {reason}"),
        CallEnd::Cancelled { reason: None } => format!("cancelled after {after}"),
        CallEnd::Broken => format!("connection broken after {after}"),
        CallEnd::Undelivered => format!("answer after {after} no longer listened for"),
        CallEnd::Disconnected => format!("connection ended after {after}"),
        CallEnd::None => "no answer".to_owned(),
    };
    match (call.withheld, call.done) {
        (Some(WithheldAnswer::Never), _) => format!("answer withheld, {end}"),
        (Some(WithheldAnswer::Late), _) => format!("answer delayed, {end}"),
        _ => end,
    }
}

/// What a call has to do with others, and what else is to be told of it.
pub(super) fn remarks(observed: &Observed, call: &ObservedCall) -> Vec<String> {
    let id = |index: usize| {
        observed
            .calls
            .get(index)
            .map(|call| call.request_id.as_str())
    };
    let mut remarks = Vec::new();
    if let Some(repeat) = call.repeats {
        let with = if repeat.same_id {
            "with the same id"
        } else {
            "with a new id"
        };
        remarks.push(format!(
            "repeats id {} {} later, {with}",
            id(repeat.of).unwrap_or_default(),
            seconds(repeat.after_ms)
        ));
    }
    if let Some(asked) = call.continues.and_then(id) {
        remarks.push(format!(
            "goes on with id {asked}, with what the person said"
        ));
    }
    if let Some(answered) = call.same_as_answered.and_then(id) {
        remarks.push(format!("the same as id {answered}, which was answered"));
    }
    if !call.during.is_empty() {
        let during: Vec<&str> = call.during.iter().filter_map(|index| id(*index)).collect();
        remarks.push(format!("while id {} was under way", during.join(", ")));
    }
    for asked in &call.asked {
        let answer = asked.answer.as_deref().unwrap_or("did not answer");
        remarks.push(format!("person {answer}: {}", asked.message));
    }
    if let (CallEnd::Failure, Some(text)) = (&call.end, &call.text) {
        remarks.push(text.clone());
    }
    if let Some(aside) = &call.aside {
        let done = if aside.done {
            "also ran"
        } else {
            "tried to run"
        };
        remarks.push(format!(
            "unseen by the client it {done} {}: {}",
            aside.tool, aside.text
        ));
    }
    remarks.extend(old_claims(call));
    remarks
}

/// What the client had been told otherwise when it called.
fn old_claims(call: &ObservedCall) -> Option<String> {
    let (seen, declared) = (call.seen?, call.declared?);
    let differing = Hint::ALL
        .into_iter()
        .filter(|hint| seen.get(*hint) != declared.get(*hint))
        .map(|hint| format!("{hint}={}", claim(seen.get(hint))))
        .collect::<Vec<_>>();
    (!differing.is_empty()).then(|| format!("on an old listing, with {}", differing.join(", ")))
}
