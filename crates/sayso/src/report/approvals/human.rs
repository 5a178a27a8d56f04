//! For people at a terminal.

use sayso_core::approval::{Approval, State, Verdict};
use sayso_core::journal::{Reason, Timestamp};
use sayso_core::json::{Kind, Value};

use super::super::safe_json;
use super::super::screen::{Screen, Style};
use crate::audit_report::Presentation;

/// A line each.
pub(super) fn list(approvals: &[Approval], now: Timestamp, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    for approval in approvals {
        let binding = &approval.binding;
        let state = approval.state(now);
        let id = screen.paint(Style::Strong, &approval.id);
        let stands = screen.paint(style(state), &format!("{:<8}", state.as_str()));
        let tool = screen.paint(
            Style::Strong,
            &format!("{}/{}", binding.server, binding.tool),
        );
        let caller = screen.faintly(&format!("for {}", binding.caller));
        let when = screen.faintly(&when(approval, now));
        screen.line(&format!("{id}  {stands}  {tool}  {caller}  {when}"));
    }
    if approvals.is_empty() {
        screen.line("nothing waits");
    } else {
        screen.blank();
        screen.styled(Style::Help, "`sayso approvals show ID` shows what will run");
    }
    screen.into_text()
}

/// Everything about one.
pub(super) fn one(approval: &Approval, now: Timestamp, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    let (binding, shown) = (&approval.binding, &approval.shown);
    let state = approval.state(now);
    let title = screen.paint(
        Style::Heading,
        &format!("{}/{}", binding.server, binding.tool),
    );
    let stands = screen.paint(style(state), state.as_str());
    screen.line(&format!("{title}  {stands}  {}", when(approval, now)));
    screen.labelled(Style::Strong, "id", &approval.id);
    if let Some(name) = shown
        .served_as
        .as_ref()
        .filter(|name| **name != binding.tool)
    {
        screen.labelled(Style::Strong, "called as", name);
    }
    let client = shown.client.as_ref();
    let client = client.map_or(String::new(), |client| format!(", with {client}"));
    screen.labelled(Style::Strong, "for", &format!("{}{client}", binding.caller));
    if let Some(call) = &shown.call {
        screen.labelled(Style::Strong, "call", call);
    }
    if let Some(answer) = &approval.answer {
        let verdict = match answer.verdict {
            Verdict::Approve => "approved",
            Verdict::Deny => "denied",
        };
        let text = format!("{verdict} by {} at {}", answer.by, answer.at);
        screen.labelled(Style::Strong, "answer", &text);
    }
    screen.blank();
    reasons(&mut screen, &shown.reasons);
    arguments(&mut screen, approval);
    hints(&mut screen, approval);
    if let Some(description) = &shown.description {
        screen.labelled(Style::Strong, "the server says of it", description);
    }
    if let Some(undo) = &shown.undo {
        screen.labelled(Style::Strong, "to undo it", undo);
    }
    screen.labelled(Style::Strong, "definition", &binding.definition.to_string());
    screen.labelled(Style::Strong, "policies", &binding.policy.to_string());
    if state == State::Pending {
        screen.blank();
        let (approve, deny) = (
            format!("`sayso approvals approve {}`", approval.id),
            format!("`sayso approvals deny {}`", approval.id),
        );
        screen.styled(Style::Help, &format!("{approve} or {deny}"));
    }
    screen.into_text()
}

fn style(state: State) -> Style {
    match state {
        State::Pending => Style::Warning,
        State::Approved => Style::Good,
        State::Denied => Style::Error,
        State::Spent | State::Expired => Style::Faint,
    }
}

/// When it was opened, and how long it is good for.
fn when(approval: &Approval, now: Timestamp) -> String {
    let left = approval.expires_at.0.saturating_sub(now.0);
    match approval.state(now) {
        State::Pending | State::Approved if left >= 60_000 => {
            format!("expires in {} min", left / 60_000)
        }
        State::Pending | State::Approved => format!("expires in {} s", left / 1_000),
        State::Expired => format!("expired at {}", approval.expires_at),
        State::Denied | State::Spent => format!("opened at {}", approval.opened_at),
    }
}

