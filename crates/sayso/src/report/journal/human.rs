//! For people: a line an entry, and below it what a line does not hold.

use sayso_core::approval::Verdict;
use sayso_core::journal::{Call, Kept, Outcome, OutcomeKind, Reason, Record};

use super::super::screen::{Screen, Style};
use super::{Row, Standing};
use crate::audit_report::Presentation;

/// What stands before everything below an entry's line.
const INDENT: &str = "        ";

pub(super) fn render(rows: &[Row], presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    for row in rows {
        entry(&mut screen, row);
    }
    screen.into_text()
}

fn entry(screen: &mut Screen, row: &Row) {
    let entry = &row.entry;
    let (style, what) = told(&entry.record);
    let mut line = format!(
        "{:>6}  {}  {}",
        entry.seq,
        screen.faintly(&entry.at.to_string()),
        screen.paint(style, &format!("{:<16}", entry.record.kind()))
    );
    if let Some(subject) = subject(&entry.record) {
        line.push_str("  ");
        line.push_str(&screen.paint(Style::Strong, &subject));
    }
    if !what.is_empty() {
        line.push_str("  ");
        line.push_str(&screen.paint(Style::Info, &what));
    }
    match row.standing {
        Standing::Told => {}
        Standing::Running => line.push_str(&format!("  {}", screen.faintly("still running"))),
        Standing::Unknown => {
            let unknown = screen.paint(Style::Warning, "outcome unknown");
            line.push_str(&format!("  {unknown}"));
        }
    }
    if let Some(call) = entry.record.call() {
        line.push_str(&format!("  {}", screen.faintly(&format!("call {call}"))));
    }
    screen.line(&line);
    below(screen, &entry.record);
}

/// Which tool or server it is about.
fn subject(record: &Record) -> Option<String> {
    match (record.server(), record.tool()) {
        (Some(server), Some(tool)) => Some(format!("{server}/{tool}")),
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (None, None) => None,
    }
}

/// How it is shown, and what happened in a word or two.
fn told(record: &Record) -> (Style, String) {
    match record {
        Record::Started(started) => (Style::Good, format!("sayso {}", started.version)),
        Record::Stopped(stopped) => (Style::Faint, stopped.reason.clone()),
        Record::Intent(call) => (Style::Strong, decided(call)),
        Record::Outcome(outcome) => outcome_told(outcome),
        Record::Permitted(call) => (Style::Faint, permitted(call)),
        Record::Refused(refused) => (Style::Error, refused.code.to_string()),
        Record::ApprovalOpened(opened) => (Style::Warning, opened.approval.clone()),
        Record::ApprovalDecided(decided) => match decided.verdict {
            Verdict::Approve => (
                Style::Good,
                format!("{} approved by {}", decided.approval, decided.by),
            ),
            Verdict::Deny => (
                Style::Error,
                format!("{} denied by {}", decided.approval, decided.by),
            ),
        },
        Record::ApprovalSpent(spent) => (Style::Faint, spent.approval.clone()),
        Record::Drift(drift) => {
            let held = if drift.blocked { ", held back" } else { "" };
            (Style::Warning, format!("{}{held}", drift.direction))
        }
        Record::ServerUp(up) => {
            let name = up.implementation.as_deref().unwrap_or_default();
            (Style::Good, format!("{} {name}", up.era).trim().to_owned())
        }
        Record::ServerDown(down) => (Style::Error, down.reason.clone()),
        Record::Listing(listing) => {
            let rest = if listing.complete { "" } else { ", incomplete" };
            (
                Style::Faint,
                format!("{} tools, {} held back{rest}", listing.tools, listing.held),
            )
        }
        Record::Settings(settings) => match settings.taken_up {
            true => (Style::Good, "taken up".to_owned()),
            false => (Style::Error, "not taken up".to_owned()),
        },
        Record::Evidence(evidence) => (
            Style::Warning,
            format!(
                "{} contradicted: refused by the kernel",
                evidence.hint.key()
            ),
        ),
    }
}

/// What was let through that is no call: the method, or what is done with what.
fn permitted(call: &Call) -> String {
    let method = call.method.as_deref().unwrap_or_default();
    let what = call.served_as.as_deref().unwrap_or_default();
    format!("{method} {what}").trim().to_owned()
}

fn decided(call: &Call) -> String {
    let decision = call.decision.map_or("", |decision| decision.as_str());
    let confined = call.confined.as_ref();
    let confined = confined.map_or(String::new(), |mode| format!(", confined ({mode})"));
    match call.attempt {
        0 | 1 => format!("{decision}{confined}"),
        attempt => format!("{decision}{confined}, attempt {attempt}"),
    }
}

fn outcome_told(outcome: &Outcome) -> (Style, String) {
    let style = match outcome.outcome {
        OutcomeKind::Result => Style::Good,
        OutcomeKind::ToolError | OutcomeKind::Error => Style::Error,
        OutcomeKind::InputRequired => Style::Info,
        _ => Style::Warning,
    };
    let (kind, millis) = (outcome.outcome.as_str(), outcome.duration_ms);
    (style, format!("{kind} after {millis} ms"))
}

/// What a line does not hold.
fn below(screen: &mut Screen, record: &Record) {
    match record {
        Record::Intent(call) | Record::Permitted(call) => of_call(screen, call),
        Record::Refused(refused) => {
            screen.wrapped(INDENT, INDENT, &refused.said);
            of_call(screen, &refused.call);
        }
        Record::Outcome(outcome) => {
            if let Some(said) = &outcome.said {
                screen.wrapped(INDENT, INDENT, said);
            }
        }
        Record::ApprovalOpened(opened) => reasons(screen, &opened.reasons),
        Record::Drift(drift) => {
            for change in &drift.changes {
                screen.wrapped(INDENT, INDENT, change);
            }
        }
        Record::Settings(settings) => {
            for said in &settings.said {
                screen.wrapped(INDENT, INDENT, said);
            }
        }
        Record::Evidence(evidence) => screen.wrapped(INDENT, INDENT, &evidence.witness),
        _ => {}
    }
}

fn of_call(screen: &mut Screen, call: &Call) {
    if !call.caller.is_empty() {
        let client = call.client.as_deref();
        let client = client.map_or(String::new(), |client| format!(" with {client}"));
        screen.wrapped(INDENT, INDENT, &format!("{}{client}", call.caller));
    }
    reasons(screen, &call.reasons);
    let Some(arguments) = &call.arguments else {
        return;
    };
    let kept = match (arguments.kept, &arguments.value) {
        (Kept::Digest, _) | (_, None) => arguments.digest.to_string(),
        (Kept::Whole | Kept::Redacted, Some(value)) => value.text().to_owned(),
    };
    screen.wrapped(&format!("{INDENT}arguments "), INDENT, &kept);
}

fn reasons(screen: &mut Screen, reasons: &[Reason]) {
    for Reason { id, text } in reasons {
        let text = if text.is_empty() {
            id.clone()
        } else {
            format!("{id}: {text}")
        };
        screen.wrapped(INDENT, INDENT, &text);
    }
}
