//! Listings that were written to a file: by a client, a log, or a person.

mod transcript;

use sayso_core::json::{
    Document, Limits, LineColumn, ParseError, ParseErrorKind, Value, line_column,
};
use sayso_core::listing::{Listing, ObservationKind, Page};

use self::transcript::Transcript;
use crate::error::unless_limit;
use crate::frames::BYTE_ORDER_MARK;
use crate::identity;
use crate::inbox::excerpt;
use crate::page::PageParts;

/// Why a file holds no listing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}{}: {kind}", place(.at.as_ref()))]
pub struct SavedError {
    /// The file's name, as it was given.
    pub name: String,
    /// Where in the file.
    pub at: Option<LineColumn>,
    /// What is wrong.
    pub kind: SavedErrorKind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedErrorKind {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It is text, but not UTF-8.
    #[error("the file is UTF-16, not UTF-8")]
    Utf16,
    /// It is not JSON, or more of it than is read.
    #[error("{}{kind}", unless_limit("not JSON: ", .0), kind = .0)]
    Json(ParseErrorKind),
    /// It is JSON of another kind.
    #[error("no tools/list result: {0}")]
    NoListing(String),
}

impl SavedError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match &self.kind {
            SavedErrorKind::Empty => "save the server's answer to tools/list there",
            SavedErrorKind::Utf16 => {
                "save it as UTF-8; in PowerShell with `| Out-File -Encoding utf8`"
            }
            SavedErrorKind::Json(ParseErrorKind::NotUtf8) => "save it as UTF-8",
            SavedErrorKind::Json(kind) if kind.is_limit() => {
                "no client has to read so much: keep the listing within these bounds"
            }
            SavedErrorKind::Json(_) | SavedErrorKind::NoListing(_) => {
                "a listing is a tools/list result {\"tools\": […]}, a whole JSON-RPC answer, \
                 a transcript with one message a line, or an array of tools"
            }
        }
    }
}

fn place(at: Option<&LineColumn>) -> String {
    at.map(|at| format!(":{}:{}", at.line, at.column))
        .unwrap_or_default()
}

/// Reads a listing from the bytes of a file: a `tools/list` result, a whole JSON-RPC answer,
/// an array of tools, or a transcript with one message a line, in which each message may be
/// wrapped in a log's own object or have a log's text around it.
///
/// A byte order mark is taken off; columns count from behind it. `name` is for messages.
///
/// # Errors
/// When there is no listing in it, with the place and the reason.
pub fn listing_from_saved(bytes: &[u8], name: &str) -> Result<Listing, SavedError> {
    let fail = |at, kind| SavedError {
        name: name.to_owned(),
        at,
        kind,
    };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(fail(None, SavedErrorKind::Utf16));
    }
    let stripped = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes());
    let text = match std::str::from_utf8(stripped.unwrap_or(bytes)) {
        Ok(text) => text,
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let at = line_column(&String::from_utf8_lossy(valid), usize::MAX);
            return Err(fail(
                Some(at),
                SavedErrorKind::Json(ParseErrorKind::NotUtf8),
            ));
        }
    };
    if text.trim().is_empty() {
        return Err(fail(None, SavedErrorKind::Empty));
    }
    let mut listing = match Document::parse(text.to_owned(), &Limits::default()) {
        Ok(document) => from_document(document).map_err(|kind| fail(None, kind))?,
        Err(error) => from_lines(text, &error).map_err(|(at, kind)| fail(Some(at), kind))?,
    };
    if stripped.is_some() {
        listing.observe(
            ObservationKind::ByteOrderMark,
            1,
            "at the start of the file",
        );
    }
    Ok(listing)
}

