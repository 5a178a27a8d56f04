use sayso_core::hint::{Claim, Hint};

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a tool which claims `readOnlyHint: false` also says whether it is destructive.
    ///
    /// ## Why it matters
    /// The first hint opens the question and the second answers it. Left open, clients treat the
    /// tool as destructive, also one that only adds, and ask before every call.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "create_note", "description": "Creates a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "create_note", "description": "Creates a note.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": false}}
    /// ```
    ///
    /// ## Limits
    /// The default is a legitimate answer for a tool that does destroy, so this is information;
    /// profiles of directories that do not honour defaults raise it. It says nothing when another
    /// rule already reports the state of `destructiveHint`.
    HalfDeclared {
        id: "half-declared",
        summary: "a tool that writes and does not say whether it destroys",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for HalfDeclared {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        if tool.states.read_only != Claim::False || tool.states.destructive != Claim::Absent {
            return;
        }
        let Some(value) = tool.claims.hints.read_only.values.first() else {
            return;
        };
        let page = tool.tool.page();
        findings
            .about(
                &Self::META,
                tool,
                "readOnlyHint is false and destructiveHint is left out: clients treat the tool as destructive",
            )
            .at(page, *value)
            .hint(Hint::Destructive)
            .evidence(excerpt::member(page, *value, "half of the answer"))
            .help("say which: `destructiveHint: false` if it only adds, `true` if it removes or overwrites")
            .report();
    }
}
