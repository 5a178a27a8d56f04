use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::observed::{SeenTo, report};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no call of a tool with `destructiveHint: false` lost anything while it was watched that cannot be
    /// had again: bytes, and where bytes mislead, rows, records, members or refs.
    ///
    /// ## Why it matters
    /// Clients warn before destructive calls, and do not before this one. What is in no commit and under no
    /// other name is gone.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "add_note", "title": "Add note", "description": "Adds a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"add_note": {"destructiveHint": {"to": "user", "arguments": "{\"path\": \"notes.txt\"}",
    ///   "what": ["changed `/workspace/notes.txt`; 47 bytes lost"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "add_note", "title": "Add note", "description": "Adds a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false}}
    /// ```
    ///
    /// ## Limits
    /// It sees what `sayso verify` saw: calls that were made, on one fixture, until a moment after the
    /// reply. Nothing found is no proof. A replacement that can be undone is no finding, although by the
    /// letter it is no additive update.
    DestructiveContradicted {
        id: "destructive-contradicted",
        summary: "claims to destroy nothing, and was seen to lose something",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for DestructiveContradicted {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report(
            &Self::META,
            &[Hint::Destructive],
            SeenTo::User,
            context,
            tool,
            findings,
        );
    }
}
