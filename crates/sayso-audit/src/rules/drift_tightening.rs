use sayso_core::drift::Direction;

use crate::context::Context;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a tool claims more risk than in the baseline (`--baseline FILE`).
    ///
    /// ## Why it matters
    /// Clients ask more often from now on. That is safe, and worth knowing.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///  {"name": "note", "title": "Note", "description": "A note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "note", "title": "Note", "description": "A note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}
    /// ]}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///  {"name": "note", "title": "Note", "description": "A note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "note", "title": "Note", "description": "A note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}
    /// ]}}}
    /// ```
    ///
    /// ## Limits
    /// Absent and the default are the same. Tools are matched by name.
    DriftTightening {
        id: "drift-tightening",
        summary: "a hint that claims more risk than in the baseline",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for DriftTightening {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        super::drift_relaxing::hints(context, Direction::Tightening, &Self::META, findings);
    }
}
