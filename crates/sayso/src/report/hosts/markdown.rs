//! Markdown for a comment on a pull request: the matrix with the columns that are alike under
//! one letter, what they are, and what to make of it; long tables are folded away.
//!
//! Server text must not do anything there: it stands in code spans, or with its punctuation
//! escaped.

mod blocks;
mod list;
mod why;

use std::fmt::Write as _;

use super::super::comment::Comment;
use super::super::escape::{self, code, fenced, text};
use super::super::wording::{self, plural};
use super::outline::{Group, Outline, Row};
use super::{figures, words};
use crate::hosts_report::{HostsReport, HostsTarget};

/// The comment, cut to what GitHub takes behind a whole block.
pub(super) fn render(report: &HostsReport<'_>) -> String {
    let real = plural(report.host_columns().len(), "host");
    let head = if report.targets.is_empty() {
        "## sayso hosts\n\n".to_owned()
    } else {
        format!("## sayso hosts: what {real} do\n\n")
    };
    let footer = format!(
        "<sub>sayso {}. `sayso hosts --tool NAME` says why each host does what it does.</sub>\n",
        report.version
    );
    let mut comment = Comment::new(head, "sayso hosts", footer);
    if report.settings.list {
        list::push(&mut comment, report);
    }
    for target in &report.targets {
        self::target(&mut comment, report, target);
    }
    if !report.targets.is_empty() {
        stale(&mut comment, report);
    }
    for note in &report.notes {
        comment.push(format!("> {}\n\n", text(note)));
    }
    comment.finish()
}

fn target(comment: &mut Comment, report: &HostsReport<'_>, target: &HostsTarget<'_>) {
    let listing = target.outcome.as_ref().ok().map(|treated| treated.listing);
    let about: Vec<String> = wording::about(listing, target.target, target.configured_in)
        .iter()
        .map(|part| text(part))
        .collect();
    let mut head = format!("### {}\n\n{}\n\n", text(target.name), about.join(" · "));
    let treated = match &target.outcome {
        Ok(treated) => treated,
        Err(error) => {
            let _ = writeln!(head, "🔴 **could not be read:** {}\n", text(&error.message));
            if let Some(hint) = &error.hint {
                let _ = writeln!(head, "hint: {}\n", text(hint));
            }
            if !error.details.is_empty() {
                let _ = writeln!(head, "{}", fenced("text", &error.details.join("\n")));
            }
            return comment.push(head);
        }
    };
    if let Some(why) = wording::incomplete(treated.listing) {
        let _ = writeln!(head, "🔴 **incomplete listing:** {}\n", text(why));
    }
    let outline = Outline::new(report, treated, true);
    if report.settings.tool.is_some() {
        comment.push(head);
        return why::push(comment, &outline);
    }
    for line in figures::sum(&outline) {
        let _ = writeln!(head, "{}.\n", text(&words::capital(&line)));
    }
    comment.push(head);
    if treated.matrix.tools.is_empty() {
        return comment.push("The listing has no tools.\n\n".to_owned());
    }
    comment.push(table(&outline, &outline.rows));
    comment.push(legend(&outline));
    if outline.rows.len() < outline.tools.len() {
        let rows: Vec<Row> = outline
            .tools
            .iter()
            .map(|tool| Row { tools: vec![*tool] })
            .collect();
        let table = table(&outline, &rows);
        comment.push(folded("A row for every tool", &table));
    }
    blocks::push(comment, &outline);
}

/// The matrix, a row for each of `rows`.
fn table(outline: &Outline<'_, '_>, rows: &[Row]) -> String {
    let mut table = String::from("| |");
    for group in &outline.groups {
        let _ = write!(table, " {} |", text(&group.name));
    }
    table.push_str("\n|---|");
    table.push_str(&"---|".repeat(outline.groups.len()));
    table.push('\n');
    for row in rows {
        let _ = write!(table, "| {} |", label(outline, row));
        for group in &outline.groups {
            let pair = outline.shared_pair(row, group);
            let word = pair.map(|pair| match pair.changes() {
                true => format!("**{}**", pair.word()),
                false => pair.word(),
            });
            let _ = write!(table, " {} |", word.unwrap_or_default());
        }
        table.push('\n');
    }
    table.push('\n');
    table
}

fn label(outline: &Outline<'_, '_>, row: &Row) -> String {
    let count = row.tools.len();
    if count > 1 && count == outline.tools.len() {
        return format!("all {}", plural(count, "tool"));
    }
    let first = row
        .tools
        .first()
        .map(|tool| cell_code(&outline.label(*tool)));
    let first = first.unwrap_or_default();
    match count {
        1 => first,
        _ => format!("{count} like {first}"),
    }
}

/// As a code span in a cell of a table, where a bar ends the cell even in code (GFM §4.10).
fn cell_code(text: &str) -> String {
    code(text).replace('|', "\\|")
}

fn legend(outline: &Outline<'_, '_>) -> String {
    let report = outline.report;
    let mut legend = String::new();
    for group in &outline.groups {
        let figures = text(&figures::of_group(outline, group).join("; "));
        let who = text(&words::who(report, group));
        let names = escape::text(&words::names(report, &group.columns, usize::MAX));
        let _ = writeln!(
            legend,
            "- **{}**: {who}: {names}. {figures}",
            group_name(group)
        );
    }
    legend.push('\n');
    legend
}

fn group_name(group: &Group) -> String {
    text(&group.name)
}

/// A block behind a line that opens it.
fn folded(summary: &str, block: &str) -> String {
    let block = block.trim_end();
    format!("<details><summary>{summary}</summary>\n\n{block}\n\n</details>\n\n")
}

fn stale(comment: &mut Comment, report: &HostsReport<'_>) {
    let stale = words::stale(report);
    if !stale.is_empty() {
        let days = report.settings.freshness.stale_after_days;
        comment.push(format!(
            "Old, read more than {days} days ago: {}.\n\n",
            text(&stale.join(", "))
        ));
    }
}
