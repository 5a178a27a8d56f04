//! JSON Schemas of servers: compiled once, within bounds, and told in words a caller can act on.
//!
//! A schema comes from a server, and so may a value. Neither may cost more than its size is worth:
//! a schema whose subschemas multiply is refused before it is compiled, and a check that goes on
//! for too long is broken off. Nothing is ever fetched for a `$ref`. `format` is an annotation, as
//! 2020-12 has it (Validation §7.2.1).

mod bounds;
mod instance;
mod problem;

use jsonschema::PatternOptions;
use sayso_core::json::{Document, Limits, Value};
use sayso_core::reveal::reveal_line;

use instance::{Instance, Meter, Spans};
pub use problem::{Invalid, Problem};
pub(crate) use problem::{not_one_of, shortened, shown};
use crate::settings::JournalSettings;

/// Why a schema cannot be used. One line, safe to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaProblem(String);

impl SchemaProblem {
    /// `said` may hold text of the server.
    fn new(said: &str) -> Self {
        Self(problem::shortened(&reveal_line(said), 300))
    }
}

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Schema {
    validator: jsonschema::Validator<Spans>,
    text: serde_json::Value,
    /// Which values are not shown.
    journal: JournalSettings,
}

/// Bytes of a schema.
const MAX_BYTES: usize = 1 << 20;
/// Levels of nesting of a schema.
const MAX_DEPTH: usize = 64;
/// Values in a schema.
const MAX_VALUES: usize = 50_000;
/// Steps back in one match of a pattern that needs them.
const MAX_BACKTRACKS: usize = 100_000;
/// Bytes of one compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

impl Schema {
    /// Compiles the text of a schema, an object. `adapt` may change it before. Values `journal`
    /// hides are never shown.
    pub(crate) fn compile(
        text: &str,
        journal: &JournalSettings,
        adapt: impl FnOnce(&mut serde_json::Map<String, serde_json::Value>),
    ) -> Result<Self, SchemaProblem> {
        let limits = Limits {
            max_bytes: MAX_BYTES,
            max_depth: MAX_DEPTH,
            max_values: MAX_VALUES,
        };
        let document = Document::parse(text.to_owned(), &limits)
            .map_err(|error| SchemaProblem::new(&format!("it cannot be read: {error}")))?;
        if let Some(duplicate) = document.duplicates().first() {
            let said = format!("it has the key `{}` more than once", duplicate.key);
            return Err(SchemaProblem::new(&said));
        }
        let mut schema = match document.root().to_serde() {
            Some(serde_json::Value::Object(schema)) => schema,
            Some(_) => return Err(SchemaProblem::new("it is no object")),
            None => return Err(SchemaProblem::new("it holds a number or text beyond all use")),
        };
        adapt(&mut schema);
        let text = serde_json::Value::Object(schema);
        bounds::check(&text).map_err(|said| SchemaProblem::new(&said))?;
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(MAX_BACKTRACKS)
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES);
        let validator = jsonschema::options_for::<Spans>()
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(patterns)
            .build(&text)
            .map_err(|error| SchemaProblem::new(&problem::uncompilable(&error)))?;
        Ok(Self {
            validator,
            text,
            journal: journal.clone(),
        })
    }

    /// The schema as it was compiled.
    pub(crate) fn text(&self) -> &serde_json::Value {
        &self.text
    }

    /// Whether `value` fits, and all that is wrong where it does not.
    pub(crate) fn check(&self, value: Value<'_>) -> Result<(), Invalid> {
        let meter = Meter::for_value(value);
        let fits = self.validator.is_valid(Instance::new(value, &meter));
        if let Some(broken_off) = meter.broken_off() {
            return Err(Invalid::one(Problem::whole(broken_off)));
        }
        if fits {
            return Ok(());
        }
        // Telling what is wrong visits more than telling that something is.
        let meter = Meter::for_value(value);
        let mut told = Invalid::default();
        for error in self.validator.iter_errors(Instance::new(value, &meter)) {
            if told.is_full() {
                break;
            }
            problem::tell(&error, &self.text, &self.journal, &mut told);
        }
        if meter.broken_off().is_some() || told.problems().is_empty() {
            told = Invalid::one(Problem::whole("does not fit the schema"));
        }
        Err(told)
    }
}
