//! What observations say of what a tool claims.
//!
//! Only a promise can be broken: `readOnlyHint: true`, `destructiveHint: false`, `idempotentHint:
//! true`, `openWorldHint: false`. What is claimed otherwise, or not at all, is
//! [`Verdict::NothingPromised`], and beside it stands what was observed. `destructive` and
//! `idempotent` promise nothing while the tool claims to be read-only (MCP schema,
//! `ToolAnnotations`): what removes something then breaks `readOnlyHint`.
//!
//! - **Read-only** is broken by any change to the user's data, whatever the reply, and by an attempt
//!   on it or on others that only the jail kept from happening: a refused write, a signal or
//!   `ptrace` to a foreign process, a connection to a service of the machine, a call that mounts or
//!   makes namespaces. Starting a program breaks nothing; it stands in the witness.
//! - **Not destructive** is broken by what is lost and cannot be had again ([`Loss::is_loss`]
//!   (crate::change::Loss::is_loss)). By the letter a replacement that can be undone breaks it too,
//!   as it is no "additive update"; that is a note.
//! - **Idempotent** is broken by a second, identical call that changes the user's data further. Times
//!   do not count. A second call that fails and changes nothing breaks nothing. A second reply that
//!   differs beyond times, ids, durations, ports and temporary paths, while no file changed, is a hint
//!   of state that is not seen: [`Verdict::CannotTell`], for clocks and "exists already" are
//!   common and harmless.
//! - **Not open-world** is broken by asking for a name's address or by a connection beyond this
//!   machine, in the call's window.
//!
//! A call whose bytes went beyond this machine is not counted as consistent with the first three:
//! what they did there is not seen. Where there are no others, it is "remote".

mod contact;
mod deed;
mod paths;
mod refused;
mod reply;
mod weigh;
mod words;

pub use refused::{Refusal, refused};

use std::collections::BTreeSet;

use sayso_core::hint::{Claim, Hint, Hints};
use serde::{Deserialize, Serialize};

pub(crate) use self::words::shown;

use crate::change::Class;
use crate::observation::{Observation, Reply, Setting};

/// What is made of one hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Verdict {
    /// The tool did what it promises not to do.
    Contradicted(Witness),
    /// It did so to its own state only.
    OwnStateOnly(Witness),
    /// It did so to caches only.
    CacheOnly(Witness),
    /// So many observations, and nothing against the promise. That is no proof.
    Consistent {
        /// How many.
        observations: u32,
    },
    /// Nothing was seen at work that could break the promise.
    NotExercised {
        /// Why.
        why: String,
    },
    /// Something was at work, and what it did is not all seen.
    CannotTell {
        /// Why; begins with `remote: ` where it was done elsewhere.
        why: String,
    },
    /// There is no promise: nothing is claimed, or what promises least.
    NothingPromised,
}

impl Verdict {
    /// The verdict in one or two words.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Contradicted(_) => "contradicted",
            Self::OwnStateOnly(_) => "own state only",
            Self::CacheOnly(_) => "cache only",
            Self::Consistent { .. } => "consistent",
            Self::NotExercised { .. } => "not exercised",
            Self::CannotTell { .. } => "can't tell",
            Self::NothingPromised => "nothing promised",
        }
    }

    /// What it rests on, where something was seen.
    #[must_use]
    pub const fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Contradicted(witness)
            | Self::OwnStateOnly(witness)
            | Self::CacheOnly(witness) => Some(witness),
            _ => None,
        }
    }
}

/// The call that shows it best, the same one however the observations are ordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The tool.
    pub tool: String,
    /// Which step, or which variant.
    pub step: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// What it did, in lines a person reads: files with bytes, hosts, argument vectors. What was
    /// hidden in them is shown as escapes.
    pub what: Vec<String>,
    /// What came back, in short.
    pub reply: String,
    /// Whether some of it came only after the reply.
    pub late: bool,
    /// How many other calls show as much.
    pub others: u32,
}

/// How many calls there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// All, without repeats.
    pub calls: u32,
    /// Those that were answered, and not with an error.
    pub answered: u32,
    /// Those that were made a second time.
    pub repeated: u32,
}

/// What is made of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolVerdict {
    /// The tool's name.
    pub tool: String,
    /// What it claims.
    pub claims: Hints<Claim>,
    /// What is made of each claim.
    pub verdicts: Hints<Verdict>,
    /// What each hint would be by what was observed; `None` where nothing was. `Some` of a promise
    /// means only that nothing spoke against it; see [`ToolVerdict::observed_in_words`].
    pub observed: Hints<Option<bool>>,
    /// The call that shows the risk which clients assume, of each hint that is not claimed.
    pub risks: Hints<Option<Witness>>,
    /// How many calls.
    pub counts: Counts,
    /// What is worth knowing besides, a line each, sorted.
    pub notes: Vec<String>,
    /// What it was observed in.
    pub setting: Setting,
}

