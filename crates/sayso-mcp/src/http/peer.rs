//! The server at the other end: what it is sent with every message, and what arrives from it.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Era, ObservationKind};
use tokio::task::JoinSet;

use super::client::HttpClient;
use super::error::{Awaited, HttpError};
use super::headers::{
    LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION, SESSION, encoded_value, header_value,
};
use super::parameters::Parameters;
use super::response::Response;
use super::target::HttpTarget;
use crate::connection::ConnectionError;
use crate::inbox::Inbox;
use crate::jsonrpc::{Fault, Id, Message, MessageKind, NotAMessage, Outgoing};
use crate::subscription::{Word, word};

/// How many replies to the server may be on their way at once. One that asks more than it
/// takes answers gets no further ones.
const MAX_REPLIES: usize = 64;

/// Where the version stands in the parameters of a modern request (MCP 2026-07-28).
const META_VERSION: &str = "/_meta/io.modelcontextprotocol~1protocolVersion";

/// A server and the state of the conversation with it.
pub(super) struct Peer {
    pub(super) client: Arc<HttpClient>,
    pub(super) inbox: Inbox,
    /// Where messages are posted if not to the target itself.
    pub(super) endpoint: Option<Url>,
    /// What would be missing if the time were over now.
    pub(super) awaited: Awaited,
    version: Option<HeaderValue>,
    era: Era,
    session: Option<HeaderValue>,
    /// Which arguments stand in headers, by the last listing.
    pub(super) parameters: Arc<Parameters>,
    /// The subscription to changes of the list, if there is one.
    pub(super) subscription: Option<Id>,
    /// Those of every fork too: they outlive it.
    replies: Arc<Mutex<JoinSet<()>>>,
}

/// What one text from the server is.
pub(super) enum Arrival {
    /// The answer that is waited for.
    Answer(Box<Message>),
    /// A word about the subscription.
    Subscription(Word),
    /// Another message, taken care of.
    Other {
        /// Its start.
        excerpt: String,
    },
    /// No message; noted as odd.
    Junk(ConnectionError),
    /// What was to be the answer, and cannot be taken.
    InvalidAnswer(ConnectionError),
}

impl Peer {
    pub(super) fn new(target: HttpTarget, limits: Limits) -> Result<Self, HttpError> {
        Ok(Self {
            client: Arc::new(HttpClient::new(target, limits)?),
            inbox: Inbox::default(),
            endpoint: None,
            awaited: Awaited::Response,
            version: None,
            era: Era::Legacy,
            session: None,
            parameters: Arc::default(),
            subscription: None,
            replies: Arc::default(),
        })
    }

    /// The same server once more, for an exchange beside others. What it notes in its inbox is
    /// to be absorbed.
    pub(super) fn fork(&self) -> Self {
        Self {
            client: Arc::clone(&self.client),
            inbox: Inbox::default(),
            endpoint: self.endpoint.clone(),
            awaited: Awaited::Response,
            version: self.version.clone(),
            era: self.era,
            session: self.session.clone(),
            parameters: Arc::clone(&self.parameters),
            subscription: None,
            replies: Arc::clone(&self.replies),
        }
    }

    pub(super) fn agreed(&mut self, version: &str, era: Era) {
        self.version = header_value(version);
        self.era = era;
        if era == Era::Modern {
            self.session = None;
        }
    }

    pub(super) fn is_modern(&self) -> bool {
        self.era == Era::Modern
    }

    pub(super) fn in_session(&self) -> bool {
        self.session.is_some()
    }

    /// Keeps the session id that came with the answer to `initialize` (MCP 2025-03-26 to 2025-11-25).
    pub(super) fn keep_session(&mut self, response: &Response) {
        self.session = response.headers().get(SESSION).cloned().map(|mut id| {
            id.set_sensitive(true);
            id
        });
    }

    /// Ends the session (MCP 2025-11-25, "Session Management").
    pub(super) async fn end_session(&mut self) {
        let headers = self.headers(None);
        self.session = None;
        // Whatever comes back: the session is of no use any more.
        let _ = self
            .client
            .send(
                &Method::DELETE,
                &self.client.target().url,
                &headers,
                Bytes::new(),
            )
            .await;
    }

    fn post_url(&self) -> &Url {
        self.endpoint.as_ref().unwrap_or(&self.client.target().url)
    }

    /// Posts a message.
    pub(super) async fn post(&self, message: &Outgoing) -> Result<Response, HttpError> {
        let (headers, body) = (self.headers(Some(message)), message.to_json());
        self.client
            .send(&Method::POST, self.post_url(), &headers, body.into())
            .await
    }

