//! Streamable HTTP, both eras on one endpoint (MCP 2025-11-25 and 2026-07-28, "Transports").

mod admission;
mod body;
mod head;
mod legacy;
mod modern;
mod parameters;
mod response;
mod sessions;

use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ::http::header::{ALLOW, HeaderName, HeaderValue};
use ::http::request::Parts;
use ::http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use sayso_core::json::Document;

pub use self::body::HttpBody;
use self::head::{Accepted, content_type_is_json, protocol_version};
use self::modern::Clients;
pub use self::parameters::{HeaderMismatch, check_parameter_headers};
use self::sessions::Sessions;
use super::connection::{Common, Connection, modern_version, no_message, unreadable};
use super::peer::{Peer, Principal, Transport};
use super::work::Tally;
use super::{Ending, Handler, Limits, Numbers, Refusal, Stop};
use crate::jsonrpc::{Id, Message, MessageKind};
use crate::version;

/// How long the body of a request may take.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

/// Whom an endpoint answers, and how much of them it takes.
///
/// By default it answers whoever names it, and comes from, this machine: that keeps web pages out
/// which have their name resolved to a loopback address (DNS rebinding).
#[derive(Clone, Debug)]
pub struct Options {
    /// Names that `Host` may have besides those of this machine, without a port.
    pub hosts: Vec<String>,
    /// Values that `Origin` may have besides those of this machine, such as `https://example.com`.
    pub origins: Vec<String>,
    /// Sessions of the legacy era. For one more the one is forgotten that was unused for longest.
    pub max_sessions: usize,
    /// Bytes of a message.
    pub message_bytes: usize,
    /// Levels of nesting in a message.
    pub depth: usize,
    /// Requests that run at once: of a session, or of one client in the modern era.
    pub max_running: usize,
    /// Numbers the connections.
    pub numbers: Numbers,
}

impl Default for Options {
    /// 1000 sessions, else as [`Limits`].
    fn default() -> Self {
        let Limits {
            message_bytes,
            depth,
            max_running,
            numbers,
            ..
        } = Limits::default();
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            max_sessions: 1000,
            message_bytes,
            depth,
            max_running,
            numbers,
        }
    }
}

/// An endpoint of Streamable HTTP: turns one HTTP request into one response. Listening is the
/// caller's. Clones are the same.
pub struct Endpoint<H>(Arc<Inner<H>>);

struct Inner<H> {
    common: Arc<Common<H>>,
    options: Options,
    sessions: Sessions<H>,
    clients: Clients,
}

impl<H> Clone for Endpoint<H> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<H> fmt::Debug for Endpoint<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}

impl<H: Handler> Endpoint<H> {
    /// An endpoint with no sessions yet.
    #[must_use]
    pub fn new(handler: Arc<H>, options: Options) -> Self {
        Self(Arc::new(Inner {
            common: Arc::new(Common {
                handler,
                max_running: options.max_running,
                stop: Stop::new(),
                tally: Tally::default(),
            }),
            sessions: Sessions::new(options.max_sessions),
            options,
            clients: Clients::default(),
        }))
    }

