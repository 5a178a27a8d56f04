//! The one parser: RFC 8259 without extensions, no recursion, depth and size capped.

use std::collections::HashSet;
use std::sync::Arc;

use super::value::{Kind, Node, decode};
use super::{Document, DuplicateKey, Span};

/// How much a text may hold before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of text. At most 4 GiB is possible.
    pub max_bytes: usize,
    /// Levels of nesting.
    pub max_depth: usize,
    /// Values in all.
    pub max_values: usize,
}

impl Default for Limits {
    /// 64 MiB, 128 levels (as `serde_json`), 4 million values. The largest listing seen
    /// from a real server is 2.1 MB.
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            max_depth: 128,
            max_values: 4_000_000,
        }
    }
}

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Byte offset of the first byte that does not fit.
    pub offset: usize,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// The bytes are no UTF-8.
    #[error("bytes that are not UTF-8")]
    NotUtf8,
    /// The text ends too early.
    #[error("the text ends in the middle of {0}")]
    UnexpectedEnd(&'static str),
    /// Something else was due.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A number that JSON does not know, such as `01` or `1.`.
    #[error("a malformed number")]
    Number,
    /// A control character that has to be escaped in a string.
    #[error("an unescaped control character in a string")]
    ControlCharacter,
    /// An escape JSON does not know.
    #[error("an unknown escape in a string")]
    Escape,
    /// More after the value.
    #[error("more text after the value")]
    Trailing,
    /// More bytes than allowed.
    #[error("more than the allowed {0} bytes")]
    TooLong(usize),
    /// More nesting than allowed.
    #[error("more than the allowed {0} levels of nesting")]
    TooDeep(usize),
    /// More values than allowed.
    #[error("more than the allowed {0} values")]
    TooMany(usize),
}

impl ParseErrorKind {
    /// Whether the text may be JSON, and goes past a limit.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::TooLong(_) | Self::TooDeep(_) | Self::TooMany(_))
    }
}

pub(super) fn parse(text: String, limits: &Limits) -> Result<Document, ParseError> {
    let max_bytes = limits.max_bytes.min(u32::MAX as usize);
    if text.len() > max_bytes {
        return Err(ParseError {
            kind: ParseErrorKind::TooLong(max_bytes),
            offset: max_bytes,
        });
    }
    let mut parser = Parser {
        bytes: text.as_bytes(),
        at: 0,
        nodes: Vec::with_capacity(text.len() / 24 + 1),
        duplicates: Vec::new(),
        keys: Vec::new(),
        limits,
    };
    parser.document()?;
    let Parser {
        mut nodes,
        duplicates,
        ..
    } = parser;
    nodes.shrink_to_fit();
    let mut document = Document {
        text: Arc::new(text),
        nodes,
        duplicates: Vec::new(),
    };
    document.duplicates = duplicates
        .into_iter()
        .map(|(object, span)| DuplicateKey {
            key: decode(&document.text, narrow(span.start), narrow(span.end), true).into_owned(),
            span,
            object,
        })
        .collect();
    document.duplicates.sort_by_key(|duplicate| duplicate.span);
    Ok(document)
}

/// Offsets and indexes fit: the text is at most `u32::MAX` bytes long and has fewer values.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

struct Parser<'t> {
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
    duplicates: Vec<(u32, Span)>,
    /// Room for the keys of one object, used again for the next.
    keys: Vec<Span>,
    limits: &'t Limits,
}

