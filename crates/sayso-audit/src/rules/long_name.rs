use sayso_core::finding::{Confidence, Severity};

use crate::context::Context;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a name still has at most 64 characters once a client has put its prefix before it, as
    /// in `mcp__<server>__<tool>`.
    ///
    /// ## Why it matters
    /// The specification allows 128 characters, several model interfaces 64. One name that is too
    /// long makes the whole request fail.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_all_the_files_in_the_folder_and_in_every_folder_below_that_folder",
    ///  "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files_recursively", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// The prefix holds the name a person gave the server in the client. Here the server's own
    /// name stands in for it, so a name that is only too long with the prefix is information.
    LongName {
        id: "long-name",
        summary: "a name too long for model interfaces",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

/// The most characters several model interfaces accept.
const LONGEST: usize = 64;

impl Rule for LongName {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let server = context.listing.server.name.as_deref();
        let prefix = server.map_or(0, |server| "mcp____".len() + server.chars().count());
        for tool in &context.tools {
            let Some(value) = tool.tool.value().get("name") else {
                continue;
            };
            let Some(name) = value.as_str() else { continue };
            let length = name.chars().count();
            if length + prefix <= LONGEST || length > super::invalid_name::LONGEST {
                continue;
            }
            let page = tool.tool.page();
            let draft = match server {
                _ if length > LONGEST => findings.about(
                    &Self::META,
                    tool,
                    format!("the name has {length} characters: several model interfaces accept {LONGEST}"),
                ),
                Some(server) => findings
                    .about(
                        &Self::META,
                        tool,
                        format!(
                            "as `mcp__{server}__{name}` the name has {} characters: several model interfaces accept {LONGEST}",
                            length + prefix
                        ),
                    )
                    .severity(Severity::Info)
                    .confidence(Confidence::Medium),
                None => continue,
            };
            draft
                .at(page, value)
                .evidence(excerpt::string(
                    page,
                    value,
                    "too long with a client's prefix",
                ))
                .help("shorten the name; the client adds the server's name before it")
                .report();
        }
    }
}
