//! JSON-RPC 2.0 messages: strict to read, plain to write.
//!
//! A [`Document`] is sorted into exactly one of the four kinds of message, or refused with
//! the reason. Whatever two readers could understand in two ways is refused: a repeated key
//! in the envelope, a batch, an answer with both `result` and `error`.

mod envelope;

use std::fmt;

use sayso_core::json::{Document, Kind, Value};

/// JSON-RPC 2.0 § 5.1, and what MCP adds to it.
pub mod code {
    /// The JSON could not be parsed.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a valid request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The server failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The HTTP headers do not say what stands in the message (MCP 2026-07-28).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The client does not declare a capability that the request needs (MCP 2026-07-28).
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
    /// The protocol version is not supported; `data.supported` says which are (MCP 2026-07-28).
    pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
}

/// The id of a request.
///
/// Ids are equal when they are the same JSON value: `1` is `1.0` and is not `"1"`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// A number, in the shortest spelling if it is an integer below 2^53 and as it came otherwise.
    Number(String),
    /// A string, decoded.
    String(String),
}

impl Id {
    /// An id that stands in a message.
    pub(crate) fn read(value: Value<'_>) -> Option<Self> {
        match value.kind() {
            Kind::String => value.as_str().map(|text| Self::String(text.into_owned())),
            Kind::Number => Some(Self::Number(shortest(value.raw()))),
            _ => None,
        }
    }

    /// The id as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Number(text) => text.clone(),
            Self::String(text) => serde_json::Value::from(text.as_str()).to_string(),
        }
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number.to_string())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

/// `1.0` and `1e0` as `1`: some languages have no integers in JSON and send an id back so.
fn shortest(raw: &str) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let written_as_integer = raw
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    match raw.parse::<f64>() {
        Ok(number) if !written_as_integer && number.fract() == 0.0 && number.abs() < EXACT => {
            format!("{number:.0}")
        }
        _ => raw.to_owned(),
    }
}

/// What a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Asks for an answer.
    Request {
        /// The id the answer has to carry.
        id: Id,
        /// The method, decoded.
        method: String,
    },
    /// Asks for nothing.
    Notification {
        /// The method, decoded.
        method: String,
    },
    /// An answer with a result.
    Response {
        /// The id of the request.
        id: Id,
    },
    /// An answer with an error.
    Error {
        /// The id of the request; `None` when the peer could not read it.
        id: Option<Id>,
        /// The error.
        error: ErrorObject,
    },
}

/// The error of an answer (JSON-RPC 2.0 § 5.1), in the peer's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorObject {
    /// The code.
    pub code: i64,
    /// The message.
    pub message: String,
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({})",
            sayso_core::reveal::reveal_line(self.message.trim()),
            self.code
        )
    }
}

/// A message and its whole text.
#[derive(Clone, Debug)]
pub struct Message {
    document: Document,
    kind: MessageKind,
}

/// Why a document is no message.
#[derive(Clone, Debug)]
pub struct Unclassified {
    /// The document.
    pub document: Document,
    /// Why.
    pub reason: NotAMessage,
}

