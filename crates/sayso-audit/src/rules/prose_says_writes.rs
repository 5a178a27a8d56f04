use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool declared read-only does not say that it marks items as read, takes them
    /// off a queue, moves a read position, writes a file, or changes what later calls act
    /// on.
    ///
    /// ## Why it matters
    /// Read-only tools run without asking, in parallel and again. A read that moves a
    /// bookmark hides messages from the next reader; a tool that switches the account
    /// changes every later call.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "notification_feed",
    ///   "description": "Lists notifications. Listed notifications are marked as read.",
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
    ///   "name": "notification_feed",
    ///   "description": "Lists notifications. Nothing is marked as read.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// Bookkeeping such as access times and caches is left to the author.
    ProseSaysWrites {
        id: "prose-says-writes",
        summary: "prose of a read-only tool that says something changes",
        severity: Warning,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysWrites {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysWrites, context, tool, findings);
    }
}
