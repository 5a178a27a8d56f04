use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no `nextCursor` of `tools/list` comes a second time.
    ///
    /// ## Why it matters
    /// A client that follows the specification asks for the next page until there is no cursor. When
    /// one repeats it asks for ever, and its list of tools grows with each round. A server or proxy
    /// that ignores the cursor it is given does this.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "cursor-repeated", "count": 1, "detail": "cursor \"page-2\""}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server. Sayso stops at the repeat and leaves the repeated page out.
    CursorRepeated {
        id: "cursor-repeated",
        summary: "a paging cursor that comes a second time",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for CursorRepeated {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::CursorRepeated {
                findings
                    .about_listing(&Self::META, format!(
                            "{} came a second time: a client that follows it never ends",
                            sayso_core::reveal::reveal_line(&observation.detail)
                        ))
                    .help("answer each cursor with the page behind it, and the last page without a cursor")
                    .report();
            }
        }
    }
}
