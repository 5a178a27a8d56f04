use sayso_core::hint::Claim;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a hint is not `null`.
    ///
    /// ## Why it matters
    /// The specification knows a hint as a boolean or as absent. The TypeScript SDK refuses the
    /// whole list over a `null`; the Python and Rust SDKs read it as absent; directories that
    /// ask for explicit hints count it as missing. It is what a serialiser writes that was not
    /// told to leave out what is not set.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "destructiveHint": null}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// `annotations: null` as a whole is reported by `null-annotations`.
    NullHint {
        id: "null-hint",
        summary: "a hint that is null",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for NullHint {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        for (hint, located) in tool.claims.hints.iter() {
            let (Claim::Null, [value]) = (located.claim, located.values.as_slice()) else {
                continue;
            };
            let page = tool.tool.page();
            findings
                .about(
                    &Self::META,
                    tool,
                    format!("{hint} is null: the TypeScript SDK refuses the whole list, others read it as absent"),
                )
                .at(page, *value)
                .hint(hint)
                .evidence(excerpt::member(page, *value, "null is not absent"))
                .help("leave the key out, or write `true` or `false`")
                .report();
        }
    }
}
