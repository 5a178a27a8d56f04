//! The response to a request that runs.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::{Response, StatusCode};

use super::super::Handler;
use super::super::connection::{Connection, Step};
use super::super::exchange::Exchange;
use super::super::outbox::Queue;
use super::super::work::{Answer, Work, run};
use super::body::{self, HttpBody};
use super::head::Accepted;

/// How long an answer may take until a stream is begun for it. Before that its status can
/// still be chosen (MCP 2026-07-28: a missing capability is 400).
const STREAM_AFTER: Duration = Duration::from_millis(500);

/// What an era makes of its responses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    pub(super) closing: Closing,
    /// The status of a refusal.
    pub(super) refused: fn(i64) -> StatusCode,
    /// The status of a handler's error: not a failure of the transport, but for those codes of
    /// which the protocol says so.
    pub(super) answered: fn(i64) -> StatusCode,
}

/// What it means that the client closes a response before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// The request is cancelled (modern era).
    Cancels,
    /// Nothing; it is only noted (legacy era).
    Notes,
}

/// The response to a message.
pub(super) async fn respond<H: Handler>(
    connection: &Arc<Connection<H>>,
    step: Step,
    queue: Queue,
    accepted: Accepted,
    manners: Manners,
) -> Response<HttpBody> {
    match step {
        // Nothing to say, but understood.
        Step::Silent => body::empty(StatusCode::ACCEPTED),
        Step::Refused { text, code } => body::json((manners.refused)(code), text),
        Step::Ignored { text } => body::json(StatusCode::BAD_REQUEST, text),
        Step::Work(work) => {
            let watched = Watched {
                guard: Guard {
                    connection: Arc::clone(connection),
                    exchange: work.exchange.clone(),
                    closing: manners.closing,
                },
                work: Some(work),
            };
            answer(watched, queue, accepted, manners).await
        }
    }
}

/// Runs a request. It is answered on a stream if it takes a while, or if there is more to say
/// than the answer.
async fn answer<H: Handler>(
    mut watched: Watched<H>,
    mut queue: Queue,
    accepted: Accepted,
    manners: Manners,
) -> Response<HttpBody> {
    let is_subscription = watched.guard.exchange.method() == super::super::SUBSCRIBE;
    let answer = if !accepted.events {
        (&mut watched).await
    } else if is_subscription {
        return watched.stream(queue);
    } else {
        tokio::select! {
            biased;
            answer = &mut watched => answer,
            () = queue.ready() => return watched.stream(queue),
            () = tokio::time::sleep(STREAM_AFTER) => return watched.stream(queue),
        }
    };
    match answer {
        Some(answer) if accepted.events && !(accepted.json && queue.is_empty()) => {
            // There is more to say, or the answer is to come as an event.
            let exchange = watched.guard.exchange.clone();
            tokio::spawn(async move {
                answer.send(&exchange).await;
                exchange.end_stream();
            });
            body::events(queue, Box::new(watched))
        }
        None if accepted.events => {
            watched.guard.exchange.end_stream();
            body::events(queue, Box::new(watched))
        }
        Some(Answer::Text { text, code }) => {
            let status = code.map_or(StatusCode::OK, manners.answered);
            body::json(status, text)
        }
        // There is to be no answer.
        Some(Answer::Break) | None => body::broken(),
    }
}

/// A request that runs while it is polled. When it is dropped, it goes on or not as its era has it.
struct Watched<H: Handler> {
    /// `None` once it is through, or runs by itself.
    work: Option<Work>,
    guard: Guard<H>,
}

impl<H: Handler> Watched<H> {
    /// Has it run by itself, and answer on a stream.
    fn stream(mut self, queue: Queue) -> Response<HttpBody> {
        if let Some(work) = self.work.take() {
            tokio::spawn(run(work));
        }
        body::events(queue, Box::new(self))
    }
}

impl<H: Handler> Future for Watched<H> {
    type Output = Option<Answer>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Answer>> {
        let Some(work) = &mut self.work else {
            return Poll::Ready(None);
        };
        let answer = std::task::ready!(work.answer.as_mut().poll(cx));
        self.work = None;
        Poll::Ready(answer)
    }
}

impl<H: Handler> Drop for Watched<H> {
    fn drop(&mut self) {
        self.guard.tell();
        if let Some(work) = self.work.take()
            && self.guard.closing == Closing::Notes
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(run(work));
        }
    }
}

/// Tells what the end of a response means, if the request still runs.
struct Guard<H> {
    connection: Arc<Connection<H>>,
    exchange: Exchange,
    closing: Closing,
}

impl<H: Handler> Guard<H> {
    fn tell(&self) {
        match self.closing {
            Closing::Cancels => {
                let reason = "the client closed the response";
                self.connection.cancel(self.exchange.id(), Some(reason));
            }
            Closing::Notes => self.connection.note_closed(&self.exchange),
        }
    }
}
