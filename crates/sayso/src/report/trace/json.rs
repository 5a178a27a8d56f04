//! A versioned JSON document.

use std::io;

use sayso_core::hint::{Claim, Hints};
use serde_json::{Value, json};

use crate::trace::{End, GateLeg, Leg, ListedTool, Revision, Row, Trace, Trial, TrialKind};

use super::wording;
use crate::report::safe_json;

/// The version of the document; a new one for every change that readers could stumble over.
const VERSION: u32 = 1;

/// The document, indented.
pub(super) fn render(trace: &Trace<'_>) -> io::Result<String> {
    let host = trace.host;
    let document = json!({
        "version": VERSION,
        "server": {
            "target": trace.target,
            "name": trace.server.name,
            "version": trace.server.version,
            "protocolVersion": trace.server.protocol_version,
            "era": trace.server.era,
        },
        "listing": trace.listing.iter().map(listed).collect::<Vec<_>>(),
        "host": {
            "id": host.host.id,
            "name": host.host.name,
            "mode": host.mode.id,
            "version": host.behaviour.version,
            "dateRead": host.behaviour.date_read,
            "confidence": host.behaviour.confidence,
            "stale": trace.stale_since.is_some(),
        },
        "bare": leg(&trace.bare),
        "gated": leg(&trace.gated),
        "gate": trace.gateway.as_ref().map(gateway),
        "trials": trace.trials.iter().map(trial).collect::<Vec<_>>(),
        "changes": trace.revisions.iter().map(revision).collect::<Vec<_>>(),
        "seen": wording::bare_lesson(trace)
            .into_iter()
            .chain(wording::host_lessons(&trace.gated))
            .collect::<Vec<_>>(),
        "notes": trace.notes,
    });
    let mut text = safe_json::to_string_pretty(&document)?;
    text.push('\n');
    Ok(text)
}

fn claims(claims: &Hints<Claim>) -> Value {
    let members = claims.iter();
    members
        .map(|(hint, claim)| (hint.key().to_owned(), json!(claim)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn listed(tool: &ListedTool) -> Value {
    json!({ "tool": tool.name, "declares": claims(&tool.claims), "titleShown": tool.title })
}

fn leg(leg: &Leg) -> Value {
    json!({
        "calls": leg.rows.iter().map(row).collect::<Vec<_>>(),
        "store": leg.effects,
    })
}

fn row(row: &Row) -> Value {
    json!({
        "tool": row.tool,
        "arguments": serde_json::from_str::<Value>(&row.arguments).unwrap_or_default(),
        "declares": row.declares.as_ref().map(claims),
        "gate": wording::gate(row.gate),
        "because": row.because,
        "confined": row.confined,
        "asked": row.asked,
        "answer": row.answer.map(|answer| answer.as_str()),
        "sent": row.sent,
        "retried": row.retried(),
        "unanswered": row.unanswered,
        "outcome": outcome(&row.end),
        "code": code(&row.end),
        "told": wording::end(row),
        "text": text(&row.end),
        "arrived": row.arrived,
        "store": row.effects,
    })
}

const fn outcome(end: &End) -> &'static str {
    match end {
        End::Answered(_) => "answered",
        End::ToolError(_) => "tool-error",
        End::Refused(_) => "refused-by-server",
        End::InputRequired => "input-required",
        End::NoAnswer => "no-answer",
        End::ConnectionLost(_) => "connection-lost",
        End::Malformed(_) => "malformed",
        End::PersonRefused => "refused-by-person",
        End::PersonSilent => "person-silent",
        End::HostRefused => "refused-by-host",
        End::GateRefused { .. } => "refused-by-gate",
        End::Undecided => "undecided",
        End::NotSent(_) => "not-sent",
    }
}

fn text(end: &End) -> Option<&str> {
    match end {
        End::Answered(text)
        | End::ToolError(text)
        | End::Refused(text)
        | End::ConnectionLost(text)
        | End::Malformed(text)
        | End::NotSent(text)
        | End::GateRefused { said: text, .. } => Some(text),
        _ => None,
    }
}

/// The code of a refusal by the gate.
fn code(end: &End) -> Option<&str> {
    match end {
        End::GateRefused { code, .. } => Some(code),
        _ => None,
    }
}

fn gateway(gateway: &GateLeg) -> Value {
    json!({
        "policies": gateway.policies,
        "trust": gateway.trust,
        "calls": gateway.leg.rows.iter().map(row).collect::<Vec<_>>(),
        "store": gateway.leg.effects,
    })
}

fn trial(trial: &Trial) -> Value {
    json!({
        "server": match trial.kind {
            TrialKind::Lies => "lies",
            TrialKind::ChangesSilently => "changes-silently",
            TrialKind::ChangesAndTells => "changes-and-tells",
            TrialKind::IgnoresAuthority => "ignores-authority",
        },
        "bare": row(&trial.bare),
        "host": row(&trial.host),
        "gate": row(&trial.gate.row),
        "trust": trial.gate.trust,
        "goesOn": trial.gate.goes_on.as_ref().map(row),
        "confined": trial.confined.as_ref().map(|confined| row(&confined.row)),
    })
}

fn revision(revision: &Revision) -> Value {
    json!({
        "told": revision.told,
        "tool": revision.tool,
        "declaredBefore": claims(&revision.declared_before),
        "declaredAfter": claims(&revision.declared_after),
        "heard": revision.heard,
        "listedAgain": revision.listed_again,
        "profile": revision.profile,
        "actsOnOldValues": wording::acts_on_old_values(revision),
        "before": row(&revision.before),
        "after": row(&revision.after),
    })
}
