//! JSON-RPC 2.0 messages: strict to read, plain to write.
//!
//! A [`Document`] is sorted into exactly one of the four kinds of message, or refused with
//! the reason. Whatever two readers could understand in two ways is refused: a repeated key
//! in the envelope, a batch, an answer with both `result` and `error`.

use std::borrow::Cow;
use std::fmt;

use sayso_core::json::{Document, Kind, Value};

/// The keys of the envelope (JSON-RPC 2.0 § 4 and § 5).
const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

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
    fn read(value: Value<'_>) -> Option<Self> {
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
        match classify(document.root()) {
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

fn classify(root: Value<'_>) -> Result<MessageKind, NotAMessage> {
    if root.is_array() {
        let any = root
            .elements()
            .any(|element| element.get("jsonrpc").is_some());
        return Err(if any {
            NotAMessage::Invalid {
                id: None,
                fault: Fault::Batch,
            }
        } else {
            NotAMessage::NotJsonRpc
        });
    }
    let envelope = Envelope::read(root);
    let answer = envelope.result.is_some() || envelope.error.is_some();
    if envelope.version.is_none()
        && !(envelope.id.is_some() && (answer || envelope.method.is_some()))
    {
        return Err(NotAMessage::NotJsonRpc);
    }
    envelope.kind(root).map_err(|fault| NotAMessage::Invalid {
        id: envelope.id.and_then(Id::read),
        fault,
    })
}

struct Envelope<'a> {
    version: Option<Value<'a>>,
    id: Option<Value<'a>>,
    method: Option<Value<'a>>,
    params: Option<Value<'a>>,
    result: Option<Value<'a>>,
    error: Option<Value<'a>>,
}

impl<'a> Envelope<'a> {
    fn read(root: Value<'a>) -> Self {
        let [version, id, method, params, result, error] = ENVELOPE.map(|key| root.get(key));
        Self {
            version,
            id,
            method,
            params,
            result,
            error,
        }
    }

    fn kind(&self, root: Value<'_>) -> Result<MessageKind, Fault> {
        if let Some(key) = ENVELOPE
            .into_iter()
            .find(|key| root.get_all(key).nth(1).is_some())
        {
            return Err(Fault::DuplicateKey(key));
        }
        if self.version.and_then(Value::as_str).as_deref() != Some("2.0") {
            return Err(Fault::Version);
        }
        match self.method {
            Some(method) => self.call(method),
            None => self.answer(),
        }
    }

    fn call(&self, method: Value<'_>) -> Result<MessageKind, Fault> {
        if self.result.is_some() {
            return Err(Fault::RequestAndAnswer("result"));
        }
        if self.error.is_some() {
            return Err(Fault::RequestAndAnswer("error"));
        }
        if self
            .params
            .is_some_and(|params| !params.is_object() && !params.is_array())
        {
            return Err(Fault::Params);
        }
        let method = method.as_str().map(Cow::into_owned).ok_or(Fault::Method)?;
        match self.id {
            None => Ok(MessageKind::Notification { method }),
            Some(id) => Ok(MessageKind::Request {
                id: Id::read(id).ok_or(Fault::Id)?,
                method,
            }),
        }
    }

    fn answer(&self) -> Result<MessageKind, Fault> {
        match (self.result, self.error) {
            (Some(_), Some(_)) => Err(Fault::ResultAndError),
            (None, None) => Err(Fault::Nothing),
            (Some(_), None) => Ok(MessageKind::Response {
                id: self.id.and_then(Id::read).ok_or(Fault::Id)?,
            }),
            (None, Some(error)) => {
                let error = ErrorObject::read(error).ok_or(Fault::Error)?;
                // `null` when the peer could not tell which request it was (JSON-RPC 2.0 § 5);
                // MCP since 2025-11-25 leaves the key out.
                let id = match self.id {
                    None => None,
                    Some(id) if id.is_null() => None,
                    Some(id) => Some(Id::read(id).ok_or(Fault::Id)?),
                };
                Ok(MessageKind::Error { id, error })
            }
        }
    }
}

impl ErrorObject {
    fn read(value: Value<'_>) -> Option<Self> {
        let code = value.get("code")?;
        let code = if code.kind() == Kind::Number {
            shortest(code.raw()).parse().ok()?
        } else {
            return None;
        };
        let message = value.get("message").and_then(Value::as_str)?.into_owned();
        Some(Self { code, message })
    }
}

/// A request or notification to send.
#[derive(Clone, Debug)]
pub struct Outgoing {
    id: Option<u64>,
    method: &'static str,
    params: Option<serde_json::Value>,
}

impl Outgoing {
    /// A request.
    #[must_use]
    pub fn request(id: u64, method: &'static str, params: Option<serde_json::Value>) -> Self {
        Self {
            id: Some(id),
            method,
            params,
        }
    }

    /// A notification.
    #[must_use]
    pub fn notification(method: &'static str, params: Option<serde_json::Value>) -> Self {
        Self {
            id: None,
            method,
            params,
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

    /// The parameters.
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
        serde_json::Value::Object(message).to_string()
    }
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
mod tests {
    use sayso_core::json::{Document, Limits};

    use super::{Id, Message, NotAMessage};

    fn sort(text: &str) -> String {
        match Message::classify(Document::parse(text.to_owned(), &Limits::default()).unwrap()) {
            Ok(message) => format!("{:?}", message.kind()),
            Err(unclassified) => match unclassified.reason {
                NotAMessage::NotJsonRpc => "not JSON-RPC".to_owned(),
                NotAMessage::Invalid { id, fault } => {
                    format!(
                        "invalid, id {}: {fault}",
                        id.map_or_else(|| "none".to_owned(), |id| id.to_json())
                    )
                }
            },
        }
    }

    #[test]
    fn each_text_is_one_kind_of_message_or_none() {
        let texts = [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#,
            r#"{"level":"info","message":"started"}"#,
            "[1,2]",
            r#""started""#,
            "7",
        ];
        insta::assert_snapshot!(texts.map(|text| format!("{text}\n    {}", sort(text))).join("\n"), @r#"
        {"jsonrpc":"2.0","id":1,"method":"ping"}
            Request { id: Number("1"), method: "ping" }
        {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}
            Notification { method: "notifications/initialized" }
        {"jsonrpc":"2.0","id":"a","result":{}}
            Response { id: String("a") }
        {"jsonrpc":"2.0","id":1.0,"result":null}
            Response { id: Number("1") }
        {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}
            Error { id: Some(Number("1")), error: ErrorObject { code: -32601, message: "no" } }
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
            Error { id: None, error: ErrorObject { code: -32700, message: "no" } }
        {"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}
            Error { id: None, error: ErrorObject { code: -32700, message: "no" } }
        {"level":"info","message":"started"}
            not JSON-RPC
        [1,2]
            not JSON-RPC
        "started"
            not JSON-RPC
        7
            not JSON-RPC
        "#);
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        let texts = [
            r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"me\u0074hod":"a","method":"b"}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}"#,
        ];
        insta::assert_snapshot!(texts.map(|text| format!("{text}\n    {}", sort(text))).join("\n"), @r#"
        [{"jsonrpc":"2.0","id":1,"result":{}}]
            invalid, id none: a batch of messages, which MCP had in version 2025-03-26 only
        {"jsonrpc":"2.0","id":1,"id":2,"result":{}}
            invalid, id 1: the key `id` stands more than once, so two readers may read two different messages
        {"jsonrpc":"2.0","id":1,"me\u0074hod":"a","method":"b"}
            invalid, id 1: the key `method` stands more than once, so two readers may read two different messages
        {"jsonrpc":"1.0","id":1,"result":{}}
            invalid, id 1: `jsonrpc` is not "2.0"
        {"id":1,"result":{}}
            invalid, id 1: `jsonrpc` is not "2.0"
        {"jsonrpc":"2.0","id":true,"method":"a"}
            invalid, id none: `id` is neither a string nor a number
        {"jsonrpc":"2.0","id":null,"method":"a"}
            invalid, id none: `id` is neither a string nor a number
        {"jsonrpc":"2.0","id":null,"result":{}}
            invalid, id none: `id` is neither a string nor a number
        {"jsonrpc":"2.0","id":1,"method":7}
            invalid, id 1: `method` is not a string
        {"jsonrpc":"2.0","id":1,"method":"a","params":null}
            invalid, id 1: `params` is neither an object nor an array
        {"jsonrpc":"2.0","id":1,"method":"a","result":1}
            invalid, id 1: it has both `method` and `result`
        {"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}
            invalid, id 1: it has both `result` and `error`
        {"jsonrpc":"2.0","id":1}
            invalid, id 1: it has none of `method`, `result` and `error`
        {"jsonrpc":"2.0","id":1,"error":"boom"}
            invalid, id 1: `error` is not an object with an integer `code` and a string `message`
        {"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}
            invalid, id 1: `error` is not an object with an integer `code` and a string `message`
        "#);
    }

    #[test]
    fn ids_are_equal_as_json_values() {
        let id = |text: &str| {
            let document = Document::parse(text.to_owned(), &Limits::default()).unwrap();
            Id::read(document.root())
        };
        assert_eq!(id("1"), Some(Id::from(1)));
        assert_eq!(id("1.0"), id("1"));
        assert_eq!(id("10e-1"), id("1"));
        assert_ne!(id("\"1\""), id("1"));
        assert_ne!(id("1.5"), id("1"));
        assert_ne!(
            id("9007199254740993"),
            id("9007199254740992"),
            "no rounding of large ids"
        );
        assert_eq!(id("\"\\u0061\""), id("\"a\""));
        assert_eq!(id("null"), None);
    }
}
