//! Objects: their keys, and the annotations among them.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::Finder;
use crate::facts::{Annotations, HintEntry, Literal, Notation};
use crate::style::slot_after;
use crate::syntax::{children, field, quotable};

/// The key of an object's member.
pub(super) fn member_key<'s>(finder: &Finder<'s>, member: Node<'_>) -> Option<&'s str> {
    let key = match member.kind() {
        "pair" => field(member, "key")?,
        "method_definition" => field(member, "name")?,
        "shorthand_property_identifier" => member,
        _ => return None,
    };
    match key.kind() {
        "computed_property_name" => None,
        _ => Some(finder.text(key).trim_matches(['"', '\''])),
    }
}

/// The quotes of an object's keys.
fn key_quote(finder: &Finder<'_>, object: Node<'_>) -> Option<char> {
    let pair = children(object)
        .into_iter()
        .find(|member| member.kind() == "pair")?;
    let first = finder.text(pair).chars().next()?;
    matches!(first, '"' | '\'').then_some(first)
}

/// What an object has for `annotations`.
pub(super) fn annotations_of(finder: &Finder<'_>, object: Node<'_>) -> Annotations {
    let members = children(object);
    let keyed = |wanted: &str| {
        members
            .iter()
            .copied()
            .find(|member| member_key(finder, *member) == Some(wanted))
    };
    if let Some(member) = keyed("annotations") {
        let value = field(member, "value").unwrap_or(member);
        return annotations_value(finder, value);
    }
    // Behind the schema, where people look for them, rather than behind a long handler.
    let schemas = ["outputSchema", "inputSchema", "input_schema", "parameters"];
    let anchor = schemas
        .into_iter()
        .find_map(keyed)
        .or(members.last().copied());
    let notation = Notation::Member {
        quote: key_quote(finder, object),
    };
    Annotations::Absent(slot_after(finder.source, object, anchor, " ", notation))
}

/// An expression as annotations.
pub(super) fn annotations_value(finder: &Finder<'_>, value: Node<'_>) -> Annotations {
    let Some(object) = finder.object_of(value) else {
        return Annotations::Expression {
            text: quotable(finder.text(value)),
        };
    };
    let members = children(object);
    let entries = members.iter().filter_map(|member| {
        let hint = Hint::from_key(member_key(finder, *member)?)?;
        let value = field(*member, "value").unwrap_or(*member);
        let (boolean, is_literal) = match finder.text(value) {
            "true" => (Some(true), true),
            "false" => (Some(false), true),
            "null" | "undefined" => (None, true),
            _ => (None, matches!(value.kind(), "string" | "number")),
        };
        Some(HintEntry {
            hint,
            span: value.byte_range(),
            value: boolean,
            is_literal,
        })
    });
    let notation = Notation::Member {
        quote: key_quote(finder, object),
    };
    Annotations::Literal(Literal {
        span: object.byte_range(),
        entries: entries.collect(),
        slot: slot_after(
            finder.source,
            object,
            members.last().copied(),
            " ",
            notation,
        ),
    })
}
