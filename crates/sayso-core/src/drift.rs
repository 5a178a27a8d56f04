//! What changed between two listings of one server, and which way each hint moved.

use std::collections::{HashMap, HashSet};

use crate::effective::Effective;
use crate::hint::{Claim, Hint, Hints};
use crate::json::{Kind, Value};
use crate::listing::Listing;
use crate::tool::Tool;

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Nothing a client acts on changed: absent and the default are the same.
    Neutral,
    /// More risk is claimed than before.
    Tightening,
    /// Less risk is claimed than before.
    Relaxing,
}

/// The direction in which one hint moved, by the value a client acts on.
#[must_use]
pub fn direction(hint: Hint, before: Claim, after: Claim) -> Direction {
    let value = |claim: Claim| claim.boolean().unwrap_or(hint.default_value());
    match (value(before), value(after)) {
        (old, new) if old == new => Direction::Neutral,
        // Every default is the most cautious value, so moving to it is tightening.
        (_, new) if new == hint.default_value() => Direction::Tightening,
        _ => Direction::Relaxing,
    }
}

/// The direction in which a tool moved as a whole: relaxing if any effective promise grew.
#[must_use]
pub fn tool_direction(before: &Hints<Claim>, after: &Hints<Claim>) -> Direction {
    let (old, new) = (
        Effective::from_claims(before),
        Effective::from_claims(after),
    );
    let promises = |effective: &Effective| {
        [
            effective.read_only(),
            !effective.may_destroy(),
            effective.repeatable(),
            !effective.open_world(),
        ]
    };
    promises(&old)
        .into_iter()
        .zip(promises(&new))
        .map(|(old, new)| match (old, new) {
            (false, true) => Direction::Relaxing,
            (true, false) => Direction::Tightening,
            _ => Direction::Neutral,
        })
        .max()
        .unwrap_or(Direction::Neutral)
}

/// Something that is different in a later listing of the same server.
#[derive(Clone, Debug)]
pub enum Change<'a> {
    /// A tool that was not there before.
    Added {
        /// The tool.
        tool: Tool<'a>,
    },
    /// A tool that is no longer there.
    Removed {
        /// The tool as it was.
        tool: Tool<'a>,
    },
    /// A hint whose change a client notices.
    Hint {
        /// The tool as it is.
        tool: Tool<'a>,
        /// The hint.
        hint: Hint,
        /// What was claimed.
        before: Claim,
        /// What is claimed.
        after: Claim,
        /// Which way it moved: never [`Direction::Neutral`].
        direction: Direction,
    },
    /// Another part of a tool.
    Part {
        /// The tool as it is.
        tool: Tool<'a>,
        /// Its key: `title`, `description`, `inputSchema` and so on.
        key: String,
        /// What stood there.
        before: Option<Value<'a>>,
        /// What stands there.
        after: Option<Value<'a>>,
    },
}

/// Everything that changed from one listing to another. Tools are matched by name, the first
/// of a name on either side; order, white space and the order of keys never count. Changes come
/// in the order of the later listing, what was removed last.
#[must_use]
pub fn between<'a>(before: &'a Listing, after: &'a Listing) -> Vec<Change<'a>> {
    let mut old: HashMap<String, Tool<'a>> = HashMap::with_capacity(before.len());
    for tool in before.tools() {
        if let Some(name) = tool.name() {
            old.entry(name.into_owned()).or_insert(tool);
        }
    }
    let mut changes = Vec::new();
    let mut seen = HashSet::with_capacity(after.len());
    for tool in after.tools() {
        let Some(name) = tool.name() else { continue };
        if seen.contains(&*name) {
            continue;
        }
        match old.get(&*name) {
            Some(earlier) => compare(*earlier, tool, &mut changes),
            None => changes.push(Change::Added { tool }),
        }
        seen.insert(name.into_owned());
    }
    let mut removed = HashSet::new();
    for tool in before.tools() {
        if let Some(name) = tool.name()
            && !seen.contains(&*name)
            && removed.insert(name.into_owned())
        {
            changes.push(Change::Removed { tool });
        }
    }
    changes
}

