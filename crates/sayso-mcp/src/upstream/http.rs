//! Many requests at once over Streamable HTTP. Each runs in the future of whoever asked: a POST,
//! and what comes in response to it.

mod listening;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Era, ObservationKind};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, timeout, timeout_at};

use super::common::{Common, id_at};
use super::envelope;
use super::failure::{Ended, Failed};
use super::options::{Kept, Outbound};
use super::pending::{Beat, Outcome, time_is_up};
use crate::connection::{Closing, ConnectionError, NO_ANSWER};
use crate::error::ReadErrorKind;
use crate::http::client::{HttpClient, media_type};
use crate::http::endpoint;
use crate::http::event_stream::EventStream;
use crate::http::headers::{
    LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION, SESSION, encoded_value, header_value,
};
use crate::http::refusal::refusal;
use crate::http::{Awaited, HttpError, HttpTarget, Response};
use crate::jsonrpc::{Fault, Id, Message, MessageKind, NotAMessage};

const INITIALIZE: &str = "initialize";
const NOBODY_WAITS: &str = "nobody waits for the answer any more";

/// How long a notification, a reply to the server or the end of a session may take.
const ASIDE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long ending a session may take at most.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the answer to the request for the server's own stream is waited for before anything
/// else is sent. Some servers answer it only once they have something to say.
const STREAM_PATIENCE: Duration = Duration::from_secs(1);

/// A conversation with a server behind a URL. Dropping it ends what goes on beside requests.
pub(super) struct HttpConversation {
    shared: Arc<Shared>,
}

struct Shared {
    common: Arc<Common>,
    client: HttpClient,
    /// What both sides agreed on.
    agreed: Mutex<Agreed>,
    is_modern: AtomicBool,
    /// The task that reads the server's own stream.
    listening: Mutex<Option<AbortHandle>>,
}

#[derive(Default)]
struct Agreed {
    version: Option<HeaderValue>,
    session: Option<HeaderValue>,
}

/// What a text is to the request whose answer is waited for.
enum Taken {
    Answer(Message),
    /// Its answer cannot be taken.
    Failed(ConnectionError),
    /// No message, or no answer; perhaps it was meant to be one.
    Junk(ConnectionError),
    /// Another message, taken care of.
    Other,
}

/// A request while it is on its way.
struct Exchange<'o> {
    id: u64,
    outbound: &'o Outbound<'o>,
    /// Whether something of it may have left.
    begun: AtomicBool,
    beat: Beat,
    awaited: Mutex<Awaited>,
}

impl HttpConversation {
    /// Sets up what is needed; nothing is sent yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub(super) fn new(
        target: &HttpTarget,
        common: Arc<Common>,
        limits: Limits,
    ) -> Result<Self, ReadErrorKind> {
        let client = HttpClient::new(target.clone(), limits).map_err(ReadErrorKind::Http)?;
        let shared = Shared {
            common,
            client,
            agreed: Mutex::default(),
            is_modern: AtomicBool::new(false),
            listening: Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    pub(super) fn common(&self) -> &Arc<Common> {
        &self.shared.common
    }

    pub(super) fn agreed(&self, version: &str, era: Era) {
        let mut agreed = self.shared.agreed();
        agreed.version = header_value(version);
        let is_modern = era == Era::Modern;
        if is_modern {
            agreed.session = None;
        }
        self.shared.is_modern.store(is_modern, Ordering::Relaxed);
    }

    /// Opens the server's own stream, as the legacy era has it, beside everything else. Returns
    /// once the server has answered that, or after a moment: what a server says there before the
    /// stream is open is lost with many of them, and a call may be what makes it ask something.
    pub(super) async fn listen(&self) {
        if self.shared.is_modern() {
            return;
        }
        let (tell_answered, answered) = oneshot::channel();
        let listening = listening::listen(Arc::downgrade(&self.shared), tell_answered);
        let task = self.shared.common.runtime.spawn(listening);
        *self.shared.listening() = Some(task.abort_handle());
        let _ = timeout(STREAM_PATIENCE, answered).await;
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, outbound: &Outbound<'_>) -> Outcome {
        let shared = &self.shared;
        if let Some(ended) = shared.common.ended() {
            return Err(over(&ended));
        }
        let exchange = Exchange {
            id: shared.common.new_id(),
            outbound,
            begun: AtomicBool::new(false),
            beat: Beat::default(),
            awaited: Mutex::new(Awaited::Response),
        };
        let asked = Instant::now();
        let mut asking = Asking {
            shared,
            exchange: &exchange,
            done: false,
        };
        let beat = outbound.keep_alive_on_progress.then_some(&exchange.beat);
        tokio::select! {
            biased;
            outcome = shared.exchange(&exchange) => {
                asking.done = true;
                outcome
            }
            () = time_is_up(outbound.deadline, beat) => {
                asking.give_up(NO_ANSWER);
                let span = outbound.deadline.map(|due| due.saturating_duration_since(asked));
                let waited = span.filter(|_| beat.is_none()).unwrap_or_else(|| asked.elapsed());
                Err(exchange.failed(exchange.timed_out(waited)))
            }
            ended = shared.common.wait_for_close() => {
                asking.give_up(NOBODY_WAITS);
                Err(Failed {
                    said: Some(ended.to_string()),
                    ..exchange.failed(ConnectionError::Closed)
                })
            }
        }
    }

    /// Sends a notification.
    pub(super) async fn notify(
        &self,
        method: &str,
        params: Option<&str>,
        deadline: Option<Instant>,
    ) -> Result<(), Failed> {
        let shared = &self.shared;
        if let Some(ended) = shared.common.ended() {
            return Err(over(&ended));
        }
        let mut headers = shared.headers();
        if shared.is_modern() {
            headers.extend(header_value(method).map(|method| (METHOD, method)));
        }
        let body = envelope::notification(method, params);
        let begun = AtomicBool::new(false);
        let sending = async {
            let response = shared.post(&headers, body, &begun).await?;
            if response.status().is_success() {
                return Ok(());
            }
            let refused = refusal(&shared.client, response, None, shared.in_session()).await;
            refused.map(drop)
        };
        let due = deadline.unwrap_or_else(|| Instant::now() + ASIDE_TIMEOUT);
        let waited = due.saturating_duration_since(Instant::now());
        let sent = timeout_at(due, sending).await.unwrap_or_else(|_| {
            Err(HttpError::TimedOut {
                request: "a notification",
                awaited: Awaited::Response,
                waited,
            }
            .into())
        });
        sent.map_err(|error| shared.failed(error, &begun))
    }

    /// Ends the conversation, and the session if there is one.
    pub(super) async fn close(&self, patience: Duration) -> Closing {
        let shared = &self.shared;
        if let Some(ending) = shared.close() {
            let _ = timeout(patience, ending).await;
        }
        Closing {
            inbox: std::mem::take(&mut shared.common.inbox()),
            ..Closing::default()
        }
    }
}

impl Drop for HttpConversation {
    fn drop(&mut self) {
        drop(self.shared.close());
    }
}

impl fmt::Debug for HttpConversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConversation")
            .field("target", self.shared.client.target())
            .field("common", &self.shared.common)
            .finish_non_exhaustive()
    }
}

