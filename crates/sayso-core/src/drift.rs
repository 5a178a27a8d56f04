//! Which way a hint moved between two listings.

use crate::effective::Effective;
use crate::hint::{Claim, Hint, Hints};

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
