//! One conversation with one server, over whichever transport.

use std::time::Duration;

use sayso_core::json::ParseError;
use sayso_core::listing::{Era, Listing};
use tokio::time::Instant;

use crate::error::{Heard, ReadErrorKind};
use crate::http::{HttpConnection, HttpError};
use crate::inbox::Inbox;
use crate::jsonrpc::{Fault, Message, Outgoing};
use crate::stdio::StdioConnection;

/// What a transport has to do. Every method returns by its deadline, and can be dropped at any
/// await without harm other than to the exchange it was in.
pub(crate) trait Transport {
    /// Sends a request and waits for its answer, a result or an error. Everything else that
    /// arrives goes to the [`Inbox`], whose replies are sent.
    ///
    /// # Errors
    /// When no answer comes, or what comes as the answer is no message.
    async fn request(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
    ) -> Result<Message, ConnectionError>;

    /// As [`request`](Self::request), for what may take longer than anybody waits: an answer
    /// that comes behind `deadline` is known for what it is and dropped. With `cancel` the
    /// server is told then that nobody waits any more.
    ///
    /// # Errors
    /// When no answer comes in time, or what comes as the answer is no message.
    async fn call(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        cancel: bool,
    ) -> Result<Message, ConnectionError>;

    /// Sends a notification.
    ///
    /// # Errors
    /// When it cannot be sent.
    async fn notify(
        &mut self,
        notification: &Outgoing,
        deadline: Instant,
    ) -> Result<(), ConnectionError>;

    /// Takes note of what both sides agreed on; called once, before anything but the handshake is sent.
    fn agreed(&mut self, version: &str, era: Era);

    /// What came besides answers.
    fn inbox(&mut self) -> &mut Inbox;

    /// Whether a change of the list would be heard.
    fn is_listening(&self) -> bool;

    /// Opens what changes of the list arrive over. `subscription` is the `subscriptions/listen`
    /// of the modern era; a legacy server needs none.
    ///
    /// # Errors
    /// When the server refuses, or does not answer in time.
    async fn listen(
        &mut self,
        subscription: Option<&Outgoing>,
        deadline: Instant,
    ) -> Result<(), ConnectionError>;

    /// Takes note of what the server listed: calls may need it.
    fn listed(&mut self, listing: &Listing);

    /// Reads what comes unasked until the list changed, the deadline passed, or nothing more
    /// can come.
    async fn hear(&mut self, deadline: Instant);

    /// How the process ended by itself, in words that continue "the server …"; `None` while it
    /// runs, and where there is none.
    fn exit(&self) -> Option<String>;

    /// The last lines on standard error so far, oldest first.
    fn stderr_tail(&self) -> Vec<String>;

    /// Ends the conversation and everything that was started for it.
    async fn close(self) -> Closing;
}

/// How a conversation ended.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    /// What came besides answers, over the whole conversation.
    pub(crate) inbox: Inbox,
    /// The last lines on standard error, oldest first.
    pub(crate) stderr_tail: Vec<String>,
    /// How the process ended by itself, in words that continue "the server …"; `None` where
    /// there is none, or it was ended by us.
    pub(crate) exit: Option<String>,
    /// Why the server was never started, if it was not.
    pub(crate) failure: Option<ReadErrorKind>,
}

/// Why an exchange failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectionError {
    /// The deadline passed.
    #[error("no answer in time{0}")]
    TimedOut(Heard),
    /// The server will not say any more: its process ended or its standard output did.
    #[error("the server closed the connection")]
    Closed,
    /// A message past the cap (in bytes).
    #[error("a message of more than {max_bytes} bytes")]
    TooLong {
        /// The cap.
        max_bytes: usize,
    },
    /// The answer is no valid message.
    #[error("the answer is no valid JSON-RPC message: {0}")]
    InvalidAnswer(Fault),
    /// The answer cannot be read as JSON.
    #[error("the answer is not JSON: {error}: {excerpt}")]
    BrokenAnswer {
        /// What is wrong with it.
        error: ParseError,
        /// The text around that place.
        excerpt: String,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Something HTTP.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The server does not tell of changes of its list, in words that continue "the server …".
    #[error("the server {0}")]
    NotListening(String),
}

/// How long is listened at least, so that what has arrived already is heard.
pub(crate) const MOMENT: Duration = Duration::from_millis(50);

/// Why a call is cancelled, for the server's log.
pub(crate) const NO_ANSWER: &str = "no answer in time";

/// A conversation over either transport.
#[derive(Debug)]
pub(crate) enum Connection {
    /// With a process over its standard input and output.
    Stdio(Box<StdioConnection>),
    /// With a URL.
    Http(Box<HttpConnection>),
}

impl Transport for Connection {
    async fn request(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
    ) -> Result<Message, ConnectionError> {
        match self {
            Self::Stdio(stdio) => stdio.request(request, deadline).await,
            Self::Http(http) => http.request(request, deadline).await,
        }
    }

    async fn call(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        cancel: bool,
    ) -> Result<Message, ConnectionError> {
        match self {
            Self::Stdio(stdio) => stdio.call(request, deadline, cancel).await,
            Self::Http(http) => http.call(request, deadline, cancel).await,
        }
    }

    async fn notify(
        &mut self,
        notification: &Outgoing,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        match self {
            Self::Stdio(stdio) => stdio.notify(notification, deadline).await,
            Self::Http(http) => http.notify(notification, deadline).await,
        }
    }

    fn agreed(&mut self, version: &str, era: Era) {
        match self {
            Self::Stdio(stdio) => stdio.agreed(version, era),
            Self::Http(http) => http.agreed(version, era),
        }
    }

    fn inbox(&mut self) -> &mut Inbox {
        match self {
            Self::Stdio(stdio) => stdio.inbox(),
            Self::Http(http) => http.inbox(),
        }
    }

    fn is_listening(&self) -> bool {
        match self {
            Self::Stdio(stdio) => stdio.is_listening(),
            Self::Http(http) => http.is_listening(),
        }
    }

    async fn listen(
        &mut self,
        subscription: Option<&Outgoing>,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        match self {
            Self::Stdio(stdio) => stdio.listen(subscription, deadline).await,
            Self::Http(http) => http.listen(subscription, deadline).await,
        }
    }

    fn listed(&mut self, listing: &Listing) {
        match self {
            Self::Stdio(stdio) => stdio.listed(listing),
            Self::Http(http) => http.listed(listing),
        }
    }

    async fn hear(&mut self, deadline: Instant) {
        match self {
            Self::Stdio(stdio) => stdio.hear(deadline).await,
            Self::Http(http) => http.hear(deadline).await,
        }
    }

    fn exit(&self) -> Option<String> {
        match self {
            Self::Stdio(stdio) => stdio.exit(),
            Self::Http(http) => http.exit(),
        }
    }

    fn stderr_tail(&self) -> Vec<String> {
        match self {
            Self::Stdio(stdio) => stdio.stderr_tail(),
            Self::Http(http) => http.stderr_tail(),
        }
    }

    async fn close(self) -> Closing {
        match self {
            Self::Stdio(stdio) => stdio.close().await,
            Self::Http(http) => http.close().await,
        }
    }
}
