use sayso_core::tool::AnnotationsShape;

use crate::context::{Context, ToolReading};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool has an `annotations` object.
    ///
    /// ## Why it matters
    /// A tool without one is not neutral. The specification has a client assume that it may
    /// write, may destroy, is not safe to repeat and reaches an open world, so a careful
    /// client asks before every call, reads included.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "inputSchema": {"type": "object"}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// It says nothing about which values would be right.
    MissingAnnotations {
        id: "missing-annotations",
        summary: "a tool without an annotations object",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for MissingAnnotations {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        if tool.claims.shape == AnnotationsShape::Absent && tool.tool.value().is_object() {
            findings
                .about(
                    &Self::META,
                    tool,
                    "no annotations: clients assume the worst of all four hints",
                )
                .help("declare what the tool does; each hint left out keeps its worst-case default")
                .report();
        }
    }
}
