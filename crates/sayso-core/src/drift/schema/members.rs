//! Keywords that hold several values or schemas: which came, which went, which belong together.

use std::collections::{BTreeMap, BTreeSet};

use super::subschema::Keywords;
use super::{Comparison, Pair, SchemaChangeKind as Change, Sides};
use crate::digest::Digest;
use crate::json::{Kind, Value};

impl<'a> Comparison<'a> {
    pub(super) fn arguments(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let Some(members) = self.named(pair, keyword, sides) else {
            return;
        };
        for (name, sides) in members {
            let argument = pair.part(&name, "", sides);
            match sides {
                Sides(None, _) => self.add(&argument, Change::ArgumentAdded, keyword, sides),
                Sides(_, None) => self.add(&argument, Change::ArgumentRemoved, keyword, sides),
                _ => self.descend(argument),
            }
        }
    }

    /// Which arguments have to be there; of a new one that it is new is enough.
    pub(super) fn required(
        &mut self,
        pair: &Pair<'a>,
        keyword: &str,
        sides: Sides<'a>,
        (before, after): (&Keywords<'a>, &Keywords<'a>),
    ) {
        let (Some(old), Some(new)) = (strings(sides.0), strings(sides.1)) else {
            return self.differs(pair, keyword, sides);
        };
        let has = |keywords: &Keywords<'a>, name: &str| {
            let mut properties = keywords.get("properties").into_iter().flatten();
            properties.any(|properties| properties.get(name).is_some())
        };
        for name in old.symmetric_difference(&new) {
            if !has(before, name) && has(after, name) {
                continue;
            }
            let kind = if new.contains(name) {
                Change::Narrowed
            } else {
                Change::Loosened
            };
            self.add(&pair.part(name, "", sides), kind, keyword, sides);
        }
    }

    pub(super) fn by_name(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let Some(members) = self.named(pair, keyword, sides) else {
            return;
        };
        for (name, sides) in members {
            let what = match keyword {
                "patternProperties" => format!("/{name}/"),
                _ => String::new(),
            };
            let part = pair.part(&what, keyword, sides);
            if sides.both() {
                self.descend(part);
            } else {
                self.add(&part, Change::Unclear, keyword, sides);
            }
        }
    }

    pub(super) fn types(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let (Some(old), Some(new)) = (types(sides.0), types(sides.1)) else {
            return self.differs(pair, keyword, sides);
        };
        if !new.is_subset(&old) {
            self.add(pair, Change::Loosened, keyword, sides);
        } else if new != old {
            self.add(pair, Change::Narrowed, keyword, sides);
        }
    }

    /// `enum`, and `const` as an `enum` of one.
    pub(super) fn values(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let Sides(Some(old), Some(new)) = sides else {
            return self.came_or_went(pair, keyword, sides);
        };
        let members = |value: Value<'a>| match (keyword, value.kind()) {
            ("const", _) => Some(vec![value]),
            (_, Kind::Array) => Some(value.elements().collect()),
            _ => None,
        };
        let (Some(old), Some(new)) = (members(old), members(new)) else {
            return self.differs(pair, keyword, sides);
        };
        let (before, after) = (digests(&old), digests(&new));
        for (digest, value) in old.into_iter().map(|value| (Digest::of(value), value)) {
            if !after.contains_key(&digest) {
                self.add(
                    pair,
                    Change::ValueRemoved,
                    keyword,
                    Sides(Some(value), None),
                );
            }
        }
        for (digest, value) in new.into_iter().map(|value| (Digest::of(value), value)) {
            if !before.contains_key(&digest) {
                self.add(pair, Change::ValueAdded, keyword, Sides(None, Some(value)));
            }
        }
    }

    pub(super) fn positions(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let (Some(old), Some(new)) = (list(sides.0), list(sides.1)) else {
            return self.differs(pair, keyword, sides);
        };
        if old.len() != new.len() {
            return self.add(pair, Change::Unclear, keyword, sides);
        }
        for (position, (old, new)) in old.into_iter().zip(new).enumerate() {
            let sides = Sides(Some(old), Some(new));
            self.descend(pair.part(&format!("[{position}]"), keyword, sides));
        }
    }

    pub(super) fn alternatives(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        if !sides.both() {
            return self.came_or_went(pair, keyword, sides);
        }
        let (Some(old), Some(new)) = (list(sides.0), list(sides.1)) else {
            return self.differs(pair, keyword, sides);
        };
        for sides in self.paired(pair, keyword, old, new) {
            let kind = if sides.0.is_some() {
                Change::ValueRemoved
            } else {
                Change::ValueAdded
            };
            self.add(pair, kind, keyword, sides);
        }
    }

    pub(super) fn all(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let conditions = |value: Option<Value<'a>>| match value {
            None => Some(Vec::new()),
            some => list(some),
        };
        let (Some(old), Some(new)) = (conditions(sides.0), conditions(sides.1)) else {
            return self.differs(pair, keyword, sides);
        };
        for sides in self.paired(pair, keyword, old, new) {
            self.came_or_went(pair, keyword, sides);
        }
    }

    /// Has the members of two lists compared that belong together: the equal ones, then the rest in
    /// order where as many are left on both sides. What is left over otherwise is given back.
    fn paired(
        &mut self,
        pair: &Pair<'a>,
        keyword: &str,
        mut old: Vec<Value<'a>>,
        mut new: Vec<Value<'a>>,
    ) -> Vec<Sides<'a>> {
        let (before, after) = (digests(&old), digests(&new));
        for (digest, old) in &before {
            if let Some(new) = after.get(digest) {
                // Equal in words; what they refer to may have changed.
                let sides = Sides(Some(*old), Some(*new));
                self.descend(pair.part("", keyword, sides));
            }
        }
        old.retain(|old| !after.contains_key(&Digest::of(*old)));
        new.retain(|new| !before.contains_key(&Digest::of(*new)));
        if old.len() == new.len() {
            for (old, new) in old.into_iter().zip(new) {
                let sides = Sides(Some(old), Some(new));
                self.descend(pair.part("", keyword, sides));
            }
            return Vec::new();
        }
        let gone = old.into_iter().map(|old| Sides(Some(old), None));
        let came = new.into_iter().map(|new| Sides(None, Some(new)));
        gone.chain(came).collect()
    }

    /// Notes a constraint that is there on one side only.
    fn came_or_went(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        let kind = if sides.0.is_none() {
            Change::Narrowed
        } else {
            Change::Loosened
        };
        self.add(pair, kind, keyword, sides);
    }

    /// Notes what is not the same, and not what it ought to be, as unclear.
    fn differs(&mut self, pair: &Pair<'a>, keyword: &str, sides: Sides<'a>) {
        if !sides.same() {
            self.add(pair, Change::Unclear, keyword, sides);
        }
    }

    /// The members of both sides by name; `None` once it is noted that one has none to go by.
    fn named(
        &mut self,
        pair: &Pair<'a>,
        keyword: &str,
        sides: Sides<'a>,
    ) -> Option<BTreeMap<String, Sides<'a>>> {
        let (Some(old), Some(new)) = (named(sides.0), named(sides.1)) else {
            self.differs(pair, keyword, sides);
            return None;
        };
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let sides = |name: &String| Sides(old.get(name).copied(), new.get(name).copied());
        Some(
            names
                .into_iter()
                .map(|name| (name.clone(), sides(name)))
                .collect(),
        )
    }
}

