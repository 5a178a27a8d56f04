//! A file of evidence from its text.

use std::fmt;

use sayso_core::json::{Document, Limits, LineColumn, Value};
use sayso_core::reveal::reveal_line;

use super::{EvidenceFile, FORMAT, form};

/// What is wrong with a file of evidence, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceError {
    file: String,
    line: usize,
    column: usize,
    message: String,
    hint: &'static str,
}

/// What to do about what a program wrote and something else changed.
const NOT_BY_HAND: &str = "the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew";

impl EvidenceError {
    /// What to do next, as a sentence without a full stop.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        self.hint
    }

    fn at(file: &str, place: LineColumn, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: place.line,
            column: place.column,
            message: message.into(),
            hint: NOT_BY_HAND,
        }
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl std::error::Error for EvidenceError {}

pub(super) fn read(text: &str, file: &str) -> Result<EvidenceFile, EvidenceError> {
    let document = Document::parse(text.to_owned(), &Limits::default()).map_err(|error| {
        let place = sayso_core::json::line_column(text, error.offset);
        EvidenceError::at(file, place, format!("this is not JSON: {}", error.kind))
    })?;
    if let Some(twice) = document.duplicates().first() {
        let place = document.line_column(twice.span.start);
        let message = format!(
            "the key `{}` stands here a second time",
            reveal_line(&twice.key)
        );
        return Err(EvidenceError::at(file, place, message));
    }
    let root = document.root();
    let format = root.get("format");
    let number = format.and_then(Value::as_f64);
    if let (Some(format), Some(number)) = (format, number)
        && number > f64::from(FORMAT)
    {
        let place = document.line_column(format.span().start);
        let message = format!("it has format {number}, and this version reads format {FORMAT}");
        return Err(EvidenceError {
            hint: "use the version of sayso that wrote it, or a later one",
            ..EvidenceError::at(file, place, message)
        });
    }
    if number != Some(f64::from(FORMAT)) {
        let at = format.unwrap_or(root).span().start;
        let message = format!("expected `\"format\": {FORMAT}`");
        return Err(EvidenceError::at(file, document.line_column(at), message));
    }
    let read: form::File = serde_json::from_str(text).map_err(|error| {
        let place = LineColumn {
            line: error.line(),
            column: error.column(),
        };
        let said = error.to_string();
        // The place stands before the message already.
        let said = said
            .rsplit_once(" at line ")
            .map_or(&*said, |(said, _)| said);
        EvidenceError::at(file, place, said)
    })?;
    match wrong_date(root) {
        None => Ok(EvidenceFile::from(read)),
        Some(value) => {
            let place = document.line_column(value.span().start);
            let message = format!("{} is no date: expected `YYYY-MM-DD`", value.raw());
            Err(EvidenceError::at(file, place, message))
        }
    }
}

/// The first date that is none.
fn wrong_date(root: Value<'_>) -> Option<Value<'_>> {
    let servers = root.get("servers").into_iter().flat_map(Value::members);
    let tools = servers
        .filter_map(|server| server.value.get("tools"))
        .flat_map(Value::members);
    let entries = tools.flat_map(|tool| tool.value.elements());
    let mut dates = entries.filter_map(|entry| entry.get("date"));
    dates.find(|date| !date.as_str().is_some_and(|date| is_date(&date)))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2]
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}
