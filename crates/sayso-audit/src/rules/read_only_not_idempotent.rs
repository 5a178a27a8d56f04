use sayso_core::hint::{Claim, Hint};

use super::zero_value_hints;
use crate::context::Context;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool claiming `readOnlyHint: true` does not claim `idempotentHint: false`.
    ///
    /// ## Why it matters
    /// What changes nothing changes nothing the second time either. The pair shows that one of
    /// the two was not a decision: the tool may record something on each call, or the second hint
    /// is the zero value of a library.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "next_unread", "description": "Shows an unread item.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "idempotentHint": false}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "next_unread", "description": "Shows an unread item.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// By the specification the second hint has no meaning here, so this is information. It is
    /// silent where `zero-value-hints` explains the value for the whole server.
    ReadOnlyNotIdempotent {
        id: "read-only-not-idempotent",
        summary: "read-only, yet not safe to repeat",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ReadOnlyNotIdempotent {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        if zero_value_hints::zero_valued(context, Hint::Idempotent).is_some() {
            return;
        }
        for tool in &context.tools {
            if tool.states.read_only != Claim::True || tool.states.idempotent != Claim::False {
                continue;
            }
            let Some(value) = tool.claims.hints.idempotent.values.first() else {
                continue;
            };
            let page = tool.tool.page();
            findings
                .about(
                    &Self::META,
                    tool,
                    "the tool claims to change nothing, and not to be safe to repeat",
                )
                .at(page, *value)
                .hint(Hint::Idempotent)
                .evidence(excerpt::member(
                    page,
                    *value,
                    "has no meaning when read-only",
                ))
                .help("leave idempotentHint out, or look whether a call does change something")
                .report();
        }
    }
}
