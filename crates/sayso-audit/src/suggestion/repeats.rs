//! Whether a second identical call changes anything further.

use sayso_core::finding::Confidence;
use sayso_core::hint::Hint;

use super::Suggestion;
use super::weighing::{MATTER_OF_READING, Weighing, implied};
use super::world::words_at;
use crate::evidence::act::Act;
use crate::evidence::verdicts::{Contested, Kind, Quote, Signal, Strength};
use crate::semantics::Reading;

impl Weighing<'_, '_> {
    pub(super) fn idempotent(&self) -> Option<Suggestion> {
        let Some(signal) = self.tool.evidence.verdict(Hint::Idempotent) else {
            return self.writes_what_it_reads();
        };
        if self.empties(signal) {
            let confidence = if self.named(Hint::ReadOnly, false).is_some() {
                Confidence::High
            } else {
                Confidence::Medium
            };
            return Some(self.suggestion(signal, true, confidence));
        }
        if let Some(settled) = self.contested(signal) {
            return Some(settled);
        }
        let opposed = self
            .heads()
            .any(|act| implied(act, Hint::Idempotent) == Some(!signal.value));
        if opposed && signal.kind == Kind::Verb {
            return Some(self.mixed_repeats(signal));
        }
        // Words about the repeat itself are as plain as it gets: `an existing folder is left`.
        let told =
            signal.kind == Kind::SaysIdempotent && matches!(signal.quote, Quote::Text { .. });
        let confidence = match self.confidence(signal) {
            _ if self.goes_on(signal) => Confidence::Low,
            Confidence::Medium if told => Confidence::High,
            _ if signal.kind == Kind::Verb && self.speaks_of_repeats(signal) => Confidence::Medium,
            Confidence::Medium if signal.value && self.ends_in_a_state() => Confidence::High,
            confidence => confidence,
        };
        Some(self.removing_too(signal, self.suggestion(signal, signal.value, confidence)))
    }

    /// Whether all it does is to empty something that stays: unlike a thing deleted twice, what
    /// is emptied twice is no error, and nobody disagrees.
    fn empties(&self, signal: &Signal) -> bool {
        const STEMS: [&str; 9] = [
            "empt", "clear", "wip", "eras", "purg", "flush", "truncat", "scrub", "vacuum",
        ];
        let word = self.word(signal);
        signal.contested == Some(Contested::DeleteIdempotent)
            && self.heads().all(|act| act == Act::Remove)
            && STEMS.iter().any(|stem| word.starts_with(stem))
    }

    /// Whether the verb goes one step on from wherever things stand: `rolls back`, `extends`.
    fn goes_on(&self, signal: &Signal) -> bool {
        const STEMS: [&str; 14] = [
            "roll", "revert", "swap", "exten", "prolong", "renew", "lower", "rais", "shorten",
            "lengthen", "widen", "narrow", "upgrad", "downgrad",
        ];
        let word = self.word(signal);
        signal.value && signal.kind == Kind::Verb && STEMS.iter().any(|stem| word.starts_with(stem))
    }

    /// The word of the description a signal rests on, in lower case.
    fn word(&self, signal: &Signal) -> String {
        let Quote::Text { text, mark, .. } = &signal.quote else {
            return String::new();
        };
        let text = self.tool.evidence.texts.get(*text);
        text.and_then(|text| text.decoded.get(mark.clone()))
            .unwrap_or_default()
            .to_lowercase()
    }

    /// `Updates or deletes`: what the removing part of it is worth is a matter of reading.
    fn removing_too(&self, signal: &Signal, mut suggestion: Suggestion) -> Suggestion {
        let removes = self.heads().any(|act| act == Act::Remove);
        if !(removes && suggestion.value && signal.kind == Kind::Verb) {
            return suggestion;
        }
        match self.semantics.reading(Contested::DeleteIdempotent) {
            Reading::Yes => suggestion,
            Reading::No => self.suggestion(signal, false, Confidence::Medium),
            Reading::Either => {
                suggestion.confidence = suggestion.confidence.min(Confidence::Medium);
                suggestion.because.push_str(MATTER_OF_READING);
                suggestion
            }
        }
    }

