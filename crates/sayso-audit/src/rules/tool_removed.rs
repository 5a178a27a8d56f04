use sayso_core::drift::{Change, between};
use sayso_core::reveal::reveal_line;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether the baseline (`--baseline FILE`) has a tool that the listing has not.
    ///
    /// ## Why it matters
    /// Somebody may rely on it. A server that lists less without its credentials shows up like this too,
    /// and then the listing is no ground for a judgement.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///  {"name": "wipe_notes", "title": "Wipe notes", "description": "Deletes all notes.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}}}
    /// ```
    ///
    /// ## Limits
    /// Tools are matched by name: one that was renamed is one removed and one added.
    ToolRemoved {
        id: "tool-removed",
        summary: "a tool of the baseline that is gone",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ToolRemoved {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let Some(baseline) = context.baseline else {
            return;
        };
        for change in between(baseline, context.listing) {
            let Change::Removed { tool } = change else {
                continue;
            };
            findings
                .about_listing(
                    &Self::META,
                    format!("`{}` of the baseline is gone", reveal_line(&tool.label())),
                )
                .help("check that the server had its credentials, then take a new baseline")
                .report();
        }
    }
}
