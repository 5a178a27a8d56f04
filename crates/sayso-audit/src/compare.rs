//! Compares what a tool says with what it claims: the common part of every rule that rests
//! on a verdict.

use sayso_core::finding::{Confidence, Severity};
use sayso_core::hint::{Claim, Hint};

use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::{CANNOT_BE_UNDONE, Contested, Kind, Quote, Signal, Strength};
use crate::rule::{Findings, RuleMeta};
use crate::semantics::{Reading, Semantics};

/// Reports every hint whose claim differs from a verdict of this kind, and every hint that is
/// not claimed although the tool says it elsewhere.
pub(crate) fn report(
    meta: &'static RuleMeta,
    kind: Kind,
    context: &Context<'_>,
    tool: &ToolReading<'_>,
    findings: &mut Findings,
) {
    for signal in tool
        .evidence
        .verdicts()
        .filter(|signal| signal.kind == kind)
    {
        let claim = *tool.states.get(signal.hint);
        let Some(value) = reading(signal, context.semantics) else {
            continue;
        };
        if claim.boolean() == Some(value) || is_moot(signal, tool, claim) {
            continue;
        }
        // A hunch never talks anybody out of caution.
        let lowers = value != signal.hint.default_value();
        let hunch = signal.strength == Strength::Weak && signal.contested.is_none();
        if claim.boolean().is_some() && lowers && hunch {
            continue;
        }
        let severity = severity(signal, value, claim, tool);
        let mut draft = findings
            .about(meta, tool, message(signal, value, claim, tool))
            .severity(severity)
            .confidence(confidence(signal, severity))
            .hint(signal.hint)
            .suggest(signal.hint, value);
        if signal.hint == Hint::Destructive && reads(tool) {
            draft = draft.suggest(Hint::ReadOnly, true);
        }
        if let Some(value) = tool.claims.hints.get(signal.hint).values.first() {
            draft = draft.at(tool.tool.page(), *value);
        }
        if let Some(evidence) = tool.evidence.quote(signal, tool.tool.page()) {
            draft = draft.evidence(evidence);
        }
        draft.help(help(signal, value, tool)).report();
    }
}

/// The value a signal stands for under the settings; `None` where both answers are respected.
fn reading(signal: &Signal, semantics: &Semantics) -> Option<bool> {
    let Some(contested) = signal.contested else {
        return Some(signal.value);
    };
    match (semantics.reading(contested), contested) {
        (Reading::Yes, _) => Some(true),
        (Reading::No, _) => Some(false),
        // Claiming more than one's own tenant is cautious: it is worth a word.
        (Reading::Either, Contested::OwnTenant) => Some(signal.value),
        (Reading::Either, _) => None,
    }
}

fn reads(tool: &ToolReading<'_>) -> bool {
    tool.evidence
        .verdict(Hint::ReadOnly)
        .is_some_and(|signal| signal.value)
}

/// Destructive and idempotent say nothing about a tool that only reads.
fn is_moot(signal: &Signal, tool: &ToolReading<'_>, claim: Claim) -> bool {
    match signal.hint {
        Hint::ReadOnly | Hint::OpenWorld => false,
        _ if tool.effective.read_only() => true,
        // A reader that is called destructive is a finding of its own; the rest follows from readOnlyHint.
        Hint::Destructive => reads(tool) && claim.boolean().is_none(),
        Hint::Idempotent => reads(tool),
    }
}

