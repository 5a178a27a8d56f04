use sayso_core::hint::{Claim, Hint};

use crate::context::{Context, ToolReading};
use crate::evidence::act::Act;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether one hint is an explicit `false` on nearly every tool of a server, also where the
    /// tool's other hints or its text say that cannot have been meant.
    ///
    /// ## Why it matters
    /// Libraries whose fields are plain booleans write `false` for what nobody set; the official
    /// Go SDK does so since 1.7 for two of the hints. The value then looks like a decision. For
    /// `destructiveHint` that is dangerous: the absent value would have meant the opposite.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///   {"name": "get_item", "description": "Shows an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "idempotentHint": false}},
    ///   {"name": "list_items", "description": "Lists items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "idempotentHint": false}},
    ///   {"name": "search_items", "description": "Searches items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "idempotentHint": false}},
    ///   {"name": "create_item", "description": "Creates an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false}},
    ///   {"name": "delete_item", "description": "Deletes an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false}}
    /// ]}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///   {"name": "get_item", "description": "Shows an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ///   {"name": "list_items", "description": "Lists items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ///   {"name": "search_items", "description": "Searches items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ///   {"name": "create_item", "description": "Creates an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false}},
    ///   {"name": "delete_item", "description": "Deletes an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true}}
    /// ]}
    /// ```
    ///
    /// ## Limits
    /// It needs five tools, and at least two that speak against the value. It never looks at
    /// `openWorldHint`: a whole server can be a closed world.
    ZeroValueHints {
        id: "zero-value-hints",
        summary: "one hint false on every tool, as a library's zero value is",
        severity: Info,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for ZeroValueHints {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for hint in [Hint::ReadOnly, Hint::Destructive, Hint::Idempotent] {
            let Some(found) = zero_valued(context, hint) else {
                continue;
            };
            let because = match hint {
                Hint::Idempotent => "read-only",
                Hint::Destructive => "removals by their text",
                _ => "reads by their text",
            };
            findings
                .about_listing(
                    &Self::META,
                    format!(
                        "{hint} is false on {} of {} tools, {} of them {because} ({}): a zero value rather than a decision",
                        found.with_false,
                        context.tools.len(),
                        found.against.len(),
                        super::stamped_hints::some_names(&found.against),
                    ),
                )
                .hint(hint)
                .help("make the library leave out what nobody set, or set it tool by tool")
                .report();
        }
    }
}

/// A hint that looks like a zero value.
pub(super) struct ZeroValued<'c, 'a> {
    with_false: usize,
    against: Vec<&'c ToolReading<'a>>,
}

/// Whether a hint is `false` on at least nine in ten of five or more tools, two of which
/// speak against it.
pub(super) fn zero_valued<'c, 'a>(
    context: &'c Context<'a>,
    hint: Hint,
) -> Option<ZeroValued<'c, 'a>> {
    let is_false = |tool: &&ToolReading<'a>| *tool.states.get(hint) == Claim::False;
    let with_false = context.tools.iter().filter(is_false).count();
    if context.tools.len() < 5 || with_false * 10 < context.tools.len() * 9 {
        return None;
    }
    let acts = |tool: &ToolReading<'a>, wanted: Act| tool.evidence.act() == Some(wanted);
    let against: Vec<&ToolReading<'a>> = context
        .tools
        .iter()
        .filter(is_false)
        .filter(|tool| match hint {
            Hint::Idempotent => tool.states.read_only == Claim::True,
            Hint::Destructive => tool.states.read_only != Claim::True && acts(tool, Act::Remove),
            Hint::ReadOnly => acts(tool, Act::Read),
            Hint::OpenWorld => false,
        })
        .collect();
    (against.len() >= 2).then_some(ZeroValued {
        with_false,
        against,
    })
}
