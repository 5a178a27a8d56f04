//! One difference between what was pinned and what is listed now, and how much it weighs.

use std::collections::BTreeSet;

use sayso_audit::semantics::Semantics;
use sayso_core::digest::Part;
use sayso_core::drift::{self, Direction, renames, schema_changes};
use sayso_core::hint::{Claim, Hint};
use sayso_core::json::Value;
use sayso_core::listing::Listing;
use sayso_core::lock::{Launch, LaunchSource, PinnedServer};
use sayso_core::reveal::reveal_line;
use sayso_core::tool::Tool;

use super::flagged;

/// How much a change weighs, and what it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Weight {
    /// Nothing a client acts on: recorded.
    Neutral,
    /// More risk is claimed, less is reached: takes effect at once.
    Tightening,
    /// New, and nobody has looked at it: held back until somebody does.
    Held,
    /// Less risk is claimed, more is reached: blocks.
    Relaxing,
}

impl Weight {
    /// All, lightest first.
    pub(crate) const ALL: [Self; 4] = [Self::Neutral, Self::Tightening, Self::Held, Self::Relaxing];

    /// The weight as one word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Tightening => "tightening",
            Self::Held => "held",
            Self::Relaxing => "relaxing",
        }
    }
}

impl From<Direction> for Weight {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Neutral => Self::Neutral,
            Direction::Tightening => Self::Tightening,
            Direction::Relaxing => Self::Relaxing,
        }
    }
}

/// What a change is about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Subject {
    /// What is started or reached.
    Launch,
    /// The server's name for itself, its version, its protocol.
    Identity,
    /// The server's instructions for the model.
    Instructions,
    /// A tool that was not there.
    NewTool,
    /// A tool that is no longer there.
    VanishedTool,
    /// A hint.
    Hint,
    /// Title or description.
    Text,
    /// The input schema or the output schema.
    Schema,
    /// Any other part of a tool.
    Rest,
}

/// One difference.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The tool it is about; `None` for the server as a whole.
    pub(crate) tool: Option<String>,
    /// What of it.
    pub(crate) subject: Subject,
    /// How much it weighs.
    pub(crate) weight: Weight,
    /// What changed, in one lower-case sentence without a full stop.
    pub(crate) message: String,
    /// The rule that flags the new text, where one does.
    pub(crate) rule: Option<&'static str>,
    /// Whether this run took it over into the lock.
    pub(crate) accepted: bool,
}

impl Change {
    fn new(
        tool: Option<&str>,
        subject: Subject,
        weight: impl Into<Weight>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            subject,
            weight: weight.into(),
            message: message.into(),
            rule: None,
            accepted: false,
        }
    }
}

/// Everything that differs: the server as a whole first, then tool by tool, heaviest first
/// within each. `semantics` is how the rules read what is contested.
pub(crate) fn between(
    before: &PinnedServer,
    now: &PinnedServer,
    semantics: Semantics,
) -> Vec<Change> {
    let mut changes = of_server(before, now);
    let moved: BTreeSet<&str> = now
        .tools
        .iter()
        .filter(|(name, tool)| {
            let old = before.tools.get(*name);
            old.is_some_and(|old| old.digest != tool.digest)
        })
        .map(|(name, _)| name.as_str())
        .collect();
    let (old_listing, new_listing) = (before.listing(), now.listing());
    came_and_went(&old_listing, &new_listing, &mut changes);
    for change in drift::between(&old_listing, &new_listing) {
        of_tool(&change, &mut changes);
    }
    for name in &moved {
        if let (Some(old), Some(new)) = (before.tools.get(*name), now.tools.get(*name)) {
            let told = changes
                .iter()
                .filter(|change| change.tool.as_deref() == Some(*name))
                .map(|change| change.subject)
                .collect();
            let parts = old.digest.parts.moved(&new.digest.parts);
            untold(
                name,
                &parts,
                &told,
                (&old.claims, &new.claims),
                &mut changes,
            );
        }
    }
    let listings = (&old_listing, &new_listing);
    flagged::add(before, now, listings, semantics, &mut changes);
    changes.sort_by(|one, other| {
        let key = |change: &Change| {
            (
                change.tool.clone(),
                std::cmp::Reverse(change.weight),
                change.subject,
            )
        };
        key(one).cmp(&key(other))
    });
    changes
}

