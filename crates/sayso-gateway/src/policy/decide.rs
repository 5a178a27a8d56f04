//! Decisions.
//!
//! Of the policies that bear on a tool, most look at nothing but the caller, the tool and the
//! session. What they say is worked out once for each such case and kept ([`super::memo`]); what is
//! left for a call are those that look at its arguments or at the time, and of these the ones
//! whose leading parts hold.

use std::sync::Arc;

use cedar_policy::{Context, Decision as CedarDecision, Entities, PolicySet, Request};
use sayso_core::effective::Effective;

use super::entities::{Parties, context};
use super::facts::ToolKey;
use super::memo::{Entry, Key, Pass};
use super::question::{Action, Question, Subject};
use super::reading::Reads;
use super::rule::Rule;
use super::scope::Kind;
use super::tool::Tool;
use super::verdict::{Decision, Verdict};
use super::{Policies, prefilter};

/// The policies that are satisfied, and those that could not be evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    pub(super) permits: Vec<usize>,
    pub(super) forbids: Vec<usize>,
    pub(super) errors: Vec<String>,
}

impl Hits {
    pub(super) fn add(&mut self, rule: &Rule, index: usize, satisfied: Result<bool, String>) {
        match satisfied {
            Ok(false) => {}
            Ok(true) if rule.forbids() => self.forbids.push(index),
            Ok(true) => self.permits.push(index),
            Err(error) => self.errors.push(format!("{}: {error}", rule.reason.id)),
        }
    }

    fn allowed(&self) -> bool {
        self.errors.is_empty() && self.forbids.is_empty() && !self.permits.is_empty()
    }
}

impl Policies {
    /// What may be done.
    ///
    /// It is total: what is not known, does not fit or cannot be evaluated is denied.
    #[must_use]
    pub fn decide(&self, question: &Question<'_>) -> Verdict {
        let answer = match question.subject {
            Subject::Tool { key, effective } => self.about_tool(question, key, effective),
            Subject::Prompt { server, name } => {
                self.about_item(question, Kind::Prompt, server, name)
            }
            Subject::Resource { server, uri } => {
                self.about_item(question, Kind::Resource, server, uri)
            }
        };
        answer.unwrap_or_else(broken)
    }

    fn about_tool(
        &self,
        question: &Question<'_>,
        key: &ToolKey,
        effective: &Effective,
    ) -> Result<Verdict, String> {
        let tool = self.usable_tool(key)?;
        match question.action {
            Action::Call => self.call(question, tool, effective),
            Action::List => self.list(question, tool, effective),
            Action::Read | Action::Get | Action::Complete => Ok(denied(&[])),
        }
    }

    pub(super) fn usable_tool(&self, key: &ToolKey) -> Result<&Tool, String> {
        let tool = self.tools.get(key);
        let tool = tool.ok_or_else(|| format!("no tool `{key}` is known to the policies"))?;
        match &tool.problem {
            Some(problem) => Err(problem.clone()),
            None => Ok(tool),
        }
    }

    fn call(
        &self,
        question: &Question<'_>,
        tool: &Tool,
        effective: &Effective,
    ) -> Result<Verdict, String> {
        let key = Key {
            tool: tool.index,
            effective: *effective,
            transport: question.transport,
            session: question.session,
        };
        let known = self.memo.entry(question.caller, &key);
        let entry = match known {
            Some(entry) => entry,
            None => {
                let entry = Arc::new(self.entry(question, tool, effective)?);
                self.memo.keep(question.caller, key, &entry);
                entry
            }
        };
        if let Some([unconfirmed, confirmed]) = &entry.ready {
            let ready = if question.confirmed {
                confirmed
            } else {
                unconfirmed
            };
            return Ok(ready.clone());
        }
        let reads = &entry.reads;
        tool.fields
            .fit(question.arguments, &reads.arguments)
            .map_err(|mismatch| mismatch.to_string())?;
        Ok(
            self.derive(question.confirmed, reads.confirmed, |confirmed| {
                self.run(question, tool, &entry, confirmed)
            }),
        )
    }

    /// What the policies that do not vary say, and which are left.
    fn entry(
        &self,
        question: &Question<'_>,
        tool: &Tool,
        effective: &Effective,
    ) -> Result<Entry, String> {
        let parties = self.names.tool(question.caller, &tool.facts, effective)?;
        let unconfirmed = self.pass(question, tool, &parties, false)?;
        let confirmed = self.pass(question, tool, &parties, true)?;
        let mut reads = Reads::default();
        for pass in [&unconfirmed, &confirmed] {
            for rule in pass.left.iter().filter_map(|index| self.rules.get(*index)) {
                reads.add(&rule.reads);
            }
        }
        reads.confirmed = unconfirmed != confirmed || reads.confirmed;
        let passes = [unconfirmed, confirmed];
        let settled = passes.iter().all(|pass| pass.left.is_empty());
        let ready = settled.then(|| {
            [false, true].map(|is_confirmed| {
                self.derive(is_confirmed, reads.confirmed, |confirmed| {
                    Ok(of(&passes, confirmed).hits.clone())
                })
            })
        });
        Ok(Entry {
            parties,
            passes,
            reads,
            ready,
        })
    }

