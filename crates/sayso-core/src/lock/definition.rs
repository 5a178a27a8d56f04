//! A tool's definition as lines: short enough to review, exact enough to be digested again.

use std::fmt::Write as _;

use crate::json::{Document, Kind, Limits, Value};
use crate::reveal::hidden;

/// Columns a value may take in the file before it goes on several lines.
pub(super) const WIDTH: usize = 96;

/// A definition that came with a listing stood within the limits there; what stands around it
/// here takes a little more.
pub(super) const LIMITS: Limits = Limits {
    max_bytes: 256 << 20,
    max_depth: 160,
    max_values: 8_000_000,
};

/// The canonical text without its name, and without its description where that is a text that
/// can stand by itself: both, and what is left, laid out.
pub(super) struct Taken {
    pub(super) description: Option<String>,
    pub(super) rest: String,
}

/// Takes name and description out of a canonical definition.
pub(super) fn take_apart(definition: &str, width: usize) -> Option<Taken> {
    let document = super::parse(definition)?;
    let root = document.root();
    let description = own_description(root);
    let kept = root.members().filter(|member| match &*member.key {
        "name" => false,
        "description" => description.is_none(),
        _ => true,
    });
    let kept: Vec<(&str, Value<'_>)> = kept
        .map(|member| {
            let key = document.text().get(member.key_span.range());
            (key.unwrap_or_default(), member.value)
        })
        .collect();
    let mut layout = Layout {
        width,
        out: String::new(),
    };
    layout.members(&kept, 0);
    Some(Taken {
        description,
        rest: layout.out,
    })
}

/// The description, where there is one, it is a string and no surrogate in it is alone.
fn own_description(root: Value<'_>) -> Option<String> {
    use crate::digest::{Digest, Scheme};
    let mut all = root.get_all("description");
    let description = all.next().filter(|_| all.next().is_none())?;
    let readable = Digest::of(description).scheme() == Scheme::Jcs;
    Some(description.as_str().filter(|_| readable)?.into_owned())
}

/// Puts together again what [`take_apart`] took apart; `None` when the rest is no object.
pub(super) fn put_together(name: &str, description: Option<&str>, rest: &str) -> Option<Document> {
    let document = super::parse(rest)?;
    let root = document.root();
    if !root.is_object() {
        return None;
    }
    let string = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut text = format!("{{\"name\":{}", string(name));
    if let Some(description) = description {
        let _ = write!(text, ",\"description\":{}", string(description));
    }
    let inside = root.raw();
    let inside = inside.get(1..inside.len().saturating_sub(1))?.trim();
    if !inside.is_empty() {
        text.push(',');
        text.push_str(inside);
    }
    text.push('}');
    super::parse(&text)
}

/// A canonical definition, laid out; a description with line breaks has a line for each.
pub(super) fn lines(definition: &str, width: usize) -> Vec<String> {
    let Some(taken) = take_apart(definition, width) else {
        return vec![definition.to_owned()];
    };
    let mut lines = Vec::new();
    if let Some(description) = &taken.description {
        lines.push("description:".to_owned());
        lines.extend(description.lines().map(|line| format!("  {line}")));
    }
    lines.extend(taken.rest.lines().map(str::to_owned));
    lines
}

/// Lays a value out. Nesting is as deep as the reader allows, no deeper.
struct Layout {
    width: usize,
    out: String,
}

impl Layout {
    /// A value on one line if it fits behind what stands there, else with a line for each member
    /// or element.
    fn value(&mut self, value: Value<'_>, indent: usize, before: usize) {
        let has_children = match value.kind() {
            Kind::Object => value.members().next().is_some(),
            Kind::Array => value.elements().next().is_some(),
            _ => false,
        };
        let fits =
            || value.raw().len() <= self.width && flat_width(value) + indent + before <= self.width;
        if !has_children || fits() {
            flat(value, &mut self.out);
            return;
        }
        if value.is_object() {
            let text = value.document().text();
            let all: Vec<(&str, Value<'_>)> = value
                .members()
                .map(|member| {
                    let key = text.get(member.key_span.range());
                    (key.unwrap_or_default(), member.value)
                })
                .collect();
            self.members(&all, indent);
            return;
        }
        self.out.push('[');
        for (position, element) in value.elements().enumerate() {
            self.line(position, indent + 2);
            self.value(element, indent + 2, 1);
        }
        let _ = write!(self.out, "\n{:indent$}]", "");
    }

    fn members(&mut self, members: &[(&str, Value<'_>)], indent: usize) {
        if members.is_empty() {
            self.out.push_str("{}");
            return;
        }
        self.out.push('{');
        for (position, (key, value)) in members.iter().enumerate() {
            self.line(position, indent + 2);
            let start = self.out.len();
            literal(key, &mut self.out);
            self.out.push_str(": ");
            let before = self.out.len() - start + 1;
            self.value(*value, indent + 2, before);
        }
        let _ = write!(self.out, "\n{:indent$}}}", "");
    }

    fn line(&mut self, position: usize, indent: usize) {
        let comma = if position == 0 { "" } else { "," };
        let _ = write!(self.out, "{comma}\n{:indent$}", "");
    }
}

/// How long a value is on one line: at least its own text, and a space behind each comma and
/// colon.
fn flat_width(value: Value<'_>) -> usize {
    let mut text = String::new();
    flat(value, &mut text);
    text.chars().count()
}

fn flat(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            let text = value.document().text();
            out.push('{');
            for (position, member) in value.members().enumerate() {
                out.push_str(if position == 0 { " " } else { ", " });
                literal(text.get(member.key_span.range()).unwrap_or_default(), out);
                out.push_str(": ");
                flat(member.value, out);
            }
            out.push_str(if out.ends_with('{') { "}" } else { " }" });
        }
        Kind::Array => {
            out.push('[');
            for (position, element) in value.elements().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                flat(element, out);
            }
            out.push(']');
        }
        _ => literal(value.raw(), out),
    }
}

/// A JSON literal. Characters that hide are written as the escapes they are equal to, and so is
/// an apostrophe behind another: three in a row would end the TOML string around it.
fn literal(raw: &str, out: &mut String) {
    for character in raw.chars() {
        let ends_string = character == '\'' && out.ends_with('\'');
        if !ends_string && hidden(character).is_none() {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
}
