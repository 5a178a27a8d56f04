use sayso_core::json::Value;

use crate::context::{Context, ToolReading};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool has a description that is not blank.
    ///
    /// ## Why it matters
    /// A model chooses by the description, and a person asked to approve a call has nothing else to
    /// go by than the name.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "title": "List files", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists the files of a folder.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// It does not judge how good the description is.
    MissingDescription {
        id: "missing-description",
        summary: "a tool without a description",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for MissingDescription {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let root = tool.tool.value();
        let description = root.get("description");
        let blank = match description {
            None => root.is_object(),
            Some(value) => is_blank(value),
        };
        if !blank {
            return;
        }
        let page = tool.tool.page();
        let mut draft = findings.about(&Self::META, tool, "the tool has no description");
        if let Some(value) = description {
            draft = draft.at(page, value);
        }
        draft
            .help("say in a sentence or two what it does and what it changes")
            .report();
    }
}

/// Whether a string holds nothing but white space.
fn is_blank(value: Value<'_>) -> bool {
    // Nearly every description begins with a letter, and need not be decoded to know it.
    let begins = value.raw().as_bytes().get(1);
    !begins.is_some_and(u8::is_ascii_alphanumeric)
        && value.as_str().is_some_and(|text| text.trim().is_empty())
}
