use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::observed::{SeenTo, report};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no tool that claims `readOnlyHint: true` changed the user's data while it was watched, or tried
    /// to and was kept from it: files, signals to foreign processes, requests to services of the machine.
    ///
    /// ## Why it matters
    /// Clients run such tools without a question. This is no guess from words: a call did it, and what it
    /// did stands beside the finding.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"read_note": {"readOnlyHint": {"to": "user", "arguments": "{\"path\": \"notes.txt\"}",
    ///   "what": ["truncated `/workspace/notes.txt`; 47 bytes lost"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"read_note": {"readOnlyHint": {"to": "cache", "arguments": "{}",
    ///   "what": ["created `/home/.cache/notes/index`"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Limits
    /// It sees what `sayso verify` saw: calls that were made, on one fixture, until a moment after the
    /// reply. Nothing found is no proof. What a call does at a service elsewhere is not seen, and changes to
    /// caches and to the server's own state are findings of their own.
    ReadOnlyContradicted {
        id: "read-only-contradicted",
        summary: "claims to read only, and was seen to change something",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ReadOnlyContradicted {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report(
            &Self::META,
            &[Hint::ReadOnly],
            SeenTo::User,
            context,
            tool,
            findings,
        );
    }
}
