use std::collections::BTreeSet;

use sayso_core::drift::{Change, between};
use sayso_core::finding::Evidence;
use sayso_core::json::Value;

use crate::context::Context;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a title, a description, a schema or any other part of a tool but its hints is different
    /// from the baseline (`--baseline FILE`).
    ///
    /// ## Why it matters
    /// The text and the schema are what the model acts on. A sentence added to a description, or one more
    /// argument, can change what an approved tool is used for.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note, or every note with `all`.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}}}
    /// ```
    ///
    /// ## Limits
    /// White space and the order of keys do not count. It does not judge the new text; the other rules do.
    ToolChanged {
        id: "tool-changed",
        summary: "a text or schema that is not as in the baseline",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ToolChanged {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let Some(baseline) = context.baseline else {
            return;
        };
        for change in between(baseline, context.listing) {
            let Change::Part {
                tool,
                key,
                before,
                after,
            } = change
            else {
                continue;
            };
            let Some(reading) = context.tools.get(tool.position()) else {
                continue;
            };
            let page = tool.page();
            let message = match (before, after) {
                (None, _) => format!("`{key}` is new since the baseline"),
                (_, None) => format!("`{key}` is gone since the baseline"),
                (Some(before), Some(after)) if key == "inputSchema" => arguments(before, after),
                _ => format!("`{key}` changed since the baseline"),
            };
            let mut draft = findings.about(&Self::META, reading, message);
            if let Some(after) = after {
                draft = draft.at(page, after);
                if let Some(evidence) = difference(page, before, after) {
                    draft = draft.evidence(evidence);
                }
            }
            draft
                .help("read what changed, then take a new baseline")
                .report();
        }
    }
}

/// Which arguments came and went.
fn arguments(before: Value<'_>, after: Value<'_>) -> String {
    let names = |schema: Value<'_>| -> BTreeSet<String> {
        schema
            .get("properties")
            .into_iter()
            .flat_map(Value::members)
            .map(|member| format!("`{}`", sayso_core::reveal::reveal_line(&member.key)))
            .collect()
    };
    let (old, new) = (names(before), names(after));
    let list = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>().join(", ");
    let added = list(new.difference(&old).collect());
    let removed = list(old.difference(&new).collect());
    match (added.is_empty(), removed.is_empty()) {
        (true, true) => {
            "`inputSchema` changed since the baseline; the arguments have the same names".to_owned()
        }
        (false, true) => format!("new arguments since the baseline: {added}"),
        (true, false) => format!("arguments gone since the baseline: {removed}"),
        (false, false) => format!("new arguments since the baseline: {added}; gone: {removed}"),
    }
}

/// The new text, from a little before the first difference to a little behind the last.
fn difference(page: usize, before: Option<Value<'_>>, after: Value<'_>) -> Option<Evidence> {
    const AROUND: usize = 30;
    const MOST: usize = 160;
    let new: Vec<char> = after.as_str()?.chars().collect();
    let old: Vec<char> = before
        .and_then(Value::as_str)
        .map(|text| text.chars().collect())
        .unwrap_or_default();
    let prefix = new
        .iter()
        .zip(&old)
        .take_while(|(new, old)| new == old)
        .count();
    let most = new.len().min(old.len()) - prefix;
    let suffix = new
        .iter()
        .rev()
        .zip(old.iter().rev())
        .take(most)
        .take_while(|(new, old)| new == old)
        .count();
    let changed: String = new
        .iter()
        .skip(prefix)
        .take((new.len() - suffix - prefix).min(MOST))
        .collect();
    let start = prefix.saturating_sub(AROUND);
    let mut text: String = new.iter().skip(start).take(prefix - start).collect();
    let mark = text.len()..text.len() + changed.len();
    text.push_str(&changed);
    text.extend(new.iter().skip(new.len() - suffix).take(AROUND));
    let label = if changed.is_empty() {
        "something was taken out here"
    } else {
        "new here"
    };
    Some(Evidence {
        location: excerpt::place(page, after),
        text,
        mark,
        label: label.to_owned(),
    })
}