/// Why a JSON text is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAMessage {
    /// It does not look like JSON-RPC at all, such as `{"level":"info"}`.
    NotJsonRpc,
    /// It means to be a message and is none.
    Invalid {
        /// The id it carries, so that whoever waits for that answer need not wait on.
        id: Option<Id>,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// What is wrong with a text that means to be a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An array of messages.
    #[error("a batch of messages, which MCP had in version 2025-03-26 only")]
    Batch,
    /// A key of the envelope stands more than once.
    #[error("the key `{0}` stands more than once, so two readers may read two different messages")]
    DuplicateKey(&'static str),
    /// `jsonrpc` is missing or another version.
    #[error("`jsonrpc` is not \"2.0\"")]
    Version,
    /// `method` is no string.
    #[error("`method` is not a string")]
    Method,
    /// `id` is neither a string nor a number.
    #[error("`id` is neither a string nor a number")]
    Id,
    /// `params` is neither an object nor an array.
    #[error("`params` is neither an object nor an array")]
    Params,
    /// The message is a request and an answer at once.
    #[error("it has both `method` and `{0}`")]
    RequestAndAnswer(&'static str),
    /// The answer has both a result and an error.
    #[error("it has both `result` and `error`")]
    ResultAndError,
    /// Neither a method nor a result nor an error.
    #[error("it has none of `method`, `result` and `error`")]
    Nothing,
    /// `error` is not an object with an integer `code` and a string `message`.
    #[error("`error` is not an object with an integer `code` and a string `message`")]
    Error,
}

impl Message {
    /// Sorts a document.
    ///
    /// # Errors
    /// When it is no message, with the document and the reason.
    pub fn classify(document: Document) -> Result<Self, Box<Unclassified>> {
        match envelope::classify(document.root()) {
            Ok(kind) => Ok(Self { document, kind }),
            Err(reason) => Err(Box::new(Unclassified { document, reason })),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &MessageKind {
        &self.kind
    }

    /// The whole text.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The whole text, to keep.
    #[must_use]
    pub fn into_document(self) -> Document {
        self.document
    }

    /// The `params` of a request or notification.
    #[must_use]
    pub fn params(&self) -> Option<Value<'_>> {
        self.document.root().get("params")
    }

    /// The `result` of an answer.
    #[must_use]
    pub fn result(&self) -> Option<Value<'_>> {
        self.document.root().get("result")
    }

    /// The `data` of an error.
    #[must_use]
    pub fn error_data(&self) -> Option<Value<'_>> {
        self.document.root().at(&["error", "data"])
    }

    /// Whether it is the answer to the request with this id.
    #[must_use]
    pub fn answers(&self, asked: &Id) -> bool {
        match &self.kind {
            MessageKind::Response { id } => id == asked,
            MessageKind::Error { id, .. } => id.as_ref() == Some(asked),
            MessageKind::Request { .. } | MessageKind::Notification { .. } => false,
        }
    }
}

/// A request or notification to send.
#[derive(Clone, Debug)]
pub struct Outgoing {
    id: Option<u64>,
    method: &'static str,
    params: Option<serde_json::Value>,
    call: Option<Call>,
}

/// What only a `tools/call` has.
#[derive(Clone, Debug)]
struct Call {
    tool: String,
    /// JSON, which is sent as it stands.
    arguments: String,
}

impl Outgoing {
    /// A request.
    #[must_use]
    pub fn request(id: u64, method: &'static str, params: Option<serde_json::Value>) -> Self {
        Self {
            id: Some(id),
            method,
            params,
            call: None,
        }
    }

    /// A `tools/call`. `arguments` has to be JSON on one line already; its bytes stay as they are.
    #[must_use]
    pub fn tool_call(
        id: u64,
        tool: &str,
        arguments: &str,
        meta: Option<&serde_json::Value>,
    ) -> Self {
        let mut params = serde_json::Map::new();
        if let Some(meta) = meta {
            params.insert("_meta".to_owned(), meta.clone());
        }
        params.insert("name".to_owned(), tool.into());
        Self {
            id: Some(id),
            method: "tools/call",
            params: Some(params.into()),
            call: Some(Call {
                tool: tool.to_owned(),
                arguments: arguments.to_owned(),
            }),
        }
    }

    /// Tells that nobody waits for the answer to `request` any more (MCP, "Cancellation").
    #[must_use]
    pub fn cancelled(request: &Self, reason: &str) -> Self {
        let params = serde_json::json!({ "requestId": request.id, "reason": reason });
        Self::notification("notifications/cancelled", Some(params))
    }

    /// A notification.
    #[must_use]
    pub fn notification(method: &'static str, params: Option<serde_json::Value>) -> Self {
        Self {
            id: None,
            method,
            params,
            call: None,
        }
    }

    /// The id an answer has to carry; `None` for a notification.
    #[must_use]
    pub fn id(&self) -> Option<Id> {
        self.id.map(Id::from)
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The tool that is called and its arguments; `None` for any other message.
    #[must_use]
    pub fn call(&self) -> Option<(&str, &str)> {
        let call = self.call.as_ref()?;
        Some((&call.tool, &call.arguments))
    }

    /// The parameters, without the arguments of a `tools/call`.
    #[must_use]
    pub fn params(&self) -> Option<&serde_json::Value> {
        self.params.as_ref()
    }

    /// The message on one line, without a line end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut message = serde_json::Map::new();
        message.insert("jsonrpc".to_owned(), "2.0".into());
        if let Some(id) = self.id {
            message.insert("id".to_owned(), id.into());
        }
        message.insert("method".to_owned(), self.method.into());
        if let Some(params) = &self.params {
            message.insert("params".to_owned(), params.clone());
        }
        let text = serde_json::Value::Object(message).to_string();
        match (&self.call, text.strip_suffix("}}")) {
            // `params` is the last key and holds at least the tool's name.
            (Some(call), Some(open)) => format!(r#"{open},"arguments":{}}}}}"#, call.arguments),
            _ => text,
        }
    }
}

/// A request with an id of any kind, on one line.
#[must_use]
pub fn request(id: &Id, method: &str, params: &serde_json::Value) -> String {
    let method = serde_json::Value::from(method);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#)
}

/// The answer with a result, on one line. `result` has to be JSON already; its bytes stay as they are.
#[must_use]
pub fn response(id: &Id, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The answer with an error, on one line; `id` is `None` where the request's could not be read.
#[must_use]
pub fn error_response(
    id: Option<&Id>,
    code: i64,
    message: &str,
    data: Option<&serde_json::Value>,
) -> String {
    let id = id.map_or_else(|| "null".to_owned(), Id::to_json);
    let mut error = serde_json::Map::new();
    error.insert("code".to_owned(), code.into());
    error.insert("message".to_owned(), message.into());
    if let Some(data) = data {
        error.insert("data".to_owned(), data.clone());
    }
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#,
        serde_json::Value::Object(error)
    )
}

#[cfg(test)]
mod tests;
