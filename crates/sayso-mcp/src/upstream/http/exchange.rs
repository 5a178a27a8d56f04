//! One request, in the future of whoever asks: it is posted, and its answer is the whole body of the
//! response or an event of a stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::incoming::Taken;
use super::{INITIALIZE, Shared};
use crate::connection::{ConnectionError, NO_ANSWER};
use crate::http::client::media_type;
use crate::http::endpoint;
use crate::http::event_stream::EventStream;
use crate::http::headers::SESSION;
use crate::http::refusal::refusal;
use crate::http::{Awaited, HttpError, Response};
use crate::jsonrpc::{Id, Message};
use crate::upstream::envelope;
use crate::upstream::failure::Failed;
use crate::upstream::options::Outbound;
use crate::upstream::pending::{Beat, Outcome, time_is_up};

const NOBODY_WAITS: &str = "nobody waits for the answer any more";

/// A request while it is on its way.
pub(super) struct Exchange<'o> {
    pub(super) id: u64,
    pub(super) outbound: &'o Outbound<'o>,
    /// Whether something of it may have left.
    begun: AtomicBool,
    pub(super) beat: Beat,
    awaited: Mutex<Awaited>,
}

impl Exchange<'_> {
    fn failed(&self, error: ConnectionError) -> Failed {
        Failed {
            error,
            sent: self.begun.load(Ordering::Relaxed),
            said: None,
        }
    }

    fn awaits(&self, what: Awaited) {
        *self.awaited.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    fn timed_out(&self, waited: Duration) -> ConnectionError {
        let awaited = *self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        HttpError::TimedOut {
            request: known_method(self.outbound.method),
            awaited,
            waited,
        }
        .into()
    }
}

/// A method for an error, which only names those it knows.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 12] = [
        INITIALIZE,
        "server/discover",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "completion/complete",
        "subscriptions/listen",
        "ping",
    ];
    let known = KNOWN.into_iter().find(|known| *known == method);
    known.unwrap_or("the request")
}

/// A request that is waited for. Dropped before its answer came, it is given up.
struct Asking<'s> {
    shared: &'s Arc<Shared>,
    exchange: &'s Exchange<'s>,
    done: bool,
}

impl Asking<'_> {
    /// In the modern era closing the stream of the answer cancels a request, which dropping it
    /// does; in the legacy era that means nothing, and a notification does (MCP, "Cancellation").
    fn give_up(&mut self, reason: &str) {
        self.done = true;
        let outbound = self.exchange.outbound;
        let begun = self.exchange.begun.load(Ordering::Relaxed);
        if let Some(kept) = outbound.kept.filter(|_| begun) {
            self.shared.keep(kept.clone());
        }
        if !begun || !outbound.cancel_on_drop || self.shared.is_modern() {
            return;
        }
        if outbound.method != INITIALIZE {
            let text = envelope::cancelled(self.exchange.id, reason);
            self.shared
                .common
                .runtime
                .spawn(Arc::clone(self.shared).post_aside(text));
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.give_up(NOBODY_WAITS);
        }
    }
}

impl Shared {
    /// Sends a request and waits for its answer.
    pub(super) async fn ask(self: &Arc<Self>, outbound: &Outbound<'_>) -> Outcome {
        let exchange = Exchange {
            id: self.common.new_id(),
            outbound,
            begun: AtomicBool::new(false),
            beat: Beat::default(),
            awaited: Mutex::new(Awaited::Response),
        };
        let asked = Instant::now();
        let mut asking = Asking {
            shared: self,
            exchange: &exchange,
            done: false,
        };
        let beat = outbound.keep_alive_on_progress.then_some(&exchange.beat);
        tokio::select! {
            biased;
            outcome = self.exchange(&exchange) => {
                asking.done = true;
                outcome
            }
            () = time_is_up(outbound.deadline, beat) => {
                asking.give_up(NO_ANSWER);
                let span = outbound.deadline.map(|due| due.saturating_duration_since(asked));
                let waited = span.filter(|_| beat.is_none()).unwrap_or_else(|| asked.elapsed());
                Err(exchange.failed(exchange.timed_out(waited)))
            }
            ended = self.common.wait_for_close() => {
                asking.give_up(NOBODY_WAITS);
                Err(Failed {
                    said: Some(ended.to_string()),
                    ..exchange.failed(ConnectionError::Closed)
                })
            }
        }
    }

