//! RFC 8785 (JCS) over the lossless reader, and what is written where it has no answer.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Scheme;
use super::number::{self, Number};
use crate::json::{Kind, Member, Value};

/// What is to be written: a value, or something put together from parts of one.
pub(super) enum Node<'a> {
    Value(Value<'a>),
    Array(Vec<Node<'a>>),
    Object(Vec<Member<'a>>),
}

/// Writes a node in canonical form.
pub(super) fn write(node: Node<'_>) -> (Scheme, String) {
    let mut writer = Writer {
        text: String::new(),
        scheme: Scheme::Jcs,
    };
    // What is still to be written, last first: nesting takes no stack.
    let mut pending = vec![Step::Node(node)];
    while let Some(step) = pending.pop() {
        match step {
            Step::Literal(literal) => writer.text.push_str(literal),
            Step::String(string) => writer.string(&string),
            Step::Node(Node::Value(value)) => writer.value(value, &mut pending),
            Step::Node(Node::Array(nodes)) => writer.array(nodes, &mut pending),
            Step::Node(Node::Object(members)) => writer.object(members, &mut pending),
        }
    }
    (writer.scheme, writer.text)
}

/// A string on its own in canonical form.
pub(super) fn write_string(text: &str) -> String {
    // serde_json escapes as RFC 8785 §3.2.2.2 asks: the two-character escapes where there are
    // any, `\u00xx` in lower case for other control characters, nothing else. A string never fails.
    serde_json::to_string(text).unwrap_or_default()
}

enum Step<'a> {
    Node(Node<'a>),
    Literal(&'static str),
    String(Text<'a>),
}

struct Writer {
    text: String,
    scheme: Scheme,
}

impl Writer {
    fn value<'a>(&mut self, value: Value<'a>, pending: &mut Vec<Step<'a>>) {
        match value.kind() {
            Kind::Null => self.text.push_str("null"),
            Kind::Bool(true) => self.text.push_str("true"),
            Kind::Bool(false) => self.text.push_str("false"),
            Kind::Number => match number::canonical(value.raw()) {
                Number::Double(text) => self.text.push_str(&text),
                Number::Beyond(text) => {
                    self.scheme = Scheme::Exact;
                    self.text.push_str(&text);
                }
            },
            Kind::String => {
                let decoded = value.as_str().unwrap_or_default();
                self.string(&Text::read(value.raw(), decoded));
            }
            Kind::Array => self.array(value.elements().map(Node::Value).collect(), pending),
            Kind::Object => self.object(value.members().collect(), pending),
        }
    }

    fn array<'a>(&mut self, nodes: Vec<Node<'a>>, pending: &mut Vec<Step<'a>>) {
        self.text.push('[');
        pending.push(Step::Literal("]"));
        for (position, node) in nodes.into_iter().enumerate().rev() {
            pending.push(Step::Node(node));
            if position > 0 {
                pending.push(Step::Literal(","));
            }
        }
    }

    fn object<'a>(&mut self, members: Vec<Member<'a>>, pending: &mut Vec<Step<'a>>) {
        let mut members: Vec<(Text<'a>, Value<'a>)> = members
            .into_iter()
            .map(|member| {
                let text = member.value.document().text();
                let raw = text.get(member.key_span.range()).unwrap_or_default();
                (Text::read(raw, member.key), member.value)
            })
            .collect();
        // Stable: what is repeated under one key stays in the order it stood, which is what
        // tells readers that keep the first from those that keep the last.
        members.sort_by(|(one, _), (other, _)| one.order(other));
        let repeated = members
            .windows(2)
            .any(|pair| matches!(pair, [(one, _), (other, _)] if one.order(other).is_eq()));
        if repeated {
            self.scheme = Scheme::Exact;
        }
        self.text.push('{');
        pending.push(Step::Literal("}"));
        for (position, (key, value)) in members.into_iter().enumerate().rev() {
            pending.push(Step::Node(Node::Value(value)));
            pending.push(Step::Literal(":"));
            pending.push(Step::String(key));
            if position > 0 {
                pending.push(Step::Literal(","));
            }
        }
    }

    fn string(&mut self, string: &Text<'_>) {
        match string {
            Text::Unicode(text) => self.text.push_str(&write_string(text)),
            Text::Units(units) => {
                self.scheme = Scheme::Exact;
                self.text.push('"');
                for decoded in char::decode_utf16(units.iter().copied()) {
                    match decoded {
                        Ok(character) => {
                            let quoted = write_string(character.encode_utf8(&mut [0; 4]));
                            let length = quoted.len().saturating_sub(1);
                            self.text
                                .push_str(quoted.get(1..length).unwrap_or_default());
                        }
                        Err(lone) => {
                            let escape = format!("\\u{:04x}", lone.unpaired_surrogate());
                            self.text.push_str(&escape);
                        }
                    }
                }
                self.text.push('"');
            }
        }
    }
}

/// A decoded string: Unicode, or UTF-16 with a surrogate that has no partner.
enum Text<'a> {
    Unicode(Cow<'a, str>),
    Units(Vec<u16>),
}

impl<'a> Text<'a> {
    /// `raw` with its quotes; `decoded` as the reader decodes it.
    fn read(raw: &str, decoded: Cow<'a, str>) -> Self {
        // The reader puts U+FFFD in a lone surrogate's place: without one there was none.
        let suspect = matches!(decoded, Cow::Owned(_)) && decoded.contains('\u{FFFD}');
        if suspect && serde_json::from_str::<String>(raw).is_err() {
            Self::Units(units(raw))
        } else {
            Self::Unicode(decoded)
        }
    }

    /// RFC 8785 §3.2.3: by UTF-16 code units.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Unicode(one), Self::Unicode(other)) => {
                one.encode_utf16().cmp(other.encode_utf16())
            }
            (Self::Unicode(one), Self::Units(other)) => {
                one.encode_utf16().cmp(other.iter().copied())
            }
            (Self::Units(one), Self::Unicode(other)) => {
                one.iter().copied().cmp(other.encode_utf16())
            }
            (Self::Units(one), Self::Units(other)) => one.cmp(other),
        }
    }
}

/// The UTF-16 code units of a string literal whose grammar has been checked.
fn units(raw: &str) -> Vec<u16> {
    let inside = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let mut units = Vec::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        let plain = match character {
            '\\' => match characters.next() {
                Some('u') => {
                    let rest = characters.as_str();
                    let (digits, after) = rest.split_at_checked(4).unwrap_or((rest, ""));
                    characters = after.chars();
                    units.extend(u16::from_str_radix(digits, 16).ok());
                    continue;
                }
                Some('b') => '\u{8}',
                Some('f') => '\u{C}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => continue,
            },
            other => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    units
}
