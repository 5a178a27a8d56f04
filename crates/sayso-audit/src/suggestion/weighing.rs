//! One tool's evidence, and how sure it makes a suggestion.

use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::Hint;

use super::Suggestion;
use crate::context::ToolReading;
use crate::evidence::act::Act;
use crate::evidence::phrases::Fact;
use crate::evidence::statements::Says;
use crate::evidence::verdicts::{Contested, Kind, Quote, Signal, Strength};
use crate::semantics::{Reading, Semantics};

/// How much of the evidence is shown.
const MOST: usize = 4;

/// One tool and what decides contested readings.
pub(super) struct Weighing<'t, 'a> {
    pub(super) tool: &'t ToolReading<'a>,
    pub(super) semantics: &'t Semantics,
}

impl Weighing<'_, '_> {
    /// How sure a signal is, with what bears it out and what speaks against it.
    pub(super) fn confidence(&self, signal: &Signal) -> Confidence {
        let base = rank(signal.strength);
        let opposed = self
            .signals(signal.hint, !signal.value)
            .any(|other| other.strength >= Strength::Fair && other.contested.is_none());
        if matches!(signal.quote, Quote::Name { .. }) {
            return base.min(Confidence::Medium);
        }
        match base {
            Confidence::High if opposed && promises(signal) => Confidence::Medium,
            Confidence::Medium if opposed => Confidence::Medium,
            Confidence::Medium if !promises(signal) || self.borne_out(signal) => Confidence::High,
            other => other,
        }
    }

    /// Whether something else says the same: the name, or a signal read from another text.
    pub(super) fn borne_out(&self, signal: &Signal) -> bool {
        let named = self
            .tool
            .evidence
            .name_verb
            .as_ref()
            .is_some_and(|verb| implied(verb.act, signal.hint) == Some(signal.value));
        // Two verbs of the description: `ends the session and invalidates its token`.
        let verbs: Vec<Act> = self.heads().filter(|act| act.writes()).collect();
        let several = signal.kind == Kind::Verb
            && verbs.first() != verbs.last()
            && verbs
                .iter()
                .all(|act| implied(*act, signal.hint) == Some(signal.value));
        named && !matches!(signal.quote, Quote::Name { .. })
            || several
            || self
                .signals(signal.hint, signal.value)
                .any(|other| other.kind != signal.kind && other.strength >= Strength::Fair)
    }

    pub(super) fn signals(&self, hint: Hint, value: bool) -> impl Iterator<Item = &Signal> {
        self.tool.evidence.signals(hint, value)
    }

    pub(super) fn heads(&self) -> impl Iterator<Item = Act> {
        self.tool.evidence.heads()
    }

    /// Where a matter of reading decides, what the settings say of it.
    pub(super) fn contested(&self, signal: &Signal) -> Option<Suggestion> {
        let contested = signal.contested?;
        let reading = self.semantics.reading(contested);
        let (value, confidence) = match (reading, contested) {
            // `Sets the workspace that later calls work in` overwrites nobody's data.
            (Reading::Yes, Contested::UpdateDestructive) if self.only_selects() => {
                (false, Confidence::Low)
            }
            (Reading::Yes, Contested::UpdateDestructive) if self.borne_out(signal) => {
                (true, Confidence::High)
            }
            (Reading::Yes, _) => (true, self.settled(signal)),
            (Reading::No, _) => (false, self.settled(signal)),
            // By the letter of the specification nothing that was there is taken away.
            (Reading::Either, Contested::SendDestructive) => (false, Confidence::Low),
            (Reading::Either, Contested::OwnTenant) => (false, Confidence::Low),
            (Reading::Either, _) => (signal.value, rank(signal.strength).min(Confidence::Medium)),
        };
        let mut suggestion = self.suggestion(signal, value, confidence);
        if reading == Reading::Either {
            suggestion.because.push_str(MATTER_OF_READING);
        }
        Some(suggestion)
    }

    /// A setting decides what the evidence means, not how plain it is.
    fn settled(&self, signal: &Signal) -> Confidence {
        match signal.strength {
            Strength::Weak | Strength::Fair if !self.borne_out(signal) => Confidence::Medium,
            _ => Confidence::High,
        }
    }

    fn only_selects(&self) -> bool {
        self.tool
            .evidence
            .statements
            .iter()
            .any(|statement| statement.says == Says::Fact(Fact::LaterCalls))
    }

