//! What changed between two listings of one server, and which way each hint moved.

mod rename;
mod schema;
mod transition;

use std::collections::{HashMap, HashSet};

use crate::digest::{ToolDigest, canonical};
use crate::hint::{Claim, Hint, Hints};
use crate::json::Value;
use crate::listing::Listing;
use crate::tool::Tool;
pub use rename::{Rename, renames};
pub use schema::{SchemaChange, SchemaChangeKind, schema_changes};
pub use transition::{Promises, Transition, hint_states, transitions};

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Nothing a client acts on changed: absent and the default are the same.
    Neutral,
    /// More risk is claimed than before, or there is less reach.
    Tightening,
    /// Less risk is claimed than before, or there is new reach.
    Relaxing,
}

impl Direction {
    /// The direction as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Tightening => "tightening",
            Self::Relaxing => "relaxing",
        }
    }
}

impl std::fmt::Display for Direction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
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
    Promises::of_claims(before).direction_to(Promises::of_claims(after))
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
    /// `annotations` stands otherwise on the wire, and no client acts otherwise: absent became the
    /// default, or a hint changed that means nothing for a read-only tool.
    Moot {
        /// The tool as it is.
        tool: Tool<'a>,
        /// What stood under `annotations`.
        before: Option<Value<'a>>,
        /// What stands there.
        after: Option<Value<'a>>,
    },
}

impl<'a> Change<'a> {
    /// The direction of the change. A new tool is new reach, a removed one less. Words have no
    /// direction of their own: they are for the linter's rules to judge.
    #[must_use]
    pub fn direction(&self) -> Direction {
        match self {
            Self::Added { .. } => Direction::Relaxing,
            Self::Removed { .. } => Direction::Tightening,
            Self::Hint { direction, .. } => *direction,
            Self::Part { .. } => self
                .schema_changes()
                .iter()
                .map(SchemaChange::direction)
                .max()
                .unwrap_or(Direction::Neutral),
            Self::Moot { .. } => Direction::Neutral,
        }
    }

    /// What changed in the input schema, if that is what changed.
    #[must_use]
    pub fn schema_changes(&self) -> Vec<SchemaChange<'a>> {
        match self {
            Self::Part {
                key, before, after, ..
            } if key == "inputSchema" => schema_changes(*before, *after),
            _ => Vec::new(),
        }
    }
}

/// Everything that changed from one tool to another of the same name, as [`between`] tells it.
#[must_use]
pub fn tool_changes<'a>(before: Tool<'a>, after: Tool<'a>) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    compare(before, after, &mut changes);
    changes
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

fn compare<'a>(before: Tool<'a>, after: Tool<'a>, changes: &mut Vec<Change<'a>>) {
    if before.value().raw() == after.value().raw() {
        return;
    }
    let (old, new) = (before.claims().states(), after.claims().states());
    let (old_promises, new_promises) = (Promises::of_claims(&old), Promises::of_claims(&new));
    let first = changes.len();
    for hint in Hint::ALL {
        let own = direction(hint, *old.get(hint), *new.get(hint));
        let direction = old_promises.direction_of(hint, new_promises);
        if direction == Direction::Neutral {
            continue;
        }
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
    if changes.len() == first {
        moot(before, after, changes);
    }
    let keys = before
        .value()
        .members()
        .chain(after.value().members())
        .map(|member| member.key.into_owned());
    let mut seen = HashSet::new();
    for key in keys.filter(|key| key != "annotations" && key != "name") {
        if !seen.insert(key.clone()) {
            continue;
        }
        let (old, new) = (before.value().get_all(&key), after.value().get_all(&key));
        if let Some((old, new)) = first_difference(old, new) {
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

/// What no client acts on: hints that came to the same.
fn moot<'a>(before: Tool<'a>, after: Tool<'a>, changes: &mut Vec<Change<'a>>) {
    let digest = |tool: Tool<'_>| ToolDigest::of(tool).parts.annotations;
    let annotations = |tool: Tool<'a>| tool.value().get_all("annotations");
    if digest(before) == digest(after) {
        return;
    }
    if let Some((old, new)) = first_difference(annotations(before), annotations(after)) {
        changes.push(Change::Moot {
            tool: after,
            before: old,
            after: new,
        });
    }
}

/// The first place where two sequences of values are not the same.
fn first_difference<'a>(
    mut old: impl Iterator<Item = Value<'a>>,
    mut new: impl Iterator<Item = Value<'a>>,
) -> Option<(Option<Value<'a>>, Option<Value<'a>>)> {
    loop {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (Some(old), Some(new)) if same(old, new) => {}
            different => return Some(different),
        }
    }
}

/// What else changed inside `annotations`: its title and the keys no client reads.
fn annotations<'a>(before: Tool<'a>, after: Tool<'a>, changes: &mut Vec<Change<'a>>) {
    let objects = |tool: Tool<'a>| tool.claims().objects;
    let (old, new) = (objects(before), objects(after));
    let mut seen = HashSet::new();
    for member in old.iter().chain(&new).flat_map(|object| object.members()) {
        if Hint::from_key(&member.key).is_some() || !seen.insert(member.key.clone()) {
            continue;
        }
        let at = |objects: &[Value<'a>]| -> Vec<Value<'a>> {
            let values = objects
                .iter()
                .flat_map(|object| object.get_all(&member.key));
            values.collect()
        };
        let difference = first_difference(at(&old).into_iter(), at(&new).into_iter());
        if let Some((old, new)) = difference {
            changes.push(Change::Part {
                tool: after,
                key: format!("annotations.{}", member.key),
                before: old,
                after: new,
            });
        }
    }
}

/// Whether two values mean the same, as their digests say: white space, escapes, the spelling of
/// numbers and the order of keys do not count, repeated keys do.
#[must_use]
pub fn same(a: Value<'_>, b: Value<'_>) -> bool {
    a.raw() == b.raw() || (a.kind() == b.kind() && canonical(a) == canonical(b))
}
