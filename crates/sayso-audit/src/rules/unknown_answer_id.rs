use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That every answer carries the id of a request.
    ///
    /// ## Why it matters
    /// A client matches answers by their id. One that matches nothing is dropped, and the request it was
    /// meant for waits until it times out.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "unknown-id", "count": 1, "detail": "17"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server.
    UnknownAnswerId {
        id: "unknown-answer-id",
        summary: "an answer with an id nobody asked with",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for UnknownAnswerId {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::UnknownId {
                findings
                    .about_listing(
                        &Self::META,
                        format!(
                            "an answer with an id nobody asked with: {}",
                            sayso_core::reveal::reveal_line(&observation.detail)
                        ),
                    )
                    .help("answer with the id of the request, of the same JSON type")
                    .report();
            }
        }
    }
}
