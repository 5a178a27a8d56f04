use sayso_core::hint::Claim;
use sayso_core::tool::AnnotationsShape;

use crate::annotation_key::{UnknownKey, classify};
use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That an `annotations` object holds at least one of the four hints, and not a title alone.
    ///
    /// ## Why it matters
    /// It looks annotated in the source and in a quick count, yet a client assumes the same worst
    /// case as without the object.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"title": "List files"}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"title": "List files", "readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// Hints that are there but malformed, misspelt or one level too deep are reported as that.
    NoHints {
        id: "no-hints",
        summary: "an annotations object without a single hint",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for NoHints {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let ([object], AnnotationsShape::Object) =
            (tool.claims.objects.as_slice(), tool.claims.shape)
        else {
            return;
        };
        let attempted = tool.claims.unknown_members().any(|member| {
            matches!(
                classify(&member.key),
                UnknownKey::SnakeCase(_) | UnknownKey::Misspelt(_) | UnknownKey::Nested
            )
        });
        if attempted || tool.states.iter().any(|(_, claim)| *claim != Claim::Absent) {
            return;
        }
        let page = tool.tool.page();
        let message = if tool.tool.annotation_title().is_some() {
            "annotations holds a title and no hint: clients assume the worst of all four"
        } else {
            "annotations holds no hint: clients assume the worst of all four"
        };
        findings
            .about(&Self::META, tool, message)
            .at(page, *object)
            .evidence(excerpt::member(page, *object, "no hint in here"))
            .help("declare what the tool does; each hint left out keeps its worst-case default")
            .report();
    }
}