/// Why nothing can be sent any more.
fn over(ended: &Ended) -> Failed {
    match ended {
        Ended::SessionOver => Failed::unsent(HttpError::SessionEnded),
        other => Failed::because(other.to_string()),
    }
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
    fn agreed(&self) -> std::sync::MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listening(&self) -> std::sync::MutexGuard<'_, Option<AbortHandle>> {
        self.listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn is_modern(&self) -> bool {
        self.is_modern.load(Ordering::Relaxed)
    }

    fn in_session(&self) -> bool {
        self.agreed().session.is_some()
    }

    fn end(&self, how: Ended) {
        if let Some(task) = self.listening().take() {
            task.abort();
        }
        self.common.end(how);
    }

    /// Ends the conversation, and beside everything else the session, if there is one. A server
    /// need not let its sessions be ended: it may answer 405, or not at all.
    fn close(self: &Arc<Self>) -> Option<JoinHandle<()>> {
        let ends_session = self.in_session() && self.common.ended().is_none();
        self.end(Ended::Closed);
        ends_session.then(|| {
            let shared = Arc::clone(self);
            self.common.runtime.spawn(async move {
                let headers = shared.headers();
                let (client, url) = (&shared.client, &shared.client.target().url);
                let ending = client.send(&Method::DELETE, url, &headers, bytes::Bytes::new());
                let _ = timeout(CLOSE_TIMEOUT, ending).await;
            })
        })
    }

    /// Keeps what belongs to a request that went out and is not waited for any more, until the
    /// conversation or the request's time is over: how it goes on nobody tells.
    fn keep(&self, kept: Kept) {
        let due = (kept.until)();
        let mut ended = self.common.ends();
        self.common.runtime.spawn(async move {
            let is_over = ended.wait_for(Option::is_some);
            let _ = timeout_at(due, is_over).await;
            drop(kept);
        });
    }

    fn failed(&self, error: ConnectionError, begun: &AtomicBool) -> Failed {
        if matches!(error, ConnectionError::Http(HttpError::SessionEnded)) {
            self.end(Ended::SessionOver);
        }
        Failed {
            error,
            sent: begun.load(Ordering::Relaxed),
            said: None,
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

    /// Takes a text from the server: on the stream of a request, or on its own.
    fn take(self: &Arc<Self>, mut text: Vec<u8>, exchange: Option<&Exchange<'_>>) -> Taken {
        if text.starts_with(b"\xEF\xBB\xBF") {
            self.common
                .inbox()
                .observe(ObservationKind::ByteOrderMark, "at the start of a message");
            text.drain(..3);
        }
        let start = text
            .get(..text.len().min(1 << 10))
            .unwrap_or_default()
            .to_vec();
        let document = match Document::from_bytes(text, self.client.limits()) {
            Ok(document) => document,
            Err(reason) => {
                let is_limit = reason.kind.is_limit();
                let excerpt = self.client.excerpt(&start);
                self.common
                    .inbox()
                    .observe(ObservationKind::NotJson, &excerpt);
                let error = HttpError::NotJson { reason, excerpt }.into();
                return if is_limit {
                    Taken::Failed(error)
                } else {
                    Taken::Junk(error)
                };
            }
        };
        let asked = exchange.map(|exchange| Id::from(exchange.id));
        match Message::classify(document) {
            Ok(message) => self.take_message(message, asked.as_ref(), exchange),
            Err(unclassified) => {
                self.common.inbox().take_unclassified(&unclassified);
                match unclassified.reason {
                    NotAMessage::NotJsonRpc => {
                        let text = unclassified.document.text().as_bytes();
                        let excerpt = self.client.excerpt(text);
                        Taken::Junk(HttpError::NotJsonRpc { excerpt }.into())
                    }
                    NotAMessage::Invalid { id, fault } => {
                        let is_final = fault == Fault::Batch || id.is_some() && id == asked;
                        let error = ConnectionError::InvalidAnswer(fault);
                        if is_final {
                            Taken::Failed(error)
                        } else {
                            Taken::Junk(error)
                        }
                    }
                }
            }
        }
    }

    fn take_message(
        self: &Arc<Self>,
        message: Message,
        asked: Option<&Id>,
        exchange: Option<&Exchange<'_>>,
    ) -> Taken {
        let related = exchange.map(|exchange| exchange.outbound.key);
        match message.kind() {
            MessageKind::Response { id } if Some(id) == asked => return Taken::Answer(message),
            // Without an id it answers the request that it came in response to.
            MessageKind::Error { id, .. }
                if asked.is_some() && (id.is_none() || id.as_ref() == asked) =>
            {
                return Taken::Answer(message);
            }
            MessageKind::Response { .. } | MessageKind::Error { .. } => {
                self.common.take_unawaited(&message);
            }
            MessageKind::Request { .. } => {
                let shared = Arc::clone(self);
                let send = move |reply| shared.post_aside(reply);
                self.common.take_request(message, related, send);
            }
            MessageKind::Notification { method } => {
                if let Some(exchange) = exchange.filter(|_| method == "notifications/progress") {
                    exchange.beat.mark();
                }
                let cancels = method == "notifications/cancelled"
                    && id_at(&message, &["requestId"])
                        .is_some_and(|id| self.common.cancel_incoming(&id));
                if !cancels {
                    self.common.listener.notification(message, related);
                }
            }
        }
        Taken::Other
    }

    /// Posts a reply or a notification beside whatever else goes on. Whether it is taken is the
    /// server's affair.
    async fn post_aside(self: Arc<Self>, text: String) {
        let begun = AtomicBool::new(false);
        let headers = self.headers();
        let _ = timeout(ASIDE_TIMEOUT, self.post(&headers, text, &begun)).await;
    }

    async fn post(
        &self,
        headers: &HeaderMap,
        body: String,
        begun: &AtomicBool,
    ) -> Result<Response, ConnectionError> {
        let url = &self.client.target().url;
        let sent = self
            .client
            .send_noting(&Method::POST, url, headers, body.into(), begun);
        Ok(sent.await?)
    }

    /// The headers of what is posted. A legacy message says the version once it is agreed on,
    /// and its session if there is one.
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(16);
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let agreed = self.agreed();
        headers.extend(agreed.session.clone().map(|session| (SESSION, session)));
        headers.extend(
            agreed
                .version
                .clone()
                .map(|version| (PROTOCOL_VERSION, version)),
        );
        headers
    }

    /// The headers of a request. A modern one says the method, the name and some arguments in
    /// headers too, equal to what stands in it (MCP 2026-07-28, "Transports").
    fn request_headers(&self, outbound: &Outbound<'_>) -> HeaderMap {
        let mut headers = self.headers();
        if self.is_modern() {
            headers.extend(header_value(outbound.method).map(|method| (METHOD, method)));
            headers.extend(
                outbound
                    .name
                    .and_then(encoded_value)
                    .map(|name| (NAME, name)),
            );
            let parameters = outbound.parameter_headers.iter();
            headers.extend(parameters.filter_map(|(name, value)| {
                let name = HeaderName::try_from(name.as_str()).ok()?;
                Some((name, encoded_value(value)?))
            }));
        }
        headers
    }

    /// The headers of a GET: for the server's own stream, or for the rest of one.
    fn stream_headers(&self, last_event: Option<&str>) -> HeaderMap {
        let mut headers = self.headers();
        headers.remove(CONTENT_TYPE);
        headers.extend(
            last_event
                .and_then(header_value)
                .map(|id| (LAST_EVENT_ID, id)),
        );
        headers
    }
}
