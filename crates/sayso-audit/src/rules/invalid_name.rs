use sayso_core::finding::Severity;
use sayso_core::reveal::{hidden, reveal_line};

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a name has 1 to 128 characters, each one of `A–Z`, `a–z`, `0–9`, `_`, `-` and `.`
    /// (MCP 2025-11-25 and later, "Tool Names").
    ///
    /// ## Why it matters
    /// Clients hand names on to model interfaces that accept few characters. One name outside
    /// them can make every request fail, with all the other tools in it. A name without any
    /// character cannot be called at all.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list files", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// The specification says SHOULD, so a character outside the set is a warning; an empty name
    /// is an error.
    InvalidName {
        id: "invalid-name",
        summary: "a name with characters or a length that clients do not accept",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

/// The most characters a name should have.
pub(super) const LONGEST: usize = 128;

/// Whether a character may stand in a name.
pub(super) fn allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
}

impl Rule for InvalidName {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let Some(value) = tool.tool.value().get("name") else {
            return;
        };
        let Some(name) = value.as_str() else { return };
        let page = tool.tool.page();
        if name.is_empty() {
            findings
                .about(
                    &Self::META,
                    tool,
                    "the name is empty, so nothing can call the tool",
                )
                .at(page, value)
                .severity(Severity::Error)
                .help("give it a name")
                .report();
            return;
        }
        // One that hides is told by `hidden-characters`.
        let refused = |character: char| !allowed(character) && hidden(character).is_none();
        if let Some((at, character)) = name
            .char_indices()
            .find(|(_, character)| refused(*character))
        {
            let mut evidence = excerpt::string(page, value, "not accepted everywhere");
            if evidence.text == name {
                evidence.mark = at..at + character.len_utf8();
            }
            let shown = reveal_line(character.encode_utf8(&mut [0; 4])).into_owned();
            findings
                .about(
                    &Self::META,
                    tool,
                    format!("`{shown}` in the name is a character clients may refuse"),
                )
                .at(page, value)
                .evidence(evidence)
                .help("use only A-Z, a-z, 0-9, `_` and `-`")
                .report();
        }
        let length = name.chars().count();
        if length > LONGEST {
            findings
                .about(
                    &Self::META,
                    tool,
                    format!("the name has {length} characters; at most {LONGEST} are allowed for"),
                )
                .at(page, value)
                .help("shorten the name")
                .report();
        }
    }
}
