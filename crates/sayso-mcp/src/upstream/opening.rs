//! The way into a conversation: it is started, and both sides agree on a version.
//!
//! Either era may be spoken where the caller leaves the choice: the handshake is tried first,
//! and the modern era where a server refuses it as one of the modern era does. The other way
//! round, as the specification has it for stdio, costs most servers there are today a second
//! start: many end, or say nothing at all, when they are asked what they do not know before
//! `initialize`. A modern server refuses a handshake at once.

use std::io;
use std::sync::Arc;

use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Era, Listing, ServerIdentity};
use tokio::time::Instant;

use super::common::Common;
use super::http::HttpConversation;
use super::options::{Introduction, Outbound, UpstreamOptions};
use super::stdio::StdioConversation;
use super::{Conversation, Listener};
use crate::client::kind;
use crate::connection::{Closing, ConnectionError, Transport};
use crate::error::{ReadError, ReadErrorKind};
use crate::http::{HttpError, HttpKind};
use crate::inbox::Inbox;
use crate::jsonrpc::{Message, Outgoing};
use crate::options::{EraChoice, ReadOptions, deadline};
use crate::session::{Failure, Session, legacy, modern};
use crate::target::Target;
use crate::version;

/// A conversation that is open.
pub(super) struct Opened {
    pub(super) conversation: Conversation,
    pub(super) server: ServerIdentity,
    pub(super) hello: Document,
    pub(super) notes: Vec<String>,
}

/// Starts the server or reaches it, and agrees on a version.
pub(super) async fn open(
    target: &Target,
    introduction: &Introduction,
    options: &UpstreamOptions,
    listener: &Arc<dyn Listener>,
) -> Result<Opened, ReadError> {
    let way = Way {
        target,
        introduction,
        options,
        listener,
    };
    let refused = match introduction.era {
        EraChoice::Modern => return way.open(true).await.map_err(|refusal| refusal.error),
        EraChoice::Auto | EraChoice::Legacy => match way.open(false).await {
            Ok(opened) => return Ok(opened),
            Err(refusal) if refusal.perhaps_modern => refusal.error,
            Err(refusal) => return Err(refusal.error),
        },
    };
    // In a process of its own: what a server makes of a refused handshake is anybody's guess.
    match way.open(true).await {
        Ok(opened) => Ok(opened),
        // It spoke neither; the first refusal says more.
        Err(Refusal { error, .. }) if matches!(*error.kind, ReadErrorKind::NotModern { .. }) => {
            Err(refused)
        }
        Err(refusal) => Err(refusal.error),
    }
}

/// A handshake that came to nothing.
struct Refusal {
    error: ReadError,
    /// The server refused as one of the modern era may do.
    perhaps_modern: bool,
}

/// Everything that is asked for.
struct Way<'w> {
    target: &'w Target,
    introduction: &'w Introduction,
    options: &'w UpstreamOptions,
    listener: &'w Arc<dyn Listener>,
}

