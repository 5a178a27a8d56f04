//! Weighs what was read, hint by hint.
//!
//! Everything read gives signals: this hint, this value, this strong, for this reason. Per
//! hint one signal is left, the verdict: the reading that promises least wins unless the other
//! side says the contrary in so many words. A verdict names the kind of evidence it rests on,
//! and exactly one rule speaks for each kind: no two rules say the same thing about one hint.

mod from_arguments;
mod from_prose;
mod from_verbs;
mod modes;
mod operations;

pub use modes::MixedModes;
pub(super) use modes::mixed_modes;

use std::cell::OnceCell;
use std::ops::Range;

use sayso_core::hint::{Hint, Hints};

use super::ToolEvidence;
use super::act::Act;
use super::lexicon::Lexicon;
use super::phrases::Fact;
use super::statements::{Says, Statement};

/// How much a signal weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A name alone, a loose reading.
    Weak,
    /// Right more often than not.
    Fair,
    /// Right nine times in ten.
    Strong,
    /// Hardly another reading.
    Certain,
}

/// The kind of evidence: one rule speaks for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The verb of the description or the name.
    Verb,
    /// An argument whose values choose between acts.
    Mode,
    /// An argument that makes a reader write or an adder overwrite.
    WritingArgument,
    /// Code, a statement, a command or an operation of the caller's choice.
    FreeForm,
    /// The prose says that a repeat is harmless.
    SaysIdempotent,
    /// The prose says that each call acts again.
    SaysRepeats,
    /// The prose says that something is lost.
    SaysDestroys,
    /// The prose says that something is written or changed.
    SaysWrites,
    /// The prose says that the tool only reads.
    SaysReads,
    /// The prose says that the tool only adds.
    SaysAdditive,
    /// The prose names a domain that is open.
    SaysOpenWorld,
    /// The prose names a domain that is closed.
    SaysClosedWorld,
    /// The prose says that a person or the public is reached.
    SaysContacts,
}

/// A meaning the field does not agree on; see [`crate::semantics::Semantics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contested {
    /// Is deleting twice idempotent?
    DeleteIdempotent,
    /// Is sending destructive?
    SendDestructive,
    /// Is the user's own tenant an open world?
    OwnTenant,
    /// Is changing what is there destructive?
    UpdateDestructive,
}

/// The label of the one fact that no hint carries by itself.
pub(crate) const CANNOT_BE_UNDONE: &str = "says that it cannot be undone";

/// Where the text stands that a signal rests on.
#[derive(Clone, Debug)]
pub enum Quote {
    /// A sentence of one of the tool's texts.
    Text {
        /// The text's number.
        text: usize,
        /// The sentence, in bytes of the text.
        sentence: Range<usize>,
        /// What matters, in bytes of the text.
        mark: Range<usize>,
    },
    /// The tool's name.
    Name {
        /// What matters, in bytes of the name.
        mark: Range<usize>,
    },
    /// An argument's name.
    Argument {
        /// The argument's number.
        argument: usize,
    },
    /// One of the values an argument may have.
    Members {
        /// The argument's number.
        argument: usize,
        /// The value's number.
        member: usize,
    },
}

/// Evidence for one value of one hint.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The hint.
    pub hint: Hint,
    /// The value.
    pub value: bool,
    /// How much it weighs.
    pub strength: Strength,
    /// The kind of evidence.
    pub kind: Kind,
    /// Whether it is a matter of reading.
    pub contested: Option<Contested>,
    /// What is to be seen, after a subject: `says that it cannot be undone`.
    pub label: &'static str,
    /// Where.
    pub quote: Quote,
}

/// Signals as they come together.
pub(super) struct Scale<'e, 'a> {
    pub(super) evidence: &'e ToolEvidence<'a>,
    pub(super) lexicon: &'static Lexicon,
    pub(super) heads: Vec<Act>,
    signals: Vec<Signal>,
    /// The description in lower case, made when it is first asked for.
    lower: OnceCell<String>,
}