    /// A suggestion that rests on a signal, whichever value is made of it.
    pub(super) fn suggestion(
        &self,
        signal: &Signal,
        value: bool,
        confidence: Confidence,
    ) -> Suggestion {
        let (mut evidence, mut against) = (Vec::new(), Vec::new());
        let own = if value == signal.value {
            &mut evidence
        } else {
            &mut against
        };
        self.show(signal, own);
        for other in self.signals(signal.hint, value) {
            self.show(other, &mut evidence);
        }
        for other in self.signals(signal.hint, !value) {
            self.show(other, &mut against);
        }
        let mut because = if value == signal.value {
            reason(signal)
        } else {
            counter(signal).to_owned()
        };
        let named = self
            .named(signal.hint, value)
            .filter(|named| evidence.iter().all(|one| one.location != named.location));
        if let Some(named) = named {
            because.push_str(", and its name agrees");
            evidence.push(named);
        }
        evidence.truncate(MOST);
        against.truncate(MOST);
        Suggestion {
            value,
            confidence,
            evidence,
            against,
            because,
        }
    }

    fn show(&self, signal: &Signal, shown: &mut Vec<Evidence>) {
        if let Some(evidence) = self.tool.evidence.quote(signal, self.tool.tool.page()) {
            let seen = shown
                .iter()
                .any(|one| one.location == evidence.location && one.mark == evidence.mark);
            if !seen {
                shown.push(evidence);
            }
        }
    }

    /// The verb of the name, where it says the same by itself.
    pub(super) fn named(&self, hint: Hint, value: bool) -> Option<Evidence> {
        let verb = self.tool.evidence.name_verb.as_ref()?;
        if implied(verb.act, hint) != Some(value) {
            return None;
        }
        let mark = verb.bytes.clone();
        let page = self.tool.tool.page();
        self.tool
            .evidence
            .shown(&Quote::Name { mark }, "the name says the same", page)
    }
}

/// What is added where no setting decides.
pub(super) const MATTER_OF_READING: &str = "; whether that counts is a matter of reading";

fn reason(signal: &Signal) -> String {
    let label = signal.label;
    match signal.quote {
        Quote::Name { .. } => format!("by its name it {label}"),
        Quote::Argument { .. } | Quote::Members { .. } => format!("an argument {label}"),
        Quote::Text { .. } if label.starts_with("says ") => format!("its description {label}"),
        Quote::Text { .. } => format!("by its description it {label}"),
    }
}

/// Why a signal is not followed.
fn counter(signal: &Signal) -> &'static str {
    match (signal.contested, signal.hint) {
        (Some(Contested::SendDestructive), _) => {
            "what is sent takes nothing away, by the letter of the specification"
        }
        (Some(Contested::DeleteIdempotent), _) => "a second call finds nothing left to remove",
        (Some(Contested::UpdateDestructive), _) => "nothing is taken away",
        (Some(Contested::OwnTenant), _) | (None, Hint::OpenWorld) => {
            "it seems to stay within the server's own domain"
        }
        (None, Hint::Destructive) => "nothing is said to be taken away",
        (None, Hint::Idempotent) if signal.value => "one of its verbs acts again on each call",
        (None, Hint::Idempotent) => "what is there already is changed instead",
        (None, Hint::ReadOnly) => "other evidence weighs more",
    }
}

/// Whether the value promises more than the specification's default.
fn promises(signal: &Signal) -> bool {
    signal.value != signal.hint.default_value()
}

pub(super) const fn rank(strength: Strength) -> Confidence {
    match strength {
        Strength::Weak => Confidence::Low,
        Strength::Fair => Confidence::Medium,
        Strength::Strong | Strength::Certain => Confidence::High,
    }
}

/// What a verb in a name says of a hint, if it says anything.
pub(super) fn implied(act: Act, hint: Hint) -> Option<bool> {
    match hint {
        Hint::ReadOnly => match act {
            Act::Read | Act::Compute => Some(true),
            act => act.writes().then_some(false),
        },
        Hint::Destructive => match act {
            Act::Remove | Act::Replace | Act::Update => Some(true),
            Act::Add
            | Act::Connect
            | Act::Select
            | Act::Mark
            | Act::Send
            | Act::Publish
            | Act::Control
            | Act::Claim
            | Act::Disconnect
            | Act::Trigger => Some(false),
            _ => None,
        },
        Hint::Idempotent => match act {
            Act::Add
            | Act::Send
            | Act::Pay
            | Act::Step
            | Act::Interact
            | Act::Claim
            | Act::Trigger => Some(false),
            Act::Update
            | Act::Replace
            | Act::Adjust
            | Act::Select
            | Act::Mark
            | Act::Disconnect
            | Act::End
            | Act::Save => Some(true),
            // Whether removing twice is the same is contested.
            _ => None,
        },
        Hint::OpenWorld => None,
    }
}
