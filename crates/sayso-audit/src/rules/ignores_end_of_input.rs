use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a server on standard input and output ends when its input closes.
    ///
    /// ## Why it matters
    /// That is how a client stops it. A server that waits on stays behind when the client crashes.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "signalled-to-stop", "count": 1, "detail": "after 5 s"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server. Slow servers that end in time are let be.
    IgnoresEndOfInput {
        id: "ignores-end-of-input",
        summary: "a server that has to be signalled to stop",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for IgnoresEndOfInput {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::SignalledToStop {
                findings
                    .about_listing(
                        &Self::META,
                        "the server did not end when its input closed, and had to be signalled",
                    )
                    .help("end when standard input ends")
                    .report();
            }
        }
    }
}