fn of_server(before: &PinnedServer, now: &PinnedServer) -> Vec<Change> {
    let mut changes = Vec::new();
    of_launch(&before.launch, &now.launch, &mut changes);
    // A server's name for itself proves nothing, but another one is a reason to look.
    let has_names = before.identity.is_some() && now.identity.is_some();
    let of_name = if has_names {
        Weight::Held
    } else {
        Weight::Neutral
    };
    for (what, old, new, weight) in [
        ("it calls itself", &before.identity, &now.identity, of_name),
        (
            "its version is",
            &before.version,
            &now.version,
            Weight::Neutral,
        ),
        (
            "its protocol is",
            &before.protocol,
            &now.protocol,
            Weight::Neutral,
        ),
    ] {
        if old == new {
            continue;
        }
        let message = format!("{what} {} instead of {}", shown(new), shown(old));
        changes.push(Change::new(None, Subject::Identity, weight, message));
    }
    if before.era != now.era && before.protocol == now.protocol {
        let message = "it was read in the other protocol era";
        changes.push(Change::new(
            None,
            Subject::Identity,
            Weight::Neutral,
            message,
        ));
    }
    let message = match (&before.instructions, &now.instructions) {
        (old, new) if old == new => None,
        (None, _) => Some("it now has instructions for the model"),
        (_, None) => Some("it no longer has instructions for the model"),
        _ => Some("its instructions for the model have another wording"),
    };
    changes.extend(
        message.map(|message| Change::new(None, Subject::Instructions, Weight::Neutral, message)),
    );
    changes
}

/// A name that was approved with one program must not start another.
fn of_launch(before: &Launch, now: &Launch, changes: &mut Vec<Change>) {
    if before.source != now.source {
        let message = format!(
            "it is launched as {} instead of {}",
            source(&now.source),
            source(&before.source)
        );
        changes.push(Change::new(None, Subject::Launch, Weight::Held, message));
    }
    let of = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
    let (old, new) = (of(&before.environment), of(&now.environment));
    for name in new.difference(&old) {
        let message = format!(
            "it is launched with a further variable, `{}`",
            reveal_line(name)
        );
        changes.push(Change::new(None, Subject::Launch, Weight::Held, message));
    }
    for name in old.difference(&new) {
        let message = format!(
            "it is launched without the variable `{}`",
            reveal_line(name)
        );
        changes.push(Change::new(None, Subject::Launch, Weight::Neutral, message));
    }
}

fn source(source: &LaunchSource) -> String {
    match source {
        LaunchSource::Command(line) => format!("`{}`", reveal_line(line)),
        LaunchSource::Url(place) | LaunchSource::File(place) => {
            format!("`{}`", reveal_line(place))
        }
        LaunchSource::Elsewhere => "something the lock does not name".to_owned(),
    }
}

fn shown(text: &Option<String>) -> String {
    match text {
        Some(text) => format!("`{}`", reveal_line(text)),
        None => "nothing".to_owned(),
    }
}

/// New and vanished tools, with what a vanished one has probably become.
fn came_and_went(before: &Listing, now: &Listing, changes: &mut Vec<Change>) {
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
fn of_tool(change: &drift::Change<'_>, changes: &mut Vec<Change>) {
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
            changes.push(Change::new(Some(&name), Subject::Hint, *direction, message));
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
fn untold(
    tool: &str,
    parts: &[Part],
    told: &BTreeSet<Subject>,
    (before, after): (
        &sayso_core::hint::Hints<Claim>,
        &sayso_core::hint::Hints<Claim>,
    ),
    changes: &mut Vec<Change>,
) {
    for part in parts {
        let subject = match part {
            Part::Text => Subject::Text,
            Part::Schemas => Subject::Schema,
            Part::Annotations => Subject::Hint,
            Part::Rest => Subject::Rest,
        };
        if subject == Subject::Hint {
            let told_of = |hint: Hint| {
                changes.iter().any(|change| {
                    change.tool.as_deref() == Some(tool) && change.message.starts_with(hint.key())
                })
            };
            let same: Vec<Change> = Hint::ALL
                .into_iter()
                .filter(|hint| before.get(*hint) != after.get(*hint) && !told_of(*hint))
                .map(|hint| {
                    let message = format!(
                        "{hint} was {} and is {}: the same to a client",
                        say(hint, *before.get(hint)),
                        say(hint, *after.get(hint))
                    );
                    Change::new(Some(tool), Subject::Hint, Weight::Neutral, message)
                })
                .collect();
            if !same.is_empty() {
                changes.extend(same);
                continue;
            }
        }
        if told.contains(&subject) {
            continue;
        }
        let message = match subject {
            Subject::Hint => {
                "`annotations` is written otherwise; every claim is the same".to_owned()
            }
            _ => format!("its {part} are written otherwise"),
        };
        changes.push(Change::new(Some(tool), subject, Weight::Neutral, message));
    }
}

/// A new text that a rule flags.
pub(super) fn flagged_text(
    tool: Option<&str>,
    subject: Subject,
    rule: &'static str,
    message: &str,
) -> Change {
    Change {
        rule: Some(rule),
        ..Change::new(tool, subject, Weight::Relaxing, message)
    }
}

/// A claim and what it comes to: `absent (so true)`.
pub(crate) fn say(hint: Hint, claim: Claim) -> String {
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
