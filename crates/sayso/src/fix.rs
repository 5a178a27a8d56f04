//! `sayso fix`: from the places where tools are registered to claims that stand there.

pub(crate) mod values;
pub(crate) mod write;

use sayso_core::hint::{Hint, Hints};
use sayso_core::listing::Listing;
use sayso_source::{Annotations, Outcome, Plan, Registration};

use crate::audit_report::{TargetDescription, Unreadable};
use crate::source::{Join, SourceTree};

/// Everything one run has to tell.
#[derive(Debug)]
pub(crate) struct FixReport {
    /// Sayso's own version.
    pub(crate) version: &'static str,
    /// The source.
    pub(crate) tree: SourceTree,
    /// The server, where one was named.
    pub(crate) server: Option<Server>,
    /// What is to be written, where there are rulings.
    pub(crate) planned: Option<Planned>,
    /// What was done.
    pub(crate) action: Action,
    /// The files that were written.
    pub(crate) written: Vec<String>,
    /// The counts of the listing afterwards, where the server was started again.
    pub(crate) after: Option<Result<Counts, Unreadable>>,
    /// A line each.
    pub(crate) notes: Vec<String>,
}

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Tell what there is.
    Report,
    /// Show what would be written.
    Diff,
    /// Write.
    Write,
}

/// A server whose source it is.
#[derive(Debug)]
pub(crate) struct Server {
    /// What it is called.
    pub(crate) name: String,
    /// How it was reached.
    pub(crate) target: TargetDescription,
    /// What it lists.
    pub(crate) listed: Result<Listed, Unreadable>,
}

/// A listing beside the source.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Whether it was read to the end.
    pub(crate) complete: bool,
    /// It, counted.
    pub(crate) counts: Counts,
    /// What it has that the source has not, and the other way round.
    pub(crate) join: Join,
}

/// What is to be written.
#[derive(Debug)]
pub(crate) struct Planned {
    /// Where the values come from.
    pub(crate) rulings: String,
    /// How many tools have some.
    pub(crate) ruled: usize,
    /// The tools whose rulings do not hold any more, with what changed.
    pub(crate) stale: Vec<(String, String)>,
    /// The edits.
    pub(crate) plan: Plan,
    /// The tools with values that no registration was found for.
    pub(crate) unplaced: Vec<String>,
}

/// How many tools carry each hint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tools, or registrations.
    pub(crate) tools: usize,
    /// Those with each hint.
    pub(crate) with_hint: Hints<usize>,
    /// Those with all four.
    pub(crate) with_all: usize,
}

impl Counts {
    /// Counts booleans.
    fn of(tools: impl IntoIterator<Item = Hints<Option<bool>>>) -> Self {
        let mut counts = Self::default();
        for hints in tools {
            counts.tools += 1;
            counts.with_all += usize::from(hints.iter().all(|(_, value)| value.is_some()));
            for hint in Hint::ALL {
                *counts.with_hint.get_mut(hint) += usize::from(hints.get(hint).is_some());
            }
        }
        counts
    }

    /// Of a listing.
    pub(crate) fn of_listing(listing: &Listing) -> Self {
        let tools = listing.tools();
        Self::of(tools.map(|tool| tool.claims().states().map(|_, claim| claim.boolean())))
    }
}

impl FixReport {
    /// The registrations, counted.
    pub(crate) fn registered(&self) -> Counts {
        let registrations = &self.tree.survey.registrations;
        Counts::of(registrations.iter().map(Registration::hints))
    }

    /// How many registrations have annotations that are only known when they run.
    pub(crate) fn expressions(&self) -> usize {
        let registrations = self.tree.survey.registrations.iter();
        let is_expression =
            |found: &&Registration| matches!(found.annotations, Annotations::Expression { .. });
        registrations.filter(is_expression).count()
    }

    /// Whether something that was ruled is not in the source.
    pub(crate) fn leaves_something(&self) -> bool {
        let Some(planned) = &self.planned else {
            return false;
        };
        let outcomes = &planned.plan.outcomes;
        let open = outcomes.iter().any(|outcome| match outcome {
            Outcome::Edited { .. } => self.action != Action::Write,
            Outcome::Refused(_) => true,
            Outcome::Agrees | Outcome::NotRuled => false,
        });
        open || !planned.unplaced.is_empty()
    }

    /// Whether what was asked of a server could be answered.
    pub(crate) fn whole(&self) -> bool {
        let read = self
            .server
            .as_ref()
            .is_none_or(|server| server.listed.as_ref().is_ok_and(|listed| listed.complete));
        read && !matches!(self.after, Some(Err(_)))
    }
}
