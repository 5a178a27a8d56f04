//! One difference between what was pinned and what is listed now, and how much it weighs.

mod of_server;
mod of_tool;

use std::collections::{BTreeMap, BTreeSet};

use sayso_audit::semantics::Semantics;
use sayso_core::drift::{self, Direction};
use sayso_core::hint::Hint;
use sayso_core::lock::PinnedServer;

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
    /// The hint, where it is one.
    pub(crate) hint: Option<Hint>,
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
    fn of_hint(tool: &str, hint: Hint, weight: impl Into<Weight>, message: String) -> Self {
        Self {
            hint: Some(hint),
            ..Self::new(Some(tool), Subject::Hint, weight, message)
        }
    }

    fn new(
        tool: Option<&str>,
        subject: Subject,
        weight: impl Into<Weight>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            subject,
            hint: None,
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
    let mut changes = of_server::of_server(before, now);
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
    of_tool::came_and_went(&old_listing, &new_listing, &mut changes);
    for change in drift::between(&old_listing, &new_listing) {
        of_tool::of_both(&change, &mut changes);
    }
    let mut told: BTreeMap<String, Vec<(Subject, Option<Hint>)>> = BTreeMap::new();
    for change in &changes {
        if let Some(tool) = &change.tool {
            let of_tool = told.entry(tool.clone()).or_default();
            of_tool.push((change.subject, change.hint));
        }
    }
    for name in moved {
        if let (Some(old), Some(new)) = (before.tools.get(name), now.tools.get(name)) {
            let told = told.get(name).map(Vec::as_slice).unwrap_or_default();
            of_tool::untold(name, old, new, told, &mut changes);
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

#[cfg(test)]
mod tests;
