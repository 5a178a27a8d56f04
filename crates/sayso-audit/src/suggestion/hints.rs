//! The four hints of one tool.

use sayso_core::finding::{Confidence, Evidence, Location};
use sayso_core::hint::{Hint, Hints};

use super::Suggestion;
use super::world::{self, words_at};
use crate::context::ToolReading;
use crate::evidence::act::Act;
use crate::evidence::names;
use crate::evidence::phrases::Fact;
use crate::evidence::statements::Says;
use crate::evidence::verdicts::{Contested, Kind, Quote, Signal, Strength};
use crate::semantics::{Reading, Semantics};

/// How much of the evidence is shown.
const MOST: usize = 4;

/// Suggestions for the hints of one tool, none of which contradict each other.
pub(super) fn suggest(tool: &ToolReading<'_>, semantics: &Semantics) -> Hints<Option<Suggestion>> {
    let weighing = Weighing { tool, semantics };
    let mut read_only = weighing.read_only();
    let reads = read_only.as_ref().is_some_and(|reads| reads.value);
    let (mut destructive, mut idempotent) = if reads {
        (None, None)
    } else {
        (weighing.destructive(), weighing.idempotent())
    };
    if read_only.is_none() {
        read_only = writes_as_well(destructive.as_ref(), idempotent.as_ref());
    }
    let plain = read_only
        .as_ref()
        .is_some_and(|writes| writes.confidence > Confidence::Low);
    if !plain {
        // Where it is not even plain that anything is changed, what kind of change it is is not.
        for suggestion in [&mut destructive, &mut idempotent].into_iter().flatten() {
            suggestion.confidence = suggestion.confidence.min(Confidence::Medium);
        }
    }
    Hints {
        read_only,
        destructive,
        idempotent,
        open_world: world::suggest(&weighing),
    }
}

/// What removes something writes, and so does what acts again on each call.
fn writes_as_well(
    destructive: Option<&Suggestion>,
    idempotent: Option<&Suggestion>,
) -> Option<Suggestion> {
    let destroys = destructive.filter(|destroys| destroys.value);
    let repeats = idempotent.filter(|idempotent| !idempotent.value);
    let effect = destroys.into_iter().chain(repeats);
    let effect = effect.max_by_key(|effect| effect.confidence)?;
    Some(Suggestion {
        value: false,
        confidence: effect.confidence.min(Confidence::Medium),
        ..effect.clone()
    })
}

/// One tool and what decides contested readings.
pub(super) struct Weighing<'t, 'a> {
    pub(super) tool: &'t ToolReading<'a>,
    pub(super) semantics: &'t Semantics,
}

impl Weighing<'_, '_> {
    fn read_only(&self) -> Option<Suggestion> {
        let Some(signal) = self.tool.evidence.verdict(Hint::ReadOnly) else {
            return self.reads_by_its_names();
        };
        let confidence = match self.confidence(signal) {
            Confidence::Low if self.borne_out(signal) => Confidence::Medium,
            confidence => confidence,
        };
        Some(self.suggestion(signal, signal.value, confidence))
    }

    /// Where the description has no verb: `lead_get`, titled `Get a lead`.
    fn reads_by_its_names(&self) -> Option<Suggestion> {
        if self.heads().next().is_some() {
            return None;
        }
        let reads = |act: Act| matches!(act, Act::Read | Act::Compute);
        let evidence = &self.tool.evidence;
        let page = self.tool.tool.page();
        let name = evidence
            .name_verb
            .as_ref()
            .filter(|verb| reads(verb.act))
            .and_then(|verb| {
                let mark = verb.bytes.clone();
                evidence.shown(&Quote::Name { mark }, "the name seems to read", page)
            });
        let title = self.title_verb().filter(|(act, _)| reads(*act));
        let shown: Vec<Evidence> = name
            .into_iter()
            .chain(title.map(|(_, evidence)| evidence))
            .collect();
        let confidence = match shown.len() {
            0 => return None,
            1 => Confidence::Low,
            _ => Confidence::Medium,
        };
        Some(Suggestion {
            value: true,
            confidence,
            evidence: shown,
            against: Vec::new(),
            because: "what it is called speaks of reading, and nothing of a change".to_owned(),
        })
    }

    /// The verb a title begins with.
    fn title_verb(&self) -> Option<(Act, Evidence)> {
        let value = self.tool.tool.value().get("title")?;
        let title = value.as_str()?;
        let verb = names::leading_verb(&title)?;
        let location = Location {
            page: self.tool.tool.page(),
            pointer: value.pointer(),
            span: value.span(),
        };
        let evidence = Evidence {
            location,
            text: title.clone().into_owned(),
            mark: verb.bytes,
            label: "the title seems to read".to_owned(),
        };
        Some((verb.act, evidence))
    }

