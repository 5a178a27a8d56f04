//! Values of a document: a place in the index, and what can be asked of it.

use std::borrow::Cow;

use super::{Document, Pointer, Span};

/// What kind of JSON value stands somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, in whatever spelling.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The kind with its article, for messages: `a string`, `null`.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// One value in the index. Children follow their parent; `next` skips a whole subtree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Whether a string holds escapes.
    pub(super) escaped: bool,
    /// Whether the key holds escapes.
    pub(super) key_escaped: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the key begins; of an element of an array, its position.
    pub(super) key_start: u32,
    /// Behind the key; 0 of what has none.
    pub(super) key_end: u32,
    pub(super) next: u32,
    pub(super) parent: u32,
}

impl Node {
    /// The node where so many before it are gone.
    pub(super) fn moved_up(self, count: u32) -> Self {
        Self {
            next: self.next.saturating_sub(count),
            parent: self.parent.saturating_sub(count),
            ..self
        }
    }
}

/// A value of a [`Document`], with everything about where it stands.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    document: &'a Document,
    index: u32,
}

/// One member of an object: its key as it stands and its value.
#[derive(Clone)]
pub struct Member<'a> {
    /// The key, decoded.
    pub key: Cow<'a, str>,
    /// Where the key stands, with its quotes.
    pub key_span: Span,
    /// The value.
    pub value: Value<'a>,
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.raw())
    }
}

impl<'a> Value<'a> {
    pub(super) fn new(document: &'a Document, index: u32) -> Self {
        Self { document, index }
    }

    fn node(self) -> Node {
        const NOTHING: Node = Node {
            kind: Kind::Null,
            escaped: false,
            key_escaped: false,
            start: 0,
            end: 0,
            key_start: 0,
            key_end: 0,
            next: u32::MAX,
            parent: 0,
        };
        self.document
            .nodes
            .get(self.index as usize)
            .copied()
            .unwrap_or(NOTHING)
    }

    /// The document this value stands in.
    #[must_use]
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The value's place in the document's index, for [`Document::value`].
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// The index behind its last descendant.
    pub(super) fn behind(self) -> u32 {
        self.node().next
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Where the value stands.
    #[must_use]
    pub fn span(self) -> Span {
        let node = self.node();
        Span {
            start: node.start as usize,
            end: node.end as usize,
        }
    }

    /// The value's own bytes.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.document
            .text
            .get(self.span().range())
            .unwrap_or_default()
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The string, decoded, if it is one. A lone surrogate escape becomes U+FFFD.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let node = self.node();
        (node.kind == Kind::String)
            .then(|| decode(&self.document.text, node.start, node.end, node.escaped))
    }

    /// The number as a float, if it is a number.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() == Kind::Number {
            self.raw().parse().ok()
        } else {
            None
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// The elements of an array; nothing for any other kind.
    pub fn elements(self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        self.children(self.is_array())
    }

    /// The members of an object in the order they stand, repeated keys included.
    pub fn members(self) -> impl Iterator<Item = Member<'a>> + use<'a> {
        self.children(self.is_object()).map(|value| {
            let node = value.node();
            Member {
                key: value.key(),
                key_span: Span {
                    start: node.key_start as usize,
                    end: node.key_end as usize,
                },
                value,
            }
        })
    }

    /// The key, decoded; empty for what is no member of an object.
    fn key(self) -> Cow<'a, str> {
        let node = self.node();
        decode(
            &self.document.text,
            node.key_start,
            node.key_end,
            node.key_escaped,
        )
    }

    fn children(self, any: bool) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let end = if any { self.node().next } else { 0 };
        let document = self.document;
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            (index < end).then(|| {
                let value = Value { document, index };
                index = value.node().next;
                value
            })
        })
    }

    /// The first member with this key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.get_all(key).next()
    }

    /// Every member with this key: more than one when the key is repeated.
    pub fn get_all<'k>(self, key: &'k str) -> impl Iterator<Item = Value<'a>> + use<'a, 'k> {
        self.members()
            .filter(move |member| member.key == key)
            .map(|member| member.value)
    }

    /// The value at a path of keys, by the first member at each step.
    #[must_use]
    pub fn at(self, keys: &[&str]) -> Option<Value<'a>> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Where the key stands, if the value is a member of an object.
    #[must_use]
    pub fn key_span(self) -> Option<Span> {
        let node = self.node();
        (node.key_end > node.key_start).then_some(Span {
            start: node.key_start as usize,
            end: node.key_end as usize,
        })
    }

    /// The value this one stands in; `None` for the outermost.
    #[must_use]
    pub fn parent(self) -> Option<Value<'a>> {
        (self.index != 0).then(|| Value {
            document: self.document,
            index: self.node().parent,
        })
    }

    /// The JSON pointer (RFC 6901) from the outermost value to this one. Where a key
    /// is repeated the pointer is that of all its occurrences; the span tells them apart.
    #[must_use]
    pub fn pointer(self) -> Pointer {
        let mut steps = Vec::new();
        let mut value = self;
        while let Some(parent) = value.parent() {
            let node = value.node();
            steps.push(if parent.is_object() {
                value.key().into_owned()
            } else {
                node.key_start.to_string()
            });
            value = parent;
        }
        steps.reverse();
        Pointer::from_steps(steps)
    }

    /// The value as `serde_json` reads it: last of repeated keys, numbers as it spells them.
    /// `None` where it cannot be read so, such as a number out of range or a lone surrogate.
    #[must_use]
    pub fn to_serde(self) -> Option<serde_json::Value> {
        serde_json::from_str(self.raw()).ok()
    }
}

/// Decodes a string literal with its quotes.
pub(super) fn decode(text: &str, start: u32, end: u32, escaped: bool) -> Cow<'_, str> {
    let quoted = text.get(start as usize..end as usize).unwrap_or_default();
    if !escaped {
        return Cow::Borrowed(
            quoted
                .get(1..quoted.len().saturating_sub(1))
                .unwrap_or_default(),
        );
    }
    match serde_json::from_str::<String>(quoted) {
        Ok(decoded) => Cow::Owned(decoded),
        // Only lone surrogates are left: the grammar was checked when the document was read.
        Err(_) => Cow::Owned(decode_lone_surrogates(quoted)),
    }
}

fn decode_lone_surrogates(quoted: &str) -> String {
    let mut repaired = String::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find("\\u") {
        let (before, escape) = rest.split_at(at);
        repaired.push_str(before);
        // `\\u` is an escaped backslash before a plain `u` when the run of backslashes is even.
        let backslashes = before
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count();
        let unit = |from: usize| {
            escape
                .get(from..from + 4)
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        };
        let take = if backslashes % 2 == 1 {
            2
        } else {
            match (unit(2), escape.get(6..8), unit(8)) {
                (Some(0xD800..=0xDBFF), Some("\\u"), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), ..) => {
                    repaired.push('\u{FFFD}');
                    rest = escape.get(6..).unwrap_or_default();
                    continue;
                }
                _ => 6,
            }
        };
        let (kept, after) = escape.split_at(take.min(escape.len()));
        repaired.push_str(kept);
        rest = after;
    }
    repaired.push_str(rest);
    serde_json::from_str(&repaired).unwrap_or(repaired)
}
