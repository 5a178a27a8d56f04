use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::observed::{SeenTo, report};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a second, identical call of a tool with `idempotentHint: true` changed nothing further while it
    /// was watched.
    ///
    /// ## Why it matters
    /// Clients and gateways try such calls again after a lost connection. Then it is done twice.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "set_title", "title": "Set title", "description": "Sets the title of a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"set_title": {"idempotentHint": {"to": "user", "arguments": "{\"path\": \"notes.txt\"}",
    ///   "what": ["at the second, identical call: changed `/workspace/notes.txt`"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "set_title", "title": "Set title", "description": "Sets the title of a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false}}
    /// ```
    ///
    /// ## Limits
    /// It sees what `sayso verify` saw: calls that were made, on one fixture, until a moment after the
    /// reply. Nothing found is no proof. A reply that differs is no finding: clocks, ids and "exists already"
    /// make replies differ.
    IdempotentContradicted {
        id: "idempotent-contradicted",
        summary: "claims that a repeat changes nothing, and was seen to change something by one",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for IdempotentContradicted {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report(
            &Self::META,
            &[Hint::Idempotent],
            SeenTo::User,
            context,
            tool,
            findings,
        );
    }
}
