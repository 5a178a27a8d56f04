//! Text in Markdown that means nothing to Markdown or to GitHub.

use sayso_core::reveal::{reveal, reveal_line};

use super::wording::{Segment, segments};

/// As text on one line, with what stands between backticks as code. Punctuation is escaped
/// (`CommonMark` §2.4), and what GitHub makes of plain text is broken with an empty comment:
/// `@person`, `#1`, addresses.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for segment in segments(text) {
        match segment {
            Segment::Code(text) => escaped.push_str(&code(text)),
            Segment::Plain(text) => plain(&mut escaped, &reveal_line(text)),
        }
    }
    escaped
}

/// As the content of an HTML element on one line, with what stands between backticks as code.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for segment in segments(text) {
        match segment {
            Segment::Code(text) => {
                escaped.push_str("<code>");
                plain(&mut escaped, &reveal_line(text));
                escaped.push_str("</code>");
            }
            Segment::Plain(text) => plain(&mut escaped, &reveal_line(text)),
        }
    }
    escaped
}

fn plain(escaped: &mut String, text: &str) {
    const BREAK: &str = "<!-- -->";
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            other => escaped.push(other),
        }
        // What GitHub links by itself (GFM §6.9, and its own mentions and references).
        let links = match character {
            '@' | '#' => !next.is_whitespace(),
            ':' => next == '/',
            '.' => matches!(previous, 'w' | 'W'),
            _ => false,
        };
        if links {
            escaped.push_str(BREAK);
        }
        previous = character;
    }
}

/// As a code span, in as many backticks as it takes (`CommonMark` §6.1).
pub(super) fn code(text: &str) -> String {
    let text = reveal_line(text);
    let text = text.trim();
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let ticks = "`".repeat(longest_run(text, '`') + 1);
    if ticks.len() == 1 {
        format!("`{text}`")
    } else {
        format!("{ticks} {text} {ticks}")
    }
}

/// As a code block, in as many backticks as it takes (`CommonMark` §4.5).
pub(super) fn fenced(language: &str, text: &str) -> String {
    let text = reveal(text);
    let ticks = "`".repeat((longest_run(&text, '`') + 1).max(3));
    format!("{ticks}{language}\n{text}\n{ticks}\n")
}

fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
