//! Why each host does with one tool what it does.

use sayso_audit::hosts::Column;

use crate::audit_report::Detail;

use super::super::super::screen::{Screen, Style};
use super::super::super::wording::{client_behaviour, means_something, origin};
use super::super::outline::{Outline, Pair};
use super::super::words;

pub(super) fn write(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    for tool in &outline.tools {
        one_tool(screen, outline, *tool, detail);
    }
}

fn one_tool(screen: &mut Screen, outline: &Outline<'_, '_>, position: usize, detail: Detail) {
    let (Some(tool), Some(effective)) = (outline.tool(position), outline.effective(position))
    else {
        return;
    };
    screen.styled(Style::Strong, &outline.label(position));
    let claims = tool.claims().states();
    let values: Vec<String> = effective
        .hints
        .iter()
        .filter(|(hint, _)| means_something(*hint, effective))
        .map(|(hint, value)| format!("{hint} {} ({})", value.value, origin(*claims.get(hint))))
        .collect();
    screen.faint(&format!("  {}", values.join(", ")));
    screen.faint(&format!(
        "  by the documented defaults {}",
        client_behaviour(effective)
    ));
    screen.blank();
    for group in &outline.groups {
        let Some(pair) = group
            .columns
            .first()
            .and_then(|column| outline.pair(position, *column))
        else {
            continue;
        };
        let who = words::who(outline.report, group);
        let last = pair.after.unwrap_or(pair.before);
        let text = format!("{who}: {}", words::meaning(last));
        screen.labelled(Style::Strong, &pair.word(), &text);
        for column in &group.columns {
            host(screen, outline, position, *column, detail);
        }
        screen.blank();
    }
}

fn host(
    screen: &mut Screen,
    outline: &Outline<'_, '_>,
    tool: usize,
    position: usize,
    detail: Detail,
) {
    let report = outline.report;
    let (Some(column), Some(pair)) = (report.columns.get(position), outline.pair(tool, position))
    else {
        return;
    };
    let name = format!(
        "{} in mode {}",
        words::label(report, column),
        column.mode.name
    );
    screen.styled(Style::Info, &format!("  {name}"));
    because(screen, column, pair);
    let overlaid = outline.treated.overlaid.as_ref();
    let matrix = overlaid.map_or(&outline.treated.matrix, |overlaid| &overlaid.matrix);
    if let Some(tool) = matrix.tools.get(tool) {
        screen.wrapped("    ", "      ", &words::reading(column, *tool));
        if let Some((source, title)) = column.title(*tool) {
            let text = format!("shows `{title}`, from {}", words::title_source(source));
            screen.wrapped("    ", "      ", &text);
        }
    }
    let behaviour = column.behaviour;
    let confidence = column.mode.confidence.unwrap_or(behaviour.confidence);
    let known = format!(
        "known {}, read {}, version {}",
        words::confidence(confidence),
        behaviour.date_read,
        behaviour.version
    );
    for line in [
        Some(known.as_str()),
        column.mode.needs.as_deref(),
        column.mode.note.as_deref(),
    ]
    .into_iter()
    .flatten()
    {
        screen.faint(&format!("    {line}"));
    }
    if detail == Detail::Verbose {
        for note in &behaviour.notes {
            screen.faint(&format!("    {note}"));
        }
        for bug in &behaviour.bugs {
            screen.faint(&format!("    bug: {bug}"));
        }
    }
    for source in &behaviour.sources {
        screen.faint(&format!("    source: {source}"));
    }
}

/// The rule that decides, before and after where that differs, with its note.
fn because(screen: &mut Screen, column: &Column<'_>, pair: Pair<'_>) {
    let cells = [Some(pair.before), pair.after.filter(|_| pair.changes())];
    for cell in cells.into_iter().flatten() {
        let Some(rule) = words::rule(column, cell) else {
            continue;
        };
        screen.wrapped("    ", "      ", &format!("{} by {rule}", cell.as_str()));
        let note = cell
            .decision()
            .and_then(|decision| decision.rule?.1.note.as_deref());
        if let Some(note) = note {
            screen.wrapped("      ", "      ", note);
        }
    }
}
