use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a name that is right by the specification holds a full stop.
    ///
    /// ## Why it matters
    /// Several model interfaces accept only letters, digits, `_` and `-`. Clients that do not
    /// rewrite the name send requests that fail; clients that do can make two names equal.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "files.list", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "files_list", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// Where more than one name has one, it is said once, of the server.
    UnportableName {
        id: "unportable-name",
        summary: "a name that some model interfaces refuse",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for UnportableName {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let dotted: Vec<&ToolReading<'_>> = context
            .tools
            .iter()
            .filter(|tool| tool.tool.name().is_some_and(|name| name.contains('.')))
            .collect();
        match dotted.as_slice() {
            [] => {}
            [tool] => {
                let page = tool.tool.page();
                let mut draft = findings.about(
                    &Self::META,
                    tool,
                    "the name has a full stop: some model interfaces refuse it",
                );
                if let Some(name) = tool.tool.value().get("name") {
                    draft =
                        draft.evidence(excerpt::string(page, name, "legal in MCP, not everywhere"));
                }
                draft.help("use `_` instead").report();
            }
            several => findings
                .about_listing(
                    &Self::META,
                    format!(
                        "{} names have a full stop, which some model interfaces refuse: {}",
                        several.len(),
                        super::stamped_hints::some_names(several)
                    ),
                )
                .help("use `_` instead")
                .report(),
        }
    }
}
