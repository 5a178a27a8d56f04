//! The skeleton of the file a ChatGPT app is submitted with.
//!
//! The form asks, for every tool, three hints written out and one sentence for each that
//! justifies it (`chatgpt-app-submission.v1.json`, as the `chatgpt-app-submission` skill of
//! `openai/plugins` states it). The sentences here quote what the tool itself says. Where it
//! says nothing, the sentence says that the author has to confirm; a hint that is neither
//! declared nor plain from the tool's text is `null`, which the form refuses: nobody submits
//! a guess by oversight.

use sayso_core::finding::Finding;
use sayso_core::hint::{Hint, Hints};
use sayso_core::listing::Listing;
use sayso_core::reveal::reveal_line;
use serde_json::{Map, Value, json};

use crate::context::{Context, ToolReading};
use crate::evidence::act::Act;
use crate::evidence::verdicts::{Contested, Quote, Signal, Strength};
use crate::profile::Profile;
use crate::semantics::{Reading, Semantics};

/// The schema the file names.
pub const SCHEMA: &str =
    "https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json";

/// The hints the form asks for, in its order, and the key of each one's sentence.
const ASKED: [(Hint, &str); 3] = [
    (Hint::ReadOnly, "read_only_justification"),
    (Hint::OpenWorld, "open_world_justification"),
    (Hint::Destructive, "destructive_justification"),
];

/// How every sentence begins that the author has to look at.
pub const TO_CONFIRM: &str = "To be confirmed by the author: ";

/// The submission file for a listing. Questions that `semantics` leaves open are answered as
/// the profile `openai-apps` does. What `findings` suggest fills in hints that are not declared. Of several tools with one name the first is taken; one without a name is left out.
#[must_use]
pub fn openai_apps(listing: &Listing, semantics: &Semantics, findings: &[Finding]) -> Value {
    let semantics =
        Profile::find("openai-apps").map_or(*semantics, |profile| profile.answer(*semantics));
    let context = Context::new(listing, &semantics, None, None);
    let mut suggested: Vec<Hints<Option<bool>>> = vec![Hints::default(); context.tools.len()];
    for finding in findings {
        let Some(slot) = finding
            .tool
            .and_then(|position| suggested.get_mut(position))
        else {
            continue;
        };
        for hint in Hint::ALL {
            let value = slot.get_mut(hint);
            *value = value.or(*finding.suggestion.get(hint));
        }
    }
    let mut tools = Map::new();
    for (tool, suggested) in context.tools.iter().zip(&suggested) {
        if let Some(name) = tool
            .tool
            .name()
            .filter(|name| !name.is_empty() && !tools.contains_key(&**name))
        {
            tools.insert(name.into_owned(), entry(tool, suggested, &semantics));
        }
    }
    json!({ "$schema": SCHEMA, "schema_version": 1, "tools": tools })
}

fn entry(tool: &ToolReading<'_>, suggested: &Hints<Option<bool>>, semantics: &Semantics) -> Value {
    let mut annotations = Map::new();
    let mut justifications = Map::new();
    for (hint, key) in ASKED {
        let answer = answer(tool, hint, *suggested.get(hint), semantics);
        annotations.insert(
            hint.key().to_owned(),
            answer.value.map_or(Value::Null, Value::Bool),
        );
        justifications.insert(key.to_owned(), Value::String(answer.sentence));
    }
    json!({ "annotations": annotations, "justifications": justifications })
}

/// A hint's value and the sentence for it.
struct Answer {
    value: Option<bool>,
    sentence: String,
}

