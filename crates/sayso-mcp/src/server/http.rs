//! Streamable HTTP, both eras on one endpoint (MCP 2025-11-25 and 2026-07-28, "Transports").

mod admission;
mod body;
mod head;
mod legacy;
mod modern;
mod parameters;
mod sessions;

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::http::header::{ALLOW, HeaderName, HeaderValue};
use ::http::request::Parts;
use ::http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use sayso_core::json::{Document, Limits};

pub use self::body::HttpBody;
use self::head::{Accepted, content_type_is_json, protocol_version};
use self::modern::Clients;
use self::sessions::Sessions;
use super::changes::Changes;
use super::connection::Connection;
use super::outbox::{Outbox, Outgoing};
use super::peer::{Peer, Transport};
use super::refusal::Refusal;
use super::request::modern_version;
use super::work::{self, Task, Work};
use super::{MAX_MESSAGE_BYTES, Service};
use crate::jsonrpc::{Id, Message, MessageKind, NotAMessage, Unclassified, code};
use crate::version;

/// How long the body of a request may take.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

/// How long an answer may take until a stream is begun for it. Before that its status can
/// still be chosen (MCP 2026-07-28: a missing capability is 400).
const STREAM_AFTER: Duration = Duration::from_millis(500);

/// Whom an endpoint answers. By default whoever names it, and comes from, this machine: that
/// keeps web pages out which have their name resolved to a loopback address (DNS rebinding).
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// Names that `Host` may have besides those of this machine, without a port.
    pub hosts: Vec<String>,
    /// Values that `Origin` may have besides those of this machine, such as `https://example.com`.
    pub origins: Vec<String>,
}

/// An endpoint of Streamable HTTP: turns one HTTP request into one response. Listening is the
/// caller's. Clones are the same.
pub struct HttpEndpoint<S>(Arc<Inner<S>>);

struct Inner<S> {
    service: Arc<S>,
    changes: Changes,
    options: HttpOptions,
    sessions: Sessions<S>,
    clients: Clients,
}

impl<S> Clone for HttpEndpoint<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> fmt::Debug for HttpEndpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("HttpEndpoint");
        debug
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}

impl<S: Service> HttpEndpoint<S> {
    /// An endpoint with no sessions yet.
    #[must_use]
    pub fn new(service: Arc<S>, changes: Changes, options: HttpOptions) -> Self {
        Self(Arc::new(Inner {
            service,
            changes,
            options,
            sessions: Sessions::default(),
            clients: Clients::default(),
        }))
    }

    /// Answers a request, whatever its path.
    ///
    /// Needs a Tokio runtime with time. What a dropped future or response body means is the
    /// era's: in the modern one the request is cancelled, in the legacy one it is not.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        if let Err(reason) = admission::admit(&head, &self.0.options) {
            return self.refuse(
                StatusCode::FORBIDDEN,
                None,
                &Refusal::invalid_request(reason),
            );
        }
        let answered = match head.method {
            Method::POST => self.post(&head, body).await,
            // Only the legacy era has these.
            Method::GET | Method::DELETE if is_modern(&head) => Err(not_allowed("POST")),
            Method::GET => self.open_stream(&head),
            Method::DELETE => self.delete(&head),
            _ => Err(not_allowed("GET, POST, DELETE")),
        };
        answered.unwrap_or_else(|refused| {
            let Refused {
                status,
                id,
                refusal,
                allow,
            } = *refused;
            let mut response = self.refuse(status, id.as_ref(), &refusal);
            if let Some(allow) = allow {
                let allow = HeaderValue::from_static(allow);
                response.headers_mut().insert(ALLOW, allow);
            }
            response
        })
    }

    async fn post<B>(&self, head: &Parts, body: B) -> Result<Response<HttpBody>, Box<Refused>>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        if !content_type_is_json(&head.headers) {
            let reason = "`Content-Type` is not application/json";
            let refusal = Refusal::invalid_request(reason);
            return Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, refusal));
        }
        let accepted = Accepted::read(&head.headers);
        if !accepted.json && !accepted.events {
            let reason = "`Accept` has neither application/json nor text/event-stream";
            let refusal = Refusal::invalid_request(reason);
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, refusal));
        }
        let message = read_message(body).await?;
        let modern = modern_version(&message).is_some();
        match protocol_version(&head.headers) {
            _ if modern => self.modern(head, &message, accepted).await,
            Some(version) if version::MODERN.contains(&version) => {
                self.modern(head, &message, accepted).await
            }
            Some(version) if !version::LEGACY.contains(&version) => {
                let refusal = Refusal::unsupported_version(Some(version.into()));
                Err(Refused::new(StatusCode::BAD_REQUEST, refusal).with_id(&message))
            }
            _ => self.legacy(head, &message, accepted).await,
        }
    }

    /// Refuses what belongs to no connection.
    fn refuse(&self, status: StatusCode, id: Option<&Id>, refusal: &Refusal) -> Response<HttpBody> {
        let nobody = Peer::unknown(0, Transport::Http);
        let connection = self.connection(nobody.clone());
        body::json(status, connection.refusal(&nobody, id, refusal))
    }

    fn connection(&self, peer: Peer) -> Connection<S> {
        let inner = &self.0;
        Connection::new(Arc::clone(&inner.service), inner.changes.clone(), peer)
    }

    /// Runs a request. It is answered on a stream if it takes a while, or if there is more to
    /// say than the answer.
    async fn run(
        &self,
        connection: &Arc<Connection<S>>,
        work: Work,
        accepted: Accepted,
        closing: Closing,
    ) -> Response<HttpBody> {
        let is_subscription = matches!(work.task, Task::Listen { .. });
        let takes_requests = accepted.events && closing == Closing::Notes;
        let (outbox, mut queue) = Outbox::new(takes_requests);
        let guard = Guard {
            connection: Arc::clone(connection),
            id: work.id.clone(),
            closing,
        };
        tokio::spawn(work::run(Arc::clone(connection), work, outbox));
        let first = if !accepted.events {
            queue.recv().await
        } else if is_subscription {
            return body::events(None, queue, Box::new(guard));
        } else {
            match tokio::time::timeout(STREAM_AFTER, queue.recv()).await {
                Ok(first) => first,
                Err(_) => return body::events(None, queue, Box::new(guard)),
            }
        };
        match first {
            Some(Outgoing::Answer { text, refused }) if accepted.json => {
                let status = match closing {
                    Closing::Cancels => modern::status,
                    Closing::Notes => legacy::status,
                };
                reply(text, refused, status)
            }
            Some(first) if accepted.events => body::events(Some(first), queue, Box::new(guard)),
            // There is to be no answer.
            Some(_) | None => body::broken(),
        }
    }
}

