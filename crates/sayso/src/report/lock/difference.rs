//! Two texts beside each other, or one under the other where there is no room.

use std::time::Duration;

use sayso_core::lock::PinnedServer;
use sayso_core::reveal::reveal_line;
use similar::{DiffTag, TextDiff};
use unicode_width::UnicodeWidthStr as _;

use super::super::screen::{Screen, Style};

/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// The narrowest column that is still read with pleasure.
const NARROWEST: usize = 44;

/// How long the shortest difference is looked for; after that any will do.
const PATIENCE: Duration = Duration::from_secs(1);

/// A tool's definition as it was and as it is.
pub(super) fn of_tool(screen: &mut Screen, before: &PinnedServer, now: &PinnedServer, tool: &str) {
    let width = columns(screen);
    let lines = |server: &PinnedServer| {
        let tool = server.tools.get(tool);
        tool.map(|tool| tool.lines(width)).unwrap_or_default()
    };
    write(screen, &lines(before), &lines(now));
}

/// The instructions as they were and as they are.
pub(super) fn of_instructions(screen: &mut Screen, before: &PinnedServer, now: &PinnedServer) {
    let lines = |server: &PinnedServer| {
        let text = server.instructions.as_deref().unwrap_or_default();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    write(screen, &lines(before), &lines(now));
}

/// One line of the difference; `None` where one side has nothing.
struct Row {
    old: Option<String>,
    new: Option<String>,
    same: bool,
}

/// The columns one side has.
fn columns(screen: &Screen) -> usize {
    let beside = screen.width().saturating_sub(7) / 2;
    if beside < NARROWEST {
        screen.width().saturating_sub(4)
    } else {
        beside
    }
}

fn write(screen: &mut Screen, old: &[String], new: &[String]) {
    if old == new {
        return;
    }
    let groups = rows(old, new);
    let width = columns(screen);
    let is_wide = width <= screen.width() / 2;
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            screen.line(&format!("  {}", screen.faintly("⋮")));
        }
        if is_wide {
            side_by_side(screen, group, width);
        } else {
            unified(screen, group, width);
        }
    }
}

/// The changed lines with some around them, in groups.
fn rows(old: &[String], new: &[String]) -> Vec<Vec<Row>> {
    let of = |lines: &[String]| -> Vec<String> {
        let lines = lines.iter();
        lines.map(|line| reveal_line(line).into_owned()).collect()
    };
    let (old, new) = (of(old), of(new));
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    let difference = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_slices(&old, &new);
    let groups = difference.grouped_ops(CONTEXT);
    let group = |operations: &Vec<similar::DiffOp>| {
        let mut rows = Vec::new();
        for operation in operations {
            let line = |lines: &[&str], at: usize| lines.get(at).map(|line| (*line).to_owned());
            let (olds, news) = (operation.old_range(), operation.new_range());
            let same = operation.tag() == DiffTag::Equal;
            let count = olds.len().max(news.len());
            rows.extend((0..count).map(|offset| {
                Row {
                    old: (offset < olds.len())
                        .then(|| line(&old, olds.start + offset))
                        .flatten(),
                    new: (offset < news.len())
                        .then(|| line(&new, news.start + offset))
                        .flatten(),
                    same,
                }
            }));
        }
        rows
    };
    groups.iter().map(group).collect()
}

fn side_by_side(screen: &mut Screen, rows: &[Row], width: usize) {
    for row in rows {
        let (old, new) = (
            cells(row.old.as_deref(), width),
            cells(row.new.as_deref(), width),
        );
        for position in 0..old.len().max(new.len()) {
            let cell = |cells: &[String]| cells.get(position).cloned().unwrap_or_default();
            let (left, right) = (cell(&old), cell(&new));
            let padding = " ".repeat(width.saturating_sub(left.width()));
            let (left, right) = if row.same {
                (screen.faintly(&left), screen.faintly(&right))
            } else {
                (
                    screen.paint(Style::Error, &left),
                    screen.paint(Style::Good, &right),
                )
            };
            let mark = if row.same { " " } else { "│" };
            screen.line(&format!("  {left}{padding} {mark} {right}"));
        }
    }
}

fn unified(screen: &mut Screen, rows: &[Row], width: usize) {
    let mut lines: Vec<(char, &str)> = Vec::new();
    let mut news: Vec<(char, &str)> = Vec::new();
    for row in rows {
        if row.same {
            lines.append(&mut news);
            lines.extend(row.old.as_deref().map(|line| (' ', line)));
        } else {
            lines.extend(row.old.as_deref().map(|line| ('-', line)));
            news.extend(row.new.as_deref().map(|line| ('+', line)));
        }
    }
    lines.append(&mut news);
    for (mark, line) in lines {
        let style = match mark {
            '-' => Style::Error,
            '+' => Style::Good,
            _ => Style::Faint,
        };
        for cell in cells(Some(line), width) {
            let text = screen.paint(style, &format!("{mark} {cell}"));
            screen.line(&format!("  {text}"));
        }
    }
}

/// A line in pieces that fit: what changed may be anywhere in it, so nothing is left out.
fn cells(line: Option<&str>, width: usize) -> Vec<String> {
    let Some(line) = line else { return Vec::new() };
    let indent = line.len() - line.trim_start_matches(' ').len();
    let indent = " ".repeat(indent.min(width / 2) + 2);
    let options = textwrap::Options::new(width)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .subsequent_indent(&indent);
    let cells = textwrap::wrap(line, options).into_iter();
    cells.map(std::borrow::Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::audit_report::{Detail, Presentation};
    use crate::report::screen::Screen;

    fn shown(width: usize) -> String {
        let old =
            "one\ntwo\nthree\nfour\nfive, which goes on and on until it needs another line\nsix";
        let new = "one\ntwo\nthree\nfour\nfive, which goes on and on until it needs a third line,\u{202e} too\nfive and a half\nsix";
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let mut screen = Screen::new(&Presentation {
            color: false,
            width,
            detail: Detail::Normal,
        });
        write(&mut screen, &lines(old), &lines(new));
        screen.into_text()
    }

    #[test]
    fn beside_each_other_where_there_is_room() {
        insta::assert_snapshot!(shown(100), @r"
        three                                            three
        four                                             four
        five, which goes on and on until it needs      │ five, which goes on and on until it needs a
          another line                                 │   third line,\u{202e} too
                                                       │ five and a half
        six                                              six
        ");
    }

    #[test]
    fn under_each_other_where_there_is_none() {
        insta::assert_snapshot!(shown(60), @r"
          three
          four
        - five, which goes on and on until it needs another line
        + five, which goes on and on until it needs a third
        +   line,\u{202e} too
        + five and a half
          six
        ");
    }
}
