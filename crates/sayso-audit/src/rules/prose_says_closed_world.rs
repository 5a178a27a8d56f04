use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description confines it (allowed directories, local files, memory,
    /// no network) says `openWorldHint: false`.
    ///
    /// ## Why it matters
    /// The default is an open world. A tool that cannot reach one loses nothing by saying
    /// so, and a client that is careful with outside content can relax.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "read_file",
    ///   "description": "Reads a file within the allowed directories.",
    ///   "inputSchema": {
    ///     "type": "object"
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
    ///   "name": "read_file",
    ///   "description": "Reads a file within the allowed directories.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true,
    ///     "openWorldHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// The field is split on what an open world is; this never says more than an
    /// information.
    ProseSaysClosedWorld {
        id: "prose-says-closed-world",
        summary: "a tool confined to one machine or store that leaves openWorldHint at its default",
        severity: Info,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysClosedWorld {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysClosedWorld, context, tool, findings);
    }
}
