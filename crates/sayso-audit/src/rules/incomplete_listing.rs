use sayso_core::listing::Completeness;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That every page of a listing could be read.
    ///
    /// ## Why it matters
    /// What is missing was not judged. The tools nobody saw may be the ones that write, so an
    /// incomplete listing is never called clean.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"incomplete": "page 2 of tools/list was not answered within 30 s"}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// A server may hide tools by itself, for lack of credentials for instance; nothing on the wire
    /// tells.
    IncompleteListing {
        id: "incomplete-listing",
        summary: "a listing of which a part is missing",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for IncompleteListing {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        if let Completeness::Incomplete(reason) = &context.listing.completeness {
            findings
                .about_listing(
                    &Self::META,
                    format!(
                        "the listing is not complete: {}",
                        sayso_core::reveal::reveal_line(reason)
                    ),
                )
                .help("what is missing was not judged; read the listing again")
                .report();
        }
    }
}