impl<'e, 'a> Scale<'e, 'a> {
    /// The description in lower case.
    fn lower(&self) -> &str {
        self.lower.get_or_init(|| {
            let text = self.evidence.texts.first();
            text.map(|text| text.decoded.to_ascii_lowercase())
                .unwrap_or_default()
        })
    }

    /// Whether the description holds one of these, in any case.
    fn tells(&self, words: &[&str]) -> bool {
        let lower = self.lower();
        words.iter().any(|word| lower.contains(word))
    }

    /// Signals that rest on one piece of text.
    fn on(&mut self, kind: Kind, label: &'static str, quote: Quote) -> Signals<'_> {
        Signals {
            signals: &mut self.signals,
            kind,
            label,
            quote,
        }
    }

    fn has_fact(&self, fact: Fact) -> bool {
        self.evidence
            .statements
            .iter()
            .any(|statement| statement.says == Says::Fact(fact))
    }

    fn has_head(&self, wanted: impl Fn(Act) -> bool) -> bool {
        self.heads.iter().any(|act| wanted(*act))
    }

    /// Whether the name's verb is of such a class.
    fn named(&self, wanted: impl Fn(Act) -> bool) -> bool {
        self.evidence
            .name_verb
            .as_ref()
            .is_some_and(|verb| wanted(verb.act))
    }

    /// Whether the name's verb is one of these words.
    fn named_plainly(&self, verbs: &[&str]) -> bool {
        self.evidence
            .name_word()
            .is_some_and(|word| verbs.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
    }

    /// Whether the description, or else the name, is built on reading alone.
    fn reads_by_verb(&self) -> bool {
        if self.heads.is_empty() {
            self.named(|act| act == Act::Read)
        } else {
            self.heads.iter().all(|act| *act == Act::Read)
        }
    }

    fn strongest(&self, hint: Hint, value: bool) -> Option<&Signal> {
        // The first of equals: verbs come first, then arguments, then prose.
        self.signals
            .iter()
            .filter(|signal| signal.hint == hint && signal.value == value)
            .reduce(|best, signal| {
                if signal.strength > best.strength {
                    signal
                } else {
                    best
                }
            })
    }

    fn of_kind(&self, hint: Hint, value: bool, kind: Kind) -> bool {
        self.signals
            .iter()
            .any(|signal| signal.hint == hint && signal.value == value && signal.kind == kind)
    }
}

/// Signals being put on the scale, all for the same reason.
struct Signals<'s> {
    signals: &'s mut Vec<Signal>,
    kind: Kind,
    label: &'static str,
    quote: Quote,
}

impl Signals<'_> {
    fn put(self, hint: Hint, value: bool, strength: Strength) -> Self {
        let Self { kind, label, .. } = self;
        let quote = self.quote.clone();
        self.signals.push(Signal {
            hint,
            value,
            strength,
            kind,
            contested: None,
            label,
            quote,
        });
        self
    }

    /// The last one is a matter of reading.
    fn contested(self, contested: Contested) {
        if let Some(signal) = self.signals.last_mut() {
            signal.contested = Some(contested);
        }
    }
}

/// Where a statement stands.
fn quote_of(statement: &Statement) -> Quote {
    Quote::Text {
        text: statement.text,
        sentence: statement.sentence.clone(),
        mark: statement.mark.clone(),
    }
}

/// Everything that speaks for a value of a hint, and what is left of it.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    /// All signals, in the order they were read: verbs, arguments, prose.
    pub(super) signals: Vec<Signal>,
    /// One per hint at most.
    pub(super) verdicts: Hints<Option<Signal>>,
}

