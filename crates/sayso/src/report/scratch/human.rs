//! For people at a terminal.

use std::collections::BTreeMap;

use sayso_core::hint::Hint;
use sayso_scratch::report::{Observed, ObservedCall, ObservedTool};

use super::wording;
use crate::audit_report::Presentation;
use crate::profile_check::{ProfileCheck, Verdict};
use crate::report::screen::{Screen, Style};

/// The whole report.
pub(super) fn render(
    observed: &Observed,
    profiles: &[ProfileCheck<'_>],
    presentation: &Presentation,
) -> String {
    let mut screen = Screen::new(presentation);
    match &observed.began {
        None => screen.faint("nothing is in this journal"),
        Some(began) => screen.faint(&format!(
            "from {began}, {} long; times count from there",
            wording::seconds(observed.duration_ms)
        )),
    }
    screen.blank();
    clients(&mut screen, observed);
    settings(&mut screen, observed);
    changes(&mut screen, observed);
    tools(&mut screen, observed);
    calls(&mut screen, observed);
    store(&mut screen, observed);
    for profile in profiles {
        held(&mut screen, profile);
    }
    for bad in &observed.bad_lines {
        screen.labelled(Style::Warning, "not read", &bad.to_string());
    }
    screen.into_text()
}

/// A profile held against what was seen: what differs first.
fn held(screen: &mut Screen, check: &ProfileCheck<'_>) {
    let (host, mode) = (check.column.host, check.column.mode);
    screen.styled(
        Style::Heading,
        &format!("the profile of {}, mode {}", host.name, mode.name),
    );
    let clients: Vec<String> = check
        .clients
        .iter()
        .map(|at| (at + 1).to_string())
        .collect();
    screen.faint(&match clients.as_slice() {
        [one] => format!("held against what client {one} did"),
        _ => format!("held against what clients {} did", clients.join(", ")),
    });
    screen.blank();
    for fact in &check.facts {
        let style = match fact.verdict {
            Verdict::Differs => Style::Error,
            Verdict::New => Style::Info,
            Verdict::Agrees => Style::Good,
            Verdict::NotSeen => Style::Faint,
        };
        let words = format!(
            "{}: profile: {}; seen: {}",
            fact.about, fact.profile, fact.seen
        );
        screen.labelled_at("  ", style, fact.verdict.as_str(), &words);
    }
    screen.blank();
}

fn clients(screen: &mut Screen, observed: &Observed) {
    screen.styled(Style::Heading, "who connected");
    screen.blank();
    if observed.clients.is_empty() {
        screen.faint("  nobody");
    }
    for (index, client) in observed.clients.iter().enumerate() {
        let name = screen.paint(Style::Strong, &wording::name(client));
        screen.line(&format!("  {}  {name}", index + 1));
        screen.wrapped("     ", "     ", &wording::connection(client));
        screen.wrapped("     ", "     ", &wording::course(client));
        for error in &client.protocol_errors {
            let error = format!("protocol error {}: {}", error.code, error.message);
            screen.sentence(Style::Warning, &format!("     {error}"));
        }
    }
    screen.blank();
}

fn settings(screen: &mut Screen, observed: &Observed) {
    let is_default = observed.settings.iter().all(|set| set.settings.is_empty());
    if is_default {
        return;
    }
    screen.styled(Style::Heading, "what was set");
    screen.blank();
    let nothing = BTreeMap::new();
    let mut before = &nothing;
    for set in &observed.settings {
        let words = wording::settings(before, &set.settings);
        let at = wording::seconds(set.at_ms);
        screen.wrapped("  ", "    ", &format!("from {at}: {words}"));
        before = &set.settings;
    }
    screen.blank();
}

fn changes(screen: &mut Screen, observed: &Observed) {
    if observed.listing_changes.is_empty() {
        return;
    }
    screen.styled(Style::Heading, "when the listing changed");
    screen.blank();
    for change in &observed.listing_changes {
        screen.sentence(Style::Strong, &format!("  {}", wording::change(change)));
        if change.reactions.is_empty() {
            screen.faint("    no client was connected that had the listing");
        }
        for reaction in &change.reactions {
            let words = wording::reaction(observed, reaction);
            screen.wrapped("    ", "      ", &words);
        }
    }
    screen.blank();
}

fn tools(screen: &mut Screen, observed: &Observed) {
    if observed.tools.is_empty() {
        return;
    }
    let names = observed.tools.iter().map(|tool| tool.name.chars().count());
    let width = names.max().unwrap_or_default().clamp(4, 40) + 2;
    screen.styled(Style::Heading, "what the tools declare");
    screen.blank();
    let hints = Hint::ALL.map(|hint| format!("{:<13}", hint.key().trim_end_matches("Hint")));
    screen.styled(
        Style::Faint,
        &format!("  {:<width$}{}", "tool", hints.concat()),
    );
    for tool in &observed.tools {
        declared(screen, tool, width);
    }
    screen.blank();
    if observed.calls.is_empty() {
        screen.faint("no tool was called");
        screen.blank();
        return;
    }
    screen.styled(Style::Heading, "how they were called");
    screen.blank();
    let heads: String = COLUMNS
        .iter()
        .map(|(head, _)| format!("{head:<width$}", width = head.len() + 2))
        .collect();
    screen.styled(Style::Faint, &format!("  {:<width$}{heads}", "tool"));
    for tool in observed.tools.iter().filter(|tool| is_called(tool)) {
        let name = screen.paint(Style::Strong, &format!("{:<width$}", tool.name));
        let counts: String = COLUMNS
            .iter()
            .map(|(head, count)| format!("{:<width$}", count(tool), width = head.len() + 2))
            .collect();
        screen.line(&format!("  {name}{counts}"));
    }
    let rest = observed.tools.iter().filter(|tool| !is_called(tool));
    let rest: Vec<&str> = rest.map(|tool| tool.name.as_str()).collect();
    if !rest.is_empty() {
        screen.faint(&format!("  not called: {}", rest.join(", ")));
    }
    screen.blank();
}

/// What is counted of a tool, under which head.
type Column = (&'static str, fn(&ObservedTool) -> u64);

const COLUMNS: [Column; 8] = [
    ("calls", |tool| tool.counts.calls),
    ("repeats", |tool| tool.counts.repeats),
    ("parallel", |tool| tool.counts.at_the_same_time),
    ("results", |tool| tool.counts.results),
    ("failures", |tool| tool.counts.failures),
    ("cancelled", |tool| tool.counts.cancelled),
    ("unanswered", |tool| tool.counts.without_answer),
    ("asked", |tool| tool.counts.asked),
];

fn is_called(tool: &ObservedTool) -> bool {
    tool.counts.calls > 0
}

/// A line, and one more for each other thing the tool declared when it was called.
fn declared(screen: &mut Screen, tool: &ObservedTool, width: usize) {
    let name = screen.paint(Style::Strong, &format!("{:<width$}", tool.name));
    if tool.declared.is_empty() {
        screen.line(&format!("  {name}not listed"));
    }
    for (index, declared) in tool.declared.iter().enumerate() {
        let claims = Hint::ALL.map(|hint| format!("{:<13}", wording::claim(declared.get(hint))));
        let claims = claims.concat();
        let shape = wording::shape(declared).unwrap_or_default();
        if index == 0 {
            screen.line(&format!("  {name}{claims}{shape}"));
        } else {
            screen.line(&format!("  {:<width$}{claims}{shape}", "then"));
        }
    }
}

fn calls(screen: &mut Screen, observed: &Observed) {
    if observed.calls.is_empty() {
        return;
    }
    screen.styled(Style::Heading, "every call");
    screen.blank();
    let several = observed.clients.len() > 1;
    for call in &observed.calls {
        let time = wording::seconds(call.at_ms);
        let name = screen.paint(Style::Strong, &call.tool);
        let who = if several {
            format!("client {}, ", call.client + 1)
        } else {
            String::new()
        };
        let end = screen.paint(style(call), &wording::end(call));
        let id = screen.paint(Style::Faint, &format!("{who}id {}", call.request_id));
        screen.line(&format!("{time:>12}  {name}  {id}  {end}"));
        if let Some(arguments) = &call.arguments {
            screen.sentence(Style::Faint, &format!("              {}", arguments));
        }
        for remark in wording::remarks(observed, call) {
            screen.wrapped("              ", "                ", &remark);
        }
    }
    screen.blank();
}

fn style(call: &ObservedCall) -> Style {
    use sayso_scratch::report::CallEnd;
    match call.end {
        CallEnd::Result => Style::Good,
        CallEnd::InputRequired => Style::Info,
        _ => Style::Warning,
    }
}

fn store(screen: &mut Screen, observed: &Observed) {
    let Some(store) = &observed.store else { return };
    screen.styled(Style::Heading, "the store afterwards");
    screen.blank();
    if store.changes.is_empty() {
        screen.line("  as before");
    }
    for change in &store.changes {
        screen.line(&format!("  {change}"));
    }
    screen.blank();
}
