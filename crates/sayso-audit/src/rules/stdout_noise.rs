use sayso_core::finding::Severity;
use sayso_core::listing::ObservationKind;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a server on standard input and output writes nothing but JSON-RPC messages, one a line.
    ///
    /// ## Why it matters
    /// Standard output is the wire. A banner, a log line or a debug print between two messages makes
    /// many clients drop the connection, some of them again and again.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [], "sayso": {"observations": [{"kind": "not-json", "count": 2, "detail": "Server started"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": []}
    /// ```
    ///
    /// ## Limits
    /// It needs a live server; a saved listing has nothing to show. Text that is buffered until the
    /// server ends comes behind the last message and counts too. A byte order mark is information.
    StdoutNoise {
        id: "stdout-noise",
        summary: "standard output that is not all messages",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for StdoutNoise {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for observation in &context.listing.observations {
            let lines = |count: usize| {
                if count == 1 {
                    "1 line".to_owned()
                } else {
                    format!("{count} lines")
                }
            };
            let count = observation.count;
            let (severity, message) = match observation.kind {
                ObservationKind::NotJson => (
                    Severity::Warning,
                    format!("{} on standard output that are no JSON", lines(count)),
                ),
                ObservationKind::NotJsonRpc => (
                    Severity::Warning,
                    format!(
                        "{} on standard output that are JSON and no JSON-RPC",
                        lines(count)
                    ),
                ),
                ObservationKind::GluedMessage => (
                    Severity::Warning,
                    format!("{} with a message behind other text", lines(count)),
                ),
                ObservationKind::ByteOrderMark => (
                    Severity::Info,
                    "a byte order mark before the first message".to_owned(),
                ),
                _ => continue,
            };
            let message = if observation.detail.is_empty()
                || observation.kind == ObservationKind::ByteOrderMark
            {
                message
            } else {
                format!(
                    "{message}, such as: {}",
                    sayso_core::reveal::reveal_line(&observation.detail)
                )
            };
            findings
                .about_listing(&Self::META, message)
                .severity(severity)
                .help("write logs to standard error")
                .report();
        }
    }
}
