//! What an operator decided is true of a tool, reviewed, with reasons, and bound to the tool's digest.
//!
//! The file they are kept in is read and written by [`crate::rulings`]; what they do to a decision is
//! in [`crate::effective`].

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;

use crate::digest::{Digest, Part, Parts, ToolDigest};
use crate::effective::within_bounds;
use crate::hint::{Claim, Hint, Hints};
use crate::json::{Kind, Value};
use crate::reveal::reveal_line;

/// What is decided of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The server, by the name it is known under where this is run.
    pub server: String,
    /// The tool, by its name in the listing.
    pub tool: String,
    /// Who decided.
    pub reviewer: String,
    /// When.
    pub reviewed: Date,
    /// What undoes a call, where somebody has looked for it.
    pub undo: Option<Undo>,
    /// How far a call can be taken back, and for how long.
    pub reversibility: Option<String>,
    /// What a call costs.
    pub cost: Option<String>,
    /// What is decided of each hint; what is left out was not asked or is not decided.
    pub hints: Hints<Option<Reasoned>>,
    /// What holds for certain arguments instead.
    pub cases: Vec<Case>,
    /// The tool as it was reviewed.
    pub definition: Definition,
}

/// A value with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasoned {
    /// The value.
    pub value: bool,
    /// Why it is true, in a sentence.
    pub why: String,
    /// What that rests on: a place in the source, a sentence, an observation.
    pub evidence: Vec<String>,
}

/// What undoes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// This tool of the same server. One called `none` cannot be written down.
    Tool(String),
    /// Nothing does; a statement, too.
    Nothing,
}

/// What holds when the arguments of a call are such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The arguments that have to be there, each with the values it may have.
    pub when: BTreeMap<String, Vec<Scalar>>,
    /// What is decided; what is left out is as for the tool.
    pub hints: Hints<Option<bool>>,
    /// Why it is true.
    pub why: String,
    /// What that rests on.
    pub evidence: Vec<String>,
}

/// A value an argument can have in the condition of a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A string.
    String(String),
}

impl Scalar {
    /// Whether a JSON value is this one, whatever its spelling: `1.0` is 1.
    #[must_use]
    pub fn is(&self, value: Value<'_>) -> bool {
        match self {
            Self::Boolean(expected) => value.as_bool() == Some(*expected),
            Self::String(expected) => value.as_str().is_some_and(|text| text == *expected),
            Self::Integer(expected) => {
                value.kind() == Kind::Number
                    && crate::digest::canonical(value).1 == canonical_integer(*expected)
            }
        }
    }
}

/// The whole number as the canonical form writes it.
fn canonical_integer(number: i64) -> String {
    crate::digest::canonical_number(&number.to_string())
}

impl fmt::Display for Scalar {
    /// As JSON and TOML both write it, what is invisible written out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::String(value) => {
                let quoted = serde_json::to_string(value).unwrap_or_default();
                f.write_str(&reveal_line(&quoted))
            }
        }
    }
}

impl Case {
    /// Whether a call with these arguments is such a case. An argument that is left out, or there
    /// twice, matches nothing: a default is for the caller to fill in first.
    #[must_use]
    pub fn matches(&self, arguments: Value<'_>) -> bool {
        !self.when.is_empty()
            && self.when.iter().all(|(name, values)| {
                let mut given = arguments.get_all(name);
                match (given.next(), given.next()) {
                    (Some(value), None) => values.iter().any(|scalar| scalar.is(value)),
                    _ => false,
                }
            })
    }
}

/// The digests of the tool as it was reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Of the whole.
    pub digest: Digest,
    /// Of each part, where it was written down.
    pub parts: Parts<Option<Digest>>,
}

impl From<ToolDigest> for Definition {
    fn from(digest: ToolDigest) -> Self {
        Self {
            digest: digest.whole,
            parts: Parts::from_fn(|part| Some(*digest.parts.get(part))),
        }
    }
}

/// What there is for a tool as it is listed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State<'r> {
    /// A ruling on the very definition that is listed.
    Current(&'r Ruling),
    /// A ruling on another definition: it is not a ruling.
    Stale {
        /// What was decided then.
        ruling: &'r Ruling,
        /// The parts that changed, as far as their digests were written down.
        moved: Vec<Part>,
    },
    /// No ruling.
    Missing,
}

impl<'r> State<'r> {
    /// The ruling, if it counts.
    #[must_use]
    pub fn current(&self) -> Option<&'r Ruling> {
        match self {
            Self::Current(ruling) => Some(ruling),
            Self::Stale { .. } | Self::Missing => None,
        }
    }
}

impl Ruling {
    /// The values alone.
    #[must_use]
    pub fn values(&self) -> Hints<Option<bool>> {
        self.hints
            .map(|_, reasoned| reasoned.as_ref().map(|reasoned| reasoned.value))
    }

    /// The cases a call with these arguments is.
    pub fn matching<'r>(&'r self, arguments: Value<'r>) -> impl Iterator<Item = &'r Case> {
        self.cases
            .iter()
            .filter(move |case| case.matches(arguments))
    }

