//! What became of a call: in the journal, then to the caller.

use std::time::Instant;

use sayso_core::digest::Digest;
use sayso_core::journal::{self, OutcomeKind, Record};
use sayso_core::json::{Document, Value};
use sayso_mcp::downstream::Reply;

use super::forward::Forwarded;
use super::repeat::Reserved;
use crate::call::Context;
use crate::catalogue::Tool;
use crate::gate::{Settling, Writer};
use crate::host::CallReply;
use crate::refusal::Refusal;
use crate::server::Answer;

/// An attempt whose intent is in the journal, or about to be. Dropped before its end is known, it was
/// cancelled by the host, and the journal says so.
#[derive(Debug)]
pub struct Watch {
    writer: Writer,
    began: Instant,
    call: String,
    caller: String,
    server: Option<String>,
    tool: Option<String>,
    attempt: u32,
    is_open: bool,
    is_out: bool,
}

impl Watch {
    pub(super) fn begin(context: &Context<'_>, known: &journal::Call) -> Self {
        Self {
            writer: context.gate.writer().clone(),
            began: Instant::now(),
            call: known.call.clone(),
            caller: known.caller.clone(),
            server: known.server.clone(),
            tool: known.tool.clone(),
            attempt: known.attempt,
            is_open: true,
            is_out: false,
        }
    }

    /// The intent is in the journal, and the attempt goes out.
    pub(super) fn goes_out(&mut self) {
        self.is_out = true;
    }

    /// There is no intent in the journal, and nothing to say of it.
    pub(super) fn never_was(mut self) {
        self.is_open = false;
    }

    /// No answer came.
    pub(super) async fn lost(mut self, kind: OutcomeKind, said: &str) {
        self.write(kind, None, Some(said)).await;
    }

    /// An answer came.
    pub(crate) async fn answered(mut self, answer: &Answer, said: Option<&str>) {
        let result = match answer {
            Answer::Result(result) | Answer::InputRequired(result) => Some(result),
            Answer::Error(_) => None,
        };
        self.write(kind(answer), result, said).await;
    }

    /// Nothing is lost where nobody waits for the future.
    fn write(
        &mut self,
        outcome: OutcomeKind,
        result: Option<&Document>,
        said: Option<&str>,
    ) -> Settling {
        self.is_open = false;
        let record = journal::Outcome {
            attempt: self.attempt,
            call: std::mem::take(&mut self.call),
            caller: std::mem::take(&mut self.caller),
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            is_error: result
                .and_then(|result| result.root().get("isError"))
                .and_then(Value::as_bool),
            outcome,
            result: result.map(|result| Digest::of_bytes(result.root().raw())),
            result_bytes: result.map(|result| result.root().raw().len() as u64),
            said: said.map(str::to_owned),
            server: self.server.take(),
            tool: self.tool.take(),
        };
        self.writer.settle(&Record::Outcome(Box::new(record)))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.is_open {
            let (kind, said) = match self.is_out {
                true => (
                    OutcomeKind::Cancelled,
                    "the host cancelled the call; it may have had its effect",
                ),
                false => (
                    OutcomeKind::NotSent,
                    "the host cancelled the call before it went out",
                ),
            };
            drop(self.write(kind, None, Some(said)));
        }
    }
}

/// What kind of answer it is.
pub(crate) fn kind(answer: &Answer) -> OutcomeKind {
    match answer {
        Answer::Result(result) => match result.root().get("isError").and_then(Value::as_bool) {
            Some(true) => OutcomeKind::ToolError,
            _ => OutcomeKind::Result,
        },
        Answer::InputRequired(_) => OutcomeKind::InputRequired,
        Answer::Error(_) => OutcomeKind::Error,
    }
}

/// The answer for the caller. `inspected` is what the result's inspection found: a note for the
/// journal, or why the caller does not get it.
///
/// # Errors
/// When the result is not handed on. The call was made all the same.
pub(crate) async fn reply(
    context: &Context<'_>,
    tool: &Tool,
    forwarded: Forwarded,
    inspected: Result<Option<String>, Refusal>,
    reserved: Reserved,
) -> Result<CallReply, Refusal> {
    let Forwarded {
        answer,
        approval,
        watch,
        ..
    } = forwarded;
    let said = match &inspected {
        Ok(note) => note.as_deref(),
        Err(refusal) => Some(refusal.message.as_str()),
    };
    watch.answered(&answer, said).await;
    if let Answer::Result(result) = &answer {
        reserved
            .finish(
                context.gate,
                &format!("{{\"result\":{}}}", result.root().raw()),
            )
            .await;
    } else if let Answer::Error(message) = &answer {
        let error = message
            .document()
            .root()
            .get("error")
            .map_or("{}", Value::raw);
        reserved
            .finish(context.gate, &format!("{{\"error\":{error}}}"))
            .await;
    } else {
        // It comes again, with the answers, as the same call.
        reserved.release(context.gate).await;
    }
    inspected?;
    let server = tool.key.server.clone();
    Ok(match answer {
        Answer::Result(result) => CallReply::Result {
            server,
            tool: tool.key.tool.clone(),
            result,
        },
        Answer::InputRequired(result) => CallReply::InputRequired {
            server,
            result,
            note: approval,
        },
        Answer::Error(message) => {
            let error = message.document().root().get("error");
            CallReply::Reply(Reply::Raw(error.map_or("{}", Value::raw).to_owned()))
        }
    })
}

/// The answer a call with the same idempotency key had before.
pub(crate) fn again(tool: &Tool, kept: &Document) -> CallReply {
    match (kept.root().get("result"), kept.root().get("error")) {
        (Some(result), _) => CallReply::Result {
            server: tool.key.server.clone(),
            tool: tool.key.tool.clone(),
            result: Document::part(result),
        },
        (None, error) => CallReply::Reply(Reply::Raw(error.map_or("{}", Value::raw).to_owned())),
    }
}
