use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says that each call creates, bills or sends again,
    /// that ids are assigned, or that it must not be retried does not set `idempotentHint`
    /// to true.
    ///
    /// ## Why it matters
    /// `idempotentHint` tells a client that it may repeat the call by itself, after a
    /// timeout for instance. Two invoices, two messages or two billed runs are the result
    /// when it is wrong.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "run_report",
    ///   "description": "Starts a report. Each call starts a new billed run.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": false,
    ///     "idempotentHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "run_report",
    ///   "description": "Starts a report. Each call starts a new billed run.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": false,
    ///     "idempotentHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// An answer that changes from call to call is no effect, and does not count.
    ProseSaysRepeats {
        id: "prose-says-repeats",
        summary: "prose that says each call acts again",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysRepeats {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysRepeats, context, tool, findings);
    }
}
