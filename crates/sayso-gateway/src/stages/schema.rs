//! JSON Schemas of servers: compiled once, within bounds, and told in words a caller can act on.
//!
//! A schema comes from a server, and so may a value. Neither may cost more than its size is worth:
//! a schema whose subschemas multiply is refused before it is compiled, and a check that goes on
//! for too long is broken off. Nothing is ever fetched for a `$ref`. `format` is an annotation, as
//! 2020-12 has it (Validation §7.2.1).

mod instance;
mod problem;

use jsonschema::PatternOptions;
use sayso_core::json::{Document, Limits, Value};
use sayso_core::reveal::reveal_line;
use sayso_core::schema_bounds;

use crate::settings::JournalSettings;
use instance::{Instance, Meter, Spans};
pub use problem::{Invalid, Problem};
pub(crate) use problem::{not_one_of, shortened, shown};

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
    /// How many values there are in it.
    values: usize,
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
            None => {
                return Err(SchemaProblem::new(
                    "it holds a number or text beyond all use",
                ));
            }
        };
        known_dialect(&schema)?;
        adapt(&mut schema);
        let text = serde_json::Value::Object(schema);
        schema_bounds::check(&text).map_err(|said| SchemaProblem::new(&said))?;
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
            values: count(document.root()),
            journal: journal.clone(),
        })
    }

    /// The schema as it was compiled.
    pub(crate) fn text(&self) -> &serde_json::Value {
        &self.text
    }

    /// Whether `value` fits, and all that is wrong where it does not.
    pub(crate) fn check(&self, value: Value<'_>) -> Result<(), Invalid> {
        if let Some(key) = repeated_key(value) {
            let message = format!("has the key `{}` more than once", reveal_line(key));
            return Err(Invalid::one(Problem::whole(&message)));
        }
        let meter = Meter::for_verdict(value);
        let fits = self.validator.is_valid(Instance::new(value, &meter));
        if let Some(broken_off) = meter.broken_off() {
            return Err(Invalid::one(Problem::whole(broken_off)));
        }
        if fits { Ok(()) } else { Err(self.tell(value)) }
    }

    /// All that is wrong. Every error the validator finds holds an outline of a value, so where
    /// that would be too much only that something is wrong.
    fn tell(&self, value: Value<'_>) -> Invalid {
        const MAX_OUTLINES: usize = 4_000_000;
        let mut told = Invalid::default();
        if count(value).saturating_mul(self.values) <= MAX_OUTLINES {
            let meter = Meter::for_details(value);
            for error in self.validator.iter_errors(Instance::new(value, &meter)) {
                problem::tell(&error, &self.text, &self.journal, &mut told);
                if told.is_more() {
                    break;
                }
            }
            if meter.broken_off().is_some() {
                told = Invalid::default();
            }
        }
        if told.problems().is_empty() {
            told = Invalid::one(Problem::whole("does not fit the schema"));
        }
        told
    }
}

/// Says whether the schema is written in a dialect that is known here.
fn known_dialect(schema: &serde_json::Map<String, serde_json::Value>) -> Result<(), SchemaProblem> {
    const KNOWN: [&str; 5] = [
        "draft/2020-12",
        "draft/2019-09",
        "draft-07",
        "draft-06",
        "draft-04",
    ];
    let Some(named) = schema.get("$schema") else {
        return Ok(());
    };
    let address = named.as_str().unwrap_or_default().trim_end_matches('#');
    let address = address
        .strip_prefix("https://json-schema.org/")
        .or_else(|| address.strip_prefix("http://json-schema.org/"));
    if address
        .and_then(|address| address.strip_suffix("/schema"))
        .is_some_and(|dialect| KNOWN.contains(&dialect))
    {
        return Ok(());
    }
    let said = format!(
        "its `$schema` {named} is no dialect known here; known are 2020-12, 2019-09, draft-07, draft-06 and draft-04"
    );
    Err(SchemaProblem::new(&said))
}

/// How many values there are in a value, itself included.
fn count(value: Value<'_>) -> usize {
    let members = value.members().map(|member| count(member.value));
    1 + members.sum::<usize>() + value.elements().map(count).sum::<usize>()
}

/// A key that is repeated in a value.
fn repeated_key(value: Value<'_>) -> Option<&str> {
    let span = value.span();
    let inside = |start: usize| (span.start..span.end).contains(&start);
    let mut duplicates = value.document().duplicates().iter();
    let found = duplicates.find(|duplicate| inside(duplicate.span.start))?;
    Some(&found.key)
}
