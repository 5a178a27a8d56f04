//! The ways back to a host, on the wire.

use std::sync::Arc;
use std::time::Duration;

use sayso_mcp::downstream::{self, Peer};
use sayso_mcp::jsonrpc::{Message, MessageKind};

use super::exchange::{AskError, Gone, Line, Pending};

/// The stream of one request.
pub(super) struct RequestLine(pub(super) downstream::Exchange);

/// The connection, for what belongs to no request.
pub(super) struct PeerLine(pub(super) Peer);

impl Line for RequestLine {
    fn notify<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
    ) -> Pending<'a, Result<(), Gone>> {
        Box::pin(async move { self.0.notify(method, params).await.map_err(|_| Gone) })
    }

    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
        timeout: Duration,
    ) -> Pending<'a, Result<String, AskError>> {
        Box::pin(async move { answered(self.0.ask(method, params, timeout).await) })
    }

    fn closed(&self) -> Pending<'_, ()> {
        Box::pin(self.0.closed())
    }

    fn between(&self) -> Option<Arc<dyn Line>> {
        Some(Arc::new(PeerLine(self.0.peer().clone())))
    }
}

impl Line for PeerLine {
    fn notify<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
    ) -> Pending<'a, Result<(), Gone>> {
        let sent = self.0.notify(method, params);
        Box::pin(std::future::ready(if sent { Ok(()) } else { Err(Gone) }))
    }

    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
        timeout: Duration,
    ) -> Pending<'a, Result<String, AskError>> {
        Box::pin(async move { answered(self.0.ask(method, params, timeout).await) })
    }

    fn closed(&self) -> Pending<'_, ()> {
        // A session says itself when it is over.
        Box::pin(std::future::pending())
    }
}

fn answered(answer: Result<Message, downstream::AskError>) -> Result<String, AskError> {
    let message = answer.map_err(|error| match error {
        downstream::AskError::Impossible => AskError::Impossible,
        downstream::AskError::TimedOut => AskError::TimedOut,
        downstream::AskError::Gone => AskError::Gone,
        downstream::AskError::Malformed => AskError::Refused(
            r#"{"code":-32600,"message":"the host's answer can be read in two ways"}"#.to_owned(),
        ),
    })?;
    if let Some(result) = message.result() {
        return Ok(result.raw().to_owned());
    }
    match message.kind() {
        MessageKind::Error { .. } => {
            let error = message.document().root().get("error");
            let error = error.map(|error| error.raw().to_owned());
            Err(AskError::Refused(error.unwrap_or_default()))
        }
        _ => Err(AskError::Gone),
    }
}
