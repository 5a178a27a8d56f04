use sayso_core::finding::Severity;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};
use crate::schema::{self, Fault};

rule! {
    /// ## What it checks
    /// That `inputSchema` is there, is an object with `type: "object"`, breaks no rule of JSON
    /// Schema, and that references in it lead somewhere inside it.
    ///
    /// ## Why it matters
    /// Clients validate in one piece: a schema they cannot read drops every tool of the server, or
    /// makes the model's interface refuse each request. Where it goes through, arguments are not
    /// checked as the author meant.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "read_file", "title": "Read file", "description": "Reads a file.",
    ///  "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, "required": ["path"]}},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "read_file", "title": "Read file", "description": "Reads a file.",
    ///  "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// It knows draft-07, 2019-09 and 2020-12; of other dialects it checks the root alone. Regular
    /// expressions are not compiled. A reference that leads outside is a warning: clients must not
    /// follow it by themselves.
    InvalidInputSchema {
        id: "invalid-input-schema",
        summary: "an input schema that is missing or broken",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for InvalidInputSchema {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let page = tool.tool.page();
        let Some(schema) = tool.tool.input_schema() else {
            if tool.tool.value().is_object() {
                findings
                    .about(&Self::META, tool, "the tool has no inputSchema: clients that validate refuse the whole list")
                    .help("write `\"inputSchema\": {\"type\": \"object\"}` for a tool without arguments")
                    .report();
            }
            return;
        };
        for problem in schema::check(schema) {
            let (severity, help) = match problem.fault {
                Fault::Root => (
                    Severity::Error,
                    "write `\"type\": \"object\"` at the root; combine schemas below it",
                ),
                Fault::Invalid => (Severity::Error, "write what JSON Schema allows here"),
                Fault::Dangling => (Severity::Error, "define what it points at, under `$defs`"),
                Fault::External => (Severity::Warning, "copy what it points at into `$defs`"),
            };
            findings
                .about(&Self::META, tool, problem.message)
                .at(page, problem.at)
                .severity(severity)
                .evidence(excerpt::member(page, problem.at, "here"))
                .help(help)
                .report();
        }
    }
}
