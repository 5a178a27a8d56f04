//! Policies held against the tools that are pinned: what `sayso policy` looks at.

pub(crate) mod cases;

use sayso_core::effective::{Basis, Effective, Evidence, Trust, decide};
use sayso_core::hint::Hints;
use sayso_core::json::{Document, Value};
use sayso_core::lock::Lock;
use sayso_core::ruling::{Ruling, Undo};
use sayso_core::rulings::Rulings;
use sayso_gateway::catalogue::served_as;
use sayso_gateway::policy::{
    Decision, PinState, Policies, PolicyErrors, PolicySource, ToolFacts, Verdict,
};
use sayso_gateway::settings::{Confine, GateSettings, ServerSettings};

use crate::error::Failure;

/// A pinned tool with the ruling that holds for it.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) facts: ToolFacts,
    ruling: Option<Ruling>,
}

/// The policies, held against the pinned tools: strictly where there are pins at all, since a policy
/// about a tool that nobody pinned is most likely misspelt.
///
/// # Errors
/// When something is wrong with them.
pub(crate) fn load(sources: &[PolicySource], known: &[Known]) -> Result<Policies, PolicyErrors> {
    let facts: Vec<ToolFacts> = known.iter().map(|known| known.facts.clone()).collect();
    if facts.is_empty() {
        Policies::serving(sources, &facts)
    } else {
        Policies::load(sources, &facts)
    }
}

/// What is wrong, for a person.
pub(crate) fn failure(errors: &PolicyErrors) -> Failure {
    let count = errors.0.len();
    let things = if count == 1 { "thing is" } else { "things are" };
    Failure::usage(format!(
        "{count} {things} wrong with the policies\n{errors}"
    ))
}

/// All pinned tools.
pub(crate) fn known(lock: &Lock, rulings: &Rulings, settings: &GateSettings) -> Vec<Known> {
    let mut known = Vec::new();
    for (server, pinned) in &lock.servers {
        let set = settings.servers.get(server);
        let trust = set.map_or(Trust::default(), |set| set.trust);
        let listing = pinned.listing();
        for listed in listing.tools() {
            let Some(name) = listed.name() else {
                continue;
            };
            let Some(pin) = pinned.tools.get(name.as_ref()) else {
                continue;
            };
            let ruling = rulings
                .get(server, &name)
                .filter(|ruling| ruling.is_in_force(&pin.digest, &pin.claims))
                .cloned();
            let values = |cases: &[Hints<Option<bool>>]| {
                decide(&Basis {
                    claims: pin.claims,
                    trust,
                    ruling: ruling.as_ref().map(Ruling::values),
                    cases,
                    evidence: Hints::default(),
                })
            };
            let cases = ruling.iter().flat_map(|ruling| &ruling.cases);
            let labels = set.and_then(|set| set.tools.get(name.as_ref()));
            let facts = ToolFacts {
                server: server.clone(),
                served_as: served_as(settings, server, &name),
                trust,
                input_schema: listed.input_schema().map(Document::part),
                claims: pin.claims,
                ruling: ruling.as_ref().map(Ruling::values),
                observed: Hints::from_fn(|_| Evidence::Untested),
                effective: values(&[]),
                cases: cases.map(|case| values(&[case.hints]).effective).collect(),
                pin: PinState::Pinned,
                undo: ruling.as_ref().and_then(undo),
                labels: labels.map(|set| set.labels.clone()).unwrap_or_default(),
                name: name.into_owned(),
            };
            known.push(Known { facts, ruling });
        }
    }
    known
}

fn undo(ruling: &Ruling) -> Option<String> {
    ruling.undo.as_ref().map(|undo| match undo {
        Undo::Tool(name) => name.clone(),
        Undo::Nothing => "none".to_owned(),
    })
}

impl Known {
    /// The values of a call with these arguments.
    pub(crate) fn effective(&self, arguments: Option<Value<'_>>) -> Effective {
        let cases = match (&self.ruling, arguments) {
            (Some(ruling), Some(arguments)) => ruling.matching_values(arguments),
            _ => Vec::new(),
        };
        let basis = Basis {
            claims: self.facts.claims,
            trust: self.facts.trust,
            ruling: self.facts.ruling,
            cases: &cases,
            evidence: self.facts.observed,
        };
        decide(&basis).effective
    }
}

/// Where a call that is not denied is made, in words; `None` where its server has no confined
/// instance. Whether this machine can confine is not tried.
pub(crate) fn confinement(
    settings: &ServerSettings,
    tool: &str,
    effective: &Effective,
    verdict: &Verdict,
) -> Option<String> {
    if settings.confine == Confine::Off || verdict.decision == Decision::Deny {
        return None;
    }
    let (why, otherwise) = match settings.confine_of(tool) {
        Confine::Off => return Some("not confined: its `confinement.off` is set".to_owned()),
        _ if verdict.lifts => {
            let lifted = "not confined: a policy that permits it has `@confine(\"off\")`";
            return Some(lifted.to_owned());
        }
        Confine::ReadOnlyClaims if !effective.reads_on_its_word() => {
            let because = match effective.read_only() {
                true => "that it only reads is not the server's word alone",
                false => "it does more than read",
            };
            return Some(format!("not confined: {because}"));
        }
        Confine::ReadOnlyClaims => (
            "only the server's word says that it only reads",
            "that word counts for nothing",
        ),
        Confine::All => (
            "all calls of its server are",
            "a person has to confirm the call",
        ),
    };
    let view = settings.view_of(tool, effective.read_only(), effective.open_world());
    Some(format!(
        "confined, since {why}: {}; where that cannot be done, {otherwise}",
        view.describe()
    ))
}
