use crate::context::{Context, ToolReading};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool has a title, in either place.
    ///
    /// ## Why it matters
    /// Approval dialogs and tool lists show the title to a person; without one they show the name,
    /// which was made for a program.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "gh_pr_ls", "description": "Lists pull requests.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "gh_pr_ls", "title": "List pull requests", "description": "Lists pull requests.",
    ///  "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// Where no tool of the server has a title, it is said once, of the server.
    TitleMissing {
        id: "title-missing",
        summary: "a tool without a title for people",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for TitleMissing {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let without: Vec<&ToolReading<'_>> =
            context.tools.iter().filter(|tool| untitled(tool)).collect();
        if without.len() == context.tools.len() && without.len() > 1 {
            findings
                .about_listing(&Self::META, format!("none of the {} tools has a title", without.len()))
                .help("give each a short `title`; people see it when they are asked to approve a call")
                .report();
            return;
        }
        for tool in without {
            findings
                .about(
                    &Self::META,
                    tool,
                    "the tool has no title: people are shown its name",
                )
                .help("add a short `title`")
                .report();
        }
    }
}

fn untitled(tool: &ToolReading<'_>) -> bool {
    let root = tool.tool.value();
    root.is_object()
        && root.get("title").is_none()
        && !tool
            .claims
            .objects
            .iter()
            .any(|object| object.get("title").is_some())
}