    /// The headers of a message; of a reply or of the session's end where there is none.
    ///
    /// A modern request says the version and the method in headers too, equal to what stands
    /// in it (MCP 2026-07-28, "Transports"). A legacy one says the version once it is agreed on,
    /// and its session if there is one.
    pub(super) fn headers(&self, message: Option<&Outgoing>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let meta_version = message
            .and_then(Outgoing::params)
            .and_then(|params| params.pointer(META_VERSION))
            .and_then(serde_json::Value::as_str)
            .and_then(header_value);
        if let Some(message) = message.filter(|_| meta_version.is_some() || self.is_modern()) {
            headers.insert(METHOD, HeaderValue::from_static(message.method()));
            if let Some((tool, arguments)) = message.call() {
                headers.extend(encoded_value(tool).map(|tool| (NAME, tool)));
                headers.extend(self.parameters.headers(tool, arguments));
            }
        } else if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        if let Some(version) = meta_version.or_else(|| self.version.clone()) {
            headers.insert(PROTOCOL_VERSION, version);
        }
        headers
    }

    /// The headers of a GET that opens the server's own stream.
    pub(super) fn stream_headers(&self) -> HeaderMap {
        let mut headers = self.headers(None);
        headers.remove(CONTENT_TYPE);
        headers
    }

    /// The headers of a GET that asks for the rest of a stream.
    pub(super) fn resumption_headers(&self, last_event_id: &str) -> HeaderMap {
        let mut headers = self.stream_headers();
        headers.extend(header_value(last_event_id).map(|id| (LAST_EVENT_ID, id)));
        headers
    }

    /// Takes a text from the server while the answer to `asked` is waited for. Everything
    /// else goes to the inbox, and what that replies is sent.
    pub(super) fn take(&mut self, mut text: Vec<u8>, asked: &Id) -> Arrival {
        if text.starts_with(b"\xEF\xBB\xBF") {
            self.inbox
                .observe(ObservationKind::ByteOrderMark, "at the start of a message");
            text.drain(..3);
        }
        let excerpt = self.client.excerpt(&text);
        let document = match Document::from_bytes(text, self.client.limits()) {
            Ok(document) => document,
            Err(reason) => {
                let is_limit = reason.kind.is_limit();
                self.inbox.observe(ObservationKind::NotJson, &excerpt);
                let error = HttpError::NotJson { reason, excerpt }.into();
                return if is_limit {
                    Arrival::InvalidAnswer(error)
                } else {
                    Arrival::Junk(error)
                };
            }
        };
        match Message::classify(document) {
            Ok(message) if is_answer(&message, asked) => Arrival::Answer(Box::new(message)),
            Ok(message) => {
                let subscription = self.subscription.as_ref();
                if let Some(word) = subscription.and_then(|id| word(&message, id)) {
                    return Arrival::Subscription(word);
                }
                if let Some(reply) = self.inbox.take(&message) {
                    self.reply(reply);
                }
                Arrival::Other { excerpt }
            }
            Err(unclassified) => {
                self.inbox.take_unclassified(&unclassified);
                match unclassified.reason {
                    NotAMessage::NotJsonRpc => {
                        Arrival::Junk(HttpError::NotJsonRpc { excerpt }.into())
                    }
                    NotAMessage::Invalid { id, fault } => {
                        let final_word = id.as_ref() == Some(asked) || fault == Fault::Batch;
                        let error = ConnectionError::InvalidAnswer(fault);
                        if final_word {
                            Arrival::InvalidAnswer(error)
                        } else {
                            Arrival::Junk(error)
                        }
                    }
                }
            }
        }
    }

    /// Posts a reply beside whatever else goes on.
    pub(super) fn reply(&self, reply: String) {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        while replies.try_join_next().is_some() {}
        if replies.len() >= MAX_REPLIES {
            return;
        }
        let (client, url, headers) = (
            Arc::clone(&self.client),
            self.post_url().clone(),
            self.headers(None),
        );
        replies.spawn(async move {
            // Whether it is taken is the server's affair.
            let _ = client
                .send(&Method::POST, &url, &headers, reply.into())
                .await;
        });
    }
}

/// An error without an id answers too: one request is on its way at a time.
fn is_answer(message: &Message, asked: &Id) -> bool {
    message.answers(asked) || matches!(message.kind(), MessageKind::Error { id: None, .. })
}
