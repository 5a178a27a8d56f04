//! What differs about the tools.

use std::collections::BTreeSet;

use sayso_core::digest::Part;
use sayso_core::drift::{self, Direction, renames, schema_changes};
use sayso_core::hint::{Claim, Hint};
use sayso_core::json::Value;
use sayso_core::listing::Listing;
use sayso_core::lock::PinnedTool;
use sayso_core::reveal::reveal_line;
use sayso_core::tool::Tool;

use super::{Change, Subject, Weight};

/// New and vanished tools, with what a vanished one has probably become.
pub(super) fn came_and_went(before: &Listing, now: &Listing, changes: &mut Vec<Change>) {
    fn only<'a>(of: &'a Listing, other: &Listing) -> Vec<Tool<'a>> {
        let there: BTreeSet<String> = other
            .tools()
            .map(|tool| tool.label().into_owned())
            .collect();
        of.tools()
            .filter(|tool| !there.contains(&*tool.label()))
            .collect()
    }
    let (vanished, new) = (only(before, now), only(now, before));
    let pairs = renames(&vanished, &new);
    for tool in new {
        let name = tool.label();
        let from = pairs.iter().find(|pair| pair.after.label() == name);
        let message = match from {
            Some(pair) => format!(
                "a new tool, probably `{}` under another name{}",
                reveal_line(&pair.before.label()),
                likeness(pair.likeness)
            ),
            None => "a new tool".to_owned(),
        };
        changes.push(Change::new(
            Some(&name),
            Subject::NewTool,
            Weight::Held,
            message,
        ));
    }
    for tool in vanished {
        let name = tool.label();
        let to = pairs.iter().find(|pair| pair.before.label() == name);
        let message = match to {
            Some(pair) => format!(
                "it is gone, probably renamed to `{}`{}",
                reveal_line(&pair.after.label()),
                likeness(pair.likeness)
            ),
            None => "it is gone".to_owned(),
        };
        let change = Change::new(
            Some(&name),
            Subject::VanishedTool,
            Weight::Tightening,
            message,
        );
        changes.push(change);
    }
}

fn likeness(likeness: f64) -> String {
    if likeness >= 1.0 {
        ": nothing but the name differs".to_owned()
    } else {
        format!(" ({:.0} % alike)", likeness * 100.0)
    }
}

/// What the listings differ in, for a tool that both have.
pub(super) fn of_both(change: &drift::Change<'_>, changes: &mut Vec<Change>) {
    match change {
        drift::Change::Hint {
            tool,
            hint,
            before,
            after,
            direction,
        } => {
            let message = format!(
                "{hint} was {} and is {}: {}",
                say(*hint, *before),
                say(*hint, *after),
                effect(*hint, *direction)
            );
            let name = tool.label();
            changes.push(Change::of_hint(&name, *hint, *direction, message));
        }
        drift::Change::Part {
            tool,
            key,
            before,
            after,
        } => of_part(&tool.label(), key, *before, *after, changes),
        drift::Change::Added { .. }
        | drift::Change::Removed { .. }
        // Told hint by hint in `untold`.
        | drift::Change::Moot { .. } => {}
    }
}

fn of_part(
    tool: &str,
    key: &str,
    before: Option<Value<'_>>,
    after: Option<Value<'_>>,
    changes: &mut Vec<Change>,
) {
    if key == "inputSchema" {
        let found = schema_changes(before, after);
        changes.extend(found.iter().map(|change| {
            Change::new(
                Some(tool),
                Subject::Schema,
                change.direction(),
                change.to_string(),
            )
        }));
        if !found.is_empty() {
            return;
        }
    }
    let subject = match key {
        "title" | "description" | "annotations.title" => Subject::Text,
        "inputSchema" | "outputSchema" => Subject::Schema,
        _ => Subject::Rest,
    };
    let key = reveal_line(key);
    let message = match (before, after) {
        (None, _) => format!("`{key}` is new"),
        (_, None) => format!("`{key}` is gone"),
        _ if subject == Subject::Text => format!("`{key}` has another wording"),
        _ => format!("`{key}` changed"),
    };
    changes.push(Change::new(Some(tool), subject, Weight::Neutral, message));
}

/// Parts whose digest moved without anything told of them yet: hints spelt otherwise that come
/// to the same, repeated keys, numbers beyond what JSON readers agree on.
pub(super) fn untold(
    tool: &str,
    before: &PinnedTool,
    now: &PinnedTool,
    told: &[(Subject, Option<Hint>)],
    changes: &mut Vec<Change>,
) {
    for part in before.digest.parts.moved(&now.digest.parts) {
        let subject = match part {
            Part::Text => Subject::Text,
            Part::Schemas => Subject::Schema,
            Part::Annotations => Subject::Hint,
            Part::Rest => Subject::Rest,
        };
        let mut is_told = told.iter().any(|(of, _)| *of == subject);
        if part == Part::Annotations {
            for hint in Hint::ALL {
                let (old, new) = (*before.claims.get(hint), *now.claims.get(hint));
                if old == new || told.contains(&(subject, Some(hint))) {
                    continue;
                }
                is_told = true;
                let (old, new) = (say(hint, old), say(hint, new));
                let message = format!("{hint} was {old} and is {new}: the same to a client");
                changes.push(Change::of_hint(tool, hint, Weight::Neutral, message));
            }
        }
        if is_told {
            continue;
        }
        let message = match part {
            Part::Annotations => {
                "`annotations` is written otherwise; every claim is the same".to_owned()
            }
            _ => format!("its {part} are written otherwise"),
        };
        changes.push(Change::new(Some(tool), subject, Weight::Neutral, message));
    }
}

/// A claim and what it comes to: `absent (so true)`.
fn say(hint: Hint, claim: Claim) -> String {
    match claim.boolean() {
        Some(value) => value.to_string(),
        None => format!("{claim} (so {})", hint.default_value()),
    }
}

/// What a client does differently.
fn effect(hint: Hint, direction: Direction) -> &'static str {
    match (hint, direction) {
        (Hint::ReadOnly, Direction::Relaxing) => "clients may now run it without asking",
        (Hint::ReadOnly, _) => "clients now treat it as a write",
        (Hint::Destructive, Direction::Relaxing) => "clients may no longer ask before it",
        (Hint::Destructive, _) => "clients now ask before it",
        (Hint::Idempotent, Direction::Relaxing) => "clients may now repeat it by themselves",
        (Hint::Idempotent, _) => "clients no longer repeat it by themselves",
        (Hint::OpenWorld, Direction::Relaxing) => "clients may now trust what it brings back",
        (Hint::OpenWorld, _) => "clients now distrust what it brings back",
    }
}
