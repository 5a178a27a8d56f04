//! What rules look at: the listing, and what was read out of each tool once.

use sayso_core::effective::Effective;
use sayso_core::hint::{Claim, Hints};
use sayso_core::listing::Listing;
use sayso_core::tool::{Claims, Tool};

use crate::evidence::ToolEvidence;
use crate::observed::Observed;
use crate::profile::Profile;
use crate::semantics::Semantics;

/// One tool and what was read out of it.
#[derive(Debug)]
pub struct ToolReading<'a> {
    /// The tool.
    pub tool: Tool<'a>,
    /// What it claims, with the values the claims stand in.
    pub claims: Claims<'a>,
    /// What it claims, the states alone.
    pub states: Hints<Claim>,
    /// The values a client acts on.
    pub effective: Effective,
    /// What its name, prose and arguments say. A guess is never a ruling: this
    /// makes findings, and changes no effective value.
    pub evidence: ToolEvidence<'a>,
}

impl ToolReading<'_> {
    /// Whether none of the four hints is there: a client sees nothing but defaults.
    #[must_use]
    pub fn claims_nothing(&self) -> bool {
        self.states.iter().all(|(_, claim)| *claim == Claim::Absent)
    }
}

/// Everything a rule may look at.
#[derive(Debug)]
pub struct Context<'a> {
    /// The listing.
    pub listing: &'a Listing,
    /// Its tools in order; the position in this list is the tool's position in the listing.
    pub tools: Vec<ToolReading<'a>>,
    /// How contested meanings are read.
    pub semantics: &'a Semantics,
    /// The directory or specification the listing has to satisfy, if one was named.
    pub profile: Option<&'a Profile>,
    /// An earlier, accepted listing of the same server.
    pub baseline: Option<&'a Listing>,
    /// What was observed of its tools at work, if anything was. [`Context::new`] sets none.
    pub observed: Option<&'a Observed>,
}

impl<'a> Context<'a> {
    /// Reads each tool of a listing once.
    #[must_use]
    pub fn new(
        listing: &'a Listing,
        semantics: &'a Semantics,
        profile: Option<&'a Profile>,
        baseline: Option<&'a Listing>,
    ) -> Self {
        let tools = listing
            .tools()
            .map(|tool| {
                let claims = tool.claims();
                let states = claims.states();
                ToolReading {
                    tool,
                    effective: Effective::from_claims(&states),
                    states,
                    claims,
                    evidence: ToolEvidence::read(tool),
                }
            })
            .collect();
        Self {
            listing,
            tools,
            semantics,
            profile,
            baseline,
            observed: None,
        }
    }
}
