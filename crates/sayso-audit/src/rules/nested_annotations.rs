use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That the hints are not one level too deep, as `annotations.annotations`.
    ///
    /// ## Why it matters
    /// It happens when a framework's helper takes `{annotations: …}` and the caller passes the
    /// whole options object again. The hints are on the wire, yet no client looks there, so every
    /// tool counts as undeclared.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"title": "List files", "annotations": {"readOnlyHint": true}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"title": "List files", "readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// It looks one level down, at an object called `annotations`.
    NestedAnnotations {
        id: "nested-annotations",
        summary: "annotations inside annotations",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for NestedAnnotations {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let page = tool.tool.page();
        for nested in tool
            .claims
            .objects
            .iter()
            .filter_map(|object| object.get("annotations"))
        {
            let hints: Vec<(Hint, Option<bool>)> = nested
                .members()
                .filter_map(|member| Some((Hint::from_key(&member.key)?, member.value.as_bool())))
                .collect();
            let message = match hints.as_slice() {
                [] => "annotations holds another `annotations`, which no client reads".to_owned(),
                [(hint, _)] => {
                    format!("{hint} is inside annotations.annotations, where no client reads it")
                }
                several => format!(
                    "{} hints are inside annotations.annotations, where no client reads them",
                    several.len()
                ),
            };
            let mut draft = findings
                .about(&Self::META, tool, message)
                .at(page, nested)
                .evidence(excerpt::key(page, nested, "one level too deep"))
                .help("move its members up into the outer `annotations`");
            for (hint, value) in hints {
                let declared = tool.states.get(hint).boolean().is_some();
                if let Some(value) = value.filter(|_| !declared) {
                    draft = draft.suggest(hint, value);
                }
            }
            draft.report();
        }
    }
}