    /// What is said in those cases, for [`crate::effective::Basis`].
    #[must_use]
    pub fn matching_values(&self, arguments: Value<'_>) -> Vec<Hints<Option<bool>>> {
        let matching = self.cases.iter().filter(|case| case.matches(arguments));
        matching.map(|case| case.hints).collect()
    }

    /// What this ruling is for a tool with these digests.
    #[must_use]
    pub fn state(&self, listed: &ToolDigest) -> State<'_> {
        if self.definition.digest == listed.whole {
            return State::Current(self);
        }
        let moved = |part: &Part| {
            let reviewed = self.definition.parts.get(*part).as_ref();
            reviewed.is_some_and(|reviewed| reviewed != listed.parts.get(*part))
        };
        State::Stale {
            ruling: self,
            moved: Part::ALL.into_iter().filter(moved).collect(),
        }
    }

    /// The hints that mean something by this ruling and are not decided.
    #[must_use]
    pub fn undecided(&self) -> Vec<Hint> {
        let values = self.values();
        let open = Hint::ALL
            .into_iter()
            .filter(|hint| means_something(*hint, &values) && values.get(*hint).is_none());
        open.collect()
    }

    /// The hints that a tool claims otherwise than was ruled, where they mean something by the
    /// ruling, each with what is claimed and what was ruled.
    #[must_use]
    pub fn disagreements(&self, claims: &Hints<Claim>) -> Vec<(Hint, bool, bool)> {
        let values = self.values();
        Hint::ALL
            .into_iter()
            .filter(|hint| means_something(*hint, &values))
            .filter_map(|hint| {
                let (claimed, ruled) = (claims.get(hint).boolean()?, (*values.get(hint))?);
                (claimed != ruled).then_some((hint, claimed, ruled))
            })
            .collect()
    }

    /// Whether this ruling holds for a tool with these digests and claims: it was made on that very
    /// definition, or all that moved since is that the tool now claims what was ruled, so that
    /// nothing is left to be decided.
    #[must_use]
    pub fn is_in_force(&self, listed: &ToolDigest, claims: &Hints<Claim>) -> bool {
        match self.state(listed) {
            State::Current(_) => true,
            State::Stale { moved, .. } => {
                moved == [Part::Annotations]
                    && self.undecided().is_empty()
                    && self.disagreements(claims).is_empty()
            }
            State::Missing => false,
        }
    }

    /// That what is said can be true together. What only a file can get wrong, such as a missing
    /// reason, [`crate::rulings::Rulings::parse`] checks.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self) -> Result<(), Contradiction> {
        let values = self.values();
        if values.iter().all(|(_, value)| value.is_none()) {
            return Err(Contradiction::Empty);
        }
        if let Some(hint) = against_read_only(&values) {
            return Err(Contradiction::ReadOnlyAnd(hint));
        }
        if let Some(Undo::Tool(undo)) = &self.undo {
            if *undo == self.tool {
                return Err(Contradiction::UndoesItself);
            }
            if values.read_only == Some(true) {
                return Err(Contradiction::UndoOfNothing);
            }
        }
        for (position, case) in self.cases.iter().enumerate() {
            let of_case = |problem| Contradiction::Case { position, problem };
            if case.hints.iter().all(|(_, value)| value.is_none()) {
                return Err(of_case(CaseProblem::Empty));
            }
            if let Some(hint) = against_read_only(&case.hints) {
                return Err(of_case(CaseProblem::ReadOnlyAnd(hint)));
            }
            within_bounds(&values, &case.hints)
                .map_err(|hint| of_case(CaseProblem::OutOfBounds(hint)))?;
            let earlier = self.cases.iter().take(position);
            if earlier.clone().any(|earlier| earlier.when == case.when) {
                return Err(of_case(CaseProblem::Repeated));
            }
        }
        Ok(())
    }
}

/// Two of the hints mean something only for a tool that changes something.
fn means_something(hint: Hint, values: &Hints<Option<bool>>) -> bool {
    values.read_only != Some(true) || matches!(hint, Hint::ReadOnly | Hint::OpenWorld)
}

/// The hint that cannot be as it is when the tool is read-only.
fn against_read_only(values: &Hints<Option<bool>>) -> Option<Hint> {
    let bounds = [(Hint::Destructive, true), (Hint::Idempotent, false)];
    bounds
        .into_iter()
        .find(|(hint, value)| values.read_only == Some(true) && *values.get(*hint) == Some(*value))
        .map(|(hint, _)| hint)
}

/// Why a ruling cannot be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// It says nothing of any hint.
    Empty,
    /// It is said to be read-only, and this as well: that it destroys, or changes more at a repeat.
    ReadOnlyAnd(Hint),
    /// The tool is said to undo itself.
    UndoesItself,
    /// It is said to be read-only, and to be undone.
    UndoOfNothing,
    /// About a case.
    Case {
        /// Which, from 0.
        position: usize,
        /// What of it.
        problem: CaseProblem,
    },
}

/// Why a case cannot be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseProblem {
    /// It says nothing of any hint.
    Empty,
    /// As [`Contradiction::ReadOnlyAnd`].
    ReadOnlyAnd(Hint),
    /// By this hint it allows more than the tool as a whole.
    OutOfBounds(Hint),
    /// An earlier case has the same condition.
    Repeated,
}
