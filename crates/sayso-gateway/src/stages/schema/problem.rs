//! What is wrong with a value, in words a caller can act on.

use std::fmt::{self, Write as _};

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use sayso_core::json::Pointer;
use sayso_core::reveal::reveal_line;
use sayso_core::suggest::nearest;
use serde_json::Value;

use crate::settings::JournalSettings;

/// Problems that are told of one value.
const MAX_PROBLEMS: usize = 10;
/// Allowed values that are named.
const MAX_OPTIONS: usize = 8;
/// Characters of a value that are shown.
const MAX_SHOWN: usize = 40;

/// One thing that is wrong with a value. All text is safe to show and short.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// Where: a JSON pointer (RFC 6901) into the arguments or the structured content.
    pub pointer: Pointer,
    /// What is wrong there, such as ``"wikis" is not one of `"wiki"`, `"blog"` ``. A value whose
    /// name says that it is secret is not in it.
    pub message: String,
    /// The allowed value that is most like it, as JSON; of an unknown name the known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Whether it is the operator's restriction, not the schema, that is not met.
    #[serde(skip)]
    pub restricted: bool,
}

impl Problem {
    /// Something about the whole value.
    pub(crate) fn whole(message: &str) -> Self {
        Self::at(&Pointer::default(), message)
    }

    /// Something at a place.
    pub(crate) fn at(pointer: &Pointer, message: &str) -> Self {
        Self {
            pointer: pointer.clone(),
            message: shortened(message, 300),
            nearest: None,
            restricted: false,
        }
    }

    /// With what is allowed instead.
    pub(crate) fn with_nearest(mut self, nearest: Option<String>) -> Self {
        self.nearest = nearest.map(|nearest| shortened(&reveal_line(&nearest), MAX_SHOWN));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.as_str().is_empty() {
            let pointer = reveal_line(self.pointer.as_str());
            write!(f, "`{}`: ", shortened(&pointer, 120))?;
        }
        f.write_str(&self.message)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; the nearest that is allowed: `{nearest}`"),
            None => Ok(()),
        }
    }
}

/// All that is wrong with a value; up to ten things are told.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.line())]
pub struct Invalid {
    problems: Vec<Problem>,
    more: bool,
}

impl Invalid {
    pub(crate) fn one(problem: Problem) -> Self {
        Self {
            problems: vec![problem],
            more: false,
        }
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        if self.is_full() {
            self.more = true;
        } else if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    /// Whether more is wrong than is told.
    pub(crate) fn is_more(&self) -> bool {
        self.more
    }

    /// What is wrong, at least one thing.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether only the operator's restrictions are not met, and the schema is.
    #[must_use]
    pub fn is_restriction(&self) -> bool {
        self.problems.iter().all(|problem| problem.restricted)
    }

    /// All on one line.
    fn line(&self) -> String {
        let mut line = String::new();
        for problem in &self.problems {
            let comma = if line.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(line, "{comma}{problem}");
        }
        if self.more {
            line.push_str("; and more");
        }
        line
    }
}

/// A text of at most so many characters.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text.to_owned(),
    }
}

/// What a value at a place is called: short, and safe to show.
pub(crate) fn shown(value: &Value, pointer: &Pointer, journal: &JournalSettings) -> String {
    if pointer.steps().any(|step| journal.hides(&step)) {
        return "the value".to_owned();
    }
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => {
            let short = shortened(text, MAX_SHOWN);
            reveal_line(&Value::from(short).to_string()).into_owned()
        }
        other => shortened(&other.to_string(), MAX_SHOWN),
    }
}

/// Why a schema does not compile, without all of the schema: most often since it does not fit the
/// schema of schemas.
pub(super) fn uncompilable(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Referencing(said) => format!("one of its references cannot be used: {said}"),
        Kind::Format { format } if format == "regex" => {
            let at = error.instance_path().as_str();
            format!("`{at}`: a pattern that cannot be used")
        }
        _ => {
            let mut told = Invalid::default();
            tell(error, &Value::Null, &JournalSettings::default(), &mut told);
            let first = told.problems.first().map(ToString::to_string);
            first.unwrap_or_default()
        }
    }
}

