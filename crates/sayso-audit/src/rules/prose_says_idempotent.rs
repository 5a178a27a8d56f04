use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says *idempotent*, *safe to retry*, *already … are
    /// ignored* and the like sets `idempotentHint` to true.
    ///
    /// ## Why it matters
    /// A client that loses the answer to a call has to decide whether to repeat it, and it
    /// decides by the hint. A sentence in the description is read by the model, not by the
    /// client.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "message_delete",
    ///   "description": "Retracts a message. Idempotent.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": true,
    ///     "idempotentHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "message_delete",
    ///   "description": "Retracts a message. Idempotent.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": true,
    ///     "idempotentHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// A guard in the prose (`unless it is loaded already`) is taken as a promise for the
    /// whole tool.
    ProseSaysIdempotent {
        id: "prose-says-idempotent",
        summary: "prose that says a repeat is harmless",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysIdempotent {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysIdempotent, context, tool, findings);
    }
}