    fn destructive(&self) -> Option<Suggestion> {
        let signal = self.tool.evidence.verdict(Hint::Destructive)?;
        if let Some(settled) = self.contested(signal) {
            return Some(settled);
        }
        if signal.strength > Strength::Weak {
            return Some(self.suggestion(signal, signal.value, self.confidence(signal)));
        }
        if !signal.value {
            // Nothing but verbs that take nothing away.
            let opposed = self.signals(Hint::Destructive, true).next().is_some();
            let confidence = match (opposed, self.borne_out(signal)) {
                (true, _) => Confidence::Low,
                (false, false) => Confidence::Medium,
                (false, true) => Confidence::High,
            };
            return Some(self.suggestion(signal, false, confidence));
        }
        // What is stored or moved may land on something; what is stopped or adjusted stays.
        let lands = self.heads().next().is_none()
            || self
                .heads()
                .any(|act| matches!(act, Act::Save | Act::Move | Act::Bring));
        Some(self.suggestion(signal, lands, Confidence::Low))
    }

    fn idempotent(&self) -> Option<Suggestion> {
        let Some(signal) = self.tool.evidence.verdict(Hint::Idempotent) else {
            return self.writes_what_it_reads();
        };
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
            Confidence::Medium if told => Confidence::High,
            _ if signal.kind == Kind::Verb && self.speaks_of_repeats(signal) => Confidence::Medium,
            Confidence::Medium if signal.value && self.ends_in_a_state() => Confidence::High,
            confidence => confidence,
        };
        Some(self.suggestion(signal, signal.value, confidence))
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
            Act::Select | Act::Mark | Act::End | Act::Disconnect => true,
            act => !act.writes(),
        };
        let mut verbs = self.heads().peekable();
        verbs.peek().is_some() && verbs.all(named) || self.takes_new_state()
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
        match signal.kind {
            Kind::WritingArgument if reads => {
                Some(self.suggestion(signal, true, Confidence::Medium))
            }
            // One of the acts to choose from is likely to add or to step.
            Kind::Mode if !signal.value => Some(self.suggestion(signal, false, Confidence::Low)),
            _ => None,
        }
    }

    /// Where a matter of reading decides, what the settings say of it.
    fn contested(&self, signal: &Signal) -> Option<Suggestion> {
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

    /// How sure a signal is, with what bears it out and what speaks against it.
    fn confidence(&self, signal: &Signal) -> Confidence {
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
    fn borne_out(&self, signal: &Signal) -> bool {
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

    pub(super) fn suggestion(
        &self,
        signal: &Signal,
        value: bool,
        confidence: Confidence,
    ) -> Suggestion {
        let page = self.tool.tool.page();
        let mut shown: Vec<Evidence> = self.tool.evidence.quote(signal, page).into_iter().collect();
        let mut against = Vec::new();
        // A signal that was read the other way round speaks for what is suggested.
        let (agreeing, opposing) = (value, !value);
        for other in self.signals(signal.hint, agreeing) {
            self.show(other, &mut shown);
        }
        for other in self.signals(signal.hint, opposing) {
            if self.tool.evidence.quote(other, page).as_ref() != shown.first() {
                self.show(other, &mut against);
            }
        }
        let named = self.named(signal.hint, value);
        let because = match &named {
            Some(_) => format!("{}, and its name agrees", reason(signal)),
            None => reason(signal),
        };
        if let Some(named) =
            named.filter(|named| shown.iter().all(|one| one.location != named.location))
        {
            shown.push(named);
        }
        shown.truncate(MOST);
        against.truncate(MOST);
        Suggestion {
            value,
            confidence,
            evidence: shown,
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
    fn named(&self, hint: Hint, value: bool) -> Option<Evidence> {
        let verb = self.tool.evidence.name_verb.as_ref()?;
        let quote = Quote::Name {
            mark: verb.bytes.clone(),
        };
        (implied(verb.act, hint) == Some(value))
            .then(|| {
                let page = self.tool.tool.page();
                self.tool
                    .evidence
                    .shown(&quote, "the name says the same", page)
            })
            .flatten()
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

const MATTER_OF_READING: &str = "; whether that counts is a matter of reading";

fn reason(signal: &Signal) -> String {
    let label = signal.label;
    match signal.quote {
        Quote::Name { .. } => format!("by its name it {label}"),
        Quote::Argument { .. } | Quote::Members { .. } => format!("an argument {label}"),
        Quote::Text { .. } if label.starts_with("says ") => format!("its description {label}"),
        Quote::Text { .. } => format!("by its description it {label}"),
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
fn implied(act: Act, hint: Hint) -> Option<bool> {
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
            | Act::Save
            | Act::Remove => Some(true),
            _ => None,
        },
        Hint::OpenWorld => None,
    }
}
