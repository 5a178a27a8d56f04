use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a server which speaks both protocol eras (up to 2025-11-25, and 2026-07-28) lists the same
    /// tools in both.
    ///
    /// ## Why it matters
    /// Which era is spoken depends on the client alone. A hint that is there in one era only is a hint
    /// half of the clients do not see.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "eras-differ", "count": 1, "detail": "only in 2026-07-28: `purge`"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server, read with `--era both`.
    ErasDiffer {
        id: "eras-differ",
        summary: "another list in each protocol era",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ErasDiffer {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::ErasDiffer {
                findings
                    .about_listing(
                        &Self::META,
                        format!(
                            "the two protocol eras list different tools: {}",
                            sayso_core::reveal::reveal_line(&observation.detail)
                        ),
                    )
                    .help("build both lists from the same definitions")
                    .report();
            }
        }
    }
}
