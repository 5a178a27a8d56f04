//! One tool a screen: above what there is to know of it, below the question and what is suggested.

mod question;
mod tool;

use crate::audit_report::{Detail, Presentation};
use crate::classify::Subject;
use crate::classify::annotations::Prompts;
use crate::classify::session::{Session, Stage};

use super::super::screen::{Screen, Style};
use super::super::wording::plural;

/// What there is to be seen.
pub(crate) struct View<'v, 'a> {
    /// What the server is called.
    pub(crate) server: &'v str,
    /// The tools that are asked about.
    pub(crate) subjects: &'v [&'v Subject<'a>],
    /// Where the person is.
    pub(crate) session: &'v Session,
    /// What the answers so far save.
    pub(crate) prompts: Prompts,
    /// The file the answers are written to.
    pub(crate) file: &'v str,
    /// How many lines of what is told of the tool are scrolled away.
    pub(crate) scroll: usize,
}

/// The room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Columns.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Whether colour is taken.
    pub(crate) color: bool,
}

/// How many rows of the upper half are kept, if it has as many, before what a suggestion rests on is
/// shown below.
const LEAST: usize = 10;

/// The lines of the screen, no more than there is room for, and how far it can be scrolled.
pub(crate) fn lines(view: &View<'_, '_>, room: Room) -> (Vec<String>, usize) {
    let mut head = screen(room);
    heading(&mut head, view);
    let (Stage::Asking(position, question), height) = (view.session.stage(), room.height) else {
        finished(&mut head, view);
        return (cut(rows(head), room.height), 0);
    };
    let Some(subject) = view.subjects.get(position) else {
        return (rows(head), 0);
    };
    let head = rows(head);
    let free = height.saturating_sub(head.len());
    let mut upper = screen(room);
    tool::write(&mut upper, subject, question);
    let upper = rows(upper);
    let least = upper.len().min(LEAST);
    let mut lower = Vec::new();
    for evidence in (0..=question::MOST_EVIDENCE).rev() {
        let mut shorter = screen(room);
        question::write(&mut shorter, view, subject, question, evidence);
        lower = rows(shorter);
        if lower.len() + least <= free {
            break;
        }
    }
    let (upper, most) = scrolled(upper, view.scroll, free.saturating_sub(lower.len()));
    let lines = head.into_iter().chain(upper).chain(lower);
    (cut(lines.collect(), height), most)
}

fn screen(room: Room) -> Screen {
    Screen::new(&Presentation {
        color: room.color,
        width: room.width,
        detail: Detail::Normal,
    })
}

fn rows(screen: Screen) -> Vec<String> {
    screen.into_text().lines().map(str::to_owned).collect()
}

fn cut(mut lines: Vec<String>, height: usize) -> Vec<String> {
    lines.truncate(height);
    lines
}

/// The part of the lines that fits, filled up with empty ones so that what stands below keeps its
/// place, and how far they can be scrolled.
fn scrolled(lines: Vec<String>, scroll: usize, height: usize) -> (Vec<String>, usize) {
    if lines.len() <= height {
        let mut lines = lines;
        lines.resize(height, String::new());
        return (lines, 0);
    }
    let window = height.saturating_sub(1);
    let most = lines.len().saturating_sub(window);
    let from = scroll.min(most);
    let below = lines.len().saturating_sub(from + window);
    let mut shown: Vec<String> = lines.into_iter().skip(from).take(window).collect();
    shown.push(match below {
        0 => "  (↑ for the lines above)".to_owned(),
        below => format!("  (↓ for {} more)", plural(below, "line")),
    });
    shown.truncate(height);
    (shown, most)
}

fn heading(screen: &mut Screen, view: &View<'_, '_>) {
    let tools = view.subjects.len();
    let left = match view.session.stage() {
        Stage::Asking(position, _) => format!("tool {} of {tools} · {}", position + 1, view.server),
        Stage::Finished | Stage::Over => view.server.to_owned(),
    };
    let mut right = format!("prompts saved: {}", view.prompts.gone);
    if view.prompts.new > 0 {
        right.push_str(&format!(", new: {}", view.prompts.new));
    }
    let room = screen.width().saturating_sub(right.len() + 2);
    let left = super::super::excerpt::head(&sayso_core::reveal::reveal_line(&left), room);
    let between = screen
        .width()
        .saturating_sub(textwrap::core::display_width(&left) + right.len());
    let line = format!(
        "{}{}{}",
        screen.faintly(&left),
        " ".repeat(between),
        screen.paint(Style::Good, &right)
    );
    screen.line(&line);
}

fn finished(screen: &mut Screen, view: &View<'_, '_>) {
    let recorded = view.session.recorded();
    let answered = recorded.iter().flatten().count();
    screen.blank();
    screen.styled(Style::Strong, "That was the last tool.");
    screen.blank();
    screen.line(&format!("  answered: {answered}"));
    screen.line(&format!("  skipped:  {}", recorded.len() - answered));
    let prompts = format!(
        "{} in real hosts go away, {} come",
        plural(view.prompts.gone, "prompt"),
        view.prompts.new
    );
    screen.wrapped("  ", "  ", &prompts);
    screen.blank();
    if answered > 0 {
        screen.wrapped("  ", "  ", &format!("the answers are in {}", view.file));
        screen.blank();
    }
    screen.faint("Enter end   Esc back to the last question");
}

#[cfg(test)]
mod tests;