impl ToolVerdict {
    /// Whether any claim is contradicted.
    #[must_use]
    pub fn is_contradicted(&self) -> bool {
        self.verdicts
            .iter()
            .any(|(_, verdict)| matches!(verdict, Verdict::Contradicted(_)))
    }

    /// What was observed of a hint, to stand beside what clients assume of it. It never says that a
    /// tool *is* something: nothing seen is not nothing done.
    #[must_use]
    pub fn observed_in_words(&self, hint: Hint) -> Option<String> {
        (*self.observed.get(hint)).map(|value| in_words(hint, value, self.counts))
    }
}

/// What was observed of a hint, in words that never say more than was seen.
pub(crate) fn in_words(hint: Hint, value: bool, counts: Counts) -> String {
    let Counts {
        answered, repeated, ..
    } = counts;
    let calls = |count: u32| match count {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    match (hint, value) {
        (Hint::ReadOnly, true) => format!("nothing changed in {}", calls(answered)),
        (Hint::ReadOnly, false) => "it changes something".to_owned(),
        (Hint::Destructive, true) => "something was lost for good".to_owned(),
        (Hint::Destructive, false) => format!("nothing was lost in {}", calls(answered)),
        (Hint::Idempotent, true) => {
            format!("nothing further changed in {} made twice", calls(repeated))
        }
        (Hint::Idempotent, false) => "a second call changed something further".to_owned(),
        (Hint::OpenWorld, true) => "it reached beyond this machine".to_owned(),
        (Hint::OpenWorld, false) => format!("it stayed on this machine in {}", calls(answered)),
    }
}

/// What counts: a matter of settings, and of what the server was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Standard {
    /// What the server keeps for itself counts as the user's data.
    pub own_state: bool,
    /// Caches count as the user's data.
    pub cache: bool,
    /// Logs count as the user's data.
    pub log: bool,
    /// Ports of this machine that a tool may speak to without breaking anything: the fixture's
    /// pages, what the server itself listened on before the call, and what an operator allows.
    pub loopback: BTreeSet<u16>,
}

impl Standard {
    /// Whether a change of this class breaks a promise.
    #[must_use]
    pub const fn counts(&self, class: Class) -> bool {
        match class {
            Class::UserData => true,
            Class::OwnState => self.own_state,
            Class::Cache => self.cache,
            Class::Log => self.log,
        }
    }
}

/// Weighs what was observed of a tool against what it claims. The order of observations does not
/// matter, and no further observation takes a contradiction back.
#[must_use]
pub fn judge(
    tool: &str,
    claims: &Hints<Claim>,
    observations: &[Observation],
    setting: &Setting,
    standard: &Standard,
) -> ToolVerdict {
    let of_tool: Vec<&Observation> = observations
        .iter()
        .filter(|observation| observation.tool == tool)
        .collect();
    let looks: Vec<weigh::Look<'_>> = of_tool
        .iter()
        .map(|observation| weigh::Look::at(observation, standard))
        .collect();
    let verdicts = Hints::from_fn(|hint| {
        if promises(claims, hint) {
            weigh::verdict(hint, &looks)
        } else {
            Verdict::NothingPromised
        }
    });
    let risks = Hints::from_fn(|hint| {
        let is_claimed = claims.get(hint).boolean().is_some();
        match (!is_claimed).then(|| weigh::verdict(hint, &looks)) {
            Some(Verdict::Contradicted(witness)) => Some(witness),
            _ => None,
        }
    });
    let notes: BTreeSet<String> = looks.iter().flat_map(weigh::Look::notes).collect();
    ToolVerdict {
        tool: tool.to_owned(),
        claims: *claims,
        verdicts,
        observed: Hints::from_fn(|hint| weigh::observed(hint, &looks)),
        risks,
        counts: counts(&of_tool),
        notes: notes.into_iter().collect(),
        setting: setting.clone(),
    }
}

/// Whether a tool's claims promise anything by this hint: less than clients assume without it, and
/// by a hint that means something beside the others.
#[must_use]
pub fn promises(claims: &Hints<Claim>, hint: Hint) -> bool {
    let reads = claims.read_only == Claim::True;
    let moot = reads && matches!(hint, Hint::Destructive | Hint::Idempotent);
    claims.get(hint).boolean() == Some(!hint.default_value()) && !moot
}

fn counts(observations: &[&Observation]) -> Counts {
    let count = |keep: fn(&Observation) -> bool| {
        let kept = observations.iter().filter(|observation| keep(observation));
        u32::try_from(kept.count()).unwrap_or(u32::MAX)
    };
    Counts {
        calls: count(|_| true),
        answered: count(|observation| answered(&observation.reply)),
        repeated: count(|observation| observation.again.is_some()),
    }
}

/// Whether the tool did what it was asked, by its own word.
const fn answered(reply: &Reply) -> bool {
    matches!(
        reply,
        Reply::Answered {
            is_error: false,
            ..
        }
    )
}
