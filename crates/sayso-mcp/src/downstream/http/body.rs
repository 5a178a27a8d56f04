//! What a response carries.

use std::any::Any;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use ::http::{HeaderValue, Response, StatusCode};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Interval, MissedTickBehavior};

use super::super::outbox::{Outgoing, Queue};

/// How often a quiet stream says that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Tells proxies not to hold a stream back.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The body of a response: nothing, a message, or a stream of messages. An error in it means
/// that the response is to break off.
pub struct HttpBody(Content);

enum Content {
    Whole(Option<Bytes>),
    Events(Events),
    /// Breaks off once the head of the response is on its way: where nothing has come back, a
    /// client may think that nothing has arrived, and send its request again.
    Breaking {
        is_head_sent: bool,
    },
    Ended,
}

struct Events {
    queue: Queue,
    keep_alive: Interval,
    /// Learns that the response is over by being dropped.
    _guard: Box<dyn Any + Send>,
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = match &self.0 {
            Content::Whole(bytes) => return f.debug_tuple("HttpBody").field(bytes).finish(),
            Content::Events(_) => "events",
            Content::Breaking { .. } => "breaking off",
            Content::Ended => "ended",
        };
        f.debug_tuple("HttpBody").field(&content).finish()
    }
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<HttpBody> {
    with_status(status, HttpBody(Content::Ended))
}

/// A response with one message.
pub(super) fn json(status: StatusCode, text: String) -> Response<HttpBody> {
    let body = HttpBody(Content::Whole(Some(Bytes::from(text))));
    let mut response = with_status(status, body);
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A response that breaks off.
pub(super) fn broken() -> Response<HttpBody> {
    let is_head_sent = false;
    with_status(StatusCode::OK, HttpBody(Content::Breaking { is_head_sent }))
}

/// A stream of messages. `guard` is dropped with it.
pub(super) fn events(queue: Queue, guard: Box<dyn Any + Send>) -> Response<HttpBody> {
    let begin = tokio::time::Instant::now() + KEEP_ALIVE;
    let mut keep_alive = tokio::time::interval_at(begin, KEEP_ALIVE);
    keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let events = Events {
        queue,
        keep_alive,
        _guard: guard,
    };
    let mut response = with_status(StatusCode::OK, HttpBody(Content::Events(events)));
    for (name, value) in [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache"),
        (BUFFERING, "no"),
    ] {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

fn with_status(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn broken_off() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "broken off on purpose")
}

/// What an event stream does next.
enum Next {
    Piece(Bytes),
    Break,
    End,
}

impl Events {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        let next = self.queue.poll_recv(cx);
        match next.map(|next| next.map(Outgoing::into_text)) {
            Poll::Ready(Some(Some(text))) => {
                self.keep_alive.reset();
                let event = format!("event: message\ndata: {text}\n\n");
                Poll::Ready(Next::Piece(Bytes::from(event)))
            }
            Poll::Ready(Some(None)) => Poll::Ready(Next::Break),
            Poll::Ready(None) => Poll::Ready(Next::End),
            Poll::Pending => self
                .keep_alive
                .poll_tick(cx)
                .map(|_| Next::Piece(Bytes::from_static(b":\n\n"))),
        }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            return match &mut self.0 {
                Content::Whole(bytes) => {
                    Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))))
                }
                Content::Events(events) => match std::task::ready!(events.poll(cx)) {
                    Next::Piece(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
                    Next::Break => {
                        let is_head_sent = false;
                        self.0 = Content::Breaking { is_head_sent };
                        continue;
                    }
                    Next::End => {
                        self.0 = Content::Ended;
                        continue;
                    }
                },
                Content::Breaking { is_head_sent } if !*is_head_sent => {
                    // What is pending has the connection flushed.
                    *is_head_sent = true;
                    cx.waker().wake_by_ref();
                    Poll::Pending
                }
                Content::Breaking { .. } => {
                    self.0 = Content::Ended;
                    Poll::Ready(Some(Err(broken_off())))
                }
                Content::Ended => Poll::Ready(None),
            };
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Whole(None) | Content::Ended)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Ended => SizeHint::with_exact(0),
            Content::Events(_) | Content::Breaking { .. } => SizeHint::default(),
        }
    }
}
