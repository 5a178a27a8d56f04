use crate::context::{Context, ToolReading};
use crate::observed::report_unclaimed;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a call that was watched did what a hint is there to tell of, and the tool does not claim
    /// that hint: it changed the user's data, lost something for good, did more when it was repeated, or
    /// reached beyond this machine.
    ///
    /// ## Why it matters
    /// Clients that keep to the specification assume as much. Others take silence for safety, and a
    /// person who decides about the tool sees what it is that they decide about.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "tidy_notes", "title": "Tidy notes", "description": "Tidies the notes.", "inputSchema": {"type": "object"},
    ///  "annotations": {"idempotentHint": false, "openWorldHint": false, "readOnlyHint": false},
    ///  "sayso": {"observed": {"tools": {"tidy_notes": {"destructiveHint": {"to": "user", "arguments": "{\"folder\": \"notes\"}",
    ///   "what": ["removed `/workspace/notes.txt`; 47 bytes lost"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "tidy_notes", "title": "Tidy notes", "description": "Tidies the notes.", "inputSchema": {"type": "object"},
    ///  "annotations": {"destructiveHint": true, "idempotentHint": false, "openWorldHint": false, "readOnlyHint": false},
    ///  "sayso": {"observed": {"tools": {"tidy_notes": {"destructiveHint": {"to": "user", "arguments": "{\"folder\": \"notes\"}",
    ///   "what": ["removed `/workspace/notes.txt`; 47 bytes lost"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Limits
    /// It sees what `sayso verify` saw: calls that were made, on one fixture, until a moment after the
    /// reply. Nothing found is no proof.
    UnclaimedRisk {
        id: "unclaimed-risk",
        summary: "a risk that was seen at work and that no hint tells of",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for UnclaimedRisk {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report_unclaimed(&Self::META, context, tool, findings);
    }
}
