use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a server does not send `notifications/tools/list_changed` over and over while nothing was
    /// asked of it but its list.
    ///
    /// ## Why it matters
    /// Clients read the whole list again on each of them. A server that sends one as a side effect of
    /// being read keeps both sides busy for ever.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "list-changed", "count": 200, "detail": "while the list was read"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server. Fewer than ten in one reading are let be: some servers tell that they
    /// have finished loading.
    ListChangedStorm {
        id: "list-changed-storm",
        summary: "a storm of list_changed notifications",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ListChangedStorm {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::ListChanged && observation.count >= 10 {
                findings
                    .about_listing(&Self::META, format!("{} notifications that the list changed while it was only being read", observation.count))
                    .help("send it when the list has changed, once, and not as an answer to a reading")
                    .report();
            }
        }
    }
}
