use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::observed::{SeenTo, report};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no call of a tool with `openWorldHint: false` asked for the address of a name, or connected
    /// beyond the machine, while it was watched.
    ///
    /// ## Why it matters
    /// Whoever keeps data from leaving goes by this claim. What is asked of a name server is data, too.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"tools": {"read_note": {"openWorldHint": {"to": "user", "arguments": "{\"path\": \"notes.txt\"}",
    ///   "what": ["connected to `stats.example.com:443` (tcp, the open world)"], "setting": "namespaces, fixture `notes`"}}}}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false}}
    /// ```
    ///
    /// ## Limits
    /// It sees what `sayso verify` saw: calls that were made, on one fixture, until a moment after the
    /// reply. Nothing found is no proof. What a server does when it starts is not part of a call.
    OpenWorldContradicted {
        id: "open-world-contradicted",
        summary: "claims a closed world, and was seen to reach beyond the machine",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for OpenWorldContradicted {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        report(
            &Self::META,
            &[Hint::OpenWorld],
            SeenTo::User,
            context,
            tool,
            findings,
        );
    }
}