impl Way<'_> {
    async fn open(&self, is_modern: bool) -> Result<Opened, Refusal> {
        let begun = Instant::now();
        let capabilities = self.capabilities().map_err(|kind| self.refused(kind))?;
        let conversation = self.start().map_err(|kind| self.refused(kind))?;
        let options = ReadOptions {
            start_timeout: self.options.start_timeout,
            era: self.introduction.era,
            client: self.introduction.client.clone(),
            ..ReadOptions::default()
        };
        let start = deadline(begun, options.start_timeout_for(self.target));
        let preferred = self.introduction.preferred_version.as_deref();
        let known = version::LEGACY.into_iter().chain(version::MODERN);
        let preferred = known
            .into_iter()
            .find(|version| Some(*version) == preferred);
        let mut session = Session::new(Opening::new(conversation), &options, start)
            .introduced(capabilities, preferred);
        let agreed = if is_modern {
            modern(&mut session).await
        } else {
            legacy(&mut session).await
        };
        match (agreed, session.take_hello()) {
            (Ok(()), Some(hello)) => Ok(opened(session, &hello).await),
            (Ok(()), None) => Err(self.failed(session, Failure::Closed("initialize")).await),
            (Err(failure), _) => Err(self.failed(session, failure).await),
        }
    }

    fn start(&self) -> Result<Conversation, ReadErrorKind> {
        let options = self.options;
        let limits = Limits {
            max_bytes: options.message_bytes,
            max_depth: options.depth,
            ..Limits::default()
        };
        let common = Arc::new(Common::new(Arc::clone(self.listener), options.max_incoming));
        Ok(match self.target {
            Target::Stdio(command) => Conversation::Stdio(StdioConversation::start(
                command,
                common,
                limits,
                options.queue_bytes,
            )?),
            Target::Http(http) if http.kind == HttpKind::Sse => {
                let text = "HTTP+SSE cannot carry such a conversation, only Streamable HTTP can";
                let error = io::Error::new(io::ErrorKind::Unsupported, text);
                return Err(ReadErrorKind::Io(error));
            }
            Target::Http(http) => Conversation::Http(HttpConversation::new(http, common, limits)?),
        })
    }

    fn capabilities(&self) -> Result<serde_json::Value, ReadErrorKind> {
        let parsed: Result<serde_json::Map<_, _>, _> =
            serde_json::from_str(&self.introduction.capabilities);
        parsed.map(Into::into).map_err(|error| {
            let text = format!("the capabilities to declare are no JSON object: {error}");
            ReadErrorKind::Io(io::Error::new(io::ErrorKind::InvalidInput, text))
        })
    }

    fn refused(&self, kind: ReadErrorKind) -> Refusal {
        Refusal {
            error: ReadError {
                server: self.target.shown(),
                kind: Box::new(kind),
                stderr_tail: Vec::new(),
            },
            perhaps_modern: false,
        }
    }

    async fn failed(&self, session: Session<Opening>, failure: Failure) -> Refusal {
        // Behind a URL a server of the modern era may say so with the status alone.
        let perhaps_modern = match &failure {
            Failure::PerhapsModern(_) => true,
            Failure::Final(ReadErrorKind::Http(HttpError::Status { status, .. })) => {
                self.introduction.era == EraChoice::Auto
                    && matches!(status.as_u16(), 400 | 404 | 405)
            }
            Failure::Final(_) | Failure::Closed(_) => false,
        };
        let (_, mut closing) = session.close().await;
        let never_started = closing.failure.take();
        let kind = never_started.unwrap_or_else(|| kind(failure, closing.exit.take()));
        Refusal {
            error: ReadError {
                server: self.target.shown(),
                kind: Box::new(kind),
                stderr_tail: closing.stderr_tail,
            },
            perhaps_modern,
        }
    }
}

async fn opened(session: Session<Opening>, hello: &Message) -> Opened {
    let server = session.server().clone();
    let notes = session.notes().to_vec();
    let root = hello.result().unwrap_or_else(|| hello.document().root());
    let Opening {
        conversation,
        inbox,
    } = session.into_connection();
    conversation.common().inbox().absorb(inbox);
    conversation.listen().await;
    Opened {
        conversation,
        server,
        hello: Document::part(root),
        notes,
    }
}

/// A conversation on which nothing but the handshake goes on yet.
struct Opening {
    conversation: Conversation,
    /// What the handshake itself found odd.
    inbox: Inbox,
}

impl Opening {
    fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            inbox: Inbox::default(),
        }
    }
}

impl Transport for Opening {
    async fn request(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
    ) -> Result<Message, ConnectionError> {
        let params = request.params().map(ToString::to_string);
        let outbound = Outbound {
            deadline: Some(deadline),
            // `initialize` must not be cancelled (MCP 2025-11-25, "Cancellation").
            cancel_on_drop: false,
            ..Outbound::new(0, request.method(), params.as_deref())
        };
        let answer = self.conversation.request(&outbound).await;
        answer.map_err(|failed| failed.error)
    }

    async fn call(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        _: bool,
    ) -> Result<Message, ConnectionError> {
        self.request(request, deadline).await
    }

    async fn notify(
        &mut self,
        notification: &Outgoing,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        let params = notification.params().map(ToString::to_string);
        let sent =
            self.conversation
                .notify(notification.method(), params.as_deref(), Some(deadline));
        sent.await.map_err(|failed| failed.error)
    }

    fn agreed(&mut self, version: &str, era: Era) {
        self.conversation.agreed(version, era);
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn is_listening(&self) -> bool {
        false
    }

    async fn listen(&mut self, _: Option<&Outgoing>, _: Instant) -> Result<(), ConnectionError> {
        Ok(())
    }

    fn listed(&mut self, _: &Listing) {}

    async fn hear(&mut self, _: Instant) {}

    fn exit(&self) -> Option<String> {
        None
    }

    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }

    async fn close(self) -> Closing {
        let patience = ReadOptions::default().close_timeout;
        let mut closing = self.conversation.close(patience).await;
        closing.inbox.absorb(self.inbox);
        closing
    }
}