fn severity(signal: &Signal, value: bool, claim: Claim, tool: &ToolReading<'_>) -> Severity {
    if claim.boolean().is_none() {
        return if in_prose_only(signal, tool) {
            Severity::Warning
        } else {
            Severity::Info
        };
    }
    match signal.contested {
        None | Some(Contested::UpdateDestructive) => {}
        Some(Contested::OwnTenant)
            if value == signal.value && signal.strength == Strength::Weak =>
        {
            return Severity::Info;
        }
        Some(_) => return Severity::Warning,
    }
    match (signal.hint, value, signal.kind, signal.strength) {
        // Claiming more than a closed domain is cautious, and the field is split on it.
        (Hint::OpenWorld, false, _, Strength::Strong) => Severity::Warning,
        (Hint::OpenWorld, false, ..) => Severity::Info,
        // Claiming that a repeat matters is cautious; only plain words say otherwise.
        (Hint::Idempotent, true, Kind::Verb | Kind::SaysReads, _) => Severity::Info,
        (Hint::Idempotent, true, _, Strength::Weak | Strength::Fair) => Severity::Info,
        (.., Strength::Weak) => Severity::Info,
        (
            ..,
            Kind::Mode | Kind::FreeForm | Kind::SaysDestroys | Kind::SaysRepeats,
            Strength::Certain,
        ) => Severity::Error,
        _ => Severity::Warning,
    }
}

/// Facts that weigh most and that no hint of the tool carries: the text alone tells of them.
fn in_prose_only(signal: &Signal, tool: &ToolReading<'_>) -> bool {
    tool.claims_nothing()
        && signal.strength >= Strength::Fair
        && matches!(signal.quote, Quote::Text { .. })
        && (signal.kind == Kind::SaysContacts
            || signal.kind == Kind::SaysDestroys && signal.label == CANNOT_BE_UNDONE)
}

fn confidence(signal: &Signal, severity: Severity) -> Confidence {
    match signal.strength {
        _ if severity == Severity::Error => Confidence::High,
        Strength::Certain | Strength::Strong => Confidence::High,
        Strength::Fair => Confidence::Medium,
        Strength::Weak => Confidence::Low,
    }
}

fn message(signal: &Signal, value: bool, claim: Claim, tool: &ToolReading<'_>) -> String {
    let statement = statement(signal, tool);
    let hint = signal.hint;
    let default = hint.default_value();
    match claim.boolean() {
        Some(claimed) => format!("{statement}, but {hint} is {claimed}"),
        None if in_prose_only(signal, tool) => {
            format!("{statement}, in prose only: no client can act on it")
        }
        None if default == value => {
            format!("{statement}; {hint} is not claimed, and the default {default} is right")
        }
        None => {
            format!("{statement}, but {hint} is not claimed and clients assume {default}")
        }
    }
}

/// What is to be seen, as the beginning of a sentence.
fn statement(signal: &Signal, tool: &ToolReading<'_>) -> String {
    let label = signal.label;
    let arguments = &tool.evidence.arguments;
    let named = |number: usize| arguments.get(number).map(|argument| argument.name.as_ref());
    match &signal.quote {
        Quote::Name { .. } => format!("by its name the tool {label}"),
        Quote::Argument { argument } => {
            format!(
                "argument `{}` {label}",
                named(*argument).unwrap_or_default()
            )
        }
        Quote::Members { argument, member } => {
            let member = arguments
                .get(*argument)
                .and_then(|argument| argument.members.get(*member));
            format!(
                "argument `{}` offers `{}`, which {label}",
                named(*argument).unwrap_or_default(),
                member.map(AsRef::as_ref).unwrap_or_default()
            )
        }
        Quote::Text { text, .. } => {
            let argument = arguments
                .iter()
                .find(|argument| argument.description == Some(*text));
            match argument {
                None if label.starts_with("says ") => format!("the description {label}"),
                None => format!("by its description the tool {label}"),
                Some(argument) if label.starts_with("says ") => {
                    format!("the description of argument `{}` {label}", argument.name)
                }
                Some(argument) => {
                    format!(
                        "by the description of argument `{}` the tool {label}",
                        argument.name
                    )
                }
            }
        }
    }
}

fn help(signal: &Signal, value: bool, tool: &ToolReading<'_>) -> String {
    if signal.hint == Hint::Destructive && reads(tool) {
        return "set readOnlyHint to true; destructiveHint then says nothing".to_owned();
    }
    match signal.kind {
        Kind::Mode => format!(
            "set {} to {}, or make a tool of each action",
            signal.hint, value
        ),
        Kind::WritingArgument => format!(
            "set {} to {}, or move the argument to a tool of its own",
            signal.hint, value
        ),
        _ => format!("set {} to {}", signal.hint, value),
    }
}
