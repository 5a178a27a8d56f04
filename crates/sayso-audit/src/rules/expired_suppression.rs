use crate::rule::{Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no suppression of the configuration is past its date.
    ///
    /// ## Why it matters
    /// The date was a promise to look again. From the day after, the suppression hides nothing, and
    /// what it hid is shown.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "sayso": {"today": "2026-11-30", "suppressions": [
    ///    {"rule": "missing-annotations", "reason": "the next release has them", "expires": "2026-10-31"}]}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "sayso": {"today": "2026-11-30", "suppressions": [
    ///    {"rule": "missing-annotations", "reason": "the next release has them", "expires": "2026-12-31"}]}}
    /// ```
    ///
    /// ## Limits
    /// It is decided when findings are admitted, from the configuration and the day, not from a
    /// listing.
    ExpiredSuppression {
        id: "expired-suppression",
        summary: "a suppression past its date",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ExpiredSuppression {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }
}
