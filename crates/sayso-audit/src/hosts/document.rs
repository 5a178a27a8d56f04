//! JSON, JSON with comments, TOML and YAML as one tree that knows where every
//! value stands.

mod yaml;

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::de::{DeTable, DeValue};

use super::problem::{ConfigurationProblem, Severity};
use super::profile::Format;

/// Line and column in characters, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Position {
    /// The beginning of a file.
    pub(super) const START: Self = Self { line: 1, column: 1 };
}

/// A value and where it stands. No `Debug`: values may be secrets.
pub(super) struct Node {
    pub(super) at: Position,
    pub(super) value: Value,
}

/// What stands there.
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    List(Vec<Node>),
    Table(Vec<Member>),
}

/// A key of a table with its value, in the order of the file.
pub(super) struct Member {
    pub(super) key: String,
    pub(super) at: Position,
    pub(super) value: Node,
}

impl Node {
    /// The value of a key. Of two with the same key the later counts, as in
    /// JavaScript's `JSON.parse`.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        self.members()
            .iter()
            .rev()
            .find(|member| member.key == key)
            .map(|member| &member.value)
    }

    /// The keys and values of a table; nothing for any other value.
    pub(super) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Table(members) => members,
            _ => &[],
        }
    }

    /// The elements of a list; nothing for any other value.
    pub(super) fn elements(&self) -> &[Self] {
        match &self.value {
            Value::List(elements) => elements,
            _ => &[],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, with its article, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// A document and what had to be forgiven to read it.
pub(super) struct Document {
    /// `None` when there is nothing but white space and comments.
    pub(super) root: Option<Node>,
    pub(super) notes: Vec<ConfigurationProblem>,
}

/// Reads a document. One byte order mark at the beginning is dropped; JSON may
/// have comments and trailing commas. Both are noted.
pub(super) fn parse(
    text: &str,
    format: Format,
    file: &str,
) -> Result<Document, ConfigurationProblem> {
    let mut notes = Vec::new();
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            let message = "the file begins with a byte order mark".to_owned();
            notes.push(
                ConfigurationProblem::new(Severity::Note, file, Position::START, message).hint(
                    "save it as UTF-8 without one: some hosts refuse the file or lose its servers",
                ),
            );
            rest
        }
        None => text,
    };
    let parsed = match format {
        Format::Json => json(text, file, &mut notes),
        Format::Jsonc => jsonc(text, true),
        Format::Toml => toml(text),
        Format::Yaml => yaml::parse(text),
    };
    match parsed {
        Ok(root) => Ok(Document { root, notes }),
        Err((at, reason)) => {
            let message = format!("not {format}: {reason}");
            Err(
                ConfigurationProblem::new(Severity::Error, file, at, message)
                    .hint("the host cannot read the file either; mend it there"),
            )
        }
    }
}

type Parsed = Result<Option<Node>, (Position, String)>;

fn json(text: &str, file: &str, notes: &mut Vec<ConfigurationProblem>) -> Parsed {
    let strict = jsonc(text, false);
    let Err((at, _)) = &strict else {
        return strict;
    };
    let lenient = jsonc(text, true);
    if lenient.is_ok() {
        let message = "comments or trailing commas in plain JSON".to_owned();
        notes.push(
            ConfigurationProblem::new(Severity::Note, file, *at, message)
                .hint("read all the same; this host is not known to allow them"),
        );
    }
    lenient
}

fn jsonc(text: &str, comments_and_trailing_commas: bool) -> Parsed {
    let options = ParseOptions {
        allow_comments: comments_and_trailing_commas,
        allow_trailing_commas: comments_and_trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let lines = Lines::new(text);
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(result) => Ok(result.value.map(|value| from_json(value, &lines))),
        Err(error) => {
            let reason = lower_first(&error.kind().to_string());
            Err((lines.position(error.range().start), reason))
        }
    }
}

fn from_json(value: ast::Value<'_>, lines: &Lines<'_>) -> Node {
    use jsonc_parser::common::Ranged;

    let at = lines.position(value.start());
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::Array(array) => Value::List(
            array
                .elements
                .into_iter()
                .map(|element| from_json(element, lines))
                .collect(),
        ),
        ast::Value::Object(object) => Value::Table(
            object
                .properties
                .into_iter()
                .map(|property| Member {
                    at: lines.position(property.range.start),
                    key: property.name.into_string(),
                    value: from_json(property.value, lines),
                })
                .collect(),
        ),
    };
    Node { at, value }
}

fn toml(text: &str) -> Parsed {
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        (
            lines.position(start),
            lower_first(error.message().lines().next().unwrap_or_default()),
        )
    })?;
    let at = Position::START;
    Ok(Some(Node {
        at,
        value: from_toml_table(table.into_inner(), &lines),
    }))
}

fn from_toml_table(table: DeTable<'_>, lines: &Lines<'_>) -> Value {
    let mut members: Vec<(usize, Member)> = table
        .into_iter()
        .map(|(key, value)| {
            let start = key.span().start;
            let at = lines.position(start);
            let key = key.into_inner().into_owned();
            let value_at = lines.position(value.span().start);
            let value = Node {
                at: value_at,
                value: from_toml(value.into_inner(), lines),
            };
            (start, Member { key, at, value })
        })
        .collect();
    // The parser sorts by key; people think in the order of the file.
    members.sort_by_key(|(start, _)| *start);
    Value::Table(members.into_iter().map(|(_, member)| member).collect())
}

fn from_toml(value: DeValue<'_>, lines: &Lines<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => Value::Number(number.to_string()),
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(array) => Value::List(
            array
                .into_iter()
                .map(|element| Node {
                    at: lines.position(element.span().start),
                    value: from_toml(element.into_inner(), lines),
                })
                .collect(),
        ),
        DeValue::Table(table) => from_toml_table(table, lines),
    }
}

/// Turns byte offsets into positions.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(index, _)| index + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self
            .text
            .get(start..offset)
            .map_or(0, |before| before.chars().count());
        Position {
            line,
            column: before + 1,
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
