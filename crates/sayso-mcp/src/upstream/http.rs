//! Many requests at once over Streamable HTTP. Each runs in the future of whoever asked: a POST,
//! and what comes in response to it.

mod exchange;
mod incoming;
mod listening;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sayso_core::json::Limits;
use sayso_core::listing::Era;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, timeout, timeout_at};

use super::common::Common;
use super::envelope;
use super::failure::{Ended, Failed};
use super::options::{Kept, Outbound};
use super::pending::Outcome;
use crate::connection::{Closing, ConnectionError};
use crate::error::ReadErrorKind;
use crate::http::client::HttpClient;
use crate::http::headers::{
    LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION, SESSION, encoded_value, header_value,
};
use crate::http::refusal::refusal;
use crate::http::{Awaited, HttpError, HttpTarget, Response};

const INITIALIZE: &str = "initialize";

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
        shared.ask(outbound).await
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
