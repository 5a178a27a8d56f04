use sayso_core::json::{Kind, Value};

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That each entry of a listing is an object with a `name` that is a string, and that the
    /// other known fields are of the kind the specification gives them.
    ///
    /// ## Why it matters
    /// Several SDKs read the list in one piece: one entry they cannot read hides every tool of
    /// the server, often without an error on either side.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [{"name": 7, "description": "Lists files.", "inputSchema": {"type": "object"},
    ///             "annotations": {"readOnlyHint": true}}]}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [{"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///             "annotations": {"readOnlyHint": true}}]}
    /// ```
    ///
    /// ## Limits
    /// `inputSchema` and `annotations` have rules of their own.
    MalformedTool {
        id: "malformed-tool",
        summary: "an entry that is no tool, or a field of the wrong kind",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

/// Fields of `Tool`, and the kind the specification's schema gives them.
const FIELDS: [(&str, Kind); 6] = [
    ("title", Kind::String),
    ("description", Kind::String),
    ("outputSchema", Kind::Object),
    ("icons", Kind::Array),
    ("execution", Kind::Object),
    ("_meta", Kind::Object),
];

impl Rule for MalformedTool {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let (page, root) = (tool.tool.page(), tool.tool.value());
        if !root.is_object() {
            findings
                .about(
                    &Self::META,
                    tool,
                    format!("the entry is {}, not a tool", excerpt::brief(root)),
                )
                .at(page, root)
                .evidence(excerpt::member(page, root, "not an object"))
                .help("list only objects with `name` and `inputSchema`")
                .report();
            return;
        }
        match root.get("name") {
            None => findings
                .about(
                    &Self::META,
                    tool,
                    "the tool has no name, so nothing can call it",
                )
                .at(page, root)
                .help("give it a `name`")
                .report(),
            Some(name) if name.kind() != Kind::String => {
                wrong(tool, name, "`name`", "a string", findings)
            }
            Some(_) => {}
        }
        for member in root.members() {
            if let Some((key, kind)) = FIELDS.iter().find(|(key, _)| *key == member.key)
                && member.value.kind() != *kind
            {
                wrong(
                    tool,
                    member.value,
                    &format!("`{key}`"),
                    kind.describe(),
                    findings,
                );
            }
        }
        for title in tool
            .claims
            .objects
            .iter()
            .filter_map(|object| object.get("title"))
        {
            if title.kind() != Kind::String {
                wrong(tool, title, "`annotations.title`", "a string", findings);
            }
        }
    }
}

fn wrong(
    tool: &ToolReading<'_>,
    value: Value<'_>,
    what: &str,
    right: &str,
    findings: &mut Findings,
) {
    let page = tool.tool.page();
    let message = format!(
        "{what} is {}, not {right}: an SDK that validates refuses the whole list",
        excerpt::brief(value)
    );
    findings
        .about(&MalformedTool::META, tool, message)
        .at(page, value)
        .evidence(excerpt::member(page, value, format!("not {right}")))
        .help(if value.is_null() {
            "leave the key out where there is nothing to say"
        } else {
            "write the right kind"
        })
        .report();
}