fn from_document(document: Document) -> Result<Listing, SavedErrorKind> {
    let root = document.root();
    if root.is_array()
        && root
            .elements()
            .any(|element| element.get("jsonrpc").is_some())
    {
        return from_array_of_messages(&document);
    }
    if root.is_array() {
        let tools = root.index();
        let mut listing = Listing::default();
        listing.push_page(
            Page {
                document,
                lines_before: 0,
            },
            tools,
        );
        return Ok(listing);
    }
    let result = find_result(root).ok_or_else(|| SavedErrorKind::NoListing(describe(root)))?;
    let parts = PageParts::read(result)
        .map_err(|problem| SavedErrorKind::NoListing(format!("the answer {problem}")))?;
    let mut transcript = Transcript::of(identity::from_listing_result(result));
    transcript.page(document, parts, 0, false);
    transcript.finish()
}

/// A batch, or a transcript as one array.
fn from_array_of_messages(document: &Document) -> Result<Listing, SavedErrorKind> {
    let mut transcript = Transcript::default();
    for element in document.root().elements() {
        // Each page needs a document of its own; its values keep their places in this one.
        let message = Document::part(element);
        transcript.message(message.root(), 0, || message.clone());
    }
    transcript.finish()
}

/// One message a line. `whole` is why the text is not one JSON value.
fn from_lines(text: &str, whole: &ParseError) -> Result<Listing, (LineColumn, SavedErrorKind)> {
    let mut transcript = Transcript::default();
    for (lines_before, line) in text.split('\n').enumerate() {
        if !line.trim().is_empty() {
            transcript.line(line, lines_before);
        }
    }
    if transcript.messages == 0 {
        let at = line_column(text, whole.offset);
        return Err((at, SavedErrorKind::Json(whole.kind.clone())));
    }
    let broken = transcript.broken;
    transcript.finish().map_err(|kind| match broken {
        Some(at) => (
            at,
            SavedErrorKind::NoListing("a line that seems to hold one cannot be read".to_owned()),
        ),
        None => (LineColumn { line: 1, column: 1 }, kind),
    })
}

/// The result of an answer to `tools/list` in a value: the value itself, its `result`, or that of
/// a message a log has wrapped.
fn find_result(value: Value<'_>) -> Option<Value<'_>> {
    if value.get("tools").is_some() {
        return Some(value);
    }
    let message = find_message_in(value)?;
    message
        .get("result")
        .filter(|result| result.get("tools").is_some())
}

/// The message in a value: the value itself, or one up to three levels inside it.
fn find_message_in(value: Value<'_>) -> Option<Value<'_>> {
    fn search(value: Value<'_>, depth: usize) -> Option<Value<'_>> {
        let is_message = value.get("jsonrpc").is_some()
            || value
                .get("result")
                .is_some_and(|result| result.get("tools").is_some());
        if is_message {
            return Some(value);
        }
        if depth == 0 {
            return None;
        }
        value
            .members()
            .find_map(|member| search(member.value, depth - 1))
    }
    search(value, 3)
}

/// What a value is that is no listing.
fn describe(root: Value<'_>) -> String {
    if !root.is_object() {
        return format!("the file holds {}", root.kind().describe());
    }
    let message = find_message_in(root).unwrap_or(root);
    if let Some(error) = message
        .get("error")
        .filter(|error| error.get("code").is_some())
    {
        let text = error
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default();
        return format!("the file holds an error answer: {}", excerpt(&text));
    }
    if let Some(method) = message.get("method").and_then(Value::as_str) {
        return format!(
            "the file holds a `{}` message, not an answer",
            excerpt(&method)
        );
    }
    if root.get("inputSchema").is_some() {
        return "the file holds a single tool, not an array of tools".to_owned();
    }
    let keys: Vec<String> = root
        .members()
        .take(6)
        .map(|member| format!("`{}`", excerpt(&member.key)))
        .collect();
    match keys.as_slice() {
        [] => "the file holds an empty object".to_owned(),
        keys => format!("the file holds an object with {}", keys.join(", ")),
    }
}

#[cfg(test)]
mod tests;
