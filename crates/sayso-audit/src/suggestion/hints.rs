//! The four hints of one tool.

use sayso_core::finding::{Confidence, Evidence, Location};
use sayso_core::hint::{Hint, Hints};

use super::weighing::Weighing;
use super::{Suggestion, world};
use crate::context::ToolReading;
use crate::evidence::act::Act;
use crate::evidence::names;
use crate::evidence::verdicts::{Quote, Strength};
use crate::semantics::Semantics;

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
}
