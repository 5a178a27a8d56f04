//! Strict, lossless JSON: one pass over the text, every value with its span.
//!
//! `serde_json` collapses what Sayso has to see: duplicate keys, `null` against
//! absent, number spelling, key order, where a value stood. Its `RawValue` keeps
//! the bytes but scans each level again and has no depth limit. [`Document`]
//! keeps the text as it came and a flat index of its values; `serde_json` still
//! decodes strings and numbers.

mod parse;
mod pointer;
mod splice;
mod value;

pub use parse::{Limits, ParseError, ParseErrorKind};
pub use pointer::Pointer;
pub use splice::Splice;
pub use value::{Kind, Member, Value};

use std::ops::Range;
use std::sync::Arc;

/// A byte range in the text of a [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// The span as a range, for slicing.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A key that occurs more than once in one object (RFC 8259 §4 calls the result
/// unpredictable: readers keep the first, the last, or refuse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key, decoded.
    pub key: String,
    /// Where the repetition stands.
    pub span: Span,
    object: u32,
}

/// A JSON text and the index of its values.
#[derive(Clone, Debug)]
pub struct Document {
    /// Shared by all parts of one text.
    text: Arc<String>,
    nodes: Vec<value::Node>,
    duplicates: Vec<DuplicateKey>,
}

impl Document {
    /// Reads one JSON value; white space around it is allowed, anything else after it is not.
    ///
    /// # Errors
    /// When the text is not JSON (RFC 8259), or goes past a limit.
    pub fn parse(text: String, limits: &Limits) -> Result<Self, ParseError> {
        parse::parse(text, limits)
    }

    /// Reads bytes, which have to be UTF-8 (RFC 8259 §8.1).
    ///
    /// # Errors
    /// As [`Document::parse`], and when the bytes are not UTF-8.
    pub fn from_bytes(bytes: Vec<u8>, limits: &Limits) -> Result<Self, ParseError> {
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(text, limits),
            Err(error) => Err(ParseError {
                kind: ParseErrorKind::NotUtf8,
                offset: error.utf8_error().valid_up_to(),
            }),
        }
    }

    /// The text, byte for byte as it was given; of a part the whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// The value with this index, as [`Value::index`] gave it.
    #[must_use]
    pub fn value(&self, index: u32) -> Option<Value<'_>> {
        ((index as usize) < self.nodes.len()).then(|| Value::new(self, index))
    }

    /// What stands at `value` as a document of its own over the same text: spans stay what
    /// they are, pointers begin at `value`.
    #[must_use]
    pub fn part(value: Value<'_>) -> Self {
        let whole = value.document();
        let (first, behind) = (value.index(), value.behind());
        let own = first as usize..behind as usize;
        let nodes = whole.nodes.get(own).unwrap_or_default();
        let inside = |duplicate: &&DuplicateKey| (first..behind).contains(&duplicate.object);
        let duplicates = whole.duplicates.iter().filter(inside);
        Self {
            text: Arc::clone(&whole.text),
            nodes: nodes.iter().map(|node| node.moved_up(first)).collect(),
            duplicates: duplicates
                .map(|duplicate| DuplicateKey {
                    object: duplicate.object - first,
                    ..duplicate.clone()
                })
                .collect(),
        }
    }

    /// Every repeated key at any depth, in the order they stand.
    #[must_use]
    pub fn duplicates(&self) -> &[DuplicateKey] {
        &self.duplicates
    }

    /// The object a repeated key stands in.
    #[must_use]
    pub fn duplicate_in(&self, duplicate: &DuplicateKey) -> Value<'_> {
        Value::new(self, duplicate.object)
    }

    /// The line and column of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> LineColumn {
        line_column(&self.text, offset)
    }
}

/// The line and column of a byte offset in `text`; an offset past the end is the end.
#[must_use]
pub fn line_column(text: &str, offset: usize) -> LineColumn {
    let before = text
        .get(..floor_char_boundary(text, offset))
        .unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    LineColumn {
        line: memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1,
        column: before
            .get(line_start..)
            .map_or(0, |line| line.chars().count())
            + 1,
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
