//! How a file is written: what an insertion has to look like to be at home in it.

use tree_sitter::Node;

use crate::facts::{Notation, Slot};
use crate::syntax::comma_after;

/// The line ending of a file.
pub(crate) fn newline(source: &str) -> &'static str {
    if source.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    }
}

/// The blanks that begin the line of a byte.
pub(crate) fn indentation(source: &str, at: usize) -> &str {
    let before = source.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = source.get(start..).unwrap_or_default();
    let end = line
        .find(|character| !matches!(character, ' ' | '\t'))
        .unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

/// One step of indentation: the most frequent difference between a line and the one before it.
pub(crate) fn indent_unit(source: &str, otherwise: &'static str) -> String {
    let mut tabs = 0_usize;
    let mut spaces = [0_usize; 9];
    let mut before = 0;
    for line in source.lines() {
        let content = line.trim_start_matches([' ', '\t']);
        if content.is_empty() || content.starts_with('*') {
            continue;
        }
        let blanks = line.len() - content.len();
        if line.starts_with('\t') {
            tabs += 1;
        } else if let Some(count) = spaces.get_mut(blanks.saturating_sub(before)) {
            *count += 1;
        }
        before = blanks;
    }
    let steps = spaces.iter().enumerate().skip(2);
    let (width, count) = steps
        .max_by_key(|(width, count)| (**count, usize::MAX - width))
        .map_or((0, 0), |(width, count)| (width, *count));
    if tabs > count {
        "\t".to_owned()
    } else if count > 0 {
        " ".repeat(width)
    } else {
        otherwise.to_owned()
    }
}

/// Where one more item of a bracketed, comma-separated list goes: behind `anchor`, or as the only
/// one. `padding` is what stands inside the brackets of a list on one line.
pub(crate) fn slot_after(
    source: &str,
    list: Node<'_>,
    anchor: Option<Node<'_>>,
    padding: &str,
    notation: Notation,
) -> Slot {
    let anchor = anchor.map(|anchor| (anchor.start_byte(), anchor));
    slot_behind(source, list, anchor, padding, notation)
}

/// The same for an item of several tokens: the byte at which it begins, and its last token.
pub(crate) fn slot_behind(
    source: &str,
    list: Node<'_>,
    anchor: Option<(usize, Node<'_>)>,
    padding: &str,
    notation: Notation,
) -> Slot {
    let slot = |at: usize, before: String, after: String, indent: Option<String>| Slot {
        at,
        before,
        after,
        indent,
        notation,
    };
    let Some((start, anchor)) = anchor else {
        let at = list.start_byte() + 1;
        let padded = rest_of_line(source, at).starts_with(' ');
        let after = if padded { "" } else { padding };
        return slot(at, padding.to_owned(), after.to_owned(), None);
    };
    let own_line = begins_line(source, start);
    let indent = own_line.then(|| indentation(source, start).to_owned());
    let newline = newline(source);
    let comma = comma_after(anchor);
    let behind = rest_of_line(
        source,
        comma.as_ref().map_or(anchor.end_byte(), |comma| comma.end),
    );
    match (comma, &indent) {
        (Some(comma), Some(blanks)) if is_blank_or_comment(behind) => {
            let before = format!("{newline}{blanks}");
            slot(comma.end + behind.len(), before, ",".to_owned(), indent)
        }
        (Some(comma), _) => slot(comma.end, " ".to_owned(), ",".to_owned(), None),
        (None, Some(blanks)) if is_comment(behind) => {
            let after = format!(",{newline}{blanks}");
            slot(start, String::new(), after, indent)
        }
        (None, Some(blanks)) => {
            let before = format!(",{newline}{blanks}");
            slot(anchor.end_byte(), before, String::new(), indent)
        }
        (None, None) => slot(anchor.end_byte(), ", ".to_owned(), String::new(), None),
    }
}

/// What is left of a line, without its ending.
fn rest_of_line(source: &str, at: usize) -> &str {
    let rest = source.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    line.strip_suffix('\r').unwrap_or(line)
}

/// The line of a byte.
pub(crate) fn line_around(source: &str, at: usize) -> &str {
    let before = source.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    source
        .get(start..end_of_line(source, at))
        .unwrap_or_default()
}

/// The end of the line of a byte, before what ends it.
pub(crate) fn end_of_line(source: &str, at: usize) -> usize {
    at + rest_of_line(source, at).len()
}

/// Whether a byte is the first of its line that is no blank.
pub(crate) fn begins_line(source: &str, at: usize) -> bool {
    let before = source.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    before.contains('\n') && line.chars().all(char::is_whitespace)
}

fn is_comment(rest: &str) -> bool {
    let rest = rest.trim_start();
    let is_block = rest.starts_with("/*") && rest.trim_end().ends_with("*/");
    rest.starts_with("//") || rest.starts_with('#') || is_block
}

fn is_blank_or_comment(rest: &str) -> bool {
    rest.trim().is_empty() || is_comment(rest)
}
