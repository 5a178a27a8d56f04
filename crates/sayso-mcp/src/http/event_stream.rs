//! The body of a response as a stream of events.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Url;

use super::response::Response;
use super::sse::{Event, EventParser};
use crate::connection::ConnectionError;

/// Time between two attempts to resume a stream: what the server wishes (`retry:`), in these bounds.
const MIN_RETRY: Duration = Duration::from_millis(100);
const DEFAULT_RETRY: Duration = Duration::from_secs(1);

/// A response that is read event by event.
pub(crate) struct EventStream {
    response: Response,
    parser: EventParser,
    events: VecDeque<Event>,
}

impl EventStream {
    /// The events of `response`, each up to `max_bytes` long.
    pub(crate) fn new(response: Response, max_bytes: usize) -> Self {
        Self {
            response,
            parser: EventParser::new(max_bytes),
            events: VecDeque::new(),
        }
    }

    /// Where the stream comes from.
    pub(crate) fn url(&self) -> &Url {
        self.response.url()
    }

    /// The next event; `None` at the stream's end. Can be dropped without losing an event.
    ///
    /// # Errors
    /// When the connection breaks or an event is too long.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, ConnectionError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            let chunk = match self.response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            self.parser
                .push(&chunk, &mut self.events)
                .map_err(|too_long| ConnectionError::TooLong {
                    max_bytes: too_long.max_bytes,
                })?;
        }
    }

    /// The id to resume the stream with, and how long to wait before, if it can be resumed
    /// (MCP 2025-11-25, "Resumability and Redelivery").
    pub(crate) fn resumption(&self) -> Option<(String, Duration)> {
        let id = self.parser.last_event_id()?.to_owned();
        let retry = self
            .parser
            .retry_milliseconds()
            .map_or(DEFAULT_RETRY, Duration::from_millis);
        Some((id, retry.max(MIN_RETRY)))
    }
}