/// Tells one error of the validator as problems.
pub(super) fn tell(
    error: &ValidationError<'_>,
    schema: &Value,
    journal: &JournalSettings,
    into: &mut Invalid,
) {
    let at = pointer(error.instance_path().as_str());
    let value = error.instance();
    let shown = shown(value, &at, journal);
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = known_names(error, schema);
            for name in unexpected {
                into.add(unknown_name(&at, name, &known));
            }
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            into.add(Problem::at(&at.join(name), "is missing"));
        }
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            into.add(not_one_of(&at, value, &shown, options));
        }
        Kind::Constant { expected_value } => {
            let options = std::slice::from_ref(&**expected_value);
            into.add(not_one_of(&at, value, &shown, options));
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            no_form(&at, value, &shown, context, schema, journal, into);
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            into.add(Problem::at(&at.join(name), "is a name that is not allowed"));
        }
        kind => {
            let (message, nearest) = simple(kind, value, &shown);
            into.add(Problem::at(&at, &message).with_nearest(nearest));
        }
    }
}

fn pointer(text: &str) -> Pointer {
    let unescape = |step: &str| step.replace("~1", "/").replace("~0", "~");
    Pointer::from_steps(text.split('/').skip(1).map(unescape))
}

/// What is wrong, and the nearest value that would not be.
fn simple(kind: &Kind, value: &Value, shown: &str) -> (String, Option<String>) {
    let said = match kind {
        Kind::Type { kind } => match value {
            Value::Object(_) | Value::Array(_) | Value::Null => {
                format!("is {}, not {}", a_kind(value), types(kind))
            }
            _ => format!("{shown} is {}, not {}", a_kind(value), types(kind)),
        },
        Kind::Minimum { limit } => {
            return (
                format!("{shown} is less than {limit}"),
                Some(limit.to_string()),
            );
        }
        Kind::Maximum { limit } => {
            return (
                format!("{shown} is more than {limit}"),
                Some(limit.to_string()),
            );
        }
        Kind::ExclusiveMinimum { limit } => format!("{shown} is not more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("{shown} is not less than {limit}"),
        Kind::MultipleOf { multiple_of } => {
            format!("{shown} is no multiple of {multiple_of}")
        }
        Kind::MinLength { limit } => {
            format!("{shown} is shorter than {}", counted(*limit, "character"))
        }
        Kind::MaxLength { limit } => {
            format!("{shown} is longer than {}", counted(*limit, "character"))
        }
        Kind::MinItems { limit } => format!("has fewer than {}", counted(*limit, "element")),
        Kind::MaxItems { limit } => format!("has more than {}", counted(*limit, "element")),
        Kind::AdditionalItems { limit } => {
            format!("has more than {}", counted(*limit as u64, "element"))
        }
        Kind::UnevaluatedItems { .. } => "has more elements than are allowed".to_owned(),
        Kind::MinProperties { limit } => format!("has fewer than {}", counted(*limit, "member")),
        Kind::MaxProperties { limit } => format!("has more than {}", counted(*limit, "member")),
        Kind::UniqueItems => "has equal elements".to_owned(),
        Kind::Contains => "does not have the elements it needs".to_owned(),
        Kind::Pattern { pattern } => {
            let pattern = shortened(&reveal_line(pattern), 80);
            format!("{shown} does not match the pattern `{pattern}`")
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            format!("{shown} cannot be held against the pattern: it would take too long")
        }
        Kind::OneOfMultipleValid { .. } => {
            format!("{shown} fits more than one form, and may fit only one")
        }
        Kind::FalseSchema | Kind::Not { .. } => format!("{shown} is not allowed here"),
        other => format!("{shown} does not fit `{}`", other.keyword()),
    };
    (said, None)
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn a_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn types(kind: &TypeKind) -> String {
    let name = |kind| match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    };
    match kind {
        TypeKind::Single(one) => name(*one).to_owned(),
        TypeKind::Multiple(several) => {
            let names: Vec<_> = several.iter().map(name).collect();
            names.join(" or ")
        }
    }
}

/// A name nothing is known of.
pub(crate) fn unknown_name(at: &Pointer, name: &str, known: &[&str]) -> Problem {
    let message = if known.is_empty() {
        "is unknown, and nothing is known here".to_owned()
    } else {
        let names = known.iter().map(|name| format!("`{}`", reveal_line(name)));
        format!("is unknown; known here: {}", listed(names, known.len()))
    };
    let likely = nearest(name, known.iter().copied()).map(str::to_owned);
    Problem::at(&at.clone().join(name), &message).with_nearest(likely)
}

/// The names in `properties` beside the keyword that refused one.
fn known_names<'s>(error: &ValidationError<'_>, schema: &'s Value) -> Vec<&'s str> {
    let path = error.schema_path().as_str();
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let properties = schema
        .pointer(parent)
        .and_then(|parent| parent.get("properties"))
        .and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect()
}

/// A value that is none of those allowed.
pub(crate) fn not_one_of(at: &Pointer, value: &Value, shown: &str, options: &[Value]) -> Problem {
    let names = options.iter().map(|option| {
        format!(
            "`{}`",
            shortened(&reveal_line(&option.to_string()), MAX_SHOWN)
        )
    });
    let message = match options {
        [_] => format!("{shown} is not {}", listed(names, 1)),
        _ => format!("{shown} is not one of {}", listed(names, options.len())),
    };
    Problem::at(at, &message).with_nearest(nearest_option(value, options))
}

/// The first few, and how many more there are.
fn listed(names: impl Iterator<Item = String>, count: usize) -> String {
    let mut listed = names.take(MAX_OPTIONS).collect::<Vec<_>>().join(", ");
    if count > MAX_OPTIONS {
        // Writing to a string cannot fail.
        let _ = write!(listed, " and {} more", count - MAX_OPTIONS);
    }
    listed
}

fn nearest_option(value: &Value, options: &[Value]) -> Option<String> {
    if let [only] = options {
        return Some(only.to_string());
    }
    if let Some(number) = value.as_f64() {
        let distance = |option: &Value| option.as_f64().map(|option| (option - number).abs());
        let closest = options
            .iter()
            .filter_map(|option| Some((distance(option)?, option)))
            .min_by(|(one, _), (other, _)| one.total_cmp(other));
        return closest.map(|(_, option)| option.to_string());
    }
    let written = match value {
        Value::String(text) => shortened(text, 200).to_lowercase(),
        other => other.to_string(),
    };
    let words: Vec<(String, &Value)> = options
        .iter()
        .filter(|option| !option.is_object() && !option.is_array())
        .map(|option| {
            (
                option
                    .as_str()
                    .map_or(option.to_string(), str::to_lowercase),
                option,
            )
        })
        .collect();
    let word = nearest(&written, words.iter().map(|(word, _)| word.as_str()))?;
    let found = words.iter().find(|(known, _)| known == word);
    found.map(|(_, option)| option.to_string())
}

/// None of several forms fits.
fn no_form(
    at: &Pointer,
    value: &Value,
    shown: &str,
    forms: &[Vec<ValidationError<'static>>],
    schema: &Value,
    journal: &JournalSettings,
    into: &mut Invalid,
) {
    let mut options = Vec::new();
    let only_values = forms.iter().all(|errors| match errors.as_slice() {
        [error] if pointer(error.instance_path().as_str()) == *at => match error.kind() {
            Kind::Enum { options: some } => {
                options.extend(some.as_array().into_iter().flatten().cloned());
                true
            }
            Kind::Constant { expected_value } => {
                options.push((**expected_value).clone());
                true
            }
            Kind::Type { .. } => true,
            _ => false,
        },
        _ => false,
    });
    if only_values && !options.is_empty() {
        into.add(not_one_of(at, value, shown, &options));
        return;
    }
    let message = format!("{shown} fits none of the {} forms allowed", forms.len());
    into.add(Problem::at(at, &message));
    // The form meant is most likely the one of the right type with the least wrong.
    let meant = forms
        .iter()
        .filter(|errors| {
            let of_other_type = |error: &ValidationError<'_>| {
                matches!(error.kind(), Kind::Type { .. })
                    && pointer(error.instance_path().as_str()) == *at
            };
            !errors.iter().any(of_other_type)
        })
        .min_by_key(|errors| errors.len());
    for error in meant.into_iter().flatten() {
        if into.is_full() {
            break;
        }
        tell(error, schema, journal, into);
    }
}
