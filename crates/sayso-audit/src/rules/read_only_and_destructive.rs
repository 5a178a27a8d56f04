use sayso_core::hint::{Claim, Hint};

use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Strength;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no tool claims both `readOnlyHint: true` and `destructiveHint: true`.
    ///
    /// ## Why it matters
    /// The two contradict each other. A client that looks at the first runs the tool without a
    /// question; one that looks at the second warns. The specification gives `destructiveHint` a
    /// meaning only for tools that are not read-only, so the reassuring claim wins.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "prune_cache", "description": "Prunes the cache.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "destructiveHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "prune_cache", "description": "Prunes the cache.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ```
    ///
    /// ## Limits
    /// It cannot tell which of the two is wrong.
    ReadOnlyAndDestructive {
        id: "read-only-and-destructive",
        summary: "both read-only and destructive",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ReadOnlyAndDestructive {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        if tool.states.read_only != Claim::True || tool.states.destructive != Claim::True {
            return;
        }
        let hints = &tool.claims.hints;
        let (Some(read_only), Some(destructive)) = (
            hints.read_only.values.first(),
            hints.destructive.values.first(),
        ) else {
            return;
        };
        let page = tool.tool.page();
        // Where the tool by its own words only reads, the second claim is the wrong one.
        let reads = tool
            .evidence
            .verdict(Hint::ReadOnly)
            .is_some_and(|signal| signal.value && signal.strength >= Strength::Fair);
        let mut draft = findings
            .about(
                &Self::META,
                tool,
                "readOnlyHint and destructiveHint are both true: clients run the tool without asking",
            )
            .at(page, *destructive)
            .hint(if reads { Hint::Destructive } else { Hint::ReadOnly })
            .evidence(excerpt::member(page, *read_only, "never changes anything"))
            .evidence(excerpt::member(page, *destructive, "may destroy something"))
            .help("set the one that is true of the tool; if it can destroy anything, `readOnlyHint` has to be false");
        if reads {
            draft = draft.suggest(Hint::Destructive, false);
        }
        draft.report();
    }
}
