//! What each keyword's change means (JSON Schema 2020-12, Core §10 and Validation §6).

use std::collections::BTreeSet;

use super::subschema::Keywords;
use super::{Comparison, Pair, SchemaChangeKind as Change, Sides};
use crate::json::Value;

/// How a keyword constrains.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// An upper bound: more lets more through.
    Most,
    /// A lower bound: less lets more through.
    Least,
    /// Divides every value.
    Divisor,
    /// A constraint of which two values cannot be compared.
    Constraint,
    /// `true` lets less through than `false` or nothing.
    Flag,
    /// A schema for parts of the value, shown so: looser lets more through. Absent allows anything.
    Part(&'static str),
    /// A schema for all elements or, before 2020-12, a list of them by position.
    Items,
    /// A list of schemas by position.
    Positions,
    /// A list of schemas of which one has to fit.
    Alternatives,
    /// A list of schemas that all have to fit, in no order.
    All,
    /// Schemas by argument.
    Arguments,
    /// The arguments that have to be there.
    Required,
    /// Schemas by name whose looser form lets more through.
    ByName,
    /// A schema whose looser form may let less through.
    Opaque,
    /// The types a value may have.
    Types,
    /// The values that are allowed.
    Values,
    /// The dialect.
    Dialect,
    /// Changes what a call does or how the rest is read.
    Unclear,
    /// Constrains nothing: words, or a keyword JSON Schema does not know (Core §4.3.1 makes an
    /// unknown keyword an annotation). Definitions count where something refers to them.
    Words,
}

impl Meaning {
    fn of(keyword: &str) -> Self {
        match keyword {
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties"
            | "maxContains" => Self::Most,
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties"
            | "minContains" => Self::Least,
            "multipleOf" => Self::Divisor,
            "pattern" | "format" | "dependentRequired" => Self::Constraint,
            "uniqueItems" => Self::Flag,
            "additionalProperties" | "unevaluatedProperties" => Self::Part("*"),
            "additionalItems" | "unevaluatedItems" => Self::Part("[]"),
            "propertyNames" | "then" | "else" => Self::Part(""),
            "items" => Self::Items,
            "prefixItems" => Self::Positions,
            "anyOf" | "oneOf" => Self::Alternatives,
            "allOf" => Self::All,
            "properties" => Self::Arguments,
            "required" => Self::Required,
            "patternProperties" | "dependentSchemas" => Self::ByName,
            "not" | "if" | "contains" => Self::Opaque,
            "type" => Self::Types,
            "enum" | "const" => Self::Values,
            "$schema" => Self::Dialect,
            // What is left out of a call gets another value.
            "default" => Self::Unclear,
            "$ref" | "$id" | "id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor"
            | "$recursiveRef" | "$recursiveAnchor" | "$vocabulary" | "dependencies" => {
                Self::Unclear
            }
            _ => Self::Words,
        }
    }
}

impl<'a> Comparison<'a> {
    pub(super) fn keywords(
        &mut self,
        pair: &Pair<'a>,
        before: &Keywords<'a>,
        after: &Keywords<'a>,
    ) {
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for keyword in names {
            let none = Vec::new();
            let old = before.get(keyword).unwrap_or(&none);
            let new = after.get(keyword).unwrap_or(&none);
            match (old.as_slice(), new.as_slice()) {
                ([], [new]) => {
                    self.keyword(pair, keyword, Sides(None, Some(*new)), (before, after))
                }
                ([old], []) => {
                    self.keyword(pair, keyword, Sides(Some(*old), None), (before, after))
                }
                (old, new) if old.len() == new.len() => {
                    for (old, new) in old.iter().zip(new) {
                        let sides = Sides(Some(*old), Some(*new));
                        self.keyword(pair, keyword, sides, (before, after));
                    }
                }
                (old, new) => {
                    let sides = Sides(old.first().copied(), new.first().copied());
                    self.add(pair, Change::Unclear, keyword, sides);
                }
            }
        }
    }

