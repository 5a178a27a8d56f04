//! One policy, taken apart for deciding.

use std::sync::Arc;

use cedar_policy::pst::{Clause, Policy as Tree, PstConstructionError, StaticPolicy, Template};
use cedar_policy::{Effect, Policy, PolicySet};
use sayso_core::json::LineColumn;

use super::lint::{Mistake, mistakes};
use super::prefilter::{Test, tests};
use super::reading::{Reads, conjuncts, reads_of};
use super::verdict::Reason;

/// One policy.
#[derive(Debug)]
pub(super) struct Rule {
    /// What reasons call it.
    pub(super) reason: Reason,
    /// The file or ready set.
    pub(super) source: Arc<str>,
    /// Where it begins there.
    pub(super) place: LineColumn,
    /// The policy, under an identifier of our own.
    pub(super) policy: Policy,
    /// The policy as a set of one.
    pub(super) alone: PolicySet,
    /// What it looks at besides tool and caller.
    pub(super) reads: Reads,
    /// Of a policy that varies from call to call: its scope and the leading parts of its condition
    /// that do not. Where they are not true, evaluation ends there and the rest is not looked at.
    pub(super) guard: Option<PolicySet>,
    /// Of what comes behind the guard the tests of arguments that need no evaluation.
    pub(super) tests: Vec<Test>,
    /// Whether there is nothing behind the guard but these tests.
    pub(super) is_all_tests: bool,
    /// Of a `permit` that looks at arguments: the policy without the parts that do. It is
    /// satisfied wherever there are arguments that satisfy the policy.
    pub(super) relaxed: Option<PolicySet>,
    /// What it can only have said by mistake.
    pub(super) mistakes: Vec<Mistake>,
}

impl Rule {
    pub(super) fn new(
        policy: Policy,
        reason: Reason,
        source: &Arc<str>,
        place: LineColumn,
    ) -> Result<Self, PstConstructionError> {
        let tree = policy.to_pst()?;
        let template = tree.body();
        let parts = conjuncts(template.clauses());
        let mut reads = Reads::default();
        parts.iter().for_each(|part| reads.add(&reads_of(part)));
        let leading = parts.iter().take_while(|part| !reads_of(part).varies());
        let leading: Vec<Clause> = leading.cloned().collect();
        let guard = reads
            .varies()
            .then(|| with_parts(template, leading.clone()))
            .transpose()?;
        let relaxed = (policy.effect() == Effect::Permit && !reads.arguments.is_nothing())
            .then(|| {
                let kept = parts
                    .iter()
                    .filter(|part| reads_of(part).arguments.is_nothing());
                with_parts(template, kept.cloned().collect())
            })
            .transpose()?;
        let alone = alone(policy.clone());
        let behind = parts.get(leading.len()..).unwrap_or_default();
        let tests = tests(behind);
        let mistakes = mistakes(&policy, &reads, template.clauses());
        Ok(Self {
            reason,
            source: Arc::clone(source),
            place,
            is_all_tests: tests.len() == behind.len(),
            tests,
            policy,
            alone,
            reads,
            guard,
            relaxed,
            mistakes,
        })
    }

    /// Whether the calls it permits are made outside of confinement.
    pub(super) fn lifts(&self) -> bool {
        !self.forbids() && self.policy.annotation("confine") == Some("off")
    }

    pub(super) fn forbids(&self) -> bool {
        self.policy.effect() == Effect::Forbid
    }
}

/// The policy with another condition.
fn with_parts(template: &Template, parts: Vec<Clause>) -> Result<PolicySet, PstConstructionError> {
    let changed = template.clone().try_with_clauses(parts)?;
    let changed = StaticPolicy::try_from(changed)?;
    Ok(alone(Policy::from_pst(Tree::Static(changed))?))
}

fn alone(policy: Policy) -> PolicySet {
    let mut set = PolicySet::new();
    // A set of one has no other of the same name.
    let _ = set.add(policy);
    set
}
