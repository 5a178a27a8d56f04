use sayso_core::finding::Severity;

use crate::annotation_key::{UnknownKey, classify};
use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a hint is not written in snake case, as `read_only_hint`.
    ///
    /// ## Why it matters
    /// The Python SDK calls its fields so in code and renames them on the way out. A server that
    /// serialises without that step sends keys no client knows, and the defaults hold.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"read_only_hint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// Where the right key is there too, the finding is a warning.
    SnakeCaseHint {
        id: "snake-case-hint",
        summary: "a hint in snake case",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for SnakeCaseHint {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let page = tool.tool.page();
        for member in tool.claims.unknown_members() {
            let UnknownKey::SnakeCase(hint) = classify(&member.key) else {
                continue;
            };
            let declared = tool.states.get(hint).boolean();
            let mut draft = findings
                .about(
                    &Self::META,
                    tool,
                    format!("`{}` is not read by any client", member.key),
                )
                .at(page, member.value)
                .hint(hint)
                .evidence(excerpt::key(page, member.value, "snake case"))
                .help(format!(
                    "write `{hint}`; in the Python SDK, serialise by alias"
                ));
            match (declared, member.value.as_bool()) {
                (Some(_), _) => draft = draft.severity(Severity::Warning),
                (None, Some(value)) => draft = draft.suggest(hint, value),
                (None, None) => {}
            }
            draft.report();
        }
    }
}
