use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no argument of a read-only tool writes (`save_to`, `output_path`, `ack`,
    /// `mark_read`, a switch such as `delete_source`), and none of an additive tool
    /// overwrites (`overwrite`, `replace_existing`, `on_conflict: replace`).
    ///
    /// ## Why it matters
    /// A hint holds for every call the schema allows. A single optional argument turns a
    /// read into a write without the client having a way to see it. A `dry_run` that is on
    /// by default does not help: the caller can turn it off.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "get_object",
    ///   "description": "Reads an object.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "key": {
    ///         "type": "string"
    ///       },
    ///       "save_to_path": {
    ///         "type": "string"
    ///       }
    ///     },
    ///     "required": [
    ///       "key"
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
    ///   "name": "get_object",
    ///   "description": "Reads an object.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "key": {
    ///         "type": "string"
    ///       }
    ///     },
    ///     "required": [
    ///       "key"
    ///     ]
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// By the argument's name, kind and description; a name that says nothing is not seen.
    WritingArgument {
        id: "writing-argument",
        summary: "an argument that makes a reader write or an adder overwrite",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for WritingArgument {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::WritingArgument, context, tool, findings);
    }
}
