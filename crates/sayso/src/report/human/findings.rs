//! The findings: about the listing, shared by many tools, then tool by tool.

use sayso_audit::observed::is_about;
use sayso_core::finding::{Finding, Severity};
use sayso_core::hint::Claim;

use crate::audit_report::{Detail, TargetReport};

use super::super::outline::{
    Outline, Shared, ToolOutline, by_sentence, help_beyond_suggestion, paste, paste_line,
};
use super::super::screen::{Screen, Style};
use super::super::wording::{client_behaviour, means_something, plural, sent};
use super::evidence::{self, Place};

/// How many tools a shared finding names.
const NAMES: usize = 60;

/// Writes all findings of a listing.
pub(super) fn write(
    screen: &mut Screen,
    target: &TargetReport,
    outline: &Outline<'_>,
    detail: Detail,
) {
    let mut place = Place::new(target, &outline.positions);
    if !outline.whole.is_empty() {
        screen.styled(Style::Strong, "the listing as a whole");
        findings(screen, &place, &outline.whole);
        screen.blank();
    }
    for group in &outline.shared {
        shared(screen, outline, group, &mut place);
    }
    for tool in &outline.tools {
        if !tool.own.is_empty() || detail == Detail::Verbose {
            place.inside(tool);
            one_tool(screen, outline, &place, tool, detail);
        }
    }
}

fn shared(screen: &mut Screen, outline: &Outline<'_>, group: &Shared<'_>, place: &mut Place<'_>) {
    let all = outline.tools.len();
    let count = group.tools.len();
    if count == all {
        screen.styled(Style::Strong, &format!("all {}", plural(all, "tool")));
    } else {
        screen.styled(
            Style::Strong,
            &format!("{count} of {}", plural(all, "tool")),
        );
        let tools = outline.tools_of(group).take(NAMES);
        let mut names: Vec<&str> = tools.map(|tool| tool.label.as_str()).collect();
        let more = format!("and {} more", count.saturating_sub(NAMES));
        if count > NAMES {
            names.push(&more);
        }
        screen.wrapped("  ", "  ", &names.join(", "));
    }
    let mut behaviours = outline
        .tools_of(group)
        .map(|tool| client_behaviour(&tool.effective));
    if let Some(first) = behaviours.next()
        && behaviours.all(|behaviour| behaviour == first)
    {
        screen.faint(&format!("  {first}"));
    }
    let mut hosts = outline.tools_of(group).map(|tool| outline.hosts_of(tool));
    if let Some(Some(first)) = hosts.next()
        && hosts.all(|other| other.as_ref() == Some(&first))
    {
        screen.faint(&format!("  {first}"));
    }
    if let Some(tool) = outline.tools_of(group).next() {
        place.inside(tool);
    }
    headline(screen, group.finding);
    if !group.finding.evidence.is_empty() {
        evidence::write(screen, place, &[group.finding]);
    }
    help(screen, &[group.finding]);
    let values: Vec<String> = group
        .finding
        .suggestion
        .iter()
        .filter_map(|(hint, value)| value.map(|value| format!("\"{hint}\": {value}")))
        .collect();
    if !values.is_empty() {
        screen.labelled_at(
            "  ",
            Style::Help,
            "to put into annotations",
            &values.join(", "),
        );
    }
    screen.blank();
}

fn one_tool(
    screen: &mut Screen,
    outline: &Outline<'_>,
    place: &Place<'_>,
    tool: &ToolOutline<'_>,
    detail: Detail,
) {
    screen.styled(Style::Strong, &tool.label);
    if let Some(place) = outline.audited.registered_at(Some(tool.tool.position())) {
        screen.faint(&format!("  registered at {}:{}", place.file, place.line));
    }
    values(screen, tool);
    if let Some(hosts) = outline.hosts_of(tool) {
        screen.faint(&format!("  {hosts}"));
    }
    let (unstated, told): (Vec<&Finding>, Vec<&Finding>) = tool
        .own
        .iter()
        .partition(|finding| detail != Detail::Verbose && default_is_right(tool, finding));
    findings(screen, place, &told);
    defaults_that_are_right(screen, &unstated);
    // What is said of all tools need not be said again.
    let mut rules: Vec<&str> = tool
        .shared
        .iter()
        .filter(|shared| shared.tools < outline.tools.len())
        .map(|shared| shared.finding.rule)
        .collect();
    rules.dedup();
    if !rules.is_empty() {
        screen.faint(&format!("  also, as said above: {}", rules.join(", ")));
    }
    if let Some(object) = tool.suggested() {
        let line = paste_line(&object);
        let label = "to paste into the tool";
        if label.len() + textwrap::core::display_width(&line) + 4 <= screen.width() {
            screen.labelled_at("  ", Style::Help, label, &line);
        } else {
            screen.styled(Style::Help, &format!("  {label}:"));
            for line in paste(&object).lines() {
                screen.line(&format!("    {line}"));
            }
        }
    }
    screen.blank();
}

