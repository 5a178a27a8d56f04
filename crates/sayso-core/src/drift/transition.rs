//! Which way the hints as a whole moved, for all that can be claimed.

use std::fmt;

use super::Direction;
use crate::effective::Effective;
use crate::hint::{Claim, Hint, Hints};

/// What the hints of a tool promise together, each promise as something good.
///
/// Ten combinations are possible: a read-only tool promises all but the closed world by that
/// alone, and any tool makes the three others or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Promises {
    /// That a call changes nothing.
    pub read_only: bool,
    /// That a call removes and overwrites nothing.
    pub keeps: bool,
    /// That a second identical call changes nothing further.
    pub repeatable: bool,
    /// That a call does not reach beyond a closed domain.
    pub closed: bool,
}

impl Promises {
    /// What these values promise.
    #[must_use]
    pub fn of(effective: &Effective) -> Self {
        Self {
            read_only: effective.read_only(),
            keeps: !effective.may_destroy(),
            repeatable: effective.repeatable(),
            closed: !effective.open_world(),
        }
    }

    /// What a client may rely on that follows these claims.
    #[must_use]
    pub fn of_claims(claims: &Hints<Claim>) -> Self {
        Self::of(&Effective::from_claims(claims))
    }

    /// The promise that a hint makes.
    #[must_use]
    pub const fn get(self, hint: Hint) -> bool {
        match hint {
            Hint::ReadOnly => self.read_only,
            Hint::Destructive => self.keeps,
            Hint::Idempotent => self.repeatable,
            Hint::OpenWorld => self.closed,
        }
    }

    /// The direction from these promises to those: relaxing if any was added, whatever was
    /// taken back.
    #[must_use]
    pub fn direction_to(self, after: Self) -> Direction {
        Hint::ALL
            .into_iter()
            .map(|hint| self.direction_of(hint, after))
            .max()
            .unwrap_or(Direction::Neutral)
    }

    /// The direction of one promise.
    #[must_use]
    pub const fn direction_of(self, hint: Hint, after: Self) -> Direction {
        match (self.get(hint), after.get(hint)) {
            (false, true) => Direction::Relaxing,
            (true, false) => Direction::Tightening,
            _ => Direction::Neutral,
        }
    }
}

impl fmt::Display for Promises {
    /// In words: `changes and removes, not to be repeated, open world`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.read_only, self.keeps, self.repeatable) {
            (true, ..) => "reads only",
            (false, false, false) => "may remove, must not be repeated",
            (false, false, true) => "may remove, may be repeated",
            (false, true, false) => "only adds, must not be repeated",
            (false, true, true) => "only adds, may be repeated",
        })?;
        f.write_str(if self.closed {
            ", closed world"
        } else {
            ", open world"
        })
    }
}

/// The 81 ways to claim or leave out the four hints, with `true` and `false` for each: the first
/// hint changes slowest, and each goes absent, true, false.
pub fn hint_states() -> impl Iterator<Item = Hints<Claim>> + Clone {
    const STATES: [Claim; 3] = [Claim::Absent, Claim::True, Claim::False];
    STATES.into_iter().flat_map(|read_only| {
        STATES.into_iter().flat_map(move |destructive| {
            STATES.into_iter().flat_map(move |idempotent| {
                STATES.into_iter().map(move |open_world| Hints {
                    read_only,
                    destructive,
                    idempotent,
                    open_world,
                })
            })
        })
    })
}

/// One change of a tool's hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What was claimed.
    pub before: Hints<Claim>,
    /// What is claimed.
    pub after: Hints<Claim>,
    /// The direction of the tool as a whole.
    pub direction: Direction,
}

/// All 81 × 81 changes of the hints, in the order of [`hint_states`].
pub fn transitions() -> impl Iterator<Item = Transition> {
    hint_states().flat_map(|before| {
        hint_states().map(move |after| Transition {
            before,
            after,
            direction: super::tool_direction(&before, &after),
        })
    })
}
