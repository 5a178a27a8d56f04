//! Pieces of a listing cut out for a finding to show.

use sayso_core::finding::{Evidence, Location};
use sayso_core::json::{Kind, Value};

/// How much of a value is shown, in characters.
const LONGEST: usize = 160;

/// A value with its key, as they stand: `"readOnlyHint": "true"`. The value is marked.
#[must_use]
pub(crate) fn member(page: usize, value: Value<'_>, label: impl Into<String>) -> Evidence {
    let mut text = value
        .key_span()
        .and_then(|span| value.document().text().get(span.range()))
        .map_or_else(String::new, |key| format!("{key}: "));
    let start = text.len();
    text.push_str(&shorten(value.raw()));
    let mark = start..text.len();
    Evidence {
        location: place(page, value),
        text,
        mark,
        label: label.into(),
    }
}

/// A value with its key; the key is marked.
#[must_use]
pub(crate) fn key(page: usize, value: Value<'_>, label: impl Into<String>) -> Evidence {
    let mut evidence = member(page, value, label);
    evidence.mark = 0..evidence.mark.start.saturating_sub(2);
    evidence
}

/// A string, decoded, all of it marked.
#[must_use]
pub(crate) fn string(page: usize, value: Value<'_>, label: impl Into<String>) -> Evidence {
    let text = match value.as_str() {
        Some(text) => shorten(&text),
        None => shorten(value.raw()),
    };
    let mark = 0..text.len();
    Evidence {
        location: place(page, value),
        text,
        mark,
        label: label.into(),
    }
}

/// A value in a few characters, for a message: `"true"`, `1`, `an array`.
#[must_use]
pub(crate) fn brief(value: Value<'_>) -> String {
    match value.kind() {
        Kind::String => {
            let raw = value.raw();
            let cut: String = raw.chars().take(40).collect();
            if cut.len() < raw.len() {
                format!("the string {cut}…")
            } else {
                format!("the string {raw}")
            }
        }
        Kind::Number => format!(
            "the number {}",
            value.raw().chars().take(40).collect::<String>()
        ),
        kind => kind.describe().to_owned(),
    }
}

/// Where a value stands.
#[must_use]
pub(crate) fn place(page: usize, value: Value<'_>) -> Location {
    Location {
        page,
        pointer: value.pointer(),
        span: value.span(),
    }
}

/// At most [`LONGEST`] characters on one line; indentation becomes one space.
fn shorten(text: &str) -> String {
    let mut short = String::with_capacity(text.len().min(LONGEST * 2));
    let mut after_newline = false;
    for (count, character) in text
        .chars()
        .filter(|character| *character != '\r')
        .enumerate()
    {
        if count >= LONGEST {
            short.push('…');
            break;
        }
        match character {
            '\n' => {
                after_newline = true;
                short.push(' ');
            }
            ' ' | '\t' if after_newline => {}
            other => {
                after_newline = false;
                short.push(other);
            }
        }
    }
    short
}
