//! A piece of evidence, made safe and cut to a width around the part that matters.

use sayso_core::finding::Evidence;
use sayso_core::reveal::reveal_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text on one line in three parts. An ellipsis stands where it was cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// What stands before the part that matters.
    pub(super) before: String,
    /// The part that matters.
    pub(super) marked: String,
    /// What stands behind it.
    pub(super) after: String,
}

const ELLIPSIS: char = '…';

impl Excerpt {
    /// Cuts to `width` columns of a terminal.
    pub(super) fn new(evidence: &Evidence, width: usize) -> Self {
        let text = evidence.text.as_str();
        let start = text.floor_char_boundary(evidence.mark.start);
        let end = text.ceil_char_boundary(evidence.mark.end).max(start);
        let part = |range: std::ops::Range<usize>| {
            reveal_line(text.get(range).unwrap_or_default()).into_owned()
        };
        let (before, marked, after) = (part(0..start), part(start..end), part(end..text.len()));

        let width = width.max(16);
        if before.width() + marked.width() + after.width() <= width {
            return Self {
                before,
                marked,
                after,
            };
        }
        let marked = middle_out(&marked, width * 2 / 3);
        let room = width.saturating_sub(marked.width());
        let lead = before
            .width()
            .min((room / 2).max(room.saturating_sub(after.width())));
        let before = tail(&before, lead);
        let after = head(&after, room.saturating_sub(before.width()));
        Self {
            before,
            marked,
            after,
        }
    }

    /// How many columns come before the part that matters.
    pub(super) fn indent(&self) -> usize {
        self.before.width()
    }

    /// How many columns the part that matters takes, at least one.
    pub(super) fn mark_width(&self) -> usize {
        self.marked.width().max(1)
    }

    /// The whole line.
    pub(super) fn line(&self) -> String {
        format!("{}{}{}", self.before, self.marked, self.after)
    }

    /// The line of carets to stand under it.
    pub(super) fn underline(&self) -> String {
        format!(
            "{}{}",
            " ".repeat(self.indent()),
            "^".repeat(self.mark_width())
        )
    }
}

/// The beginning of the text, in at most `width` columns with the ellipsis.
pub(super) fn head(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let kept = fitting(text.chars(), width.saturating_sub(1));
    let mut kept: String = kept.into_iter().collect();
    if let Some(space) = kept.rfind(' ').filter(|space| kept.len() - space <= WORD) {
        kept.truncate(space);
    }
    if width > 0 {
        kept.push(ELLIPSIS);
    }
    kept
}

/// The end of the text, in at most `width` columns with the ellipsis.
fn tail(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = fitting(text.chars().rev(), width.saturating_sub(1));
    kept.reverse();
    let kept: String = kept.into_iter().collect();
    // A cut at a word's border reads better, where one is near.
    let kept = match kept.find(' ').filter(|space| *space <= WORD) {
        Some(space) => kept.get(space + 1..).unwrap_or_default(),
        None => kept.as_str(),
    };
    if width == 0 {
        String::new()
    } else {
        format!("{ELLIPSIS}{kept}")
    }
}

/// Both ends of the text, in at most `width` columns with the ellipsis.
fn middle_out(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(1) / 2;
    let front: String = fitting(text.chars(), half).into_iter().collect();
    let mut back = fitting(text.chars().rev(), half);
    back.reverse();
    format!("{front}{ELLIPSIS}{}", back.into_iter().collect::<String>())
}

/// How far, in bytes, a cut may move to reach a word's border.
const WORD: usize = 12;

fn fitting(characters: impl Iterator<Item = char>, width: usize) -> Vec<char> {
    let mut left = width;
    characters
        .map_while(|character| {
            left = left.checked_sub(character.width().unwrap_or(0))?;
            Some(character)
        })
        .collect()
}
