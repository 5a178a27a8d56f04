use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::observed::{SeenTo, report};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a call broke a claim in caches only, which are made again from what is there.
    ///
    /// ## Why it matters
    /// It breaks nothing. Where a file system is read-only it may be why a call is slow or fails.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"read_note": {"readOnlyHint": {"to": "cache", "arguments": "{\"path\": \"notes.txt\"}",
    ///   "what": ["created `/home/.cache/notes/index`"], "setting": "namespaces, fixture `notes`"}}}}}}
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
    CacheChanged {
        id: "cache-changed",
        summary: "a claim that holds but for caches",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for CacheChanged {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report(
            &Self::META,
            &Hint::ALL,
            SeenTo::Cache,
            context,
            tool,
            findings,
        );
    }
}
