//! One call of a tool, and what came of it.

use std::time::Duration;

use sayso_core::json::{Document, Value};

use crate::connection::ConnectionError;
use crate::http::HttpError;
use crate::inbox::excerpt;
use crate::jsonrpc::{ErrorObject, Message};
use crate::page::last;
use crate::session::{ToolAnswer, Unanswered};

/// A call to make.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments as JSON, of whatever kind. They are sent byte for byte, only that line ends
    /// between two tokens become spaces: a message is one line (MCP, "Transports", stdio).
    pub arguments: &'a str,
    /// How long the answer is waited for.
    pub timeout: Duration,
    /// Whether the server is told when the time is over: with `notifications/cancelled`, or
    /// behind a URL in the modern era by closing the stream of the answer (MCP, "Cancellation").
    /// Telling may take a second more. Otherwise the call goes on as far as the server can see.
    pub cancel: bool,
}

/// What came of a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CallOutcome {
    /// The tool answered.
    Answered {
        /// Its text contents, joined by line ends.
        text: String,
        /// Whether the tool says that it failed (`isError`).
        is_error: bool,
        /// The whole result.
        result: Document,
    },
    /// The server answered with a JSON-RPC error.
    Refused(ErrorObject),
    /// The server wants to be told something first (MCP 2026-07-28, "Multi Round-Trip Requests").
    InputRequired {
        /// The methods it asks with, such as `elicitation/create`; none where it only wants to
        /// be called again.
        methods: Vec<String>,
        /// The whole result.
        result: Document,
    },
    /// No answer came in time. Whether the call had an effect is not known.
    TimedOut,
    /// No answer will come, and why. Whether the call had an effect is not known. Where the
    /// server is a process, the next call takes a new [`Client`](crate::Client); behind a URL
    /// this one may do, unless its session is over.
    ConnectionLost(String),
    /// HTTP itself refused the call (a status of 400 to 499), and how.
    Rejected(String),
    /// What came as the answer is none, and why. The call may have had its effect.
    Malformed(String),
    /// The arguments are no JSON, and why: nothing was sent.
    NotSent(String),
}

impl CallOutcome {
    /// `exit` is how the server's process ended, if it did.
    pub(super) fn of(answer: Result<ToolAnswer, Unanswered>, exit: Option<String>) -> Self {
        match answer {
            Ok(ToolAnswer::Result(answer)) => answered(&answer).unwrap_or_else(Self::Malformed),
            Ok(ToolAnswer::Error(error)) => Self::Refused(error),
            Err(Unanswered::Arguments(reason)) => {
                Self::NotSent(format!("the arguments are not JSON: {reason}"))
            }
            Err(Unanswered::Exchange(error)) => failed(error, exit),
        }
    }
}

fn failed(error: ConnectionError, exit: Option<String>) -> CallOutcome {
    let told = error.to_string();
    match error {
        ConnectionError::TimedOut(_) | ConnectionError::Http(HttpError::TimedOut { .. }) => {
            CallOutcome::TimedOut
        }
        ConnectionError::TooLong { .. }
        | ConnectionError::InvalidAnswer(_)
        | ConnectionError::BrokenAnswer { .. } => CallOutcome::Malformed(told),
        ConnectionError::Http(error) if error.is_refusal() => CallOutcome::Rejected(told),
        ConnectionError::Http(error) if error.is_malformed_answer() => CallOutcome::Malformed(told),
        ConnectionError::Closed
        | ConnectionError::Io(_)
        | ConnectionError::NotListening(_)
        | ConnectionError::Http(_) => {
            CallOutcome::ConnectionLost(exit.map_or(told, |exit| format!("the server {exit}")))
        }
    }
}

/// Reads a `CallToolResult`.
///
/// # Errors
/// When it is none, in words that begin with "the answer …".
fn answered(answer: &Message) -> Result<CallOutcome, String> {
    let result = answer.result().ok_or("the answer has no result")?;
    if !result.is_object() {
        let kind = result.kind().describe();
        return Err(format!("the answer has {kind} as its result"));
    }
    let kind = last(result, "resultType").map(|kind| (kind.as_str(), kind.raw()));
    match kind {
        // Absent in the legacy era.
        None => {}
        Some((Some(kind), _)) if kind == "complete" => {}
        Some((Some(kind), _)) if kind == "input_required" => return Ok(input_required(result)),
        Some((_, raw)) => {
            let kind = excerpt(raw);
            return Err(format!("the answer has the unknown result type {kind}"));
        }
    }
    let is_error = match last(result, "isError") {
        Some(flag) if !flag.is_null() => flag.as_bool().ok_or_else(|| {
            let kind = flag.kind().describe();
            format!("the answer has {kind} as `isError`, not a boolean")
        })?,
        _ => false,
    };
    let content = last(result, "content").ok_or("the answer has no `content`")?;
    if !content.is_array() {
        let kind = content.kind().describe();
        return Err(format!("the answer has {kind} as `content`, not an array"));
    }
    Ok(CallOutcome::Answered {
        text: text(content),
        is_error,
        result: Document::part(result),
    })
}

fn text(content: Value<'_>) -> String {
    let texts = content
        .elements()
        .filter(|block| last(*block, "type").and_then(Value::as_str).as_deref() == Some("text"))
        .filter_map(|block| last(block, "text").and_then(Value::as_str));
    texts.collect::<Vec<_>>().join("\n")
}

fn input_required(result: Value<'_>) -> CallOutcome {
    let requests = last(result, "inputRequests");
    let methods = requests.into_iter().flat_map(Value::members);
    let methods = methods.filter_map(|request| last(request.value, "method")?.as_str());
    CallOutcome::InputRequired {
        methods: methods.map(std::borrow::Cow::into_owned).collect(),
        result: Document::part(result),
    }
}