    fn keyword(
        &mut self,
        pair: &Pair<'a>,
        keyword: &str,
        sides: Sides<'a>,
        all: (&Keywords<'a>, &Keywords<'a>),
    ) {
        match Meaning::of(keyword) {
            Meaning::Part(what) => self.descend(pair.part(what, keyword, sides)),
            Meaning::Items if sides.any(Value::is_array) => self.positions(pair, keyword, sides),
            Meaning::Items => self.descend(pair.part("[]", keyword, sides)),
            Meaning::Positions => self.positions(pair, keyword, sides),
            Meaning::Alternatives => self.alternatives(pair, keyword, sides),
            Meaning::All => self.all(pair, keyword, sides),
            Meaning::Arguments => self.arguments(pair, keyword, sides),
            Meaning::Required => self.required(pair, keyword, sides, all),
            Meaning::ByName => self.by_name(pair, keyword, sides),
            Meaning::Types => self.types(pair, keyword, sides),
            Meaning::Values => self.values(pair, keyword, sides),
            Meaning::Opaque if sides.both() => self.descend(Pair {
                unclear: true,
                ..pair.part("", keyword, sides)
            }),
            whole if !sides.same() => self.add(pair, whole_value(whole, sides), keyword, sides),
            _ => {}
        }
    }
}

/// What it means that a keyword's value as a whole is another one.
fn whole_value(meaning: Meaning, sides: Sides<'_>) -> Change {
    match (meaning, sides) {
        (Meaning::Words, _) => Change::Wording,
        (Meaning::Unclear | Meaning::Opaque, _) => Change::Unclear,
        (Meaning::Dialect, _) => dialect(sides),
        (Meaning::Flag, _) => flag(sides),
        (_, Sides(None, _)) => Change::Narrowed,
        (_, Sides(_, None)) => Change::Loosened,
        (Meaning::Most, Sides(Some(old), Some(new))) => bound(old, new),
        (Meaning::Least, Sides(Some(old), Some(new))) => bound(new, old),
        (Meaning::Divisor, Sides(Some(old), Some(new))) => divisor(old, new),
        _ => Change::Unclear,
    }
}

/// An upper bound that changed; a lower one with its ends exchanged.
fn bound(old: Value<'_>, new: Value<'_>) -> Change {
    match (old.as_f64(), new.as_f64()) {
        (Some(old), Some(new)) if new > old => Change::Loosened,
        (Some(old), Some(new)) if new < old => Change::Narrowed,
        _ => Change::Unclear,
    }
}

fn divisor(old: Value<'_>, new: Value<'_>) -> Change {
    let divides = |small: f64, large: f64| small > 0.0 && (large / small).fract() == 0.0;
    match (old.as_f64(), new.as_f64()) {
        (Some(old), Some(new)) if divides(new, old) && !divides(old, new) => Change::Loosened,
        (Some(old), Some(new)) if divides(old, new) && !divides(new, old) => Change::Narrowed,
        _ => Change::Unclear,
    }
}

fn flag(Sides(old, new): Sides<'_>) -> Change {
    let holds = |value: Option<Value<'_>>| value.map_or(Some(false), Value::as_bool);
    match (holds(old), holds(new)) {
        (Some(false), Some(true)) => Change::Narrowed,
        (Some(true), Some(false)) => Change::Loosened,
        (Some(_), Some(_)) => Change::Wording,
        _ => Change::Unclear,
    }
}

/// Between dialects that read these keywords alike nothing changes.
fn dialect(Sides(old, new): Sides<'_>) -> Change {
    const ALIKE: [&str; 3] = [
        "json-schema.org/draft-07/schema",
        "json-schema.org/draft/2019-09/schema",
        "json-schema.org/draft/2020-12/schema",
    ];
    let known = |value: Option<Value<'_>>| {
        value.is_none_or(|value| {
            value.as_str().is_some_and(|uri| {
                let uri = uri.trim_end_matches('#');
                let name = uri.split_once("://");
                name.is_some_and(|(scheme, name)| {
                    matches!(scheme, "http" | "https") && ALIKE.contains(&name)
                })
            })
        })
    };
    if known(old) && known(new) {
        Change::Wording
    } else {
        Change::Unclear
    }
}
