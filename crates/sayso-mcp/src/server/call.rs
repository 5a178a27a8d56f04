//! A call of a tool, and what comes of it.

use std::fmt;

use sayso_core::json::{Document, Value};

/// A call of a listed tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The request's id, as JSON.
    pub request_id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as they came: an object, or `null`. `None` where there were none.
    pub arguments: Option<Document>,
    /// What the person said to the last [`Answer::Ask`].
    pub person: Option<PersonAnswer>,
    /// The `state` of the last [`Answer::Ask`]. In the modern era the client carries it, so it
    /// may be forged (MCP 2026-07-28, "Multi Round-Trip Requests").
    pub request_state: Option<String>,
}

/// What a person said to an elicitation (MCP, "Elicitation", response actions).
#[derive(Clone)]
pub enum PersonAnswer {
    /// The form was sent, with this content. Nothing has checked it against the schema.
    Accepted(Option<Document>),
    /// The person said no.
    Declined,
    /// The person looked away without a decision.
    Cancelled,
    /// The client answered with an error, with something that is no answer, or not in time.
    Failed(String),
}

impl fmt::Debug for PersonAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted(content) => {
                let content = content.as_ref().map(Document::root);
                f.debug_tuple("Accepted").field(&content).finish()
            }
            Self::Declined => f.write_str("Declined"),
            Self::Cancelled => f.write_str("Cancelled"),
            Self::Failed(reason) => f.debug_tuple("Failed").field(reason).finish(),
        }
    }
}

impl PersonAnswer {
    /// The field of that name, if the form was sent.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value<'_>> {
        match self {
            Self::Accepted(Some(content)) => content.root().get(name),
            _ => None,
        }
    }

    /// Reads an `ElicitResult`.
    pub(super) fn read(result: Value<'_>) -> Self {
        let action = result.get("action").and_then(Value::as_str);
        match action.as_deref() {
            Some("accept") => Self::Accepted(result.get("content").map(Document::part)),
            Some("decline") => Self::Declined,
            Some("cancel") => Self::Cancelled,
            _ => Self::Failed("the answer has no known `action`".to_owned()),
        }
    }
}

/// What a service makes of a call.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The tool has run, or failed to.
    Result(CallResult),
    /// The person has to be asked first, by form. The service is called again with what they
    /// said. Where [`Peer::can_ask`](super::Peer::can_ask) is false the call fails without it.
    Ask {
        /// What the person is shown.
        message: String,
        /// The form: a JSON Schema of one object with flat fields.
        schema: serde_json::Value,
        /// Comes back as [`Call::request_state`].
        state: String,
    },
    /// The connection breaks without an answer. Over HTTP: the response breaks off.
    Disconnect,
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallResult {
    /// The text for the model.
    pub text: String,
    /// Whether the tool failed (`isError`).
    pub is_error: bool,
    /// The same for programs (`structuredContent`).
    pub structured: Option<serde_json::Value>,
}

impl CallResult {
    /// What a tool that did its work says.
    #[must_use]
    pub fn success(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// What a tool that failed says.
    #[must_use]
    pub fn failure(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
            ..Self::default()
        }
    }
}
