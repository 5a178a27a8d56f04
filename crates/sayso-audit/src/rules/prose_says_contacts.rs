use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool whose description says it sends to, notifies, invites or is visible to
    /// people does not claim to be read-only or confined to a closed world.
    ///
    /// ## Why it matters
    /// What lands in somebody's inbox cannot be rolled back. The description tells the
    /// model; only the hints tell the client, which is who can ask first.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "send_invoice",
    ///   "description": "E-mails the invoice to the customer.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": false,
    ///     "idempotentHint": false,
    ///     "openWorldHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "send_invoice",
    ///   "description": "E-mails the invoice to the customer.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": false,
    ///     "idempotentHint": false,
    ///     "openWorldHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// People inside one's own organisation count as people.
    ProseSaysContacts {
        id: "prose-says-contacts",
        summary: "a tool that reaches people or the public but does not say so in its hints",
        severity: Warning,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ProseSaysContacts {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::SaysContacts, context, tool, findings);
    }
}
