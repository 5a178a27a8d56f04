//! The matrix itself, in as many bands as its width takes, and the legend of its columns.

use std::collections::BTreeSet;

use sayso_audit::hosts::{Cell, Outcome};
use textwrap::core::display_width;

use crate::audit_report::Detail;

use super::super::super::excerpt::head;
use super::super::super::screen::{Screen, Style};
use super::super::super::wording::plural;
use super::super::outline::{Group, GroupKind, Outline, Pair, Row};
use super::super::sections::Risk;
use super::super::{figures, words};

/// The widest a tool's name may be.
const NAME: usize = 34;

/// What stands between two columns.
const GAP: &str = "  ";

/// A column with the room it takes.
struct Sized<'o> {
    group: &'o Group,
    width: usize,
}

/// Writes the matrix.
pub(super) fn write(screen: &mut Screen, outline: &Outline<'_, '_>) {
    let labels: Vec<String> = outline.rows.iter().map(|row| label(outline, row)).collect();
    let label_width = labels.iter().map(|label| display_width(label)).max();
    let label_width = label_width.unwrap_or(0);
    let columns = outline.groups.iter().map(|group| Sized {
        group,
        width: width(outline, group),
    });
    let columns: Vec<Sized<'_>> = columns.collect();
    let mut left: &[Sized<'_>] = &columns;
    let mut is_first = true;
    while !left.is_empty() {
        let (band, rest) = left.split_at(fitting(screen, left, label_width));
        heads(screen, outline, band, label_width);
        for (row, label) in outline.rows.iter().zip(&labels) {
            let mut line = format!("  {}", padded(label, label, label_width));
            for column in band {
                line.push_str(GAP);
                line.push_str(&cell(screen, outline, row, column));
            }
            screen.line(&line);
            if is_first && row.tools.len() > 1 && row.tools.len() < outline.tools.len() {
                let names: Vec<String> =
                    row.tools.iter().map(|tool| outline.label(*tool)).collect();
                screen.names("    ", &names.join(", "));
            }
        }
        screen.blank();
        left = rest;
        is_first = false;
    }
    meanings(screen, outline);
}

/// How many of the columns have room side by side, one at least.
fn fitting(screen: &Screen, columns: &[Sized<'_>], label_width: usize) -> usize {
    let mut used = 2 + label_width;
    let fits = columns.iter().take_while(|column| {
        used += GAP.len() + column.width;
        used <= screen.width()
    });
    fits.count().max(1)
}

fn heads(screen: &mut Screen, outline: &Outline<'_, '_>, band: &[Sized<'_>], label_width: usize) {
    let indent = " ".repeat(2 + label_width);
    let mut names = indent.clone();
    let mut counts = indent;
    for Sized { group, width } in band {
        let name = screen.paint(Style::Strong, &group.name);
        names.push_str(GAP);
        names.push_str(&padded(&name, &group.name, *width));
        let count = count(outline, group);
        counts.push_str(GAP);
        counts.push_str(&padded(&screen.faintly(&count), &count, *width));
    }
    screen.line(&names);
    if !outline.report.settings.named {
        screen.line(&counts);
    }
}

/// How many hosts share a column.
fn count(outline: &Outline<'_, '_>, group: &Group) -> String {
    if outline.report.settings.named || group.kind == GroupKind::Model {
        String::new()
    } else {
        group.columns.len().to_string()
    }
}

fn width(outline: &Outline<'_, '_>, group: &Group) -> usize {
    let words = outline.rows.iter().filter_map(|row| {
        let pair = outline.shared_pair(row, group)?;
        Some(display_width(&pair.word()))
    });
    let heads = [
        display_width(&group.name),
        display_width(&count(outline, group)),
    ];
    words.chain(heads).max().unwrap_or(0)
}

fn cell(screen: &Screen, outline: &Outline<'_, '_>, row: &Row, column: &Sized<'_>) -> String {
    let Some(pair) = outline.shared_pair(row, column.group) else {
        return " ".repeat(column.width);
    };
    let word = pair.word();
    // What a directory accepts, it does not call.
    let risk = match column.group.kind {
        GroupKind::Directory => Some(Risk::Reads),
        GroupKind::Model | GroupKind::Hosts => row.tools.first().map(|tool| outline.risk(*tool)),
    };
    let painted = screen.paint(style(pair, risk), &word);
    padded(&painted, &word, column.width)
}

/// How a cell looks; its word says the same.
fn style(pair: Pair<'_>, risk: Option<Risk>) -> Style {
    let last = pair.after.unwrap_or(pair.before);
    if last.is_silent() {
        match risk {
            Some(Risk::Destroys | Risk::DestroysOutside) | None => Style::Error,
            Some(Risk::AddsOutside | Risk::Adds | Risk::Reads) => Style::Good,
        }
    } else if last.asks() {
        Style::Info
    } else if last.refuses() {
        Style::Warning
    } else {
        Style::Faint
    }
}

/// `shown`, with spaces behind it as if it were as wide as `text`.
fn padded(shown: &str, text: &str, width: usize) -> String {
    let spaces = " ".repeat(width.saturating_sub(display_width(text)));
    format!("{shown}{spaces}")
}

fn label(outline: &Outline<'_, '_>, row: &Row) -> String {
    let count = row.tools.len();
    if count > 1 && count == outline.tools.len() {
        return format!("all {}", plural(count, "tool"));
    }
    let name = row
        .tools
        .first()
        .map(|tool| head(&outline.label(*tool), NAME))
        .unwrap_or_default();
    match count {
        1 => name,
        _ => format!("{} like {name}", count),
    }
}

/// What the words in the cells mean, each that is there.
fn meanings(screen: &mut Screen, outline: &Outline<'_, '_>) {
    let columns = outline.treated.matrix.columns.iter();
    let after = outline.treated.overlaid.iter();
    let columns = columns.chain(after.flat_map(|overlaid| &overlaid.matrix.columns));
    let cells = columns.flat_map(|column| column.cells.iter().map(Cell::outcome));
    let there: BTreeSet<Option<Outcome>> = cells.collect();
    for outcome in Outcome::ALL.map(Some).into_iter().chain([None]) {
        if there.contains(&outcome) {
            let word = outcome.map_or("lost", Outcome::as_str);
            screen.faint(&format!("  {word}: {}", words::meaning(outcome)));
        }
    }
    screen.blank();
}

/// Says of each column which hosts it is and what the figures are.
pub(super) fn legend(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    let report = outline.report;
    for group in &outline.groups {
        let figures = figures::of_group(outline, group).join("; ");
        let names = words::names(report, &group.columns, usize::MAX);
        let text = match (report.settings.named, group.kind) {
            (true, GroupKind::Hosts) => figures,
            _ => format!("{}; {figures}", words::who(report, group)),
        };
        screen.labelled(Style::Strong, &group.name, &text);
        let is_told = !report.settings.named && group.kind != GroupKind::Model;
        if is_told && detail > Detail::Quiet {
            screen.names("  ", &names);
        }
    }
    screen.blank();
}
