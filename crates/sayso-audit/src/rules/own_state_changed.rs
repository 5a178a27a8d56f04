use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::observed::{SeenTo, report};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a call broke a claim in the server's own state only, in folders it made or that carry its
    /// name: a history, a counter, a session.
    ///
    /// ## Why it matters
    /// The specification does not say whether that is the tool's environment. Most people do not mean it;
    /// whoever does should know.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"read_note": {"readOnlyHint": {"to": "own-state", "arguments": "{\"path\": \"notes.txt\"}",
    ///   "what": ["created `/home/.notes/history.json`"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false}}
    /// ```
    ///
    /// ## Limits
    /// It sees what `sayso verify` saw: calls that were made, on one fixture, until a moment after the
    /// reply. Nothing found is no proof.
    OwnStateChanged {
        id: "own-state-changed",
        summary: "a claim that holds but for the server's own state",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for OwnStateChanged {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report(
            &Self::META,
            &Hint::ALL,
            SeenTo::OwnState,
            context,
            tool,
            findings,
        );
    }
}
