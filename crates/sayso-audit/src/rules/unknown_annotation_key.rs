use crate::annotation_key::{UnknownKey, classify};
use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That `annotations` has no key the specification does not know.
    ///
    /// ## Why it matters
    /// The schema allows other keys, and every SDK drops them: a client never sees them. What is
    /// meant for clients belongs into `_meta`, which passes through; what is internal does not
    /// belong on the wire. Keys that are only proposed are named as such.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "riskLevel": "low"}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}, "_meta": {"example.com/risk": "low"}}
    /// ```
    ///
    /// ## Limits
    /// Keys that are meant as one of the four hints have rules of their own.
    UnknownAnnotationKey {
        id: "unknown-annotation-key",
        summary: "a key in annotations that no client reads",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for UnknownAnnotationKey {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let page = tool.tool.page();
        for member in tool.claims.unknown_members() {
            let what = match classify(&member.key) {
                UnknownKey::Proposed(source) => {
                    format!(
                        "`{}` is only proposed ({source}), and every SDK drops it",
                        member.key
                    )
                }
                UnknownKey::OfContent => format!("`{}` annotates content, not tools", member.key),
                UnknownKey::Unknown => format!(
                    "`{}` is not in the specification, and every SDK drops it",
                    member.key
                ),
                UnknownKey::SnakeCase(_) | UnknownKey::Misspelt(_) | UnknownKey::Nested => continue,
            };
            findings
                .about(&Self::META, tool, what)
                .at(page, member.value)
                .evidence(excerpt::key(page, member.value, "dropped on the way"))
                .help("put it under a key of your own in `_meta`, or leave it out")
                .report();
        }
    }
}
