//! Compares what a tool says with what it claims: the common part of every rule that rests
//! on a verdict.

use sayso_core::finding::{Confidence, Severity};
use sayso_core::hint::{Claim, Hint};

use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::{Contested, Kind, Quote, Signal, Strength};
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
        if claim.boolean() == Some(signal.value) || is_moot(signal, tool, claim) {
            continue;
        }
        let severity = severity(signal, claim, context.semantics);
        let mut draft = findings
            .about(meta, tool, message(signal, claim, tool))
            .severity(severity)
            .confidence(confidence(signal, severity))
            .hint(signal.hint)
            .suggest(signal.hint, signal.value);
        if signal.hint == Hint::Destructive && reads(tool) {
            draft = draft.suggest(Hint::ReadOnly, true);
        }
        if let Some(value) = tool.claims.hints.get(signal.hint).values.first() {
            draft = draft.at(tool.tool.page(), *value);
        }
        if let Some(evidence) = tool.evidence.quote(signal, tool.tool.page()) {
            draft = draft.evidence(evidence);
        }
        draft.help(help(signal, tool)).report();
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

fn severity(signal: &Signal, claim: Claim, semantics: &Semantics) -> Severity {
    if claim.boolean().is_none() {
        return Severity::Info;
    }
    if let Some(contested) = signal.contested {
        return if settled(contested, signal.value, semantics) {
            Severity::Warning
        } else {
            Severity::Info
        };
    }
    match (signal.hint, signal.value, signal.kind, signal.strength) {
        // Claiming more than a closed domain is cautious, and the field is split on it.
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

/// Whether a setting answers a contested question the way the signal does.
fn settled(contested: Contested, value: bool, semantics: &Semantics) -> bool {
    let reading = match contested {
        Contested::DeleteIdempotent => semantics.delete_is_idempotent,
        Contested::SendDestructive => semantics.send_is_destructive,
        Contested::OwnTenant => semantics.own_tenant_is_open_world,
    };
    matches!(
        (reading, value),
        (Reading::Yes, true) | (Reading::No, false)
    )
}

fn confidence(signal: &Signal, severity: Severity) -> Confidence {
    match signal.strength {
        _ if severity == Severity::Error => Confidence::High,
        Strength::Certain | Strength::Strong => Confidence::High,
        Strength::Fair => Confidence::Medium,
        Strength::Weak => Confidence::Low,
    }
}

fn message(signal: &Signal, claim: Claim, tool: &ToolReading<'_>) -> String {
    let subject = match &signal.quote {
        Quote::Name { .. } => "the name".to_owned(),
        Quote::Argument { argument } | Quote::Members { argument, .. } => {
            let name = tool
                .evidence
                .arguments
                .get(*argument)
                .map(|argument| argument.name.as_ref());
            format!("argument `{}`", name.unwrap_or_default())
        }
        Quote::Text { text, .. } => {
            let argument = tool
                .evidence
                .arguments
                .iter()
                .find(|argument| argument.description == Some(*text));
            argument.map_or_else(
                || "the description".to_owned(),
                |argument| format!("the description of argument `{}`", argument.name),
            )
        }
    };
    let (label, hint) = (signal.label, signal.hint);
    let default = hint.default_value();
    match claim.boolean() {
        Some(claimed) => format!("{subject} {label}, but {hint} is {claimed}"),
        None if default == signal.value => {
            format!("{subject} {label}; {hint} is not claimed, and the default {default} is right")
        }
        None => {
            format!("{subject} {label}, but {hint} is not claimed and clients assume {default}")
        }
    }
}

fn help(signal: &Signal, tool: &ToolReading<'_>) -> String {
    if signal.hint == Hint::Destructive && reads(tool) {
        return "set readOnlyHint to true; destructiveHint then says nothing".to_owned();
    }
    match signal.kind {
        Kind::Mode => format!(
            "set {} to {}, or make a tool of each action",
            signal.hint, signal.value
        ),
        Kind::WritingArgument => format!(
            "set {} to {}, or move the argument to a tool of its own",
            signal.hint, signal.value
        ),
        _ => format!("set {} to {}", signal.hint, signal.value),
    }
}
