use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool which runs what the caller writes (a shell command, a script, SQL, a
    /// request with method and path, another tool by name) is declared with the worst it
    /// can reach: not read-only, destructive, not idempotent.
    ///
    /// ## Why it matters
    /// Such a tool does whatever its input says. Prose that promises care binds nobody,
    /// unless it says that only reading statements are accepted.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "evaluate_js",
    ///   "description": "Evaluates JavaScript in the page and returns the value.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "code": {
    ///         "type": "string"
    ///       }
    ///     },
    ///     "required": [
    ///       "code"
    ///     ]
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "run_query",
    ///   "description": "Runs a read-only SQL query.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "sql": {
    ///         "type": "string"
    ///       }
    ///     },
    ///     "required": [
    ///       "sql"
    ///     ]
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// Whether a statement that claims to be read-only really is refused otherwise, only
    /// running it can tell.
    FreeFormInput {
        id: "free-form-input",
        summary: "code, statements or operations of the caller's choice",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for FreeFormInput {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::FreeForm, context, tool, findings);
    }
}
