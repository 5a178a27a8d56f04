//! Results against the output schema.

use sayso_core::json::{Kind, Value};

pub use super::schema::{Invalid, Problem, SchemaProblem};

use super::schema::Schema;
use crate::settings::{JournalSettings, Results};

/// What the results of one tool are held against.
#[derive(Debug)]
pub struct Inspector {
    results: Results,
    /// Nothing where nothing is checked.
    schema: Option<Result<Schema, SchemaProblem>>,
}

/// What a result comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inspected {
    /// It fits, or is not checked.
    Passes,
    /// It does not fit and passes all the same; the journal says so.
    Warns(Invalid),
    /// It does not fit, and the caller gets an error instead.
    Fails(Invalid),
}

impl Inspector {
    /// Compiles a tool's `outputSchema`, given as its text, where results are checked.
    ///
    /// # Errors
    /// With [`Results::Strict`] when the schema cannot be used: no result of the tool could pass,
    /// so no call should be made.
    pub fn compile(
        output_schema: Option<&str>,
        results: Results,
        journal: &JournalSettings,
    ) -> Result<Self, SchemaProblem> {
        let text = output_schema.filter(|_| results != Results::Off);
        let schema = text.map(|text| Schema::compile(text, journal, |_| {}));
        match (results, schema) {
            (Results::Strict, Some(Err(problem))) => Err(problem),
            (_, schema) => Ok(Self { results, schema }),
        }
    }

    /// Holds the `result` of a call against the schema (MCP 2025-11-25, Tools §Output Schema:
    /// with an output schema a server has to give structured content that fits). What tells of an
    /// error, asks for input or stands for a task is not checked.
    #[must_use]
    pub fn inspect(&self, result: Value<'_>) -> Inspected {
        let Some(schema) = &self.schema else {
            return Inspected::Passes;
        };
        if !is_complete(result) {
            return Inspected::Passes;
        }
        let found = match schema {
            Err(problem) => Err(Invalid::one(Problem::whole(&format!(
                "cannot be checked: of the output schema, {problem}"
            )))),
            Ok(schema) => match result.get("structuredContent") {
                None => Err(Invalid::one(Problem::whole(
                    "`structuredContent` is missing, and the tool has an output schema",
                ))),
                Some(content) => schema.check(content),
            },
        };
        match (found, self.results) {
            (Ok(()), _) => Inspected::Passes,
            (Err(invalid), Results::Strict) => Inspected::Fails(invalid),
            (Err(invalid), _) => Inspected::Warns(invalid),
        }
    }
}

/// Whether a result is what the tool returns, as opposed to an error, a question or a task.
fn is_complete(result: Value<'_>) -> bool {
    let is_error = result.get("isError").and_then(Value::as_bool) == Some(true);
    let of_other_type = result
        .get("resultType")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind != "complete");
    let has = |key| result.get(key).is_some();
    let is_task = result.get("task").map(Value::kind) == Some(Kind::Object)
        && !has("content")
        && !has("structuredContent");
    !is_error && !of_other_type && !is_task
}
