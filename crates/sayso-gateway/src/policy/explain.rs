//! Why a decision is what it is.

use sayso_core::effective::{Effective, Provenance};
use sayso_core::hint::Hint;
use sayso_core::json::LineColumn;

use super::Policies;
use super::entities::{Parties, context, hint_name, observed_word, ruled_word, shown};
use super::question::{Action, Question, Subject};
use super::rule::Rule;
use super::scope::Kind;
use super::tool::Tool;
use super::verdict::{Reason, Verdict};

/// A decision with everything it rests on.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The decision.
    pub verdict: Verdict,
    /// The policies whose scope fits, in the order of their files.
    pub policies: Vec<PolicyExplained>,
    /// The four values of the tool; none for a prompt or a resource.
    pub hints: Vec<HintExplained>,
}

/// What one policy says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyExplained {
    /// Its name and text.
    pub reason: Reason,
    /// The file or ready set.
    pub source: String,
    /// Where it begins there.
    pub place: LineColumn,
    /// Whether it forbids; otherwise it permits.
    pub forbids: bool,
    /// What it says as things stand.
    pub outcome: Outcome,
    /// What it would say if the call were confirmed.
    pub if_confirmed: Outcome,
}

/// What a policy says of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It applies.
    Applies,
    /// It does not.
    DoesNotApply,
    /// It cannot be evaluated, which denies.
    Failed(String),
}

/// One value of a tool, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintExplained {
    /// Which.
    pub hint: Hint,
    /// What policies call it: `resource.effective.` and this.
    pub name: &'static str,
    /// The value policies see.
    pub value: bool,
    /// Where the hint's own value comes from.
    pub provenance: Provenance,
    /// What the server claims.
    pub claimed: &'static str,
    /// What the ruling says of the tool.
    pub ruled: &'static str,
    /// What was observed.
    pub observed: &'static str,
}

impl Policies {
    /// Decides, and says why: each policy in the scope is looked at by itself.
    #[must_use]
    pub fn explain(&self, question: &Question<'_>) -> Explanation {
        let verdict = self.decide(question);
        let mut explanation = Explanation {
            verdict,
            policies: Vec::new(),
            hints: Vec::new(),
        };
        match question.subject {
            Subject::Tool { key, effective } => {
                if let Some(tool) = self.tools.get(key) {
                    explanation.hints = hints(tool, effective);
                    let parties = self.names.tool(question.caller, &tool.facts, effective);
                    explanation.policies = self.told(question, Some(tool), Kind::Tool, parties);
                }
            }
            Subject::Prompt { server, name } => {
                let parties = self.item(question, Kind::Prompt, server, name);
                explanation.policies = self.told(question, None, Kind::Prompt, parties);
            }
            Subject::Resource { server, uri } => {
                let parties = self.item(question, Kind::Resource, server, uri);
                explanation.policies = self.told(question, None, Kind::Resource, parties);
            }
        }
        explanation
    }

    fn item(
        &self,
        question: &Question<'_>,
        kind: Kind,
        server: &str,
        name: &str,
    ) -> Result<Parties, String> {
        let trust = self.trust.get(server).copied().unwrap_or_default();
        self.names.item(question.caller, kind, server, trust, name)
    }

    fn told(
        &self,
        question: &Question<'_>,
        tool: Option<&Tool>,
        kind: Kind,
        parties: Result<Parties, String>,
    ) -> Vec<PolicyExplained> {
        let Ok(parties) = parties else {
            return Vec::new();
        };
        let rules = match (tool, question.action) {
            (Some(tool), Action::List) => tool.lists.clone(),
            (Some(tool), _) => tool.calls.clone(),
            (None, action) => self.of_kind(kind, action),
        };
        let told = self.chosen(&rules).map(|(_, rule)| PolicyExplained {
            reason: rule.reason.clone(),
            source: rule.source.to_string(),
            place: rule.place,
            forbids: rule.forbids(),
            outcome: self.outcome(question, tool, rule, &parties, question.confirmed),
            if_confirmed: self.outcome(question, tool, rule, &parties, true),
        });
        told.collect()
    }

    fn outcome(
        &self,
        question: &Question<'_>,
        tool: Option<&Tool>,
        rule: &Rule,
        parties: &Parties,
        confirmed: bool,
    ) -> Outcome {
        let of_call = tool.filter(|_| question.action == Action::Call);
        let arguments = of_call.map(|tool| (&tool.fields, &rule.reads.arguments));
        let said = context(question, confirmed, arguments, rule.reads.now)
            .and_then(|context| self.request(question.action, parties, context))
            .and_then(|request| self.satisfied(rule, &rule.alone, &request, &parties.entities));
        match said {
            Ok(true) => Outcome::Applies,
            Ok(false) => Outcome::DoesNotApply,
            Err(error) => Outcome::Failed(error),
        }
    }
}

fn hints(tool: &Tool, effective: &Effective) -> Vec<HintExplained> {
    let values = shown(effective);
    let ruling = tool.facts.ruling.unwrap_or_default();
    let told = Hint::ALL.map(|hint| HintExplained {
        hint,
        name: hint_name(hint),
        value: *values.get(hint),
        provenance: effective.hints.get(hint).provenance,
        claimed: tool.facts.claims.get(hint).as_str(),
        ruled: ruled_word(*ruling.get(hint)),
        observed: observed_word(*tool.facts.observed.get(hint)),
    });
    told.into()
}
