use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says nothing but reading, or says that nothing is
    /// changed, sets `readOnlyHint` to true and does not claim to be destructive.
    ///
    /// ## Why it matters
    /// A client that follows the defaults asks before every tool that is not declared read-
    /// only. People who confirm a hundred harmless reads confirm the one harmful call too.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "post_search",
    ///   "description": "Searches pages by title.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "query": {
    ///         "type": "string"
    ///       }
    ///     }
    ///   },
    ///   "annotations": {
    ///     "destructiveHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "post_search",
    ///   "description": "Searches pages by title.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "query": {
    ///         "type": "string"
    ///       }
    ///     }
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// A description that keeps its side effects to itself cannot be seen through. Where
    /// the hint is not claimed the finding is an information: what it costs is in the gate
    /// rate.
    ProseSaysReads {
        id: "prose-says-reads",
        summary: "a tool that only reads but is not declared so",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysReads {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysReads, context, tool, findings);
    }
}
