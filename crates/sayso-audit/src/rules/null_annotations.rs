use sayso_core::tool::AnnotationsShape;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That `annotations` is not `null`.
    ///
    /// ## Why it matters
    /// The specification knows an object or nothing. A client that validates may refuse the whole
    /// list; one that does not reads it as no annotations, which is the worst of all four hints.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": null}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// None known.
    NullAnnotations {
        id: "null-annotations",
        summary: "annotations that are null",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for NullAnnotations {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let (AnnotationsShape::Null, [value]) = (tool.claims.shape, tool.claims.objects.as_slice())
        else {
            return;
        };
        let page = tool.tool.page();
        findings
            .about(
                &Self::META,
                tool,
                "annotations is null: some clients refuse the list, others assume the worst",
            )
            .at(page, *value)
            .evidence(excerpt::member(page, *value, "null is not absent"))
            .help("leave the key out, or declare what the tool does")
            .report();
    }
}