fn reasons(screen: &mut Screen, reasons: &[Reason]) {
    for Reason { id, text } in reasons {
        let text = if text.is_empty() {
            id.clone()
        } else {
            format!("{text} ({id})")
        };
        screen.labelled(Style::Strong, "asked because", &text);
    }
}

/// Every argument as it will be sent, on lines.
fn arguments(screen: &mut Screen, approval: &Approval) {
    let digest = approval.binding.arguments.to_string();
    screen.labelled(Style::Strong, "arguments", &digest);
    let json = &approval.shown.arguments;
    match json.document() {
        Ok(document) => {
            let mut text = String::new();
            lay_out(document.root(), 1, &mut text);
            for line in safe_json::escape(&text).lines() {
                screen.line(&format!("  {line}"));
            }
            let mut foreign = Vec::new();
            mixed(document.root(), &mut foreign);
            for (place, word) in foreign {
                let text = format!(
                    "the word `{word}` at `{place}` has letters of more than one alphabet: {}",
                    codes(&word)
                );
                screen.labelled(Style::Warning, "mind", &text);
            }
        }
        // Deeper than is read: as it is, on one line.
        Err(_) => screen.line(&format!("  {}", safe_json::escape(json.text()))),
    }
}

/// Values in their own spelling. A document is nested no deeper than its limits allow.
fn lay_out(value: Value<'_>, depth: usize, text: &mut String) {
    let (open, close) = match value.kind() {
        Kind::Object => ('{', '}'),
        Kind::Array => ('[', ']'),
        _ => return text.push_str(value.raw()),
    };
    text.push(open);
    let mut empty = true;
    let mut next = |text: &mut String| {
        text.push_str(if empty { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth));
        empty = false;
    };
    for member in value.members() {
        next(text);
        let whole = member.value.document().text();
        text.push_str(whole.get(member.key_span.range()).unwrap_or_default());
        text.push_str(": ");
        lay_out(member.value, depth + 1, text);
    }
    for element in value.elements() {
        next(text);
        lay_out(element, depth + 1, text);
    }
    if !empty {
        text.push('\n');
        text.push_str(&"  ".repeat(depth - 1));
    }
    text.push(close);
}

/// Words with Latin letters and letters of another alphabet: they may look like other words.
fn mixed(value: Value<'_>, found: &mut Vec<(String, String)>) {
    let mut look = |text: &str, value: Value<'_>| {
        for word in text.split(|character: char| !character.is_alphanumeric()) {
            let latin = word
                .chars()
                .any(|character| character.is_ascii_alphabetic());
            if latin && word.chars().any(is_foreign) {
                let pointer = value.pointer().to_string();
                found.push((pointer, word.to_owned()));
            }
        }
    };
    if let Some(text) = value.as_str() {
        look(&text, value);
    }
    for member in value.members() {
        look(&member.key, member.value);
    }
    for member in value.members() {
        mixed(member.value, found);
    }
    for element in value.elements() {
        mixed(element, found);
    }
}

/// A letter behind the Latin blocks of Unicode (U+0000 to U+024F).
fn is_foreign(character: char) -> bool {
    character.is_alphabetic() && character > '\u{24F}'
}

/// The letters that are not Latin, by their numbers.
fn codes(word: &str) -> String {
    let codes = word
        .chars()
        .filter(|character| is_foreign(*character))
        .map(|character| format!("U+{:04X}", u32::from(character)));
    codes.collect::<Vec<_>>().join(", ")
}

/// The values of the hints, and where each comes from.
fn hints(screen: &mut Screen, approval: &Approval) {
    let Some(hints) = &approval.shown.hints else {
        return;
    };
    screen.styled(Style::Strong, "hints");
    for (hint, value) in hints.iter() {
        let provenance = screen.faintly(value.provenance.as_str());
        screen.line(&format!(
            "  {:<16} {:<5}  {provenance}",
            hint.key(),
            value.value
        ));
    }
}
