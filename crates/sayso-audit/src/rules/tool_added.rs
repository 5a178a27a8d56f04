use sayso_core::drift::{Change, between};
use sayso_core::finding::Severity;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether the listing has a tool that the baseline (`--baseline FILE`) has not.
    ///
    /// ## Why it matters
    /// It is new reach that nobody has reviewed. A tool that only reads is information, any other a
    /// warning.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///  {"name": "wipe_notes", "title": "Wipe notes", "description": "Deletes all notes.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
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
    ToolAdded {
        id: "tool-added",
        summary: "a tool that the baseline does not have",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ToolAdded {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let Some(baseline) = context.baseline else {
            return;
        };
        for change in between(baseline, context.listing) {
            let Change::Added { tool } = change else {
                continue;
            };
            let Some(reading) = context.tools.get(tool.position()) else {
                continue;
            };
            let (severity, message) = if reading.effective.read_only() {
                (
                    Severity::Info,
                    "the tool is new since the baseline; it claims to only read",
                )
            } else if reading.effective.may_destroy() {
                (
                    Severity::Warning,
                    "the tool is new since the baseline, and may destroy by what it claims",
                )
            } else {
                (
                    Severity::Warning,
                    "the tool is new since the baseline, and writes by what it claims",
                )
            };
            findings
                .about(&Self::META, reading, message)
                .severity(severity)
                .help("review it, then take a new baseline")
                .report();
        }
    }
}
