use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool which searches the web, fetches any address the caller chooses or calls
    /// outside services does not set `openWorldHint` to false.
    ///
    /// ## Why it matters
    /// Text from an open world can carry instructions to the model. A client can only be on
    /// its guard if it is told.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "fetch_page",
    ///   "description": "Fetches a web page as text.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "url": {
    ///         "type": "string"
    ///       }
    ///     },
    ///     "required": [
    ///       "url"
    ///     ]
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true,
    ///     "openWorldHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "fetch_page",
    ///   "description": "Fetches a web page as text.",
    ///   "inputSchema": {
    ///     "type": "object",
    ///     "properties": {
    ///       "url": {
    ///         "type": "string"
    ///       }
    ///     },
    ///     "required": [
    ///       "url"
    ///     ]
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": true,
    ///     "openWorldHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// Whether the user's own tenant of an online service is an open world is a setting;
    /// mail and comments written by outsiders count there.
    ProseSaysOpenWorld {
        id: "prose-says-open-world",
        summary: "a tool that reaches the web or outside parties but claims a closed world",
        severity: Warning,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysOpenWorld {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysOpenWorld, context, tool, findings);
    }
}