fn answer(
    tool: &ToolReading<'_>,
    hint: Hint,
    suggested: Option<bool>,
    semantics: &Semantics,
) -> Answer {
    let declared = tool.states.get(hint).boolean();
    let verdict = match hint {
        Hint::Destructive if sends(tool, semantics) => {
            tool.evidence.verdict(Hint::ReadOnly).map(|signal| Signal {
                value: true,
                label: "sends what cannot be called back",
                ..signal.clone()
            })
        }
        _ => tool
            .evidence
            .verdict(hint)
            .map(|signal| settle(signal, semantics)),
    };
    let said = verdict.as_ref().and_then(|signal| say(tool, signal));
    // What follows from a tool that only reads, in the specification's words.
    if hint == Hint::Destructive && tool.effective.read_only() && declared != Some(true) {
        let reads = tool
            .evidence
            .verdict(Hint::ReadOnly)
            .filter(|signal| signal.value);
        if let Some(said) = reads.and_then(|signal| say(tool, signal)) {
            let sentence = format!(
                "Deletes and overwrites nothing, because {}.",
                lower_first(&said)
            );
            return Answer {
                value: Some(false),
                sentence,
            };
        }
    }
    let agrees = |value: bool| verdict.as_ref().is_some_and(|signal| signal.value == value);
    match (declared, said) {
        (Some(value), Some(said)) if agrees(value) => Answer {
            value: Some(value),
            sentence: format!("{said}."),
        },
        (Some(value), Some(said)) => Answer {
            value: Some(value),
            sentence: format!(
                "{TO_CONFIRM}{hint} is declared {value}, yet {}.",
                lower_first(&said)
            ),
        },
        (Some(value), None) => Answer {
            value: Some(value),
            sentence: format!(
                "{TO_CONFIRM}{hint} is declared {value}, and nothing the tool says shows why."
            ),
        },
        (None, Some(said)) => {
            let strong = verdict
                .filter(|signal| signal.strength >= Strength::Strong && signal.contested.is_none());
            Answer {
                value: suggested.or(strong.map(|signal| signal.value)),
                sentence: format!(
                    "{TO_CONFIRM}{hint} is not declared; {}.",
                    lower_first(&said)
                ),
            }
        }
        (None, None) => Answer {
            value: suggested,
            sentence: format!(
                "{TO_CONFIRM}{hint} is not declared, and nothing the tool says decides it."
            ),
        },
    }
}

/// Whether the tool sends something, and sending counts as destructive.
fn sends(tool: &ToolReading<'_>, semantics: &Semantics) -> bool {
    semantics.send_is_destructive == Reading::Yes && tool.evidence.act() == Some(Act::Send)
}

/// A signal whose contested question is answered, the other way round if need be.
fn settle(signal: &Signal, semantics: &Semantics) -> Signal {
    let (reading, label) = match signal.contested {
        Some(Contested::SendDestructive) => (
            semantics.send_is_destructive,
            "sends what cannot be called back",
        ),
        Some(Contested::OwnTenant) => (
            semantics.own_tenant_is_open_world,
            "works in the user's own account",
        ),
        _ => return signal.clone(),
    };
    let value = match reading {
        Reading::Yes => true,
        Reading::No => false,
        Reading::Either => return signal.clone(),
    };
    let label = if value == signal.value {
        signal.label
    } else {
        label
    };
    Signal {
        value,
        label,
        contested: None,
        ..signal.clone()
    }
}

/// What a signal rests on, as a clause: `The description says that it cannot be undone: "…"`.
fn say(tool: &ToolReading<'_>, signal: &Signal) -> Option<String> {
    let evidence = tool.evidence.quote(signal, tool.tool.page())?;
    // Labels of prose are either what the text says or what the tool then does.
    let says = signal.label.starts_with("says");
    let argument = match &signal.quote {
        Quote::Name { .. } => None,
        Quote::Argument { argument } | Quote::Members { argument, .. } => {
            tool.evidence.arguments.get(*argument)
        }
        Quote::Text { text, .. } => tool
            .evidence
            .arguments
            .iter()
            .find(|argument| argument.description == Some(*text)),
    };
    let subject = match (argument, &signal.quote) {
        (Some(argument), Quote::Text { .. }) if says => {
            format!(
                "The description of the argument `{}`",
                reveal_line(&argument.name)
            )
        }
        (Some(argument), _) => format!("The argument `{}`", reveal_line(&argument.name)),
        (None, Quote::Name { .. }) => "The name".to_owned(),
        (None, _) if says => "The description".to_owned(),
        (None, _) => "The tool".to_owned(),
    };
    let quoted = reveal_line(evidence.text.trim().trim_end_matches(['.', '!'])).into_owned();
    Some(format!("{subject} {}: \"{quoted}\"", signal.label))
}

fn lower_first(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}
