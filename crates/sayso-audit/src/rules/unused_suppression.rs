use crate::rule::{Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That every suppression of the configuration hides something.
    ///
    /// ## Why it matters
    /// One that hides nothing is a leftover or has a wrong name in it. Left standing it hides the
    /// next finding that happens to fit, which nobody decided to live with.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true},
    ///  "sayso": {"suppressions": [{"rule": "missing-annotations", "tool": "list_file", "reason": "generated"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "sayso": {"suppressions": [{"rule": "missing-annotations", "tool": "list_files", "reason": "generated"}]}}
    /// ```
    ///
    /// ## Limits
    /// It is decided over all servers of a run, when every one of them could be read.
    UnusedSuppression {
        id: "unused-suppression",
        summary: "a suppression that hides nothing",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for UnusedSuppression {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }
}
