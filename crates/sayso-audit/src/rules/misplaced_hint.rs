use sayso_core::hint::Hint;
use sayso_core::json::{Member, Value};

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no hint stands at the top level of a tool, in `_meta`, in `execution` or in the root
    /// of `inputSchema`.
    ///
    /// ## Why it matters
    /// Clients read hints in `annotations` and nowhere else. A hint elsewhere was meant and has no
    /// effect, so the default holds.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "readOnlyHint": true, "annotations": {"openWorldHint": false}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "openWorldHint": false}}
    /// ```
    ///
    /// ## Limits
    /// A copy that says what `annotations` says too is let be. An argument that is called like a
    /// hint is no hint.
    MisplacedHint {
        id: "misplaced-hint",
        summary: "a hint outside annotations",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for MisplacedHint {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let root = tool.tool.value();
        for member in root.members() {
            match &*member.key {
                "annotations" => {}
                "_meta" | "execution" | "inputSchema" => {
                    for inner in member.value.members() {
                        if inner.key == "annotations" && inner.value.is_object() {
                            let place = format!("in `{}.annotations`", member.key);
                            inner
                                .value
                                .members()
                                .for_each(|hint| look(tool, &hint, &place, findings));
                        } else {
                            look(tool, &inner, &format!("in `{}`", member.key), findings);
                        }
                    }
                }
                _ => look(tool, &member, "at the top level of the tool", findings),
            }
        }
    }
}

fn look(tool: &ToolReading<'_>, member: &Member<'_>, place: &str, findings: &mut Findings) {
    let Some(hint) = Some(&*member.key)
        .filter(|key| key.ends_with("Hint"))
        .and_then(Hint::from_key)
    else {
        return;
    };
    let page = tool.tool.page();
    let here = member.value.as_bool();
    let declared = tool.states.get(hint).boolean();
    if here.is_some() && here == declared {
        return;
    }
    let message = match declared {
        Some(declared) => format!(
            "{hint} {place} is {}, and {declared} in annotations: clients read {declared}",
            say(member.value)
        ),
        None => format!("{hint} stands {place}, where no client reads it"),
    };
    let mut draft = findings
        .about(&MisplacedHint::META, tool, message)
        .at(page, member.value)
        .hint(hint)
        .evidence(excerpt::key(page, member.value, "not read here"))
        .help("move it into `annotations`");
    if let (Some(value), None) = (here, declared) {
        draft = draft.suggest(hint, value);
    }
    draft.report();
}

fn say(value: Value<'_>) -> String {
    excerpt::brief(value)
}
