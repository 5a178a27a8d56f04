use sayso_core::tool::AnnotationsShape;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That `annotations` is an object.
    ///
    /// ## Why it matters
    /// Anything else breaks the specification's schema. Clients that validate refuse the whole
    /// list over it; the others see no hint at all.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": ["readOnlyHint"]}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// `null` is reported by `null-annotations`, a repeated key by `duplicated-key`.
    MalformedAnnotations {
        id: "malformed-annotations",
        summary: "annotations that are not an object",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for MalformedAnnotations {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let (AnnotationsShape::Malformed(_), [value]) =
            (tool.claims.shape, tool.claims.objects.as_slice())
        else {
            return;
        };
        let page = tool.tool.page();
        findings
            .about(
                &Self::META,
                tool,
                format!(
                    "annotations is {}, not an object: no client reads a hint here",
                    excerpt::brief(*value)
                ),
            )
            .at(page, *value)
            .evidence(excerpt::member(page, *value, "not an object"))
            .help("write an object with the hints as keys and `true` or `false` as values")
            .report();
    }
}
