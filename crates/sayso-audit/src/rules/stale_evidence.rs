use crate::context::{Context, ToolReading};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether there is evidence about a tool that was observed under another definition.
    ///
    /// ## Why it matters
    /// Such evidence counts for nothing, so a decision that rested on it has lost its ground.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"stale": ["read_note"]}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "read_note", "title": "Read note", "description": "Reads a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false},
    ///  "sayso": {"observed": {"stale": []}}}
    /// ```
    ///
    /// ## Limits
    /// The same definition may be served by other code; that is not seen.
    StaleEvidence {
        id: "stale-evidence",
        summary: "evidence of another definition of a tool",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for StaleEvidence {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let Some((observed, name)) = context.observed.zip(tool.tool.name()) else {
            return;
        };
        if observed.stale.iter().any(|stale| *stale == name) {
            findings
                .about(
                    &Self::META,
                    tool,
                    "the evidence is of another definition of this tool and counts for nothing",
                )
                .help("verify the server anew")
                .report();
        }
    }
}