/// The four values a client acts on with where each comes from, and what it will do.
fn values(screen: &mut Screen, tool: &ToolOutline<'_>) {
    let behaviour = client_behaviour(&tool.effective);
    if tool.claims.iter().all(|(_, claim)| *claim == Claim::Absent) {
        screen.faint(&format!("  all four hints by default; {behaviour}"));
        return;
    }
    let mut claimed = Vec::new();
    let mut default = Vec::new();
    for (hint, effective) in tool.effective.hints.iter() {
        let claim = *tool.claims.get(hint);
        let moot = !means_something(hint, &tool.effective);
        let value = format!("{hint}={}", effective.value);
        match claim {
            Claim::True | Claim::False if moot => {
                claimed.push(format!("{value} (means nothing here)"))
            }
            Claim::True | Claim::False => claimed.push(value),
            Claim::Absent if moot => {}
            Claim::Absent => default.push(value),
            Claim::Null | Claim::Malformed | Claim::Duplicated => {
                default.push(format!("{value} ({})", sent(claim)));
            }
        }
    }
    for (what, values) in [("claimed", claimed), ("by default", default)] {
        if !values.is_empty() {
            screen.faint(&format!("  {what}: {}", values.join(", ")));
        }
    }
    screen.faint(&format!("  {behaviour}"));
}

/// Whether a finding only says that the default of a silent hint is right: worth a line, not a block.
fn default_is_right(tool: &ToolOutline<'_>, finding: &Finding) -> bool {
    let Some(hint) = finding.hint else {
        return false;
    };
    // What was seen at work is worth seeing.
    finding.severity == Severity::Info
        && !is_about(finding.rule)
        && *tool.claims.get(hint) == Claim::Absent
        && *finding.suggestion.get(hint) == Some(hint.default_value())
}

fn defaults_that_are_right(screen: &mut Screen, findings: &[&Finding]) {
    let values: Vec<String> = findings
        .iter()
        .filter_map(|finding| {
            let hint = finding.hint?;
            let why = finding
                .evidence
                .first()
                .map(|evidence| evidence.label.as_str());
            let why = why.map_or_else(String::new, |why| format!(" ({why})"));
            Some(format!("{hint}={}{why}", hint.default_value()))
        })
        .collect();
    if !values.is_empty() {
        screen.labelled_at(
            "  ",
            Style::from(Severity::Info),
            "info",
            &format!("unsaid, and the default is right: {}", values.join(", ")),
        );
    }
}

/// Findings, those that rest on one sentence together.
fn findings(screen: &mut Screen, place: &Place<'_>, findings: &[&Finding]) {
    for group in by_sentence(findings) {
        for finding in &group {
            headline(screen, finding);
        }
        evidence::write(screen, place, &group);
        help(screen, &group);
    }
}

fn headline(screen: &mut Screen, finding: &Finding) {
    let style = Style::from(finding.severity);
    let label = format!("{}[{}]", finding.severity, finding.rule);
    screen.labelled_at("  ", style, &label, &finding.message);
}

fn help(screen: &mut Screen, findings: &[&Finding]) {
    let mut helps: Vec<&str> = findings
        .iter()
        .filter_map(|finding| help_beyond_suggestion(finding))
        .collect();
    helps.dedup();
    for help in helps {
        screen.labelled_at("    ", Style::Help, "help", help);
    }
}
