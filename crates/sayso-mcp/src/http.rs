//! Servers behind a URL: Streamable HTTP of both eras (MCP 2025-03-26 and later), and
//! HTTP+SSE of MCP 2024-11-05, which a server is tried with when it refuses the former in
//! the way the specification describes.
//!
//! Credentials go to the target's own origin and to no other: neither a redirect nor an
//! HTTP+SSE endpoint is followed elsewhere.

mod calls;
mod changes;
pub(crate) mod client;
mod direct;
pub(crate) mod endpoint;
mod error;
pub(crate) mod event_stream;
pub(crate) mod headers;
mod parameters;
mod peer;
pub(crate) mod refusal;
mod response;
mod sse;
mod target;

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use sayso_core::json::Limits;
use sayso_core::listing::{Era, Listing};
use tokio::time::Instant;

use self::calls::Calls;
use self::client::media_type;
use self::endpoint::Channel;
pub use self::error::{Awaited, HttpError, RedirectRefusal, TargetError};
use self::event_stream::EventStream;
use self::parameters::Parameters;
pub use self::parameters::parameter_headers;
use self::peer::{Arrival, Peer};
use self::refusal::refusal;
pub(crate) use self::response::Response;
pub use self::target::{HttpKind, HttpTarget};
use crate::connection::{Closing, ConnectionError, Transport};
use crate::error::seconds;
use crate::inbox::Inbox;
use crate::jsonrpc::{Id, Message, Outgoing};

/// How long ending a session may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a POST may go on after its answer came over the stream of HTTP+SSE.
const POST_GRACE: Duration = Duration::from_secs(1);

/// A conversation with a server behind a URL.
pub(crate) struct HttpConnection {
    peer: Peer,
    /// A POST was answered, so that Streamable HTTP it is.
    streamable: bool,
    /// The stream of HTTP+SSE, if that is spoken.
    channel: Option<Box<Channel>>,
    /// The stream that changes of the list arrive on.
    listening: Option<EventStream>,
    /// That stream after its end, until it is opened again.
    ended: Option<EventStream>,
    /// The calls that are not answered yet.
    calls: Calls,
}

impl HttpConnection {
    /// Sets up what is needed; nothing is sent yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up, for want of root certificates for instance.
    pub(crate) fn new(target: HttpTarget, limits: Limits) -> Result<Self, HttpError> {
        Ok(Self {
            peer: Peer::new(target, limits)?,
            streamable: false,
            channel: None,
            listening: None,
            ended: None,
            calls: Calls::new(),
        })
    }

    async fn exchange(&mut self, request: &Outgoing, id: &Id) -> Result<Message, ConnectionError> {
        let kind = self.peer.client.target().kind;
        if self.channel.is_none() && kind == HttpKind::Sse {
            self.channel = Some(Box::new(Channel::open(&self.peer.client).await?));
        }
        if let Some(channel) = &mut self.channel {
            return over_channel(&mut self.peer, channel, request, id).await;
        }
        let answer = over_post(&mut self.peer, request, id).await;
        self.streamable |= answer.is_ok();
        let refused = match &answer {
            Err(ConnectionError::Http(error)) if !self.streamable && kind == HttpKind::Auto => {
                refused(request, error)
            }
            _ => None,
        };
        let Some(post) = refused else { return answer };
        let channel = match Channel::open(&self.peer.client).await {
            Ok(channel) => self.channel.insert(Box::new(channel)),
            Err(ConnectionError::Http(get)) => {
                return Err(HttpError::NoTransport {
                    post,
                    get: Box::new(get),
                }
                .into());
            }
            Err(other) => return Err(other),
        };
        over_channel(&mut self.peer, channel, request, id).await
    }

    fn timed_out(&self, message: &Outgoing, waited: Duration) -> ConnectionError {
        let (request, awaited) = (message.method(), self.peer.awaited);
        HttpError::TimedOut {
            request,
            awaited,
            waited,
        }
        .into()
    }
}

