use sayso_core::finding::Severity;
use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::evidence::phrases::Fact;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says a call costs money or credit does not claim that a
    /// repeat is free of effect, and that it says so where it claims nothing.
    ///
    /// ## Why it matters
    /// No hint says *costs money*. The one that comes nearest is `idempotentHint`: a client
    /// repeats an idempotent call without asking, and each repeat is billed.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "inmail_send",
    ///   "description": "Sends an InMail. This consumes a credit.",
    ///   "inputSchema": {"type": "object"},
    ///   "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true}
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "inmail_send",
    ///   "description": "Sends an InMail. This consumes a credit.",
    ///   "inputSchema": {"type": "object"},
    ///   "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false}
    /// }
    /// ```
    ///
    /// ## Limits
    /// A read that costs something stays a read: `readOnlyHint: true` passes. A warning where
    /// the claim contradicts the prose or where no hint is claimed at all, else an information.
    ProseSaysCosts {
        id: "prose-says-costs",
        summary: "prose that says a call costs money or credit",
        severity: Info,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysCosts {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let claim = tool.states.idempotent.boolean();
        if claim == Some(false) || tool.effective.read_only() {
            return;
        }
        let Some(evidence) = tool.evidence.fact(
            Fact::Costs,
            "says that it costs something",
            tool.tool.page(),
        ) else {
            return;
        };
        let severity = if claim == Some(true) || tool.claims_nothing() {
            Severity::Warning
        } else {
            Severity::Info
        };
        let message = match claim {
            Some(_) => {
                "the description says that a call costs something, but idempotentHint is true"
            }
            None if tool.claims_nothing() => {
                "the description says that a call costs something, in prose only: no client can act on it"
            }
            None => "the description says that a call costs something; no hint says so",
        };
        findings
            .about(&Self::META, tool, message)
            .severity(severity)
            .hint(Hint::Idempotent)
            .suggest(Hint::Idempotent, false)
            .evidence(evidence)
            .help("set idempotentHint to false, so that no client repeats the call by itself")
            .report();
    }
}
