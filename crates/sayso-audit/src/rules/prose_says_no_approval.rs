use sayso_core::finding::Severity;
use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::evidence::phrases::Fact;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says nobody is asked before it acts is declared so that
    /// a client asks: not read-only, and not additive.
    ///
    /// ## Why it matters
    /// *There is no approval step* is a warning to whoever calls, put where only the model
    /// reads it. The client's own confirmation is then the only one there is, and it depends
    /// on the hints.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "transfer",
    ///   "description": "Transfers money at once. There is no approval step.",
    ///   "inputSchema": {"type": "object"}
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "transfer",
    ///   "description": "Transfers money at once. There is no approval step.",
    ///   "inputSchema": {"type": "object"},
    ///   "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false}
    /// }
    /// ```
    ///
    /// ## Limits
    /// It asks for a claim, not for a value: what an additive tool does at once may be harmless.
    /// A warning where no hint is claimed at all, else an information.
    ProseSaysNoApproval {
        id: "prose-says-no-approval",
        summary: "prose that says nobody is asked, with hints that let a client not ask either",
        severity: Info,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysNoApproval {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        if tool.states.destructive.boolean() == Some(true) {
            return;
        }
        let Some(evidence) = tool.evidence.fact(
            Fact::NoApproval,
            "says that nobody is asked",
            tool.tool.page(),
        ) else {
            return;
        };
        let (message, hint) = if tool.claims_nothing() {
            (
                "the description says that nobody is asked, in prose only: no client can act on it",
                Hint::Destructive,
            )
        } else if tool.effective.read_only() {
            (
                "the description says that nobody is asked, but readOnlyHint is true",
                Hint::ReadOnly,
            )
        } else if tool.states.destructive.boolean() == Some(false) {
            (
                "the description says that nobody is asked, and destructiveHint is false: no client asks either",
                Hint::Destructive,
            )
        } else {
            (
                "the description says that nobody is asked; only the default of destructiveHint makes a client ask",
                Hint::Destructive,
            )
        };
        findings
            .about(&Self::META, tool, message)
            .severity(if tool.claims_nothing() {
                Severity::Warning
            } else {
                Severity::Info
            })
            .hint(hint)
            .evidence(evidence)
            .help("claim destructiveHint one way or the other, so that the client's answer is a decision")
            .report();
    }
}
