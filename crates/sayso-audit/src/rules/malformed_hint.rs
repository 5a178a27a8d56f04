use sayso_core::hint::Claim;
use sayso_core::json::{Kind, Value};

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That a hint is `true` or `false` and nothing else: not `"true"`, not `1`, not a list.
    ///
    /// ## Why it matters
    /// Clients disagree about it. The Python SDK reads `"true"`, `"yes"` and `1` as true; the
    /// TypeScript and Rust SDKs refuse the whole list, so one such hint hides every tool of the
    /// server. A gateway that drops the hint leaves the worst-case default.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": "true"}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// A hint that is `null` is reported by `null-hint`.
    MalformedHint {
        id: "malformed-hint",
        summary: "a hint that is neither true nor false",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for MalformedHint {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        for (hint, located) in tool.claims.hints.iter() {
            let (Claim::Malformed, [value]) = (located.claim, located.values.as_slice()) else {
                continue;
            };
            let page = tool.tool.page();
            let mut draft = findings
                .about(
                    &Self::META,
                    tool,
                    format!(
                        "{hint} is {}, not a boolean: {}",
                        excerpt::brief(*value),
                        readers(*value)
                    ),
                )
                .at(page, *value)
                .hint(hint)
                .evidence(excerpt::member(page, *value, "not a boolean"));
            draft = match meant(*value) {
                Some(meant) => draft
                    .help(format!("write the JSON literal `{meant}`"))
                    .suggest(hint, meant),
                None => draft.help("write `true` or `false`"),
            };
            draft.report();
        }
    }
}

/// The boolean that was meant, where that is plain.
fn meant(value: Value<'_>) -> Option<bool> {
    python(value).or_else(
        || match value.as_str()?.trim().to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
    )
}

/// What the Python SDK reads (pydantic's lax mode); nothing where it refuses too.
fn python(value: Value<'_>) -> Option<bool> {
    match value.kind() {
        Kind::String => match value.as_str()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" | "t" | "y" => Some(true),
            "false" | "no" | "off" | "0" | "f" | "n" => Some(false),
            _ => None,
        },
        Kind::Number => match value.as_f64()? {
            1.0 => Some(true),
            0.0 => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// What each family of readers makes of it.
fn readers(value: Value<'_>) -> String {
    match python(value) {
        Some(read) => format!(
            "the Python SDK reads {read}, the TypeScript and Rust SDKs refuse the whole list"
        ),
        None => "every SDK that validates refuses the whole list".to_owned(),
    }
}