/// The verdicts on a tool.
pub(super) fn weigh(evidence: &ToolEvidence<'_>, lexicon: &'static Lexicon) -> Weighed {
    let heads = evidence.heads().collect();
    let mut scale = Scale {
        evidence,
        lexicon,
        heads,
        signals: Vec::new(),
        lower: OnceCell::new(),
    };
    from_verbs::weigh(&mut scale);
    from_arguments::weigh(&mut scale);
    from_prose::weigh(&mut scale);
    let read_only = read_only(&scale);
    let reads = read_only.as_ref().is_some_and(|signal| signal.value);
    let verdicts = Hints {
        destructive: if reads {
            moot(read_only.as_ref(), Hint::Destructive)
        } else {
            destructive(&scale)
        },
        idempotent: if reads {
            moot(read_only.as_ref(), Hint::Idempotent)
        } else {
            idempotent(&scale)
        },
        open_world: open_world(&scale),
        read_only,
    };
    Weighed {
        signals: scale.signals,
        verdicts,
    }
}

/// A tool that only reads destroys nothing and is safe to repeat.
fn moot(read_only: Option<&Signal>, hint: Hint) -> Option<Signal> {
    read_only.map(|signal| Signal {
        hint,
        value: hint == Hint::Idempotent,
        ..signal.clone()
    })
}

fn read_only(scale: &Scale<'_, '_>) -> Option<Signal> {
    let (writes, reads) = (
        scale.strongest(Hint::ReadOnly, false),
        scale.strongest(Hint::ReadOnly, true),
    );
    let (Some(write), Some(read)) = (writes, reads) else {
        return writes.or(reads).cloned();
    };
    // `runs a read-only query`, `does not change anything`: words against a verb.
    let said =
        scale.of_kind(Hint::ReadOnly, true, Kind::SaysReads) && scale.has_fact(Fact::ReadsOnly);
    if said
        && matches!(write.kind, Kind::Verb | Kind::SaysWrites)
        && write.strength <= Strength::Fair
    {
        return Some(read.clone());
    }
    if write.strength >= Strength::Fair {
        Some(write.clone())
    } else {
        Some(read.clone())
    }
}

fn destructive(scale: &Scale<'_, '_>) -> Option<Signal> {
    let (gone, kept) = (
        scale.strongest(Hint::Destructive, true),
        scale.strongest(Hint::Destructive, false),
    );
    let (Some(destroys), Some(adds)) = (gone, kept) else {
        return gone.or(kept).cloned();
    };
    // A matter of reading is not settled by a hunch.
    if destroys.contested.is_some() && adds.kind != Kind::SaysAdditive {
        return Some(destroys.clone());
    }
    // `keeps existing files` answers a verb that might overwrite, not an explicit loss.
    let stays = adds.kind == Kind::SaysAdditive && scale.has_fact(Fact::AddsOnly);
    let wins = if stays && destroys.kind == Kind::Verb {
        destroys.strength > Strength::Fair
    } else {
        destroys.strength >= Strength::Fair
    };
    Some(if wins { destroys.clone() } else { adds.clone() })
}

fn idempotent(scale: &Scale<'_, '_>) -> Option<Signal> {
    let (again, same) = (
        scale.strongest(Hint::Idempotent, false),
        scale.strongest(Hint::Idempotent, true),
    );
    let (Some(repeats), Some(harmless)) = (again, same) else {
        return again.or(same).cloned();
    };
    let wins = match (repeats.strength, harmless.strength, harmless.kind) {
        (Strength::Certain, ..) => true,
        // `idempotent` in so many words beats what the verb suggests.
        (_, Strength::Strong | Strength::Certain, Kind::SaysIdempotent) => false,
        (_, Strength::Fair, Kind::SaysIdempotent) if repeats.kind == Kind::Verb => false,
        (repeats, harmless, _) => repeats >= Strength::Fair || repeats >= harmless,
    };
    Some(if wins {
        repeats.clone()
    } else {
        harmless.clone()
    })
}

fn open_world(scale: &Scale<'_, '_>) -> Option<Signal> {
    let (open, closed) = (
        scale.strongest(Hint::OpenWorld, true),
        scale.strongest(Hint::OpenWorld, false),
    );
    let (Some(out), Some(within)) = (open, closed) else {
        return open.or(closed).cloned();
    };
    Some(if out.strength >= Strength::Fair {
        out.clone()
    } else {
        within.clone()
    })
}