/// A key's place in the text; of an element of an array its position as `start`, and 0 as `end`.
#[derive(Clone, Copy, Default)]
struct Key {
    start: usize,
    end: usize,
    escaped: bool,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), ParseError> {
        let mut open: Vec<u32> = Vec::new();
        self.skip_space();
        self.value(Key::default(), &mut open)?;
        while let Some(&container) = open.last() {
            self.step(container, &mut open)?;
        }
        self.skip_space();
        if self.at < self.bytes.len() {
            Err(self.error(ParseErrorKind::Trailing))
        } else {
            Ok(())
        }
    }

    /// Reads the next child of the innermost open container, or closes it.
    fn step(&mut self, container: u32, open: &mut Vec<u32>) -> Result<(), ParseError> {
        let is_object = self
            .nodes
            .get(container as usize)
            .is_some_and(|node| node.kind == Kind::Object);
        let (close, what) = if is_object {
            (b'}', "an object")
        } else {
            (b']', "an array")
        };
        let first = self.nodes.len() == container as usize + 1;
        self.skip_space();
        match self.peek() {
            None => return Err(self.error(ParseErrorKind::UnexpectedEnd(what))),
            Some(byte) if byte == close => {
                self.at += 1;
                self.close(container, is_object);
                open.pop();
                return Ok(());
            }
            Some(b',') if !first => {
                self.at += 1;
                self.skip_space();
            }
            Some(_) if first => {}
            Some(_) if is_object => return Err(self.error(ParseErrorKind::Expected("`,` or `}`"))),
            Some(_) => return Err(self.error(ParseErrorKind::Expected("`,` or `]`"))),
        }
        let key = if is_object {
            self.key()?
        } else {
            Key {
                start: self.next_position(container),
                end: 0,
                escaped: false,
            }
        };
        self.value(key, open)
    }

    /// The position of the next element of an open array, counted in its `end` until it is closed.
    fn next_position(&mut self, array: u32) -> usize {
        let Some(node) = self.nodes.get_mut(array as usize) else {
            return 0;
        };
        let position = node.end;
        node.end += 1;
        position as usize
    }

    fn key(&mut self) -> Result<Key, ParseError> {
        let start = self.at;
        let escaped = match self.peek() {
            Some(b'"') => self.string()?,
            None => return Err(self.error(ParseErrorKind::UnexpectedEnd("an object"))),
            Some(_) => return Err(self.error(ParseErrorKind::Expected("a key in double quotes"))),
        };
        let key = Key {
            start,
            end: self.at,
            escaped,
        };
        self.skip_space();
        match self.peek() {
            Some(b':') => self.at += 1,
            None => return Err(self.error(ParseErrorKind::UnexpectedEnd("an object"))),
            Some(_) => return Err(self.error(ParseErrorKind::Expected("`:`"))),
        }
        self.skip_space();
        Ok(key)
    }

    fn value(&mut self, key: Key, open: &mut Vec<u32>) -> Result<(), ParseError> {
        if self.nodes.len() >= self.limits.max_values.min(u32::MAX as usize - 1) {
            return Err(self.error(ParseErrorKind::TooMany(self.limits.max_values)));
        }
        let start = self.at;
        let mut escaped = false;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => {
                escaped = self.string()?;
                Kind::String
            }
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => return Err(self.error(ParseErrorKind::Expected("a value"))),
            None => return Err(self.error(ParseErrorKind::UnexpectedEnd("a value"))),
        };
        let index = narrow(self.nodes.len());
        self.nodes.push(Node {
            kind,
            escaped,
            key_escaped: key.escaped,
            start: narrow(start),
            end: if kind == Kind::Array {
                0
            } else {
                narrow(self.at)
            },
            key_start: narrow(key.start),
            key_end: narrow(key.end),
            next: index + 1,
            parent: open.last().copied().unwrap_or(0),
        });
        if matches!(kind, Kind::Object | Kind::Array) {
            if open.len() >= self.limits.max_depth {
                return Err(self.error(ParseErrorKind::TooDeep(self.limits.max_depth)));
            }
            self.at += 1;
            open.push(index);
        }
        Ok(())
    }

    fn close(&mut self, container: u32, is_object: bool) {
        let next = narrow(self.nodes.len());
        let end = narrow(self.at);
        if let Some(node) = self.nodes.get_mut(container as usize) {
            node.next = next;
            node.end = end;
        }
        if is_object {
            self.find_duplicates(container, next);
        }
    }

    fn find_duplicates(&mut self, object: u32, end: u32) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let mut index = object + 1;
        let mut any_escape = false;
        while index < end {
            let Some(node) = self.nodes.get(index as usize) else {
                break;
            };
            any_escape |= node.key_escaped;
            keys.push(Span {
                start: node.key_start as usize,
                end: node.key_end as usize,
            });
            index = node.next;
        }
        if any_escape || keys.len() > 16 {
            self.duplicates_by_hash(object, &keys);
        } else {
            for (position, key) in keys.iter().enumerate() {
                let earlier = keys.get(..position).unwrap_or_default();
                if earlier
                    .iter()
                    .any(|other| self.slice(*other) == self.slice(*key))
                {
                    self.duplicates.push((object, *key));
                }
            }
        }
        self.keys = keys;
    }

    fn duplicates_by_hash(&mut self, object: u32, keys: &[Span]) {
        let mut seen = HashSet::with_capacity(keys.len());
        for key in keys {
            let literal = std::str::from_utf8(self.slice(*key)).unwrap_or_default();
            let decoded = decode(literal, 0, narrow(literal.len()), true).into_owned();
            if !seen.insert(decoded) {
                self.duplicates.push((object, *key));
            }
        }
    }

    fn slice(&self, span: Span) -> &[u8] {
        self.bytes.get(span.range()).unwrap_or_default()
    }

    /// Steps over a string; tells whether it holds escapes.
    fn string(&mut self) -> Result<bool, ParseError> {
        self.at += 1;
        let mut escaped = false;
        loop {
            self.at += plain_length(self.bytes.get(self.at..).unwrap_or_default());
            match self.peek() {
                None => return Err(self.error(ParseErrorKind::UnexpectedEnd("a string"))),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.error(ParseErrorKind::ControlCharacter)),
            }
        }
    }

    fn escape(&mut self) -> Result<(), ParseError> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.error(ParseErrorKind::Escape));
                }
                self.at += 6;
            }
            Some(_) => return Err(self.error(ParseErrorKind::Escape)),
            None => return Err(self.error(ParseErrorKind::UnexpectedEnd("a string"))),
        }
        Ok(())
    }

    fn word(&mut self, word: &'static str, kind: Kind) -> Result<Kind, ParseError> {
        if self
            .bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()))
        {
            self.at += word.len();
            Ok(kind)
        } else {
            Err(self.error(ParseErrorKind::Expected("a value")))
        }
    }

    /// RFC 8259 §6: minus, integer without leading zeros, fraction, exponent.
    fn number(&mut self) -> Result<Kind, ParseError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(self.error(ParseErrorKind::Number)),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        // `01` would otherwise read as two numbers and fail one byte later with a poorer message.
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error(ParseErrorKind::Number));
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.error(ParseErrorKind::Number))
        } else {
            Ok(())
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError {
            kind,
            offset: self.at,
        }
    }
}

/// How many bytes a string goes on before a quote, a backslash or a control character.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH_BITS: u64 = ONES << 7;
    // Eight bytes at a time: the high bit of a byte is left set where the byte is below `limit`
    // (and may be in one behind it, which the last step looks at again).
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH_BITS;
    let mut length = 0;
    for chunk in bytes.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*chunk);
        let quotes = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslashes = below(word ^ (ONES * u64::from(b'\\')), 1);
        if quotes | backslashes | below(word, 0x20) != 0 {
            break;
        }
        length += 8;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    let plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1F);
    length + rest.iter().take_while(|byte| plain(byte)).count()
}