/// The status of a refusal of the first message which means that the server may be of
/// 2024-11-05 (MCP 2025-11-25, "Transports", backwards compatibility).
fn refused(request: &Outgoing, error: &HttpError) -> Option<StatusCode> {
    match error {
        HttpError::Status { status, .. } if request.method() == "initialize" => {
            matches!(status.as_u16(), 400 | 404 | 405).then_some(*status)
        }
        _ => None,
    }
}

/// One exchange of Streamable HTTP.
async fn over_post(
    peer: &mut Peer,
    request: &Outgoing,
    id: &Id,
) -> Result<Message, ConnectionError> {
    peer.awaited = Awaited::Response;
    let response = peer.post(request).await?;
    if !response.status().is_success() {
        return refusal(&peer.client, response, Some(id), peer.in_session()).await;
    }
    if request.method() == "initialize" {
        peer.keep_session(&response);
    }
    match media_type(&response).as_deref() {
        Some("application/json") => json_answer(peer, response, id).await,
        Some("text/event-stream") => streamed_answer(peer, response, id).await,
        _ => Err(peer.client.no_answer(response).await),
    }
}

/// The answer as the whole body.
async fn json_answer(
    peer: &mut Peer,
    response: Response,
    id: &Id,
) -> Result<Message, ConnectionError> {
    peer.awaited = Awaited::Body;
    let status = response.status();
    let body = peer.client.body(response).await?;
    if body.is_empty() {
        return Err(HttpError::EmptyBody { status }.into());
    }
    match peer.take(body, id) {
        Arrival::Answer(answer) => Ok(*answer),
        Arrival::Other { excerpt } => Err(HttpError::NotTheAnswer {
            asked: id.to_string(),
            excerpt,
        }
        .into()),
        Arrival::Subscription(_) => Err(HttpError::StreamClosed.into()),
        Arrival::Junk(error) | Arrival::InvalidAnswer(error) => Err(error),
    }
}