    /// Answers a request, whatever its path. A [`SocketAddr`] and a [`Principal`] in its
    /// extensions say where it comes from and in whose name.
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
        if let Err(reason) = self.admit(&head) {
            let refusal = Refusal::invalid_request(reason);
            return self.refuse(StatusCode::FORBIDDEN, None, &refusal);
        }
        let answered = match head.method {
            Method::POST => self.post(&head, body).await,
            // Only the legacy era has these.
            Method::GET | Method::DELETE if is_modern(&head) => Err(not_allowed("POST")),
            Method::GET => self.open_stream(&head),
            Method::DELETE => self.delete(&head),
            _ => Err(not_allowed("GET, POST, DELETE")),
        };
        answered.unwrap_or_else(|rejected| self.reject(*rejected))
    }

    /// Whether a request names this endpoint, and comes from where requests may come from: what
    /// [`Self::handle`] looks at first, for other pages beside the endpoint.
    ///
    /// # Errors
    /// When it may not come in, with the reason.
    pub fn admit(&self, head: &Parts) -> Result<(), &'static str> {
        admission::admit(head, &self.0.options)
    }

    /// Takes no more requests (they get 503), ends streams and subscriptions, and returns when
    /// what runs has come to its end. Then the sessions are over.
    pub async fn stop(&self) {
        let inner = &self.0;
        inner.common.stop.stop();
        for connection in inner.sessions.all() {
            connection.link().close_stream();
        }
        inner.common.tally.none().await;
        for connection in inner.sessions.take_all() {
            connection.end(Ending::Stopped);
        }
    }

    async fn post<B>(&self, head: &Parts, body: B) -> Result<Response<HttpBody>, Box<Rejected>>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        if !content_type_is_json(&head.headers) {
            let reason = "`Content-Type` is not application/json";
            let refusal = Refusal::invalid_request(reason);
            return Err(Rejected::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, refusal));
        }
        let accepted = Accepted::read(&head.headers);
        if !accepted.json && !accepted.events {
            let reason = "`Accept` has neither application/json nor text/event-stream";
            let refusal = Refusal::invalid_request(reason);
            return Err(Rejected::new(StatusCode::NOT_ACCEPTABLE, refusal));
        }
        let message = self.read_message(body).await?;
        if let Some(id) = id_of(&message) {
            self.check_running()
                .map_err(|rejected| rejected.with_id(Some(id)))?;
        }
        let is_modern = modern_version(&message).is_some();
        match protocol_version(&head.headers) {
            _ if is_modern => self.modern(head, message, accepted).await,
            Some(version) if version::MODERN.contains(&version) => {
                self.modern(head, message, accepted).await
            }
            Some(version) if !version::LEGACY.contains(&version) => {
                let refusal = Refusal::unsupported_version(Some(version.into()));
                Err(Rejected::new(StatusCode::BAD_REQUEST, refusal).with_id(id_of(&message)))
            }
            _ => self.legacy(head, message, accepted).await,
        }
    }

    async fn read_message<B>(&self, body: B) -> Result<Message, Box<Rejected>>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let most = self.0.options.message_bytes;
        let reject =
            |status, reason: String| Err(Rejected::new(status, Refusal::invalid_request(reason)));
        let body = Limited::new(body, most).collect();
        let bytes = match tokio::time::timeout(BODY_PATIENCE, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let reason = format!("a message of more than {most} bytes");
                return reject(StatusCode::PAYLOAD_TOO_LARGE, reason);
            }
            Ok(Err(_)) => {
                return reject(StatusCode::BAD_REQUEST, "the request broke off".to_owned());
            }
            Err(_) => {
                let reason = "the request took too long to arrive".to_owned();
                return reject(StatusCode::REQUEST_TIMEOUT, reason);
            }
        };
        let limits = Limits {
            message_bytes: most,
            depth: self.0.options.depth,
            ..Limits::default()
        };
        let document = Document::from_bytes(bytes.into(), &limits.json())
            .map_err(|error| Rejected::new(StatusCode::BAD_REQUEST, unreadable(&error)))?;
        Message::classify(document).map_err(|unclassified| {
            let (id, refusal) = no_message(&unclassified);
            Rejected::new(StatusCode::BAD_REQUEST, refusal).with_id(id.cloned())
        })
    }

    /// Rejects requests once it is told to stop.
    fn check_running(&self) -> Result<(), Box<Rejected>> {
        if self.0.common.stop.is_stopped() {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Err(Rejected::new(status, Refusal::stopping()));
        }
        Ok(())
    }

    fn reject(&self, rejected: Rejected) -> Response<HttpBody> {
        let Rejected {
            status,
            id,
            refusal,
            allow,
        } = rejected;
        let mut response = self.refuse(status, id.as_ref(), &refusal);
        if let Some(allow) = allow {
            let allow = HeaderValue::from_static(allow);
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }

    /// Refuses what belongs to no connection.
    fn refuse(&self, status: StatusCode, id: Option<&Id>, refusal: &Refusal) -> Response<HttpBody> {
        body::json(status, self.0.common.refuse(None, id, refusal))
    }

    /// A connection for whoever sent this.
    fn connection(&self, head: &Parts, number: u64, tally: Tally) -> Arc<Connection<H>> {
        let remote = head.extensions.get::<SocketAddr>().copied();
        let principal = principal(head).cloned();
        let peer = Peer::new(number, Transport::Http, Arc::default(), remote, principal);
        Arc::new(Connection::new(Arc::clone(&self.0.common), peer, tally))
    }
}

fn principal(head: &Parts) -> Option<&Principal> {
    head.extensions.get::<Principal>()
}

/// A request that is turned away.
#[derive(Debug)]
struct Rejected {
    status: StatusCode,
    id: Option<Id>,
    refusal: Refusal,
    allow: Option<&'static str>,
}

impl Rejected {
    fn new(status: StatusCode, refusal: Refusal) -> Box<Self> {
        Box::new(Self {
            status,
            id: None,
            refusal,
            allow: None,
        })
    }

    /// The refusal answers this request.
    fn with_id(mut self: Box<Self>, id: Option<Id>) -> Box<Self> {
        self.id = id;
        self
    }
}

fn id_of(message: &Message) -> Option<Id> {
    match message.kind() {
        MessageKind::Request { id, .. } => Some(id.clone()),
        _ => None,
    }
}

fn not_allowed(allow: &'static str) -> Box<Rejected> {
    let refusal = Refusal::invalid_request(format!("only {allow} can be used here"));
    let mut rejected = Rejected::new(StatusCode::METHOD_NOT_ALLOWED, refusal);
    rejected.allow = Some(allow);
    rejected
}

/// Whether the headers say that a request is of the modern era.
fn is_modern(head: &Parts) -> bool {
    protocol_version(&head.headers).is_some_and(|version| version::MODERN.contains(&version))
}

/// The header that names a legacy session.
const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");
