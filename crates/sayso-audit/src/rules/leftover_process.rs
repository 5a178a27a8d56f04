use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no process of a server is still there after the server has ended.
    ///
    /// ## Why it matters
    /// Each start leaves one more. They hold memory, ports and locks, and nobody knows whose they are.
    /// Wrappers that do not pass signals on, and helpers that put themselves into a session of their
    /// own, cause it.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "leftover-process", "count": 1, "detail": "settings-helper"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server on standard input and output. Sayso ends what it finds.
    LeftoverProcess {
        id: "leftover-process",
        summary: "processes that outlive the server",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for LeftoverProcess {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::LeftoverProcess {
                findings
                    .about_listing(
                        &Self::META,
                        format!(
                            "{} of the server still ran after it had ended: {}",
                            if observation.count == 1 {
                                "a process".to_owned()
                            } else {
                                format!("{} processes", observation.count)
                            },
                            sayso_core::reveal::reveal_line(&observation.detail)
                        ),
                    )
                    .help("end what the server started when its input closes")
                    .report();
            }
        }
    }
}
