//! What a server tells unasked: changes of its list, over a stream that stays open.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::client::media_type;
use super::endpoint;
use super::event_stream::EventStream;
use super::peer::Arrival;
use super::refusal::refusal;
use super::sse::Event;
use super::{HttpConnection, HttpError, NOBODY};
use crate::connection::ConnectionError;
use crate::jsonrpc::{Message, Outgoing};
use crate::subscription::{Word, word};

/// How long to wait before a legacy server's stream is opened again, unless it says so itself.
const REOPEN: Duration = Duration::from_secs(1);

/// The next event of a stream; never any where there is none. Can be dropped without losing one.
pub(super) async fn next(
    stream: Option<&mut EventStream>,
) -> Result<Option<Event>, ConnectionError> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

impl HttpConnection {
    /// Opens the stream: with a GET in the legacy era (MCP 2025-11-25, "Listening for Messages
    /// from the Server"), with a subscription in the modern one.
    pub(super) async fn open_listening(
        &mut self,
        subscription: Option<&Outgoing>,
    ) -> Result<(), ConnectionError> {
        let stream = match subscription {
            None => endpoint::get(&self.peer.client, self.peer.stream_headers()).await?,
            Some(subscription) => self.subscribe(subscription).await?,
        };
        self.listening = Some(stream);
        Ok(())
    }

    /// Subscribes, and waits until the server says that it took the subscription up.
    async fn subscribe(&mut self, request: &Outgoing) -> Result<EventStream, ConnectionError> {
        let id = request.id().unwrap_or(NOBODY);
        let response = self.peer.post(request).await?;
        if !response.status().is_success() {
            let answer = refusal(&self.peer.client, response, Some(&id), false).await?;
            return Err(not_taken_up(&answer, request));
        }
        if media_type(&response).as_deref() != Some("text/event-stream") {
            let body = self.peer.client.body(response).await?;
            return Err(match self.peer.take(body, &id) {
                Arrival::Answer(answer) => not_taken_up(&answer, request),
                Arrival::Junk(error) | Arrival::InvalidAnswer(error) => error,
                Arrival::Subscription(_) | Arrival::Other { .. } => HttpError::StreamClosed.into(),
            });
        }
        self.peer.subscription = Some(id);
        let mut stream = EventStream::new(response, self.peer.client.limits().max_bytes);
        while let Some(event) = stream.next().await? {
            match self.take_unasked(event) {
                Some(Word::Acknowledged) => return Ok(stream),
                Some(Word::Over(error)) => return Err(error),
                None => {}
            }
        }
        Err(HttpError::StreamClosed.into())
    }

    /// Takes an event that is no answer: what it says of the subscription, if anything.
    fn take_unasked(&mut self, event: Event) -> Option<Word> {
        if !event.is_message() || event.data.is_empty() {
            return None;
        }
        match self.peer.take(event.data, &NOBODY) {
            Arrival::Subscription(word) => Some(word),
            // Errors without an id; they answer nothing that was asked here.
            Arrival::Answer(_)
            | Arrival::Other { .. }
            | Arrival::Junk(_)
            | Arrival::InvalidAnswer(_) => None,
        }
    }

    /// Takes what came of the stream that changes arrive on: an event, or its end.
    pub(super) fn take_event(&mut self, event: Result<Option<Event>, ConnectionError>) {
        let is_open = match event {
            Ok(Some(event)) => !matches!(self.take_unasked(event), Some(Word::Over(_))),
            Ok(None) | Err(_) => false,
        };
        if !is_open {
            let ended = self.listening.take();
            // A subscription is opened anew when changes are asked for again.
            if self.peer.subscription.take().is_none() {
                self.ended = ended;
            }
        }
    }

    /// Reads until the list changed, the deadline passed, or nothing more can come.
    pub(super) async fn read_until_change(&mut self, deadline: Instant) {
        let before = self.peer.inbox.list_changes();
        while self.peer.inbox.list_changes() == before {
            if self.listening.is_none() && !self.reopen(deadline).await {
                // Calls that nobody waits for may still tell something.
                if self.channel.is_none() && self.calls.is_empty() {
                    return;
                }
            }
            let channel = self.channel.as_mut().map(|channel| &mut channel.stream);
            tokio::select! {
                event = next(self.listening.as_mut()) => self.take_event(event),
                event = next(channel) => match event {
                    Ok(Some(event)) => drop(self.take_unasked(event)),
                    Ok(None) | Err(_) => return,
                },
                Some(joined) = self.calls.join_next_with_id() => self.take_late(joined),
                () = sleep_until(deadline) => return,
            }
        }
    }

    /// Opens a legacy server's stream again where it ended, as a server may do at any time
    /// (MCP 2025-11-25, "Transports", server-sent events). False where there is none to open.
    async fn reopen(&mut self, deadline: Instant) -> bool {
        let Some(ended) = self.ended.take() else {
            return false;
        };
        let (headers, wait) = match ended.resumption() {
            Some((last_event, wait)) => (self.peer.resumption_headers(&last_event), wait),
            None => (self.peer.stream_headers(), REOPEN),
        };
        let opening = async {
            sleep(wait).await;
            endpoint::get(&self.peer.client, headers).await
        };
        match timeout_at(deadline, opening).await {
            Ok(Ok(stream)) => {
                self.listening = Some(stream);
                true
            }
            Ok(Err(_)) => false,
            Err(_) => {
                self.ended = Some(ended);
                false
            }
        }
    }
}

fn not_taken_up(answer: &Message, request: &Outgoing) -> ConnectionError {
    match request.id().and_then(|id| word(answer, &id)) {
        Some(Word::Over(error)) => error,
        _ => HttpError::StreamClosed.into(),
    }
}
