//! What `sayso classify` tells: the screen of one question, what came of all the answers, and
//! whether the rulings can be relied on.

mod check;
mod ending;
pub(crate) mod screen;

use std::io;

use serde_json::Value;

use crate::audit_report::{Presentation, Unreadable};

use super::safe_json;
use super::screen::{Screen, Style};

pub(crate) use check::CheckedServer;
pub(crate) use ending::{Ending, Ruled, RuledServer};

/// Writes what came of the answers.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write_ending(
    ending: &Ending<'_>,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut screen = Screen::new(presentation);
    ending::write(&mut screen, ending, presentation.detail);
    out.write_all(screen.into_text().as_bytes())
}

/// Writes whether the rulings can be relied on; `file` is where they stand.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write_check(
    servers: &[CheckedServer<'_>],
    file: &str,
    notes: &[String],
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut screen = Screen::new(presentation);
    check::write(&mut screen, servers, file, presentation.detail);
    write_notes(&mut screen, notes);
    out.write_all(screen.into_text().as_bytes())
}

/// Writes JSON in which no character hides.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write_json(value: &Value, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(safe_json::to_string_pretty(value)?.as_bytes())
}

fn write_notes(screen: &mut Screen, notes: &[String]) {
    for note in notes {
        screen.wrapped("note: ", "      ", note);
    }
}

fn write_unreadable(screen: &mut Screen, unreadable: &Unreadable) {
    screen.labelled(Style::Error, "could not be read", &unreadable.message);
    if let Some(hint) = &unreadable.hint {
        screen.labelled(Style::Help, "hint", hint);
    }
    for line in &unreadable.details {
        screen.faint(&format!("  {line}"));
    }
    screen.blank();
}
