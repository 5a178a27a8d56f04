use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool which only creates or appends, or says that what was there stays, does
    /// not set `destructiveHint` to true, and that it says false where it says nothing.
    ///
    /// ## Why it matters
    /// The default of `destructiveHint` is true. Leaving it, or setting it by the HTTP
    /// method, makes clients ask before a note is appended.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "append_blocks",
    ///   "description": "Appends child blocks to a block.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "append_blocks",
    ///   "description": "Appends child blocks to a block.",
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
    /// Some directories want `destructiveHint: true` on creations too; name the profile,
    /// and suppress this rule with that as the reason.
    ProseSaysAdditive {
        id: "prose-says-additive",
        summary: "a tool that only adds but is declared destructive",
        severity: Warning,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysAdditive {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysAdditive, context, tool, findings);
    }
}
