//! The server's own stream of the legacy era, which a GET opens (MCP 2025-11-25, "Listening for
//! Messages from the Server").

use std::sync::{Arc, Weak};
use std::time::Duration;

use reqwest::StatusCode;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::Shared;
use crate::connection::ConnectionError;
use crate::http::event_stream::EventStream;
use crate::http::{HttpError, endpoint};
use crate::upstream::failure::Ended;

/// How long to wait before the stream is opened again, unless the server says so itself.
const REOPEN: Duration = Duration::from_secs(1);

/// The most that grows to while it cannot be opened.
const MAX_REOPEN: Duration = Duration::from_secs(60);

/// Reads the stream for as long as the conversation goes on, and opens it again where it ends.
/// A server need not have one: it may answer 405. `answered` is told of the first answer.
pub(super) async fn listen(shared: Weak<Shared>, answered: oneshot::Sender<()>) {
    let mut answered = Some(answered);
    let mut last_event: Option<String> = None;
    let mut wait = REOPEN;
    loop {
        let Some(conversation) = shared.upgrade() else {
            return;
        };
        let headers = conversation.stream_headers(last_event.as_deref());
        let in_session = conversation.in_session();
        let opened = endpoint::get(&conversation.client, headers).await;
        drop(conversation);
        if let Some(answered) = answered.take() {
            // Whoever waited may have lost patience.
            let _ = answered.send(());
        }
        match opened {
            Ok(mut stream) => {
                wait = REOPEN;
                read(&shared, &mut stream).await;
                if let Some((id, retry)) = stream.resumption() {
                    (last_event, wait) = (Some(id), retry);
                }
            }
            Err(ConnectionError::Http(HttpError::Status { status, .. }))
                if in_session && status == StatusCode::NOT_FOUND =>
            {
                if let Some(conversation) = shared.upgrade() {
                    conversation.common.end(Ended::SessionOver);
                }
                return;
            }
            // It has none, or does not let us have it.
            Err(ConnectionError::Http(error)) if error.status().is_some_and(is_final) => return,
            Err(ConnectionError::Http(HttpError::NoEventStream { .. })) => return,
            Err(_) => wait = (wait * 2).min(MAX_REOPEN),
        }
        sleep(wait).await;
    }
}

fn is_final(status: u16) -> bool {
    (300..500).contains(&status) && status != 429
}

/// Reads until the stream ends or breaks.
async fn read(shared: &Weak<Shared>, stream: &mut EventStream) {
    while let Ok(Some(event)) = stream.next().await {
        let Some(conversation) = shared.upgrade() else {
            return;
        };
        if event.is_message() && !event.data.is_empty() {
            // Answers are on the streams of their requests; what this is otherwise is seen to.
            let _ = Arc::clone(&conversation).take(event.data, None);
        }
    }
}
