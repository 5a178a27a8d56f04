//! A host as its profile says it is: what it lets through, whom it asks, what it sends again.

use std::collections::HashSet;

use sayso_audit::hosts::{Cell, Column, Matrix, OnListChange, Outcome, RetryCause};
use sayso_core::hint::{Claim, Hints};
use sayso_core::listing::Listing;

use super::{Answer, Gate};

/// Who makes the calls.
#[derive(Clone, Debug)]
pub(super) enum Caller<'p> {
    /// A client that asks nobody and sends nothing again.
    Bare,
    /// A host with a policy.
    Host(Policy<'p>),
}

/// A host's policy and what it remembers.
#[derive(Clone, Debug)]
pub(super) struct Policy<'p> {
    column: Column<'p>,
    /// The tools a person has agreed to for the conversation.
    agreed: HashSet<String>,
}

/// What a caller makes of one call before it is sent.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) gate: Gate,
    /// The rule that decided, in words.
    pub(super) because: Option<String>,
    /// What the tool declares.
    pub(super) declares: Option<Hints<Claim>>,
    /// How often the call is sent again when no answer comes in time.
    pub(super) repeats_after_time_out: u8,
    /// How often when the connection is lost.
    pub(super) repeats_after_loss: u8,
}

impl<'p> Caller<'p> {
    /// A host that has asked nobody yet.
    pub(super) fn host(column: Column<'p>) -> Self {
        Self::Host(Policy {
            column,
            agreed: HashSet::new(),
        })
    }

    /// What happens to a call of a tool of this listing.
    pub(super) fn verdict(&self, listing: &Listing, name: &str) -> Verdict {
        let tool = listing
            .tools()
            .find(|tool| tool.name().as_deref() == Some(name));
        let declares = tool.map(|tool| tool.claims().states());
        let verdict = Verdict {
            gate: Gate::None,
            because: None,
            declares,
            repeats_after_time_out: 0,
            repeats_after_loss: 0,
        };
        match self {
            Self::Bare => verdict,
            Self::Host(policy) => policy.judge(listing, name, verdict),
        }
    }

    /// What the person said about a call that `gate` asked about.
    pub(super) fn told(&mut self, name: &str, gate: Gate, answer: Answer) {
        if let (Self::Host(policy), Gate::Host(Outcome::AskOnce), Answer::Yes) =
            (self, gate, answer)
        {
            policy.agreed.insert(name.to_owned());
        }
    }

    /// Whether it reads the listing again when the server tells of a change.
    pub(super) fn lists_again(&self) -> bool {
        match self {
            Self::Bare => false,
            Self::Host(policy) => {
                let on = policy.column.behaviour.list_change.on_notification;
                on == OnListChange::ListsAgain
            }
        }
    }
}

impl Policy<'_> {
    fn judge(&self, listing: &Listing, name: &str, mut verdict: Verdict) -> Verdict {
        let matrix = Matrix::new(listing, &[self.column]);
        let cell = matrix.position(name).and_then(|position| {
            let column = matrix.columns.first()?;
            let seen = self.column.behaviour.read(*matrix.tools.get(position)?);
            Some((*column.cells.get(position)?, seen.ok()))
        });
        let Some((cell, seen)) = cell else {
            verdict.gate = Gate::NotListed;
            return verdict;
        };
        match cell {
            Cell::Lost => verdict.gate = Gate::Lost,
            Cell::Decided(decision) => {
                let is_remembered =
                    decision.outcome == Outcome::AskOnce && self.agreed.contains(name);
                verdict.gate = if is_remembered {
                    Gate::Remembered
                } else {
                    Gate::Host(decision.outcome)
                };
                verdict.because = decision.rule.map(|(_, rule)| rule.when.to_string());
            }
        }
        if let Some(seen) = seen {
            let repeats = |cause| self.column.behaviour.repeats(&seen.hints, cause);
            verdict.repeats_after_time_out = repeats(RetryCause::TimeOut);
            verdict.repeats_after_loss = repeats(RetryCause::ConnectionLost);
        }
        verdict
    }
}
