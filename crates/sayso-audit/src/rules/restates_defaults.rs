use sayso_core::hint::Claim;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// Whether a tool declares `openWorldHint: true`, `idempotentHint: false` or both, which are the
    /// defaults, and says nothing about what it changes.
    ///
    /// ## Why it matters
    /// A client acts the same with and without these hints. It may be a decision worth writing
    /// down; as often it is a framework's stamp, or the one hint that mattered was left out: a
    /// search tool with nothing but `openWorldHint: true` counts as destructive.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "web_lookup", "description": "Looks a page up.", "inputSchema": {"type": "object"},
    ///  "annotations": {"openWorldHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "web_lookup", "description": "Looks a page up.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": true}}
    /// ```
    ///
    /// ## Limits
    /// A tool that declares `readOnlyHint` or `destructiveHint` has said what it changes, also when
    /// that is the default.
    RestatesDefaults {
        id: "restates-defaults",
        summary: "only hints that equal their defaults",
        severity: Info,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for RestatesDefaults {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let claims = &tool.states;
        let silent = [claims.read_only, claims.destructive]
            .iter()
            .all(|claim| *claim == Claim::Absent);
        let restated = claims
            .iter()
            .filter(|(hint, claim)| claim.boolean() == Some(hint.default_value()))
            .count();
        let other = claims
            .iter()
            .any(|(hint, claim)| claim.boolean() == Some(!hint.default_value()));
        if !silent || restated == 0 || other {
            return;
        }
        let Some(object) = tool.claims.objects.first() else {
            return;
        };
        let page = tool.tool.page();
        findings
            .about(
                &Self::META,
                tool,
                format!(
                    "{}: a client acts as if nothing had been declared",
                    if restated == 1 {
                        "the one hint declared equals its default"
                    } else {
                        "the two hints declared equal their defaults"
                    }
                ),
            )
            .at(page, *object)
            .evidence(excerpt::member(page, *object, "the defaults again"))
            .help("say what the tool changes: `readOnlyHint: true`, or `false` with `destructiveHint`")
            .report();
    }
}
