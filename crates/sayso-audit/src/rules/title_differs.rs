use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That `title` and `annotations.title` say the same where both are there.
    ///
    /// ## Why it matters
    /// Clients that know the newer place show `title`, older ones and some directories show
    /// `annotations.title`. Two people approving the same call then read different words.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"},
    ///  "annotations": {"title": "Show folder", "readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.",
    ///  "inputSchema": {"type": "object"},
    ///  "annotations": {"title": "List files", "readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// None known.
    TitleDiffers {
        id: "title-differs",
        summary: "two titles that differ",
        severity: Warning,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for TitleDiffers {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let Some(outer) = tool.tool.value().get("title") else {
            return;
        };
        let Some(inner) = tool
            .claims
            .objects
            .first()
            .and_then(|object| object.get("title"))
        else {
            return;
        };
        let (Some(first), Some(second)) = (outer.as_str(), inner.as_str()) else {
            return;
        };
        if first.trim() == second.trim() {
            return;
        }
        let page = tool.tool.page();
        findings
            .about(
                &Self::META,
                tool,
                "the tool has two titles that differ: it depends on the client which one is shown",
            )
            .at(page, inner)
            .evidence(excerpt::string(
                page,
                outer,
                "`title`, shown by newer clients",
            ))
            .evidence(excerpt::string(
                page,
                inner,
                "`annotations.title`, shown by older ones",
            ))
            .help("use one text in both places")
            .report();
    }
}
