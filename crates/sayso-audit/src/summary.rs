//! The counts a person asks for first.

use sayso_core::effective::Effective;
use sayso_core::finding::Finding;
use sayso_core::hint::{Claim, Hints};
use sayso_core::listing::Listing;
use sayso_core::tool::AnnotationsShape;

use crate::proposal::proposal;

/// How many tools a client that follows the documented defaults has to confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub struct GateRate {
    /// Tools to confirm as the listing stands.
    pub now: usize,
    /// Tools to confirm if what the findings propose were taken.
    pub if_fixed: usize,
}

/// The effective values of all tools, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub struct EffectiveCounts {
    /// Tools that only read.
    pub read_only: usize,
    /// Tools that may write, but only add.
    pub additive: usize,
    /// Tools that may remove or overwrite.
    pub may_destroy: usize,
    /// Tools that are safe to repeat.
    pub repeatable: usize,
    /// Tools that may reach an open world.
    pub open_world: usize,
    /// Tools whose four values are all defaults.
    pub all_default: usize,
}

/// Counts over one listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Summary {
    /// Tools returned.
    pub tools: usize,
    /// Tools that carry each hint key, with whatever value but `null`: what the audit
    /// document's own probe counts with `!== undefined`, less the ones no client reads.
    pub with_hint: Hints<usize>,
    /// Tools with an annotations object.
    pub with_annotations: usize,
    /// Tools with a top-level title.
    pub with_title: usize,
    /// Tools with a title inside `annotations`.
    pub with_annotation_title: usize,
    /// The effective values, counted.
    pub effective: EffectiveCounts,
    /// The gate rate.
    pub gate: GateRate,
}

impl Summary {
    /// Counts a listing; `findings` are those whose [`proposal`] counts as taken in the second gate rate.
    pub fn new<'f>(listing: &Listing, findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let mut by_tool: Vec<Vec<&Finding>> = vec![Vec::new(); listing.len()];
        for finding in findings {
            if let Some(own) = finding.tool.and_then(|position| by_tool.get_mut(position)) {
                own.push(finding);
            }
        }
        let mut summary = Self {
            tools: listing.len(),
            ..Self::default()
        };
        for (tool, findings) in listing.tools().zip(by_tool) {
            let claims = tool.claims();
            let states = claims.states();
            for (hint, claim) in states.iter() {
                *summary.with_hint.get_mut(hint) +=
                    usize::from(!matches!(claim, Claim::Absent | Claim::Null));
            }
            summary.with_annotations += usize::from(matches!(
                claims.shape,
                AnnotationsShape::Object | AnnotationsShape::Duplicated
            ));
            summary.with_title += usize::from(tool.title().is_some());
            summary.with_annotation_title += usize::from(tool.annotation_title().is_some());
            summary.count_effective(&states, &proposal(&states, findings));
        }
        summary
    }

    fn count_effective(&mut self, states: &Hints<Claim>, proposed: &Hints<Option<bool>>) {
        let effective = Effective::from_claims(states);
        let fixed = Effective::from_claims(
            &states.map(|hint, claim| proposed.get(hint).map_or(*claim, Claim::from_boolean)),
        );
        self.effective.read_only += usize::from(effective.read_only());
        self.effective.may_destroy += usize::from(effective.may_destroy());
        self.effective.additive += usize::from(!effective.read_only() && !effective.may_destroy());
        self.effective.repeatable += usize::from(effective.repeatable());
        self.effective.open_world += usize::from(effective.open_world());
        self.effective.all_default +=
            usize::from(states.iter().all(|(_, claim)| claim.boolean().is_none()));
        self.gate.now += usize::from(effective.must_confirm());
        self.gate.if_fixed += usize::from(fixed.must_confirm());
    }
}