/// The promises a client can act on, each at the hint that makes it.
fn promise(effective: &Effective, hint: Hint) -> bool {
    match hint {
        Hint::ReadOnly => effective.read_only(),
        Hint::Destructive => !effective.may_destroy(),
        Hint::Idempotent => effective.repeatable(),
        Hint::OpenWorld => !effective.open_world(),
    }
}

fn compare<'a>(before: Tool<'a>, after: Tool<'a>, changes: &mut Vec<Change<'a>>) {
    if before.value().raw() == after.value().raw() {
        return;
    }
    let (old, new) = (before.claims().states(), after.claims().states());
    let (old_effective, new_effective) =
        (Effective::from_claims(&old), Effective::from_claims(&new));
    for hint in Hint::ALL {
        let own = direction(hint, *old.get(hint), *new.get(hint));
        let direction = match (promise(&old_effective, hint), promise(&new_effective, hint)) {
            (false, true) => Direction::Relaxing,
            (true, false) => Direction::Tightening,
            _ => continue,
        };
        // A promise that moves with another hint alone is told at that hint.
        if own != Direction::Neutral {
            changes.push(Change::Hint {
                tool: after,
                hint,
                before: *old.get(hint),
                after: *new.get(hint),
                direction,
            });
        }
    }
    let parts = before
        .value()
        .members()
        .chain(after.value().members())
        .map(|member| member.key.into_owned());
    let mut seen = HashSet::new();
    for key in parts.filter(|key| key != "annotations" && key != "name") {
        if !seen.insert(key.clone()) {
            continue;
        }
        let (old, new) = (before.value().get(&key), after.value().get(&key));
        let same = match (old, new) {
            (Some(old), Some(new)) => same(old, new),
            (old, new) => old.is_none() && new.is_none(),
        };
        if !same {
            changes.push(Change::Part {
                tool: after,
                key,
                before: old,
                after: new,
            });
        }
    }
    annotations(before, after, changes);
}

/// What else changed inside `annotations`: its title and the keys no client reads.
fn annotations<'a>(before: Tool<'a>, after: Tool<'a>, changes: &mut Vec<Change<'a>>) {
    let members = |tool: Tool<'a>| {
        tool.value()
            .get("annotations")
            .into_iter()
            .flat_map(Value::members)
    };
    let mut seen = HashSet::new();
    for member in members(before).chain(members(after)) {
        if Hint::from_key(&member.key).is_some() || !seen.insert(member.key.clone()) {
            continue;
        }
        let at = |tool: Tool<'a>| tool.value().at(&["annotations", &member.key]);
        let (old, new) = (at(before), at(after));
        if !matches!((old, new), (Some(old), Some(new)) if same(old, new)) {
            changes.push(Change::Part {
                tool: after,
                key: format!("annotations.{}", member.key),
                before: old,
                after: new,
            });
        }
    }
}

/// Whether two values mean the same: white space, escapes and the order of keys do not count,
/// the spelling of numbers and repeated keys do.
#[must_use]
pub fn same(a: Value<'_>, b: Value<'_>) -> bool {
    if a.raw() == b.raw() {
        return true;
    }
    match (a.kind(), b.kind()) {
        (Kind::String, Kind::String) => a.as_str() == b.as_str(),
        (Kind::Array, Kind::Array) => {
            let (mut left, mut right) = (a.elements(), b.elements());
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return true,
                    (Some(left), Some(right)) if same(left, right) => {}
                    _ => return false,
                }
            }
        }
        (Kind::Object, Kind::Object) => {
            let sorted = |value: Value<'_>| {
                let mut members: Vec<(String, u32)> = value
                    .members()
                    .map(|member| (member.key.into_owned(), member.value.index()))
                    .collect();
                members.sort();
                members
            };
            let (left, right) = (sorted(a), sorted(b));
            left.len() == right.len()
                && left
                    .iter()
                    .zip(&right)
                    .all(|((left_key, left), (right_key, right))| {
                        left_key == right_key
                            && matches!(
                                (a.document().value(*left), b.document().value(*right)),
                                (Some(left), Some(right)) if same(left, right)
                            )
                    })
        }
        _ => false,
    }
}
