//! Why each host does with one tool what it does.

use std::fmt::Write as _;

use super::super::super::comment::Comment;
use super::super::super::escape::text;
use super::super::outline::Outline;
use super::super::words;
use super::{cell_code, folded};

pub(super) fn push(comment: &mut Comment, outline: &Outline<'_, '_>) {
    for position in &outline.tools {
        let mut head = format!("#### {}\n\n", text(&outline.label(*position)));
        for line in words::assumed(outline, *position) {
            let _ = writeln!(head, "{}  ", text(&line));
        }
        head.push('\n');
        comment.push(head);
        let mut table = String::from(
            "| host | what happens | because | what it sees | known |\n|---|---|---|---|---|\n",
        );
        for column in outline.groups.iter().flat_map(|group| &group.columns) {
            if let Some(row) = row(outline, *position, *column) {
                table.push_str(&row);
            }
        }
        table.push('\n');
        comment.push(table);
        sources(comment, outline);
    }
}

fn row(outline: &Outline<'_, '_>, tool: usize, position: usize) -> Option<String> {
    let report = outline.report;
    let column = report.columns.get(position)?;
    let pair = outline.pair(tool, position)?;
    let because = words::because(column, pair).join("; ");
    let reading = outline
        .last_tool(tool)
        .map(|tool| words::reading(column, tool));
    Some(format!(
        "| {} | {} | {} | {} | {} |\n",
        cell_code(&words::label(report, column)),
        pair.word(),
        text(&because),
        text(&reading.unwrap_or_default()),
        text(&words::known(column)),
    ))
}

fn sources(comment: &mut Comment, outline: &Outline<'_, '_>) {
    let mut block = String::new();
    for column in &outline.hosts {
        let sources: Vec<String> = column
            .behaviour
            .sources
            .iter()
            .map(|source| text(source))
            .collect();
        let _ = writeln!(block, "- {}: {}", text(&column.host.id), sources.join("; "));
    }
    comment.push(folded("Sources", &block));
}