/// What it means that the client closes a response before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closing {
    /// The request is cancelled (modern era).
    Cancels,
    /// Nothing; it is only noted (legacy era).
    Notes,
}

/// Is dropped with the response.
struct Guard<S: Service> {
    connection: Arc<Connection<S>>,
    id: Id,
    closing: Closing,
}

impl<S: Service> Drop for Guard<S> {
    fn drop(&mut self) {
        match self.closing {
            Closing::Cancels => {
                let reason = "the client closed the response";
                self.connection.cancel(&self.id, Some(reason));
            }
            Closing::Notes => self.connection.note_closed(&self.id),
        }
    }
}

/// A request that is not answered as it hoped.
#[derive(Debug)]
struct Refused {
    status: StatusCode,
    id: Option<Id>,
    refusal: Refusal,
    allow: Option<&'static str>,
}

impl Refused {
    fn new(status: StatusCode, refusal: Refusal) -> Box<Self> {
        Box::new(Self {
            status,
            id: None,
            refusal,
            allow: None,
        })
    }

    /// The refusal answers this request.
    fn with_id(mut self: Box<Self>, message: &Message) -> Box<Self> {
        if let MessageKind::Request { id, .. } = message.kind() {
            self.id = Some(id.clone());
        }
        self
    }
}

fn not_allowed(allow: &'static str) -> Box<Refused> {
    let refusal = Refusal::invalid_request(format!("only {allow} can be used here"));
    let mut refused = Refused::new(StatusCode::METHOD_NOT_ALLOWED, refusal);
    refused.allow = Some(allow);
    refused
}

/// Whether the headers say that a request is of the modern era.
fn is_modern(head: &Parts) -> bool {
    protocol_version(&head.headers).is_some_and(|version| version::MODERN.contains(&version))
}

/// A step as a response; `refused` chooses the status of one that refuses.
fn reply(
    text: String,
    code: Option<i64>,
    refused: impl Fn(i64) -> StatusCode,
) -> Response<HttpBody> {
    body::json(code.map_or(StatusCode::OK, refused), text)
}

async fn read_message<B>(body: B) -> Result<Message, Box<Refused>>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let body = Limited::new(body, MAX_MESSAGE_BYTES).collect();
    let bytes = match tokio::time::timeout(BODY_PATIENCE, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let reason = format!("a message of more than {MAX_MESSAGE_BYTES} bytes");
            let refusal = Refusal::invalid_request(reason);
            return Err(Refused::new(StatusCode::PAYLOAD_TOO_LARGE, refusal));
        }
        Ok(Err(_)) => {
            let refusal = Refusal::invalid_request("the request broke off");
            return Err(Refused::new(StatusCode::BAD_REQUEST, refusal));
        }
        Err(_) => {
            let refusal = Refusal::invalid_request("the request took too long to arrive");
            return Err(Refused::new(StatusCode::REQUEST_TIMEOUT, refusal));
        }
    };
    let limits = Limits {
        max_bytes: MAX_MESSAGE_BYTES,
        ..Limits::default()
    };
    let document = Document::from_bytes(bytes.into(), &limits).map_err(|error| {
        let refusal = Refusal::new(code::PARSE_ERROR, format!("not JSON: {error}"));
        Refused::new(StatusCode::BAD_REQUEST, refusal)
    })?;
    Message::classify(document).map_err(|unclassified| no_message(&unclassified))
}

fn no_message(unclassified: &Unclassified) -> Box<Refused> {
    let (id, reason) = match &unclassified.reason {
        NotAMessage::NotJsonRpc => (None, "not a JSON-RPC message".to_owned()),
        NotAMessage::Invalid { id, fault } => (id.clone(), fault.to_string()),
    };
    let mut refused = Refused::new(StatusCode::BAD_REQUEST, Refusal::invalid_request(reason));
    refused.id = id;
    refused
}

/// The header that names a legacy session.
const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// Nothing to say, but understood.
fn accepted() -> Response<HttpBody> {
    body::empty(StatusCode::ACCEPTED)
}
