//! Where a tool stands: whether there is a ruling on it, and whether it still holds.

use sayso_core::digest::{Part, ToolDigest};
use sayso_core::hint::Hint;
use sayso_core::ruling::{Ruling, State, Undo};
use sayso_core::tool::Tool;

use sayso_core::rulings::Rulings;

/// Where a tool stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is no ruling.
    Missing,
    /// There is one for another definition; the parts that changed since, as far as is known.
    Stale(Vec<Part>),
    /// There is one for the definition without the annotations it has now, and those claim what
    /// was ruled: nothing is left to be decided, and the ruling is only to be bound anew.
    Fulfilled,
    /// There is one for the definition as it is listed.
    Current,
    /// There is one that holds, and a person wants to decide again.
    Again,
}

impl Standing {
    /// Where a tool stands, and what was decided of it, whether that still holds or not.
    pub(crate) fn of<'r>(
        rulings: &'r Rulings,
        server: &str,
        tool: Tool<'_>,
        digest: &ToolDigest,
    ) -> (Self, Option<&'r Ruling>) {
        match rulings.state(server, &tool.label(), digest) {
            State::Missing => (Self::Missing, None),
            State::Current(ruling) => (Self::Current, Some(ruling)),
            State::Stale { ruling, moved } => {
                let standing = if ruling.is_in_force(digest, &tool.claims().states()) {
                    Self::Fulfilled
                } else {
                    Self::Stale(moved)
                };
                (standing, Some(ruling))
            }
        }
    }

    /// Whether there is something left to decide.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Missing | Self::Stale(_))
    }
}

/// What changed, in words.
pub(crate) fn moved_words(moved: &[Part]) -> String {
    if moved.is_empty() {
        return "its definition".to_owned();
    }
    let words = moved.iter().map(|part| match part {
        Part::Text => "what it says of itself",
        Part::Schemas => "what it takes or returns",
        Part::Annotations => "its annotations",
        Part::Rest => "something beside text, schemas and annotations",
    });
    words.collect::<Vec<_>>().join(", ")
}

/// A claim that is not what was ruled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Disagreement {
    /// The hint.
    pub(crate) hint: Hint,
    /// What the server claims.
    pub(crate) claimed: bool,
    /// What was ruled.
    pub(crate) ruled: bool,
}

impl Disagreement {
    /// Whether the claim promises more than is true.
    pub(crate) fn claims_less_risk(&self) -> bool {
        self.claimed != self.hint.default_value()
    }
}

/// The claims of a tool that are not what was ruled, where the hint means something by the ruling.
pub(crate) fn disagreements(tool: Tool<'_>, ruling: &Ruling) -> Vec<Disagreement> {
    let disagreements = ruling.disagreements(&tool.claims().states()).into_iter();
    disagreements
        .map(|(hint, claimed, ruled)| Disagreement {
            hint,
            claimed,
            ruled,
        })
        .collect()
}

/// The tool that a ruling has undo a call, if no tool of the listing is called so.
pub(crate) fn lost_undo<'r>(ruling: &'r Ruling, names: &[String]) -> Option<&'r str> {
    match &ruling.undo {
        Some(Undo::Tool(name)) if !names.contains(name) => Some(name),
        _ => None,
    }
}
