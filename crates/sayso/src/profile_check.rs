//! What a host was seen to do, held against its profile: how a profile gets verified.
//!
//! A journal shows what reached the server. Whether a person was asked first, whether a tool was
//! hidden or a listing lost it cannot show; of these nothing is said here.

use sayso_audit::hosts::{Column, OnListChange, Outcome, RetryCause, SeenTool};
use sayso_scratch::journal::WithheldAnswer;
use sayso_scratch::report::{Observed, ObservedCall};

/// A host's profile held against what some clients did.
#[derive(Debug)]
pub(crate) struct ProfileCheck<'p> {
    /// The profile and the mode it was taken in.
    pub(crate) column: Column<'p>,
    /// The clients it was held against, by their place in the report.
    pub(crate) clients: Vec<usize>,
    /// What was compared.
    pub(crate) facts: Vec<Fact>,
}

/// One thing that was compared.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fact {
    /// What it is about.
    pub(crate) about: String,
    /// What the profile says.
    pub(crate) profile: String,
    /// What was seen.
    pub(crate) seen: String,
    /// How the two go together.
    pub(crate) verdict: Verdict,
}

/// How a profile and what was seen go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// They contradict each other.
    Differs,
    /// The profile does not know what was seen.
    New,
    /// They agree.
    Agrees,
    /// Nothing happened that would show it.
    NotSeen,
}

impl Verdict {
    /// The word in reports.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::New => "new",
            Self::Agrees => "agrees",
            Self::NotSeen => "not seen",
        }
    }
}

impl<'p> ProfileCheck<'p> {
    /// Holds a profile against what these clients did.
    pub(crate) fn new(column: Column<'p>, clients: Vec<usize>, observed: &Observed) -> Self {
        let calls = || {
            let calls = observed.calls.iter().enumerate();
            calls.filter(|(_, call)| clients.contains(&call.client))
        };
        let mut facts = vec![list_change(&column, &clients, observed)];
        for (cause, withheld) in [
            (RetryCause::TimeOut, WithheldAnswer::Never),
            (RetryCause::ConnectionLost, WithheldAnswer::Disconnect),
        ] {
            let unanswered = calls()
                .filter(|(_, call)| call.withheld == Some(withheld) && call.repeats.is_none());
            facts.extend(repeats(&column, cause, unanswered, &observed.calls));
        }
        facts.push(parallel(&column, calls().map(|(_, call)| call)));
        facts.extend(refused(&column, calls().map(|(_, call)| call)));
        facts.sort_by_key(|fact| fact.verdict);
        Self {
            column,
            clients,
            facts,
        }
    }
}

/// The clients that a profile knows by the name they introduce themselves with.
pub(crate) fn clients_of(column: &Column<'_>, observed: &Observed) -> Vec<usize> {
    let names = &column.behaviour.client_names;
    let clients = observed.clients.iter().enumerate();
    clients
        .filter(|(_, client)| {
            client
                .name
                .as_ref()
                .is_some_and(|name| names.contains(name))
        })
        .map(|(index, _)| index)
        .collect()
}

/// A tool as the host saw it in the listing it had fetched.
fn seen(call: &ObservedCall) -> Option<SeenTool> {
    let claims = call.seen?.claims();
    Some(SeenTool::from_booleans(
        &claims.map(|_, claim| claim.boolean()),
    ))
}

fn list_change(column: &Column<'_>, clients: &[usize], observed: &Observed) -> Fact {
    let reactions = observed
        .listing_changes
        .iter()
        .flat_map(|change| &change.reactions);
    let told: Vec<bool> = reactions
        .filter(|reaction| clients.contains(&reaction.client) && reaction.told_after_ms.is_some())
        .map(|reaction| reaction.fetched_after_ms.is_some())
        .collect();
    let (told, fetched) = (told.len(), told.iter().filter(|fetched| **fetched).count());
    let on = column.behaviour.list_change.on_notification;
    let verdict = match (on, told, fetched) {
        (_, 0, _) => Verdict::NotSeen,
        (OnListChange::Unknown, ..) => Verdict::New,
        (OnListChange::ListsAgain, told, fetched) if fetched == told => Verdict::Agrees,
        (OnListChange::Ignores, _, 0) => Verdict::Agrees,
        (OnListChange::ListsAgain | OnListChange::Ignores, ..) => Verdict::Differs,
    };
    Fact {
        about: "told that the listing changed".to_owned(),
        profile: match on {
            OnListChange::ListsAgain => "lists again",
            OnListChange::Ignores => "goes on with the listing it has",
            OnListChange::Unknown => "does not say",
        }
        .to_owned(),
        seen: match told {
            0 => "it was never told of a change".to_owned(),
            told => {
                format!("changes it was told of: {told}; after which it listed again: {fetched}")
            }
        },
        verdict,
    }
}

