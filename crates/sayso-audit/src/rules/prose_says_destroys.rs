use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says *cannot be undone*, *permanently*, *overwrites*,
    /// *is discarded* and the like is not declared additive.
    ///
    /// ## Why it matters
    /// `destructiveHint: false` is a promise that the tool only adds. A client that asks
    /// before destructive calls does not ask before this one.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "detach_instance",
    ///   "description": "Detaches an instance from its component; this cannot be undone.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "detach_instance",
    ///   "description": "Detaches an instance from its component; this cannot be undone.",
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
    /// ## Limits
    /// A message that was sent cannot be called back either; whether that is destructive is
    /// the setting `send-is-destructive`.
    ProseSaysDestroys {
        id: "prose-says-destroys",
        summary: "prose that says something is lost",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysDestroys {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysDestroys, context, tool, findings);
    }
}
