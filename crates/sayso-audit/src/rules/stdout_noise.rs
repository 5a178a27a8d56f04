use sayso_core::finding::Severity;
use sayso_core::listing::{Observation, ObservationKind};
use sayso_core::reveal::reveal_line;

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
            if let Some((severity, message)) = noise(observation) {
                findings
                    .about_listing(&Self::META, message)
                    .severity(severity)
                    .help("write logs to standard error")
                    .report();
            }
        }
    }
}

fn noise(observation: &Observation) -> Option<(Severity, String)> {
    let (one, several) = match observation.kind {
        ObservationKind::NotJson => ("is no JSON", "are no JSON"),
        ObservationKind::NotJsonRpc => ("is JSON and no message", "are JSON and no messages"),
        ObservationKind::GluedMessage => (
            "has a message behind other text",
            "have a message behind other text",
        ),
        ObservationKind::ByteOrderMark => {
            return Some((
                Severity::Info,
                "a byte order mark before the first message".to_owned(),
            ));
        }
        _ => return None,
    };
    let mut message = match observation.count {
        1 => format!("1 line on standard output {one}"),
        count => format!("{count} lines on standard output {several}"),
    };
    if !observation.detail.is_empty() {
        message.push_str(", such as: ");
        message.push_str(&reveal_line(&observation.detail));
    }
    Some((Severity::Warning, message))
}
