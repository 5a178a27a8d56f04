//! Why each host does with one tool what it does.

use crate::audit_report::Detail;

use super::super::super::screen::{Screen, Style};
use super::super::outline::Outline;
use super::super::words;

pub(super) fn write(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    for tool in &outline.tools {
        one_tool(screen, outline, *tool, detail);
    }
}

fn one_tool(screen: &mut Screen, outline: &Outline<'_, '_>, position: usize, detail: Detail) {
    screen.styled(Style::Strong, &outline.label(position));
    for line in words::assumed(outline, position) {
        screen.faint(&format!("  {line}"));
    }
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
        let text = format!("{who}: {}", words::meaning(last.outcome()));
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
    for because in words::because(column, pair) {
        screen.listed("    ", "      ", &because);
    }
    if let Some(tool) = outline.last_tool(tool) {
        screen.listed("    ", "      ", &words::reading(column, tool));
        if let Some((source, title)) = column.title(tool) {
            let text = format!("shows `{title}`, from {}", words::title_source(source));
            screen.listed("    ", "      ", &text);
        }
    }
    let behaviour = column.behaviour;
    let known = words::known(column);
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
