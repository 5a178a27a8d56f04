//! What stands below the matrix: the sum of it, what other hints change, what is true, where
//! hosts split, and which titles people see.

use sayso_audit::hosts::{Gating, HostGating};

use textwrap::core::display_width;

use crate::audit_report::Detail;

use super::super::super::screen::{Screen, Style};
use super::super::super::wording::plural;
use super::super::outline::Outline;
use super::super::sections::{Among, Risk};
use super::super::{figures, words};

/// How many items of a kind are told unless everything is.
const ITEMS: usize = 10;

/// How many hosts an item names unless everything is told.
const HOSTS: usize = 6;

/// How many tools an item names.
const TOOLS: usize = 8;

pub(super) fn write(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    for line in figures::sum(outline) {
        screen.sentence(Style::Strong, &line);
    }
    screen.blank();
    newly_silent(screen, outline, detail);
    gating(screen, outline, detail);
    if detail > Detail::Quiet {
        splits(screen, outline, detail);
        titles(screen, outline, detail);
    }
}

fn newly_silent(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    let items = outline.newly_silent();
    if !items.is_empty() {
        screen.sentence(
            Style::Strong,
            "called silently with the other hints, and not before; riskiest first",
        );
        among(screen, outline, &items, detail);
    }
}

fn gating(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    let Some(gated) = &outline.treated.gating else {
        return;
    };
    screen.sentence(Style::Strong, &figures::ruled(outline, gated));
    table(screen, &figures::gating_rows(outline, gated));
    let last: &[HostGating<'_>] = gated.after.as_deref().unwrap_or(&gated.before);
    for (wanted, title) in [
        (
            Gating::Under,
            "asked about too little: called silently, and may destroy in truth",
        ),
        (
            Gating::Over,
            "asked about too much: a person is asked, or the tool is refused, for nothing",
        ),
    ] {
        let items = outline.gated(gated, last, wanted);
        if !items.is_empty() {
            screen.sentence(Style::Strong, title);
            among(screen, outline, &items, detail);
        }
    }
}

/// Rows of text, the first cell flush left, the others flush right.
fn table(screen: &mut Screen, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| display_width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                let spaces = " ".repeat(width.saturating_sub(display_width(cell)));
                if column == 0 {
                    format!("{cell}{spaces}")
                } else {
                    format!("{spaces}{cell}")
                }
            });
        screen.line(&format!("  {}", cells.collect::<Vec<_>>().join("  ")));
    }
    screen.blank();
}

/// Items a line each: the tools, how risky they are, the hosts.
fn among(screen: &mut Screen, outline: &Outline<'_, '_>, items: &[Among], detail: Detail) {
    let (items_told, hosts) = limits(detail);
    for item in items.iter().take(items_told) {
        screen.listed("  ", "    ", &subject(outline, item.risk, &item.tools));
        let names = words::names(outline.report, &item.columns, hosts);
        let many = words::how_many(outline.report, item.columns.len());
        screen.listed("    ", "      ", &format!("in {many}: {names}"));
    }
    more(screen, items.len(), items_told);
    screen.blank();
}

fn splits(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    let splits = outline.splits();
    if splits.is_empty() {
        return;
    }
    screen.sentence(
        Style::Strong,
        "where hosts that look at hints split, riskiest first",
    );
    let (items, hosts) = limits(detail);
    for split in splits.iter().take(items) {
        screen.listed("  ", "    ", &subject(outline, split.risk, &split.tools));
        for (what, columns) in [
            ("silent", &split.silent),
            ("asked", &split.asked),
            ("refused", &split.refused),
        ] {
            if !columns.is_empty() {
                let names = words::names(outline.report, columns, hosts);
                let text = format!("{what} in {}: {names}", columns.len());
                screen.listed("    ", "      ", &text);
            }
        }
    }
    more(screen, splits.len(), items);
    screen.blank();
}

fn titles(screen: &mut Screen, outline: &Outline<'_, '_>, detail: Detail) {
    let Some(split) = outline.titles() else {
        return;
    };
    let others = match split.tools {
        1 => String::new(),
        many => format!(" and of {}", plural(many - 1, "more tool")),
    };
    let text = format!(
        "what a person sees as the title of `{}`{others}",
        outline.label(split.tool)
    );
    screen.sentence(Style::Strong, &text);
    let (_, hosts) = limits(detail);
    for group in &split.groups {
        let text = format!(
            "{} in {}: {}",
            words::title_shown(group),
            plural(group.hosts.len(), "host"),
            words::some_of(&group.hosts, hosts)
        );
        screen.listed("  ", "    ", &text);
    }
    screen.blank();
}

/// The tools of an item and how risky they are.
fn subject(outline: &Outline<'_, '_>, risk: Risk, tools: &[usize]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| outline.label(*tool)).collect();
    let names = words::some_of(&names, TOOLS);
    let risk = risk.words();
    if tools.len() > 1 {
        format!("{} ({risk}): {names}", plural(tools.len(), "tool"))
    } else {
        format!("{names} ({risk})")
    }
}

fn limits(detail: Detail) -> (usize, usize) {
    if detail == Detail::Verbose {
        (usize::MAX, usize::MAX)
    } else {
        (ITEMS, HOSTS)
    }
}

fn more(screen: &mut Screen, all: usize, told: usize) {
    if all > told {
        screen.faint(&format!("  {} more; --verbose tells them all", all - told));
    }
}
