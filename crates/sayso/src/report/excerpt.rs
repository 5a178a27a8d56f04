//! A piece of evidence, made safe and cut to a width around the part that matters.

use std::ops::Range;

use sayso_core::finding::{Evidence, Finding, Severity};
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
        Self::around(&evidence.text, &evidence.mark, width)
    }

    fn around(text: &str, mark: &Range<usize>, width: usize) -> Self {
        let mark = within(text, mark);
        let part =
            |range: Range<usize>| reveal_line(text.get(range).unwrap_or_default()).into_owned();
        let before = part(0..mark.start);
        let marked = part(mark.clone());
        let after = part(mark.end..text.len());

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

    /// How many columns the part that matters takes, at least one.
    pub(super) fn mark_width(&self) -> usize {
        self.marked.width().max(1)
    }

    /// The whole line.
    pub(super) fn line(&self) -> String {
        format!("{}{}{}", self.before, self.marked, self.after)
    }

    /// The line of carets to stand under it.
    pub(super) fn underline(&self) -> Underline {
        Underline {
            indent: self.before.width(),
            width: self.mark_width(),
        }
    }
}

/// Where carets stand under a line, in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Underline {
    /// Before the first.
    pub(super) indent: usize,
    /// How many.
    pub(super) width: usize,
}

/// A line of evidence and everything to be seen in it.
#[derive(Debug)]
pub(super) struct Picture<'a> {
    /// The evidence the line is taken from.
    pub(super) evidence: &'a Evidence,
    /// The line.
    pub(super) line: String,
    /// What is to be seen in it.
    pub(super) sights: Vec<Sight<'a>>,
}

/// What is to be seen at one place of a line.
#[derive(Debug)]
pub(super) struct Sight<'a> {
    /// Of the finding it belongs to, the gravest of several.
    pub(super) severity: Severity,
    /// Where.
    pub(super) under: Underline,
    /// What, in a few words each.
    pub(super) labels: Vec<&'a str>,
}

/// What findings rest on: one line where they have their only sentence in common and it fits
/// into `width` columns, else a line for each piece of evidence.
pub(super) fn pictures<'a>(findings: &[&'a Finding], width: usize) -> Vec<Picture<'a>> {
    if let [_, _, ..] = findings
        && let Some(together) = together(findings, width)
    {
        return vec![together];
    }
    let each = findings.iter().flat_map(|finding| {
        finding.evidence.iter().map(move |evidence| {
            let excerpt = Excerpt::new(evidence, width);
            Picture {
                evidence,
                line: excerpt.line(),
                sights: vec![Sight {
                    severity: finding.severity,
                    under: excerpt.underline(),
                    labels: vec![evidence.label.as_str()],
                }],
            }
        })
    });
    each.collect()
}

fn together<'a>(findings: &[&'a Finding], width: usize) -> Option<Picture<'a>> {
    let one = findings.first()?.evidence.first()?;
    let text = one.text.as_str();
    let marks: Vec<(Severity, Range<usize>, &str)> = findings
        .iter()
        .filter_map(|finding| Some((finding.severity, finding.evidence.first()?)))
        .map(|(severity, evidence)| {
            (
                severity,
                within(text, &evidence.mark),
                evidence.label.as_str(),
            )
        })
        .collect();
    let start = marks.iter().map(|(_, mark, _)| mark.start).min()?;
    let end = marks.iter().map(|(_, mark, _)| mark.end).max()?;
    let excerpt = Excerpt::around(text, &(start..end), width);
    let columns = |range: Range<usize>| reveal_line(text.get(range).unwrap_or_default()).width();
    if columns(start..end) != excerpt.marked.width() {
        return None;
    }
    let mut sights: Vec<Sight<'_>> = Vec::new();
    for (severity, mark, label) in marks {
        let indent = excerpt.before.width() + columns(start..mark.start);
        let under = Underline {
            indent,
            width: columns(mark).max(1),
        };
        match sights.iter_mut().find(|sight| sight.under == under) {
            Some(sight) if sight.labels.contains(&label) => {}
            Some(sight) => sight.labels.push(label),
            None => sights.push(Sight {
                severity,
                under,
                labels: vec![label],
            }),
        }
    }
    Some(Picture {
        evidence: one,
        line: excerpt.line(),
        sights,
    })
}

/// The mark, moved to whole characters inside the text.
fn within(text: &str, mark: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(mark.start);
    start..text.ceil_char_boundary(mark.end).max(start)
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
