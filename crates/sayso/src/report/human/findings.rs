//! The findings: about the listing, shared by many tools, then tool by tool.

use sayso_core::finding::{Evidence, Finding, Location};
use sayso_core::hint::Claim;

use crate::audit_report::{Audited, Detail, TargetReport};

use super::super::excerpt::Excerpt;
use super::super::outline::{Outline, Shared, ToolOutline, paste, path_below};
use super::super::wording::{client_behaviour, means_something, plural, sent};
use super::screen::{Screen, Style};

/// How many tools a shared finding names.
const NAMES: usize = 60;

/// Where a finding is told: what is needed to say where it stands.
struct Place<'a> {
    target: &'a TargetReport,
    audited: &'a Audited,
    /// The pointer of the tool, which locations are told relative to.
    base: String,
}

/// Writes all findings of a listing.
pub(super) fn write(
    screen: &mut Screen,
    target: &TargetReport,
    outline: &Outline<'_>,
    detail: Detail,
) {
    let audited = outline.audited;
    let mut place = Place {
        target,
        audited,
        base: String::new(),
    };
    if !outline.whole.is_empty() {
        screen.styled(Style::Strong, "the listing as a whole");
        for found in &outline.whole {
            finding(screen, &place, found);
        }
        screen.blank();
    }
    for group in &outline.shared {
        shared(screen, outline, group, &mut place);
    }
    for tool in &outline.tools {
        if !tool.own.is_empty() || detail == Detail::Verbose {
            place.base = tool.tool.value().pointer().as_str().to_owned();
            one_tool(screen, &place, tool);
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
        let mut names: Vec<&str> = outline
            .tools_of(group)
            .take(NAMES)
            .map(|tool| tool.label.as_str())
            .collect();
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
    if let Some(tool) = outline.tools_of(group).next() {
        tool.tool
            .value()
            .pointer()
            .as_str()
            .clone_into(&mut place.base);
    }
    finding(screen, place, group.finding);
    let suggested: Vec<String> = group
        .finding
        .suggestion
        .iter()
        .filter_map(|(hint, value)| value.map(|value| format!("\"{hint}\": {value}")))
        .collect();
    if !suggested.is_empty() {
        screen.labelled_at("    ", Style::Help, "in annotations", &suggested.join(", "));
    }
    screen.blank();
}

fn one_tool(screen: &mut Screen, place: &Place<'_>, tool: &ToolOutline<'_>) {
    screen.styled(Style::Strong, &tool.label);
    values(screen, tool);
    screen.faint(&format!("  {}", client_behaviour(&tool.effective)));
    for found in &tool.own {
        finding(screen, place, found);
    }
    if !tool.shared.is_empty() {
        let mut rules: Vec<&str> = tool.shared.iter().map(|finding| finding.rule).collect();
        rules.dedup();
        screen.faint(&format!("  also, as said above: {}", rules.join(", ")));
    }
    if let Some(object) = tool.suggested() {
        screen.styled(Style::Help, "  to paste into the tool:");
        for line in paste(&object).lines() {
            screen.line(&format!("    {line}"));
        }
    }
    screen.blank();
}

/// The four values a client acts on, each with where it comes from.
fn values(screen: &mut Screen, tool: &ToolOutline<'_>) {
    if tool.claims.iter().all(|(_, claim)| *claim == Claim::Absent) {
        screen.faint(
            "  all four hints by default: may write, may destroy, not repeatable, open world",
        );
        return;
    }
    let mut claimed = Vec::new();
    let mut default = Vec::new();
    for (hint, effective) in tool.effective.hints.iter() {
        let claim = *tool.claims.get(hint);
        let moot = !means_something(hint, &tool.effective);
        match claim {
            Claim::True | Claim::False if moot => {
                claimed.push(format!("{hint}={} (means nothing here)", effective.value))
            }
            Claim::True | Claim::False => claimed.push(format!("{hint}={}", effective.value)),
            Claim::Absent if moot => {}
            Claim::Absent => default.push(format!("{hint}={}", effective.value)),
            Claim::Null | Claim::Malformed | Claim::Duplicated => {
                default.push(format!("{hint}={} ({})", effective.value, sent(claim)));
            }
        }
    }
    let parts: Vec<String> = [("claimed", claimed), ("by default", default)]
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(what, values)| format!("{what}: {}", values.join(", ")))
        .collect();
    let line = format!("  {}", parts.join(" · "));
    if textwrap::core::display_width(&line) <= screen.width() {
        screen.faint(&line);
    } else {
        for part in parts {
            screen.faint(&format!("  {part}"));
        }
    }
}

fn finding(screen: &mut Screen, place: &Place<'_>, finding: &Finding) {
    let style = Style::from(finding.severity);
    screen.labelled_at(
        "  ",
        style,
        &format!("{}[{}]", finding.severity, finding.rule),
        &finding.message,
    );
    if finding.evidence.is_empty()
        && let Some(line) = file_position(place, &finding.location)
    {
        screen.faint(&format!("    in {line}"));
    }
    for evidence in &finding.evidence {
        show_evidence(screen, place, style, evidence);
    }
    if let Some(help) = &finding.help {
        screen.labelled_at("    ", Style::Help, "help", help);
    }
}

fn show_evidence(screen: &mut Screen, place: &Place<'_>, style: Style, evidence: &Evidence) {
    let path = path_below(&place.base, &evidence.location);
    let position = file_position(place, &evidence.location);
    let place: Vec<String> = [Some(path).filter(|path| !path.is_empty()), position]
        .into_iter()
        .flatten()
        .collect();
    if !place.is_empty() {
        screen.faint(&format!("    in {}", place.join(", ")));
    }
    let margin = screen.faintly("    | ");
    let excerpt = Excerpt::new(evidence, screen.width().saturating_sub(8));
    screen.line(&format!("{margin}{}", excerpt.line()));
    let carets = screen.paint(style, &"^".repeat(excerpt.mark_width()));
    let label = screen.paint(style, &evidence.label);
    let indent = " ".repeat(excerpt.indent());
    let fits = excerpt.indent()
        + excerpt.mark_width()
        + 1
        + textwrap::core::display_width(&evidence.label);
    if fits + 8 <= screen.width() {
        screen.line(&format!("{margin}{indent}{carets} {label}"));
    } else {
        screen.line(&format!("{margin}{indent}{carets}"));
        screen.wrapped("    | ", "    | ", &evidence.label);
    }
}

/// `file:line:column`, for a saved listing.
fn file_position(place: &Place<'_>, location: &Location) -> Option<String> {
    // A finding about the listing as a whole stands nowhere in particular.
    let file = place
        .target
        .source_file()
        .filter(|_| *location != Location::default())?;
    let start = place.audited.start(location)?;
    Some(format!("{file}:{}:{}", start.line, start.column))
}