    /// Whether the description says something of repeats, or of what is there already where the
    /// verb adds, and no signal came of it: the verb is not the last word then.
    fn speaks_of_repeats(&self, signal: &Signal) -> bool {
        const REPEATS: [&str; 6] = [
            "again",
            "twice",
            "repeat",
            "repeated",
            "repeats",
            "idempotent",
        ];
        const THERE: [&str; 3] = ["already", "duplicate", "duplicates"];
        let understood = self
            .signals(signal.hint, signal.value)
            .any(|other| matches!(other.kind, Kind::SaysRepeats | Kind::SaysIdempotent));
        let verb = match &signal.quote {
            Quote::Text { text: 0, mark, .. } => mark.clone(),
            _ => 0..0,
        };
        let text = self.tool.tool.description().unwrap_or_default();
        !understood
            && words_at(&text).into_iter().any(|(at, word)| {
                let word = word.as_str();
                !verb.contains(&at)
                    && (REPEATS.contains(&word) || !signal.value && THERE.contains(&word))
            })
    }

    /// Some verbs add on each call, others lead to the same: `creates or updates` ends where a
    /// second call finds it, anything else with an adding verb in it adds again.
    fn mixed_repeats(&self, signal: &Signal) -> Suggestion {
        let sets = |act| matches!(act, Act::Update | Act::Replace);
        let upserts =
            self.heads().all(|act| act == Act::Add || sets(act)) && self.heads().any(sets);
        let named = self.named(Hint::Idempotent, true).is_some();
        let confidence = if upserts && named {
            Confidence::Medium
        } else {
            Confidence::Low
        };
        self.suggestion(signal, upserts, confidence)
    }

    /// Whether the verbs or the call itself name the state that is to be afterwards.
    fn ends_in_a_state(&self) -> bool {
        let named = |act| match act {
            Act::Select | Act::Mark | Act::End | Act::Disconnect | Act::Replace => true,
            act => !act.writes(),
        };
        let mut verbs = self.heads().peekable();
        verbs.peek().is_some() && verbs.all(named)
            || self.takes_new_state()
            || self.is_told_where_to_write()
    }

    /// Whether the call names the file that is written: it is the same one again.
    fn is_told_where_to_write(&self) -> bool {
        self.signals(Hint::ReadOnly, false).any(|signal| {
            signal.kind == Kind::WritingArgument && signal.strength >= Strength::Strong
        })
    }

    fn takes_new_state(&self) -> bool {
        self.tool.evidence.arguments.iter().any(|argument| {
            let parts = argument.parts();
            argument.top
                && parts
                    .last()
                    .is_some_and(|last| NEW_STATE.contains(&last.as_str()))
        })
    }

    /// What is known where nothing speaks of repeats: a reader that also stores or marks what it
    /// reads does the same a second time.
    fn writes_what_it_reads(&self) -> Option<Suggestion> {
        let signal = self.tool.evidence.verdict(Hint::ReadOnly)?;
        let reads = self
            .heads()
            .all(|act| matches!(act, Act::Read | Act::Compute | Act::Make));
        let (value, confidence, because) = match signal.kind {
            Kind::WritingArgument if reads => (
                true,
                Confidence::Medium,
                "what it writes beside reading is the same a second time",
            ),
            Kind::Mode if !signal.value => (
                false,
                Confidence::Low,
                "one of the acts to choose from is likely to act again on each call",
            ),
            _ => return None,
        };
        let evidence = self.tool.evidence.quote(signal, self.tool.tool.page());
        Some(Suggestion {
            value,
            confidence,
            evidence: evidence.into_iter().collect(),
            against: Vec::new(),
            because: because.to_owned(),
        })
    }
}

/// Last words of arguments that hold a state, a content or a value as it is to be afterwards.
const NEW_STATE: [&str; 24] = [
    "value",
    "values",
    "content",
    "contents",
    "text",
    "body",
    "data",
    "state",
    "status",
    "level",
    "settings",
    "config",
    "configuration",
    "fields",
    "properties",
    "rules",
    "vars",
    "variables",
    "enabled",
    "price",
    "title",
    "description",
    "color",
    "priority",
];