/// The members of an object by name, none if it is not there; `None` if it is no object or has a
/// repeated key.
fn named(value: Option<Value<'_>>) -> Option<BTreeMap<String, Value<'_>>> {
    let mut named = BTreeMap::new();
    if value.is_some_and(|value| !value.is_object()) {
        return None;
    }
    for member in value.into_iter().flat_map(Value::members) {
        if named
            .insert(member.key.into_owned(), member.value)
            .is_some()
        {
            return None;
        }
    }
    Some(named)
}

fn list(value: Option<Value<'_>>) -> Option<Vec<Value<'_>>> {
    value
        .filter(|value| value.is_array())
        .map(|value| value.elements().collect())
}

/// The strings of a list, none if it is not there; `None` if it is something else.
fn strings(value: Option<Value<'_>>) -> Option<BTreeSet<String>> {
    let text = |value: Value<'_>| Some(value.as_str()?.into_owned());
    match value {
        None => Some(BTreeSet::new()),
        Some(value) if value.is_array() => value.elements().map(text).collect(),
        Some(_) => None,
    }
}

/// The types a value may have, all if nothing is said; every integer is a number.
fn types(value: Option<Value<'_>>) -> Option<BTreeSet<String>> {
    const ALL: [&str; 7] = [
        "null", "boolean", "object", "array", "string", "integer", "number",
    ];
    let mut types = match value {
        None => ALL.map(str::to_owned).into(),
        Some(value) => match value.as_str() {
            Some(one) => BTreeSet::from([one.into_owned()]),
            None => strings(Some(value))?,
        },
    };
    if !types.iter().all(|name| ALL.contains(&name.as_str())) {
        return None;
    }
    if types.contains("number") {
        types.insert("integer".to_owned());
    }
    Some(types)
}

fn digests<'a>(values: &[Value<'a>]) -> BTreeMap<Digest, Value<'a>> {
    values
        .iter()
        .map(|value| (Digest::of(*value), *value))
        .collect()
}
