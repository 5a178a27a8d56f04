use sayso_core::finding::Severity;

use crate::annotation_key::{UnknownKey, classify};
use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no key of `annotations` is a hint with another spelling: `readonlyHint`, `readOnly`,
    /// `destructive`, `idempotencyHint`.
    ///
    /// ## Why it matters
    /// Keys are compared letter by letter. A hint with another spelling has no effect, and the
    /// default holds, while the source code looks as if all were said.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readonlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// Two letters may differ. Where the right key is there too, the finding is a warning.
    MisspeltHint {
        id: "misspelt-hint",
        summary: "a hint with another spelling",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for MisspeltHint {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let page = tool.tool.page();
        for member in tool.claims.unknown_members() {
            let UnknownKey::Misspelt(hint) = classify(&member.key) else {
                continue;
            };
            let mut draft = findings
                .about(
                    &Self::META,
                    tool,
                    format!("`{}` is no hint any client reads", member.key),
                )
                .at(page, member.value)
                .hint(hint)
                .evidence(excerpt::key(page, member.value, "unknown spelling"))
                .help(format!("write `{hint}`"));
            match (tool.states.get(hint).boolean(), member.value.as_bool()) {
                (Some(_), _) => draft = draft.severity(Severity::Warning),
                (None, Some(value)) => draft = draft.suggest(hint, value),
                (None, None) => {}
            }
            draft.report();
        }
    }
}
