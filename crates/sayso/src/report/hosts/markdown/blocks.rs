//! What stands below the matrix.

use std::fmt::Write as _;

use sayso_audit::hosts::{Gating, HostGating};

use super::super::super::comment::Comment;
use super::super::super::escape::{code, text};
use super::super::super::wording::plural;
use super::super::outline::Outline;
use super::super::sections::{Among, Risk};
use super::super::{figures, words};
use super::folded;

pub(super) fn push(comment: &mut Comment, outline: &Outline<'_, '_>) {
    let newly = outline.newly_silent();
    if !newly.is_empty() {
        let title = "Called silently with the other hints, and not before; riskiest first";
        comment.push(folded(title, &among(outline, &newly)));
    }
    gating(comment, outline);
    splits(comment, outline);
    titles(comment, outline);
}

fn among(outline: &Outline<'_, '_>, items: &[Among]) -> String {
    let mut block = String::new();
    for item in items {
        let many = words::how_many(outline.report, item.columns.len());
        let names = text(&words::names(outline.report, &item.columns, usize::MAX));
        let subject = subject(outline, item.risk, &item.tools);
        // Writing to a string cannot fail.
        let _ = writeln!(block, "- {subject}: in {many}: {names}");
    }
    block
}

fn gating(comment: &mut Comment, outline: &Outline<'_, '_>) {
    let Some(gated) = &outline.treated.gating else {
        return;
    };
    let mut block = format!(
        "{}.\n\n",
        text(&words::capital(&figures::ruled(outline, gated)))
    );
    for (position, row) in figures::gating_rows(outline, gated).iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| text(cell)).collect();
        let _ = writeln!(block, "| {} |", cells.join(" | "));
        if position == 0 {
            let _ = writeln!(block, "|---|{}", "--:|".repeat(row.len().saturating_sub(1)));
        }
    }
    block.push('\n');
    comment.push(block);
    let last: &[HostGating<'_>] = gated.after.as_deref().unwrap_or(&gated.before);
    for (wanted, title) in [
        (
            Gating::Under,
            "Asked about too little: called silently, and may destroy in truth",
        ),
        (
            Gating::Over,
            "Asked about too much: a person is asked, or the tool is refused, for nothing",
        ),
    ] {
        let items = outline.gated(gated, last, wanted);
        if !items.is_empty() {
            comment.push(folded(title, &among(outline, &items)));
        }
    }
}

fn splits(comment: &mut Comment, outline: &Outline<'_, '_>) {
    let mut block = String::new();
    for split in outline.splits() {
        let _ = writeln!(block, "- {}", subject(outline, split.risk, &split.tools));
        for (what, columns) in [
            ("silent", &split.silent),
            ("asked", &split.asked),
            ("refused", &split.refused),
        ] {
            if !columns.is_empty() {
                let names = text(&words::names(outline.report, columns, usize::MAX));
                let _ = writeln!(block, "  - {what} in {}: {names}", columns.len());
            }
        }
    }
    if !block.is_empty() {
        let title = "Where hosts that look at hints split, riskiest first";
        comment.push(folded(title, &block));
    }
}

fn titles(comment: &mut Comment, outline: &Outline<'_, '_>) {
    let Some(split) = outline.titles() else {
        return;
    };
    let others = match split.tools {
        1 => String::new(),
        many => format!(" and of {}", plural(many - 1, "more tool")),
    };
    let tool = code(&outline.label(split.tool));
    let mut block = format!("What a person sees as the title of {tool}{others}:\n\n");
    for group in &split.groups {
        let _ = writeln!(
            block,
            "- {} in {}: {}",
            text(&words::title_shown(group)),
            plural(group.hosts.len(), "host"),
            text(&group.hosts.join(", "))
        );
    }
    comment.push(folded("Titles people see", &block));
}

fn subject(outline: &Outline<'_, '_>, risk: Risk, tools: &[usize]) -> String {
    let names: Vec<String> = tools
        .iter()
        .map(|tool| code(&outline.label(*tool)))
        .collect();
    let names = names.join(", ");
    let risk = risk.words();
    if tools.len() > 1 {
        format!("{} ({risk}): {names}", plural(tools.len(), "tool"))
    } else {
        format!("{names} ({risk})")
    }
}