/// The answer as one event of a stream; requests and notifications may come before it.
async fn streamed_answer(
    peer: &mut Peer,
    response: Response,
    id: &Id,
) -> Result<Message, ConnectionError> {
    peer.awaited = Awaited::Event;
    let mut stream = EventStream::new(response, peer.client.limits().max_bytes);
    let mut failure = ConnectionError::Http(HttpError::StreamClosed);
    let mut resumption = None;
    loop {
        match stream.next().await {
            Ok(Some(event)) if event.is_message() && !event.data.is_empty() => {
                match peer.take(event.data, id) {
                    Arrival::Answer(answer) => return Ok(*answer),
                    Arrival::InvalidAnswer(error) => return Err(error),
                    // Perhaps that was meant to be the answer: it is told if no other comes.
                    Arrival::Junk(error) => failure = error,
                    Arrival::Subscription(_) | Arrival::Other { .. } => {}
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
            .filter(|_| !peer.is_modern());
        let Some((last_event, wait)) = &resumption else {
            return Err(failure);
        };
        tokio::time::sleep(*wait).await;
        match endpoint::get(&peer.client, peer.resumption_headers(last_event)).await {
            Ok(rest) => stream = rest,
            Err(_) => return Err(failure),
        }
    }
}

/// One exchange of HTTP+SSE. The stream is read while the message is posted: a server may
/// hold the response to the POST back until its answer is taken off the stream.
async fn over_channel(
    peer: &mut Peer,
    channel: &mut Channel,
    request: &Outgoing,
    id: &Id,
) -> Result<Message, ConnectionError> {
    peer.awaited = Awaited::Event;
    peer.endpoint = Some(channel.endpoint.clone());
    let client = peer.client.clone();
    let (headers, body) = (peer.headers(Some(request)), request.to_json());
    let mut posting = pin!(client.send(&Method::POST, &channel.endpoint, &headers, body.into()));
    let mut posted = false;
    loop {
        let event = tokio::select! {
            response = &mut posting, if !posted => {
                posted = true;
                let response = response?;
                if !response.status().is_success() {
                    return refusal(&client, response, Some(id), false).await;
                }
                continue;
            }
            event = channel.stream.next() => event?,
        };
        let Some(event) = event else {
            return Err(HttpError::StreamClosed.into());
        };
        if !event.is_message() || event.data.is_empty() {
            continue;
        }
        match peer.take(event.data, id) {
            Arrival::Answer(answer) => {
                if !posted {
                    let _ = tokio::time::timeout(POST_GRACE, posting).await;
                }
                return Ok(*answer);
            }
            Arrival::InvalidAnswer(error) => return Err(error),
            Arrival::Junk(_) | Arrival::Subscription(_) | Arrival::Other { .. } => {}
        }
    }
}

impl Transport for HttpConnection {
    async fn request(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
    ) -> Result<Message, ConnectionError> {
        let waited = deadline.saturating_duration_since(Instant::now());
        let id = request.id().unwrap_or(NOBODY);
        match tokio::time::timeout_at(deadline, self.exchange(request, &id)).await {
            Ok(answer) => answer,
            Err(_) => Err(self.timed_out(request, waited)),
        }
    }

    async fn call(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        cancel: bool,
    ) -> Result<Message, ConnectionError> {
        if self.channel.is_some() {
            self.call_over_channel(request, deadline, cancel).await
        } else {
            self.call_over_post(request, deadline, cancel).await
        }
    }

    async fn notify(
        &mut self,
        notification: &Outgoing,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        let waited = deadline.saturating_duration_since(Instant::now());
        self.peer.awaited = Awaited::Response;
        let sending = async {
            let response = self.peer.post(notification).await?;
            if response.status().is_success() {
                return Ok(());
            }
            refusal(&self.peer.client, response, None, self.peer.in_session())
                .await
                .map(|_| ())
        };
        match tokio::time::timeout_at(deadline, sending).await {
            Ok(sent) => sent,
            Err(_) => Err(self.timed_out(notification, waited)),
        }
    }

    fn agreed(&mut self, version: &str, era: Era) {
        self.peer.agreed(version, era);
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.peer.inbox
    }

    fn is_listening(&self) -> bool {
        self.channel.is_some() || self.listening.is_some() || self.ended.is_some()
    }

    async fn listen(
        &mut self,
        subscription: Option<&Outgoing>,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        let waited = deadline.saturating_duration_since(Instant::now());
        match tokio::time::timeout_at(deadline, self.open_listening(subscription)).await {
            Ok(opened) => opened,
            Err(_) => Err(ConnectionError::NotListening(format!(
                "opened no stream for them within {}",
                seconds(waited)
            ))),
        }
    }

    fn listed(&mut self, listing: &Listing) {
        self.peer.parameters = Arc::new(Parameters::of(listing));
    }

    async fn hear(&mut self, deadline: Instant) {
        self.read_until_change(deadline).await;
    }

    fn exit(&self) -> Option<String> {
        None
    }

    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }

    async fn close(mut self) -> Closing {
        while let Some(joined) = self.calls.try_join_next_with_id() {
            self.take_late(joined);
        }
        if self.peer.in_session() {
            // A server need not let its sessions be ended: it may answer 405, or not at all.
            let _ = tokio::time::timeout(CLOSE_TIMEOUT, self.peer.end_session()).await;
        }
        Closing {
            inbox: std::mem::take(&mut self.peer.inbox),
            ..Closing::default()
        }
    }
}

impl fmt::Debug for HttpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConnection")
            .field("target", self.peer.client.target())
            .finish_non_exhaustive()
    }
}

/// The id of what no answer is waited for: nothing ever answers it.
const NOBODY: Id = Id::Number(String::new());