/// One fact a tool that had a call without an answer.
fn repeats<'o>(
    column: &Column<'_>,
    cause: RetryCause,
    unanswered: impl Iterator<Item = (usize, &'o ObservedCall)>,
    calls: &[ObservedCall],
) -> Vec<Fact> {
    let retry = &column.behaviour.retry;
    let mut facts: Vec<Fact> = Vec::new();
    for (index, call) in unanswered {
        let about = match cause {
            RetryCause::TimeOut => format!("no answer to `{}`", call.tool),
            RetryCause::ConnectionLost => format!("connection lost under `{}`", call.tool),
        };
        let expected = seen(call).map(|seen| column.behaviour.repeats(&seen.hints, cause));
        let times = chain(index, calls);
        let is_known = retry.known || !retry.after.is_empty();
        let verdict = match (expected, times) {
            _ if !is_known => Verdict::New,
            (None, _) => Verdict::NotSeen,
            (Some(0), 0) => Verdict::Agrees,
            (Some(expected), times)
                if expected > 0 && times > 0 && times <= usize::from(expected) =>
            {
                Verdict::Agrees
            }
            _ => Verdict::Differs,
        };
        facts.push(Fact {
            about,
            profile: match expected {
                _ if !is_known => "does not say".to_owned(),
                None => "it never fetched the listing".to_owned(),
                Some(0) => "does not send it again".to_owned(),
                Some(most) => format!("sends it again, at most {most} times"),
            },
            seen: match times {
                0 => "not sent again".to_owned(),
                1 => "sent again once, by the host or by whoever uses it".to_owned(),
                times => format!("sent again {times} times, by the host or by whoever uses it"),
            },
            verdict,
        });
    }
    facts
}

/// How many calls repeat this one, each the one before it.
fn chain(first: usize, calls: &[ObservedCall]) -> usize {
    let mut last = first;
    let mut times = 0;
    for (index, call) in calls.iter().enumerate().skip(first + 1) {
        if call.repeats.is_some_and(|repeat| repeat.of == last) {
            last = index;
            times += 1;
        }
    }
    times
}

fn parallel<'o>(column: &Column<'_>, calls: impl Iterator<Item = &'o ObservedCall>) -> Fact {
    let mut tools: Vec<&str> = Vec::new();
    let mut contradicts = false;
    let facet = column.behaviour.parallel.as_ref();
    for call in calls.filter(|call| !call.during.is_empty()) {
        if !tools.contains(&call.tool.as_str()) {
            tools.push(&call.tool);
        }
        let allowed = facet
            .zip(seen(call))
            .and_then(|(facet, seen)| facet.applies(&seen.hints));
        contradicts |= allowed == Some(false);
    }
    let verdict = match (tools.is_empty(), facet) {
        (true, _) => Verdict::NotSeen,
        (false, None) => Verdict::New,
        (false, Some(_)) if contradicts => Verdict::Differs,
        (false, Some(_)) => Verdict::Agrees,
    };
    Fact {
        about: "calls while others run".to_owned(),
        profile: match facet {
            None => "does not say".to_owned(),
            Some(facet) => {
                let which: Vec<String> = facet
                    .rules
                    .iter()
                    .map(|rule| {
                        let does = if rule.then { "sent" } else { "held back" };
                        if facet.rules.len() == 1 {
                            format!("every call is {does}")
                        } else {
                            format!("{}: {does}", rule.when)
                        }
                    })
                    .collect();
                which.join("; ")
            }
        },
        seen: if tools.is_empty() {
            "no call came while another was running".to_owned()
        } else {
            format!(
                "came while another was running: {}",
                crate::error::quoted(tools)
            )
        },
        verdict,
    }
}

/// The tools that were called though the host, in this mode, would refuse or hide them.
fn refused<'o>(column: &Column<'_>, calls: impl Iterator<Item = &'o ObservedCall>) -> Option<Fact> {
    let mut tools: Vec<(&str, Outcome)> = Vec::new();
    for call in calls {
        let Some(seen) = seen(call) else { continue };
        let outcome = column.mode.decide(&seen, &()).outcome;
        if outcome.refuses() && !tools.iter().any(|(tool, _)| *tool == call.tool) {
            tools.push((&call.tool, outcome));
        }
    }
    let (_, outcome) = tools.first()?;
    Some(Fact {
        about: format!("tools it refuses in mode `{}`", column.mode.id),
        profile: outcome.meaning().to_owned(),
        seen: format!(
            "called: {}",
            crate::error::quoted(tools.iter().map(|(tool, _)| *tool))
        ),
        verdict: Verdict::Differs,
    })
}

#[cfg(test)]
mod tests;
