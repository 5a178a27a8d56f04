//! Lines and columns of many places in one text, without reading it from the start each time.

use std::cell::OnceCell;
use std::rc::Rc;

use sayso_core::finding::Location;
use sayso_core::json::LineColumn;
use sayso_core::listing::Page;

use crate::audit_report::{Audited, TargetReport};

/// Where the places of one listing stand: in the saved file, or else in the message they came in.
pub(super) struct Positions<'a> {
    pages: Vec<(&'a Page, Rc<OnceCell<Index>>)>,
}

impl<'a> Positions<'a> {
    /// Nothing is read before a place is asked for.
    pub(super) fn new(audited: &'a Audited) -> Self {
        let mut pages: Vec<(&Page, Rc<OnceCell<Index>>)> = Vec::new();
        for page in audited.listing.pages() {
            // All pages of a file may stand in one text, which is indexed once.
            let index = match pages.last() {
                Some((before, index)) if same_text(before, page) => Rc::clone(index),
                _ => Rc::default(),
            };
            pages.push((page, index));
        }
        Self { pages }
    }

    /// The line and column, from 1, where a location begins.
    pub(super) fn start(&self, location: &Location) -> Option<LineColumn> {
        self.at(location.page, location.span.start)
    }

    /// The line and column, from 1, behind the last character of a location.
    pub(super) fn end(&self, location: &Location) -> Option<LineColumn> {
        self.at(location.page, location.span.end)
    }

    /// `file:line:column` of a place in a saved listing.
    pub(super) fn in_file(&self, target: &TargetReport, location: &Location) -> Option<String> {
        // A finding about the listing as a whole stands nowhere in particular.
        let file = target
            .source_file()
            .filter(|_| *location != Location::default())?;
        let start = self.start(location)?;
        Some(format!("{file}:{}:{}", start.line, start.column))
    }

    fn at(&self, page: usize, offset: usize) -> Option<LineColumn> {
        let (page, index) = self.pages.get(page)?;
        let text = page.document.text();
        let within = index.get_or_init(|| Index::new(text)).at(text, offset);
        Some(LineColumn {
            line: within.line + page.lines_before,
            column: within.column,
        })
    }
}

fn same_text(one: &Page, other: &Page) -> bool {
    std::ptr::eq(one.document.text(), other.document.text())
}

/// How far apart, in bytes, the characters of a text are counted.
const BLOCK: usize = 1024;

struct Index {
    /// Where each line but the first begins.
    lines: Vec<usize>,
    /// How many characters begin before each block.
    characters: Vec<usize>,
}

impl Index {
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let lines = bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        let mut characters = vec![0];
        let mut count = 0;
        for block in bytes.chunks(BLOCK) {
            count += begun(block);
            characters.push(count);
        }
        Self { lines, characters }
    }

    fn at(&self, text: &str, offset: usize) -> LineColumn {
        let offset = text.floor_char_boundary(offset);
        let before = self.lines.partition_point(|start| *start <= offset);
        let line_start = before
            .checked_sub(1)
            .and_then(|line| self.lines.get(line))
            .copied()
            .unwrap_or(0);
        let column =
            self.characters_before(text, offset) - self.characters_before(text, line_start);
        LineColumn {
            line: before + 1,
            column: column + 1,
        }
    }

    fn characters_before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        let rest = text
            .as_bytes()
            .get(block * BLOCK..offset)
            .unwrap_or_default();
        self.characters.get(block).copied().unwrap_or(0) + begun(rest)
    }
}

/// How many characters begin in these bytes of UTF-8: all but continuation bytes.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Index;

    proptest! {
        #[test]
        fn as_counted_from_the_start(text in "([a-z\n宛\u{e9}]{0,9}|\n){0,400}", offset in 0_usize..9000) {
            let found = Index::new(&text).at(&text, offset);
            prop_assert_eq!(found, sayso_core::json::line_column(&text, offset));
        }
    }
}
