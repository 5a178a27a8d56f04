//! A conversation with a server that carries many requests at once, whole messages both ways.
//!
//! Nothing is interpreted beyond framing, ids and the handshake: what is sent is sent byte for
//! byte, and what a server says by itself goes to a [`Listener`] as it came.

mod common;
pub(crate) mod envelope;
mod failure;
mod http;
mod opening;
mod options;
mod pages;
mod pending;
mod stdio;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::json::Document;
use sayso_core::listing::{Era, Observation, ServerIdentity};
use tokio::time::Instant;

use self::common::Common;
use self::failure::Failed;
pub use self::failure::{Ended, Lost, SendError};
use self::http::HttpConversation;
pub use self::options::{Introduction, Kept, Outbound, UpstreamOptions};
pub use self::pages::{Paging, RawList};
use self::stdio::StdioConversation;
use crate::client::Closed;
use crate::connection::Closing;
use crate::downstream::Reply;
use crate::error::ReadError;
pub use crate::http::parameter_headers;
use crate::jsonrpc::Message;
use crate::target::Target;

/// What a server says by itself, on one conversation. Every method but the future of
/// [`request`](Self::request) should return soon: the conversation waits.
pub trait Listener: Send + Sync + 'static {
    /// A notification, in the order they came. `related` is the [`key`](Outbound::key) of the
    /// request it belongs to: the one on whose HTTP stream it came, or whose subscription it
    /// names. `None` where that cannot be told, as on stdio in the legacy era.
    fn notification(&self, message: Message, related: Option<u64>);

    /// A request. Its future runs beside everything else and is dropped when the server
    /// cancels the request or the conversation ends.
    fn request(
        &self,
        message: Message,
        related: Option<u64>,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send>>;

    /// A line on the server's standard error, as it came: it may hold what drives a terminal.
    fn stderr(&self, line: &str);

    /// The conversation is over. Told once, also when it was closed from this side.
    fn closed(&self, how: &Ended);
}

/// A conversation with one server. Cheap to clone; the last clone dropped ends it.
#[derive(Clone, Debug)]
pub struct Upstream {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    conversation: Conversation,
    hello: Document,
    server: ServerIdentity,
    notes: Vec<String>,
}

/// A conversation over either transport.
#[derive(Debug)]
enum Conversation {
    Stdio(StdioConversation),
    Http(HttpConversation),
}

impl Upstream {
    /// Starts the server or reaches it, and agrees on a version. Needs a runtime with its I/O and
    /// its clock.
    ///
    /// Over HTTP only Streamable HTTP is spoken, not HTTP+SSE of 2024-11-05. Plain HTTP that the
    /// environment names no proxy for goes over kept connections of our own, anything else
    /// through the HTTP library. A legacy server is asked for its own stream before anything else
    /// is sent, and given a second to answer that.
    ///
    /// # Errors
    /// When there is no server to speak with, or no version both know.
    pub async fn open(
        target: &Target,
        introduction: &Introduction,
        options: &UpstreamOptions,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, ReadError> {
        let opened = opening::open(target, introduction, options, &listener).await?;
        let opening::Opened {
            conversation,
            server,
            hello,
            notes,
        } = opened;
        Ok(Self {
            inner: Arc::new(Inner {
                conversation,
                hello,
                server,
                notes,
            }),
        })
    }

    /// The era that was agreed on.
    #[must_use]
    pub fn era(&self) -> Era {
        self.inner.server.era.unwrap_or(Era::Legacy)
    }

    /// Who answered, with the version and the era that are spoken.
    #[must_use]
    pub fn server(&self) -> &ServerIdentity {
        &self.inner.server
    }

    /// The whole result of `initialize` or `server/discover`.
    #[must_use]
    pub fn hello(&self) -> &Document {
        &self.inner.hello
    }

    /// The version that was agreed on.
    #[must_use]
    pub fn protocol_version(&self) -> &str {
        self.inner
            .server
            .protocol_version
            .as_deref()
            .unwrap_or_default()
    }

    /// Sends a request and waits for its answer, a response or an error. Dropping the future
    /// cancels the request at the server where [`cancel_on_drop`](Outbound::cancel_on_drop) says so.
    ///
    /// # Errors
    /// When no answer comes. Only [`SendError::NotSent`] says that the request never reached
    /// the server.
    pub async fn request(&self, outbound: Outbound<'_>) -> Result<Message, SendError> {
        Ok(self.inner.conversation.request(&outbound).await?)
    }

    /// Sends a notification. `params` are sent as they stand.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub async fn notify(&self, method: &str, params: Option<&str>) -> Result<(), SendError> {
        let sent = self.inner.conversation.notify(method, params, None);
        Ok(sent.await?)
    }

    /// Whether the conversation is over: nothing can be sent any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inner.conversation.common().ended().is_some()
    }

    /// Waits for the end of the conversation, and says how it came.
    pub async fn closed(&self) -> Ended {
        self.inner.conversation.common().wait_for_end().await
    }

    /// Ends the conversation, and the server if it was started for it. A process gets
    /// `patience` to end by itself once its input is closed, before it is signalled. A second
    /// call waits for the first one's end and has nothing to tell.
    pub async fn close(&self, patience: Duration) -> Closed {
        let closing = self.inner.conversation.close(patience).await;
        Closed {
            observations: closing.inbox.observations().to_vec(),
            notes: self.inner.notes.clone(),
            stderr_tail: closing.stderr_tail,
            exit: closing.exit,
            late_answers: closing.inbox.late_answers(),
        }
    }

    /// How many answers came that nobody waited for any more, so far.
    #[must_use]
    pub fn late_answers(&self) -> usize {
        self.inner.conversation.common().inbox().late_answers()
    }

    /// What was odd on the wire so far.
    #[must_use]
    pub fn observations(&self) -> Vec<Observation> {
        let inbox = self.inner.conversation.common().inbox();
        inbox.observations().to_vec()
    }
}

impl Conversation {
    fn common(&self) -> &Arc<Common> {
        match self {
            Self::Stdio(stdio) => stdio.common(),
            Self::Http(http) => http.common(),
        }
    }

    fn agreed(&self, version: &str, era: Era) {
        match self {
            Self::Stdio(stdio) => stdio.agreed(era),
            Self::Http(http) => http.agreed(version, era),
        }
    }

    /// Opens what a server needs to speak by itself.
    async fn listen(&self) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(http) => http.listen().await,
        }
    }

    async fn request(&self, outbound: &Outbound<'_>) -> Result<Message, Failed> {
        match self {
            Self::Stdio(stdio) => stdio.request(outbound).await,
            Self::Http(http) => http.request(outbound).await,
        }
    }

    async fn notify(
        &self,
        method: &str,
        params: Option<&str>,
        deadline: Option<Instant>,
    ) -> Result<(), Failed> {
        match self {
            Self::Stdio(stdio) => stdio.notify(method, params),
            Self::Http(http) => http.notify(method, params, deadline).await,
        }
    }

    async fn close(&self, patience: Duration) -> Closing {
        match self {
            Self::Stdio(stdio) => stdio.close(patience).await,
            Self::Http(http) => http.close(patience).await,
        }
    }
}