    fn pass(
        &self,
        question: &Question<'_>,
        tool: &Tool,
        parties: &Parties,
        confirmed: bool,
    ) -> Result<Pass, String> {
        let context = context(question, confirmed, None, false)?;
        let request = self.request(Action::Call, parties, context)?;
        let mut pass = Pass::default();
        for (index, rule) in self.chosen(&tool.calls) {
            match &rule.guard {
                None => {
                    let satisfied = self.satisfied(rule, &rule.alone, &request, &parties.entities);
                    pass.hits.add(rule, index, satisfied);
                }
                Some(guard) => match self.satisfied(rule, guard, &request, &parties.entities) {
                    Ok(false) => {}
                    Ok(true) => pass.left.push(index),
                    Err(error) => pass.hits.add(rule, index, Err(error)),
                },
            }
        }
        Ok(pass)
    }

    /// Evaluates what a pass left.
    fn run(
        &self,
        question: &Question<'_>,
        tool: &Tool,
        entry: &Entry,
        confirmed: bool,
    ) -> Result<Hits, String> {
        let pass = of(&entry.passes, confirmed);
        let mut hits = pass.hits.clone();
        let mut request = None;
        for (index, rule) in self.chosen(&pass.left) {
            match prefilter::all_pass(&rule.tests, question.arguments, &tool.fields) {
                Some(false) => continue,
                // The guard holds, and there is nothing else.
                Some(true) if rule.is_all_tests => {
                    hits.add(rule, index, Ok(true));
                    continue;
                }
                Some(true) | None => {}
            }
            if request.is_none() {
                let reads = &entry.reads;
                let arguments = Some((&tool.fields, &reads.arguments));
                let context = context(question, confirmed, arguments, reads.now)?;
                request = Some(self.request(Action::Call, &entry.parties, context)?);
            }
            if let Some(request) = &request {
                let entities = &entry.parties.entities;
                let satisfied = self.satisfied(rule, &rule.alone, request, entities);
                hits.add(rule, index, satisfied);
            }
        }
        hits.permits.sort_unstable();
        hits.forbids.sort_unstable();
        Ok(hits)
    }

    /// What hits come to. Where a call is denied as it stands, it is looked at once more as if it
    /// were confirmed.
    fn derive(
        &self,
        is_confirmed: bool,
        confirmed_matters: bool,
        hits: impl Fn(bool) -> Result<Hits, String>,
    ) -> Verdict {
        let first = match hits(is_confirmed) {
            Ok(first) => first,
            Err(error) => return broken(error),
        };
        if first.allowed() {
            return self.verdict(Decision::Allow, &first.permits, &first.permits);
        }
        if is_confirmed || !first.errors.is_empty() || !confirmed_matters {
            return self.denial(&first);
        }
        match hits(true) {
            Err(error) => broken(error),
            Ok(second) if !second.allowed() => self.denial(&second),
            Ok(second) if !first.forbids.is_empty() => {
                self.verdict(Decision::Ask, &first.forbids, &second.permits)
            }
            Ok(second) => self.verdict(Decision::Ask, &second.permits, &second.permits),
        }
    }

    fn denial(&self, hits: &Hits) -> Verdict {
        Verdict {
            errors: hits.errors.as_slice().into(),
            ..self.verdict(Decision::Deny, &hits.forbids, &[])
        }
    }

    fn verdict(&self, decision: Decision, rules: &[usize], permits: &[usize]) -> Verdict {
        let reasons = self.chosen(rules).map(|(_, rule)| rule.reason.clone());
        Verdict {
            decision,
            reasons: reasons.collect(),
            lifts: self.chosen(permits).any(|(_, rule)| rule.lifts()),
            errors: Arc::default(),
        }
    }

    /// Whether a tool is listed: whether a call of it can be permitted, whatever its arguments,
    /// perhaps after it is confirmed, and nothing forbids that it is listed.
    fn list(
        &self,
        question: &Question<'_>,
        tool: &Tool,
        effective: &Effective,
    ) -> Result<Verdict, String> {
        let key = Key {
            tool: tool.index,
            effective: *effective,
            transport: question.transport,
            session: question.session,
        };
        let kept = self.memo.listed(question.caller, &key);
        if let Some(verdict) = kept.filter(|_| !tool.reads_now) {
            return Ok(verdict);
        }
        let mut verdict = denied(&[]);
        let others = tool.facts.cases.iter();
        for effective in [effective].into_iter().chain(others) {
            let parties = self.names.tool(question.caller, &tool.facts, effective)?;
            verdict = self.listed(question, (&tool.lists, &tool.calls), Action::Call, &parties)?;
            if verdict.decision != Decision::Deny {
                break;
            }
        }
        if !tool.reads_now {
            self.memo.keep_listed(question.caller, key, &verdict);
        }
        Ok(verdict)
    }

