use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sayso_core::finding::Severity;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no two tools of a listing have the same name, also after the rewriting clients do:
    /// every character but letters, digits, `_` and `-` becomes `_`.
    ///
    /// ## Why it matters
    /// Clients keep tools by name. The last one wins without a word, so the description and hints a
    /// person saw need not be those of the tool that runs.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///   {"name": "save", "title": "Save note", "description": "Saves a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}},
    ///   {"name": "save", "title": "Save file", "description": "Saves a file.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///   {"name": "save_note", "title": "Save note", "description": "Saves a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}},
    ///   {"name": "save_file", "title": "Save file", "description": "Saves a file.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}
    /// ```
    ///
    /// ## Limits
    /// It looks at one server. Names that differ only in case are different names by the
    /// specification; they are reported as information.
    DuplicateName {
        id: "duplicate-name",
        summary: "two tools with the same name",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for DuplicateName {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        // The first tool of each name, as clients rewrite it and in small letters. Of names that
        // meet there, and only of those: the first as it is, and the first as it is rewritten.
        let mut loose: HashMap<Cow<'_, str>, &ToolReading<'_>> =
            HashMap::with_capacity(context.tools.len());
        let mut exact: HashMap<Cow<'_, str>, &ToolReading<'_>> = HashMap::new();
        let mut rewritten: HashMap<Cow<'_, str>, &ToolReading<'_>> = HashMap::new();
        for tool in &context.tools {
            let Some(name) = tool.tool.name().filter(|name| !name.is_empty()) else {
                continue;
            };
            let plain = rewrite(name.clone());
            let first = match loose.entry(lower(plain.clone())) {
                Entry::Vacant(entry) => {
                    entry.insert(tool);
                    continue;
                }
                Entry::Occupied(entry) => *entry.get(),
            };
            if let Some(name) = first.tool.name() {
                rewritten.entry(rewrite(name.clone())).or_insert(first);
                exact.entry(name).or_insert(first);
            }
            if let Some(first) = exact.get(&name) {
                let message = format!(
                    "an earlier tool is called `{name}` too: clients keep only one of them"
                );
                report(first, tool, Severity::Error, message, findings);
            } else if let Some(first) = rewritten.get(&plain) {
                let other = first.tool.label();
                let message = format!(
                    "`{name}` and `{other}` are both `{plain}` for clients that rewrite names"
                );
                report(first, tool, Severity::Warning, message, findings);
            } else {
                let message = format!("`{name}` and `{}` differ only in case", first.tool.label());
                report(first, tool, Severity::Info, message, findings);
            }
            exact.entry(name).or_insert(tool);
            rewritten.entry(plain).or_insert(tool);
        }
    }
}

/// The name as clients write it that accept only letters, digits, `_` and `-`.
fn rewrite(name: Cow<'_, str>) -> Cow<'_, str> {
    let kept =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if name.chars().all(kept) {
        return name;
    }
    Cow::Owned(
        name.chars()
            .map(|character| if kept(character) { character } else { '_' })
            .collect(),
    )
}

/// A rewritten name in small letters.
fn lower(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        name
    }
}

fn report(
    first: &ToolReading<'_>,
    second: &ToolReading<'_>,
    severity: Severity,
    message: String,
    findings: &mut Findings,
) {
    let mut draft = findings
        .about(&DuplicateName::META, second, message)
        .severity(severity);
    for (tool, label) in [(first, "first here"), (second, "and again here")] {
        if let Some(name) = tool.tool.value().get("name") {
            draft = draft.evidence(excerpt::member(tool.tool.page(), name, label));
        }
    }
    draft.help("give each tool a name of its own").report();
}
