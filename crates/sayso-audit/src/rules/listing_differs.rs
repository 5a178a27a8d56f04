use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That the same server gives the same list of tools when it is asked twice.
    ///
    /// ## Why it matters
    /// A list that changes by itself cannot be reviewed or pinned: the tool that was approved need not
    /// be the one that runs. An unordered set written into a default or a description is enough.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "listing-differs", "count": 1, "detail": "tool `search`: the description differs"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server that is asked twice. It cannot tell chance from intent.
    ListingDiffers {
        id: "listing-differs",
        summary: "two readings in a row that differ",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ListingDiffers {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::ListingDiffers {
                findings
                    .about_listing(
                        &Self::META,
                        format!(
                            "a second reading gave another list: {}",
                            sayso_core::reveal::reveal_line(&observation.detail)
                        ),
                    )
                    .help("make the list depend on configuration alone; sort what comes from a set")
                    .report();
            }
        }
    }
}
