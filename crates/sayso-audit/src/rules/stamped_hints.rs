use std::collections::HashMap;

use sayso_core::effective::Effective;
use sayso_core::finding::Confidence;
use sayso_core::hint::{Claim, Hint, Hints};

use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Strength;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether nearly every tool of a server carries the same hints although their texts say
    /// that the tools do different things.
    ///
    /// ## Why it matters
    /// One set of values on everything is a framework's default or a copied block, not a
    /// judgement of each tool. Some of the tools are then declared wrong, and nobody can tell
    /// which claims were meant.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///   {"name": "get_item", "description": "Shows an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "list_items", "description": "Lists items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "search_items", "description": "Searches items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "create_item", "description": "Creates an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_item", "description": "Deletes an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///   {"name": "get_item", "description": "Shows an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ///   {"name": "list_items", "description": "Lists items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ///   {"name": "search_items", "description": "Searches items.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ///   {"name": "create_item", "description": "Creates an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}},
    ///   {"name": "delete_item", "description": "Deletes an item.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}
    /// ```
    ///
    /// ## Limits
    /// It needs five tools, nine in ten with the same hints, and two tools whose text speaks
    /// against them. A server whose tools do much the same is not reported.
    StampedHints {
        id: "stamped-hints",
        summary: "the same hints on every tool, whatever it does",
        severity: Warning,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for StampedHints {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        if context.tools.len() < 5 {
            return;
        }
        let mut counts: HashMap<Hints<Claim>, usize> = HashMap::new();
        for tool in &context.tools {
            *counts.entry(tool.states).or_default() += 1;
        }
        let Some((stamp, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else {
            return;
        };
        let any = stamp.iter().any(|(_, claim)| claim.boolean().is_some());
        if !any || count * 10 < context.tools.len() * 9 {
            return;
        }
        let effective = Effective::from_claims(&stamp);
        let against: Vec<&ToolReading<'_>> = context
            .tools
            .iter()
            .filter(|tool| tool.states == stamp && speaks_against(tool, &effective))
            .collect();
        let different = against.len() < count;
        if against.len() < 2 || !different {
            return;
        }
        let mut draft = findings
            .about_listing(
                &Self::META,
                format!(
                    "{count} of {} tools carry the same hints ({}), also {}",
                    context.tools.len(),
                    say(&stamp),
                    some_names(&against)
                ),
            )
            .confidence(if against.len() >= 4 {
                Confidence::High
            } else {
                Confidence::Medium
            })
            .help("declare each tool by what it does");
        for tool in against.iter().take(3) {
            let name = tool.tool.value().get("name").unwrap_or(tool.tool.value());
            draft = draft.evidence(excerpt::string(
                tool.tool.page(),
                name,
                "does not fit the hints",
            ));
        }
        draft.report();
    }
}

/// Whether what a tool says of itself does not fit what a client would act on.
fn speaks_against(tool: &ToolReading<'_>, effective: &Effective) -> bool {
    let says = |hint: Hint| {
        tool.evidence
            .verdict(hint)
            .filter(|signal| signal.strength >= Strength::Fair && signal.contested.is_none())
            .map(|signal| signal.value)
    };
    match says(Hint::ReadOnly) {
        Some(read_only) if read_only != effective.read_only() => true,
        _ => {
            !effective.read_only()
                && says(Hint::Destructive).is_some_and(|may| may != effective.may_destroy())
        }
    }
}

/// The booleans of a set of claims: `readOnlyHint false, destructiveHint true`.
fn say(claims: &Hints<Claim>) -> String {
    let said: Vec<String> = claims
        .iter()
        .filter_map(|(hint, claim)| claim.boolean().map(|value| format!("{hint} {value}")))
        .collect();
    said.join(", ")
}

/// Up to four names, and how many more there are.
pub(super) fn some_names(tools: &[&ToolReading<'_>]) -> String {
    const MOST: usize = 4;
    let mut names: Vec<String> = tools
        .iter()
        .take(MOST)
        .map(|tool| format!("`{}`", tool.tool.label()))
        .collect();
    if tools.len() > MOST {
        names.push(format!("{} more", tools.len() - MOST));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
