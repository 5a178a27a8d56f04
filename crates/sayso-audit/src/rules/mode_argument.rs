use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That an argument such as `action`, `operation` or `command` does not offer a write
    /// to a tool declared read-only, or a removal to a tool declared non-destructive. The
    /// values come from `enum`, `const`, or the operations a description lists.
    ///
    /// ## Why it matters
    /// Hints are per tool and say *may*: the rarest and worst value decides. Anthropic's
    /// connector directory refuses tools that mix reads and writes; one tool per action can
    /// be declared honestly.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "contexts",
    ///   "description": "Lists, reads or removes contexts.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "operation": {
    ///         "enum": [
    ///           "list",
    ///           "get",
    ///           "delete"
    ///         ]
    ///       }
    ///     },
    ///     "required": [
    ///       "operation"
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
    ///   "name": "contexts",
    ///   "description": "Lists or reads contexts.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "operation": {
    ///         "enum": [
    ///           "list",
    ///           "get"
    ///         ]
    ///       }
    ///     },
    ///     "required": [
    ///       "operation"
    ///     ]
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// A value is judged by its verb. An optional argument of a reader whose values name
    /// acts only (`action: create | delete` of an audit log) is taken for a filter.
    ModeArgument {
        id: "mode-argument",
        summary: "an argument whose values choose between acts of different effect",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ModeArgument {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::Mode, context, tool, findings);
    }
}
