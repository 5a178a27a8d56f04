use sayso_core::hint::{Claim, Hint};

use super::stamped_hints::some_names;
use super::zero_value_hints;
use crate::context::{Context, ToolReading};
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
    /// By the specification the second hint has no meaning here, so this is information; with more
    /// than three such tools it is said once, of the server. It is
    /// silent where `zero-value-hints` explains the value for the whole server.
    ReadOnlyNotIdempotent {
        id: "read-only-not-idempotent",
        summary: "read-only, yet not safe to repeat",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

/// With more tools than this it is said once, of the server.
const MOST: usize = 3;

impl Rule for ReadOnlyNotIdempotent {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        if zero_value_hints::zero_valued(context, Hint::Idempotent).is_some() {
            return;
        }
        let both: Vec<&ToolReading<'_>> = context
            .tools
            .iter()
            .filter(|tool| {
                tool.states.read_only == Claim::True && tool.states.idempotent == Claim::False
            })
            .collect();
        if both.len() > MOST {
            findings
                .about_listing(
                    &Self::META,
                    format!(
                        "{} tools claim to change nothing, and not to be safe to repeat: {}",
                        both.len(),
                        some_names(&both)
                    ),
                )
                .hint(Hint::Idempotent)
                .help("leave idempotentHint out where readOnlyHint is true")
                .report();
            return;
        }
        for tool in both {
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
                .suggest(Hint::Idempotent, true)
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