    fn listed(
        &self,
        question: &Question<'_>,
        (lists, uses): (&[usize], &[usize]),
        used_by: Action,
        parties: &Parties,
    ) -> Result<Verdict, String> {
        let hidden = {
            let context = context(question, true, None, true)?;
            let request = self.request(Action::List, parties, context)?;
            let mut hits = Hits::default();
            for (index, rule) in self.chosen(lists).filter(|(_, rule)| rule.forbids()) {
                let satisfied = self.satisfied(rule, &rule.alone, &request, &parties.entities);
                hits.add(rule, index, satisfied);
            }
            hits
        };
        if !hidden.forbids.is_empty() || !hidden.errors.is_empty() {
            return Ok(self.denial(&hidden));
        }
        let possible = self.derive(false, true, |confirmed| {
            let context = context(question, confirmed, None, true)?;
            let request = self.request(used_by, parties, context)?;
            let mut hits = Hits::default();
            for (index, rule) in self.chosen(uses) {
                let entities = &parties.entities;
                if rule.reads.arguments.is_nothing() {
                    let satisfied = self.satisfied(rule, &rule.alone, &request, entities);
                    hits.add(rule, index, satisfied);
                } else if let Some(relaxed) = &rule.relaxed {
                    // What fails here may never be reached with the arguments that come.
                    let possible = self.satisfied(rule, relaxed, &request, entities);
                    hits.add(rule, index, Ok(possible.unwrap_or(true)));
                }
            }
            Ok(hits)
        });
        Ok(match possible.decision {
            Decision::Deny => possible,
            Decision::Allow | Decision::Ask => Verdict {
                decision: Decision::Allow,
                ..possible
            },
        })
    }

    fn about_item(
        &self,
        question: &Question<'_>,
        kind: Kind,
        server: &str,
        name: &str,
    ) -> Result<Verdict, String> {
        if !kind.takes(question.action) {
            return Ok(denied(&[]));
        }
        let trust = self.trust.get(server).copied().unwrap_or_default();
        let parties = self
            .names
            .item(question.caller, kind, server, trust, name)?;
        let rules = self.of_kind(kind, question.action);
        if question.action == Action::List {
            let used_by = match kind {
                Kind::Prompt => Action::Get,
                _ => Action::Read,
            };
            let uses = self.of_kind(kind, used_by);
            return self.listed(question, (&rules, &uses), used_by, &parties);
        }
        Ok(self.derive(question.confirmed, true, |confirmed| {
            let context = context(question, confirmed, None, true)?;
            let request = self.request(question.action, &parties, context)?;
            let mut hits = Hits::default();
            for (index, rule) in self.chosen(&rules) {
                let satisfied = self.satisfied(rule, &rule.alone, &request, &parties.entities);
                hits.add(rule, index, satisfied);
            }
            Ok(hits)
        }))
    }

    /// The rules that can be about things of a kind.
    pub(super) fn of_kind(&self, kind: Kind, action: Action) -> Vec<usize> {
        let fits = |index: &usize| {
            let scope = self.scopes.get(*index);
            scope.is_some_and(|scope| scope.fits_kind(kind) && scope.fits_action(action))
        };
        (0..self.rules.len()).filter(fits).collect()
    }

    pub(super) fn chosen<'s>(
        &'s self,
        indices: &'s [usize],
    ) -> impl Iterator<Item = (usize, &'s Rule)> {
        let indices = indices.iter();
        indices.filter_map(|index| Some((*index, self.rules.get(*index)?)))
    }

    pub(super) fn request(
        &self,
        action: Action,
        parties: &Parties,
        context: Context,
    ) -> Result<Request, String> {
        let action = self.names.action(action).ok_or("there is no such action")?;
        let (principal, resource) = (parties.principal.clone(), parties.resource.clone());
        Request::new(principal, action, resource, context, None).map_err(|error| error.to_string())
    }

    /// Whether a set of one policy is satisfied.
    pub(super) fn satisfied(
        &self,
        rule: &Rule,
        set: &PolicySet,
        request: &Request,
        entities: &Entities,
    ) -> Result<bool, String> {
        let response = self.authorizer.is_authorized(request, set, entities);
        let diagnostics = response.diagnostics();
        if let Some(error) = diagnostics.errors().next() {
            let said = error.to_string();
            let text = said
                .split_once("`: ")
                .map_or(said.as_str(), |(_, text)| text);
            return Err(text.to_owned());
        }
        Ok(if rule.forbids() {
            diagnostics.reason().next().is_some()
        } else {
            response.decision() == CedarDecision::Allow
        })
    }
}

fn of(passes: &[Pass; 2], confirmed: bool) -> &Pass {
    let [unconfirmed, confirmed_pass] = passes;
    if confirmed {
        confirmed_pass
    } else {
        unconfirmed
    }
}

/// A denial because something went wrong.
fn broken(error: String) -> Verdict {
    denied(&[error])
}

fn denied(errors: &[String]) -> Verdict {
    Verdict {
        decision: Decision::Deny,
        reasons: Arc::default(),
        lifts: false,
        errors: errors.into(),
    }
}