    async fn exchange(self: &Arc<Self>, exchange: &Exchange<'_>) -> Outcome {
        let outcome = self.post_request(exchange).await;
        outcome.map_err(|error| self.failed(error, &exchange.begun))
    }

    async fn post_request(
        self: &Arc<Self>,
        exchange: &Exchange<'_>,
    ) -> Result<Message, ConnectionError> {
        let outbound = exchange.outbound;
        let headers = self.request_headers(outbound);
        let body = envelope::request(exchange.id, outbound.method, outbound.params);
        let response = self.post(&headers, body, &exchange.begun).await?;
        if !response.status().is_success() {
            let id = Id::from(exchange.id);
            return refusal(&self.client, response, Some(&id), self.in_session()).await;
        }
        if outbound.method == INITIALIZE {
            self.agreed().session = response.headers().get(SESSION).cloned().map(|mut id| {
                id.set_sensitive(true);
                id
            });
        }
        match media_type(&response).as_deref() {
            Some("application/json") => self.whole_answer(exchange, response).await,
            Some("text/event-stream") => self.streamed_answer(exchange, response).await,
            _ => Err(self.client.no_answer(response).await),
        }
    }

    /// The answer as the whole body.
    async fn whole_answer(
        self: &Arc<Self>,
        exchange: &Exchange<'_>,
        response: Response,
    ) -> Result<Message, ConnectionError> {
        exchange.awaits(Awaited::Body);
        let status = response.status();
        let body = self.client.body(response).await?;
        if body.is_empty() {
            return Err(HttpError::EmptyBody { status }.into());
        }
        let start = body
            .get(..body.len().min(1 << 10))
            .unwrap_or_default()
            .to_vec();
        match self.take(body, Some(exchange)) {
            Taken::Answer(answer) => Ok(answer),
            Taken::Failed(error) | Taken::Junk(error) => Err(error),
            Taken::Other => Err(HttpError::NotTheAnswer {
                asked: exchange.id.to_string(),
                excerpt: self.client.excerpt(&start),
            }
            .into()),
        }
    }

    /// The answer as one event of a stream; requests and notifications may come before it.
    async fn streamed_answer(
        self: &Arc<Self>,
        exchange: &Exchange<'_>,
        response: Response,
    ) -> Result<Message, ConnectionError> {
        exchange.awaits(Awaited::Event);
        let mut stream = EventStream::new(response, self.client.limits().max_bytes);
        let mut failure = ConnectionError::Http(HttpError::StreamClosed);
        let mut resumption = None;
        loop {
            match stream.next().await {
                Ok(Some(event)) if event.is_message() && !event.data.is_empty() => {
                    match self.take(event.data, Some(exchange)) {
                        Taken::Answer(answer) => return Ok(answer),
                        Taken::Failed(error) => return Err(error),
                        // Perhaps that was meant to be the answer: it is told if no other comes.
                        Taken::Junk(error) => failure = error,
                        Taken::Other => {}
                    }
                    continue;
                }
                Ok(Some(_)) => continue,
                Ok(None) => {}
                Err(ConnectionError::Http(broken)) => failure = broken.into(),
                Err(other) => return Err(other),
            }
            // The stream is over. A server that gave its events ids sends the rest on asking.
            resumption = stream
                .resumption()
                .or(resumption)
                .filter(|_| !self.is_modern());
            let Some((last_event, wait)) = &resumption else {
                return Err(failure);
            };
            tokio::time::sleep(*wait).await;
            let headers = self.stream_headers(Some(last_event));
            match endpoint::get(&self.client, headers).await {
                Ok(rest) => stream = rest,
                Err(_) => return Err(failure),
            }
        }
    }
}
