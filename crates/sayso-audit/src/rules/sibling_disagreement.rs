use std::collections::HashMap;

use sayso_core::finding::Severity;
use sayso_core::hint::{Claim, Hint};

use crate::context::{Context, ToolReading};
use crate::evidence::act::Act;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a tool declares another value than the other tools of its server whose names begin
    /// with the same verb: one of ten `delete_…` tools is declared not destructive.
    ///
    /// ## Why it matters
    /// Either the tool is different, which its name does not show, or one of the two was declared
    /// without looking. Inside one server the same word nearly always means the same.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///   {"name": "delete_note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_tag", "description": "Deletes a tag.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_file", "description": "Deletes a file.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_label", "description": "Deletes a label.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}
    /// ]}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///   {"name": "delete_note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_tag", "description": "Deletes a tag.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_file", "description": "Deletes a file.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}},
    ///   {"name": "delete_label", "description": "Deletes a label.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}
    /// ```
    ///
    /// ## Limits
    /// It needs four tools with the verb, three in four of which agree. Only a removal declared not
    /// destructive, and a write declared read-only, are warnings; the rest is information.
    SiblingDisagreement {
        id: "sibling-disagreement",
        summary: "another value than the server's other tools with the same verb",
        severity: Info,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for SiblingDisagreement {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let mut families: HashMap<(String, Act), Vec<&ToolReading<'_>>> = HashMap::new();
        for tool in &context.tools {
            if let Some(family) = family(tool) {
                families.entry(family).or_default().push(tool);
            }
        }
        for ((word, act), tools) in families {
            for hint in [Hint::ReadOnly, Hint::Destructive, Hint::Idempotent] {
                outliers(&word, act, &tools, hint, findings);
            }
        }
    }
}

/// The verb at the head of a tool's name, behind one prefix at most, and what it does.
/// Verbs that say nothing (`manage`, `run`) make no family.
fn family(tool: &ToolReading<'_>) -> Option<(String, Act)> {
    let verb = tool.evidence.name_verb.as_ref()?;
    let name = tool.tool.name()?;
    let prefixes = name
        .get(..verb.bytes.start)?
        .split(|character: char| !character.is_alphanumeric())
        .filter(|prefix| !prefix.is_empty());
    let heads = prefixes.count() <= 1;
    let word = name.get(verb.bytes.clone())?.to_lowercase();
    (heads && !matches!(verb.act, Act::Manage | Act::Run)).then_some((word, verb.act))
}

fn outliers(word: &str, act: Act, tools: &[&ToolReading<'_>], hint: Hint, findings: &mut Findings) {
    let claimed: Vec<(&ToolReading<'_>, bool)> = tools
        .iter()
        .filter(|tool| hint == Hint::ReadOnly || tool.states.read_only != Claim::True)
        .filter_map(|tool| Some((*tool, tool.states.get(hint).boolean()?)))
        .collect();
    let yes = claimed.iter().filter(|(_, value)| *value).count();
    let (usual, agree) = if yes * 2 >= claimed.len() {
        (true, yes)
    } else {
        (false, claimed.len() - yes)
    };
    if claimed.len() < 4 || agree * 4 < claimed.len() * 3 {
        return;
    }
    let severity = match (hint, act) {
        (Hint::Destructive, Act::Remove) if usual => Severity::Warning,
        (Hint::ReadOnly, act) if !usual && act.writes() => Severity::Warning,
        _ => Severity::Info,
    };
    let example = claimed
        .iter()
        .find(|(_, value)| *value == usual)
        .map(|(tool, _)| *tool);
    for (tool, _) in claimed.iter().filter(|(_, value)| *value != usual) {
        let Some(value) = tool.claims.hints.get(hint).values.first() else {
            continue;
        };
        let mut draft = findings
            .about(
                &SiblingDisagreement::META,
                tool,
                format!(
                    "{hint} is {}, and {usual} on {agree} of {} `{word}` tools of this server",
                    !usual,
                    claimed.len()
                ),
            )
            .at(tool.tool.page(), *value)
            .hint(hint)
            .severity(severity)
            .evidence(excerpt::member(
                tool.tool.page(),
                *value,
                "not as its siblings",
            ));
        if let Some((sibling, value)) = example
            .and_then(|sibling| Some((sibling, sibling.claims.hints.get(hint).values.first()?)))
        {
            let label = format!("as `{}` has it", sibling.tool.label());
            draft = draft.evidence(excerpt::member(sibling.tool.page(), *value, label));
        }
        draft
            .help("declare both the same, or say in the description what is different")
            .report();
    }
}
