//! `tools/call` (MCP, "Tools").

use std::time::Duration;

use sayso_core::json::{Document, Limits};
use tokio::time::Instant;

use super::Session;
use crate::connection::{ConnectionError, Transport};
use crate::jsonrpc::{ErrorObject, Message, MessageKind, Outgoing};
use crate::options::deadline;
use crate::upstream::envelope::on_one_line;

/// What came back.
#[derive(Debug)]
pub(crate) enum ToolAnswer {
    /// A message with a result.
    Result(Message),
    /// An error.
    Error(ErrorObject),
}

/// Why nothing came back.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The arguments are no JSON, for this reason: nothing was sent.
    Arguments(String),
    /// The exchange failed.
    Exchange(ConnectionError),
}

impl<T: Transport> Session<T> {
    /// Calls a tool once.
    pub(crate) async fn call(
        &mut self,
        tool: &str,
        arguments: &str,
        timeout: Duration,
        cancel: bool,
    ) -> Result<ToolAnswer, Unanswered> {
        let limits = Limits {
            max_bytes: self.options.limits.message_bytes,
            ..Limits::default()
        };
        let arguments = Document::parse(arguments.to_owned(), &limits)
            .map_err(|error| Unanswered::Arguments(error.to_string()))?;
        let arguments = on_one_line(arguments.root().raw());
        let request = Outgoing::tool_call(self.next_id(), tool, &arguments, self.meta.as_ref());
        let due = deadline(Instant::now(), timeout);
        let answer = self.connection.call(&request, due, cancel).await;
        let answer = answer.map_err(Unanswered::Exchange)?;
        Ok(match answer.kind() {
            MessageKind::Error { error, .. } => ToolAnswer::Error(error.clone()),
            _ => ToolAnswer::Result(answer),
        })
    }
}
