//! The side of the wire that hosts call: whole messages over pipes and Streamable HTTP, both
//! eras at once, decided by what arrives.
//!
//! Nothing is interpreted here beyond framing, eras, sessions, ids and strictness. Whatever two
//! readers could understand in two ways is refused before a [`Handler`] sees it.

mod connection;
mod ending;
mod exchange;
mod http;
mod link;
mod outbox;
mod peer;
mod pipe;
mod refusal;
mod stdio;
mod stop;
mod work;
mod write;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub use self::http::{Endpoint, HeaderMismatch, HttpBody, Options, check_parameter_headers};
pub use ending::{Ending, StreamKind};
pub use exchange::Exchange;
pub use link::AskError;
pub use outbox::Gone;
pub use peer::{Era, Peer, Principal, Transport};
pub use pipe::serve_pipe;
pub use refusal::Refused;
pub(crate) use refusal::{Refusal, supported};
pub use stdio::serve_stdio;
pub use stop::Stop;

use crate::jsonrpc::{Id, Message};

const CANCELLED: &str = "notifications/cancelled";
const SUBSCRIBE: &str = "subscriptions/listen";

/// The keys of `_meta` in a request of 2026-07-28.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Who answers hosts. All connections share it.
pub trait Handler: Send + Sync + 'static {
    /// Answers a request: any method, `initialize` and `ping` included.
    ///
    /// What it does up to its first wait happens in the order of the messages. Its future is
    /// dropped when the host cancels the request (`notifications/cancelled`; in the modern era
    /// over HTTP by closing the response) and when the connection ends. The `protocolVersion` in
    /// the result of `initialize` is the version agreed on; an HTTP session begins only with that.
    fn request(&self, request: Request) -> impl Future<Output = Reply> + Send;

    /// A notification, other than one that cancels a request which runs. The connection waits
    /// while it is taken.
    fn notification(&self, peer: &Peer, message: Message);

    /// A host is there; over HTTP in the legacy era before its `initialize` is answered.
    fn connected(&self, peer: &Peer) {
        let _ = peer;
    }

    /// A connection is over; what runs for it is dropped after this. In the modern era over HTTP
    /// there is none.
    fn disconnected(&self, peer: &Peer, ending: Ending) {
        let _ = (peer, ending);
    }

    /// Something was refused before it became a request: a repeated key, a batch, too long, too
    /// deep, headers that do not fit, no JSON-RPC, too many requests. The answer is on its way.
    /// `None` where it belongs to no connection.
    fn refused(&self, peer: Option<&Peer>, refused: &Refused);

    /// The host no longer wants the answer to a request; its future is dropped after this.
    fn cancelled(&self, exchange: &Exchange, reason: Option<&str>) {
        let _ = (exchange, reason);
    }

    /// A GET stream was opened.
    fn stream_opened(&self, peer: &Peer, kind: StreamKind) {
        let _ = (peer, kind);
    }

    /// A GET stream was closed; or the response to a legacy request that still runs.
    fn stream_closed(&self, peer: &Peer, kind: StreamKind) {
        let _ = (peer, kind);
    }
}

/// A request of a host.
#[derive(Debug)]
pub struct Request {
    /// Who sent it.
    pub peer: Peer,
    /// All of it.
    pub message: Message,
    /// The way back.
    pub exchange: Exchange,
    /// The headers `mcp-param-…` of an HTTP request of the modern era: their names in lower case,
    /// and what they stand for.
    pub headers: Vec<(String, String)>,
}

/// What a request is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The `result`, as JSON.
    Result(String),
    /// An error.
    Error {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
        /// Its `data`, as JSON.
        data: Option<String>,
    },
    /// The whole `error` object, as JSON.
    Raw(String),
    /// No answer: the connection breaks off. Over HTTP: the response.
    Nothing,
}

impl Reply {
    /// An error without data.
    #[must_use]
    pub fn error(code: i64, message: impl Into<String>) -> Self {
        Self::Error {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The whole answer to the request with this id, on one line; `None` where there is to be
    /// none. What is JSON already keeps its bytes, but for line ends between tokens, which become
    /// spaces.
    #[must_use]
    pub fn to_json(&self, id: &Id) -> Option<String> {
        match self {
            Self::Result(result) => Some(write::answer(Some(id), "result", result)),
            Self::Raw(error) => Some(write::answer(Some(id), "error", error)),
            Self::Error {
                code,
                message,
                data,
            } => {
                let error = write::error(*code, message, data.as_deref());
                Some(write::answer(Some(id), "error", &error))
            }
            Self::Nothing => None,
        }
    }

    /// The code, if it is an error.
    fn code(&self) -> Option<i64> {
        #[derive(serde::Deserialize)]
        struct Coded {
            code: i64,
        }
        match self {
            Self::Error { code, .. } => Some(*code),
            // What has no code is at fault itself.
            Self::Raw(error) => Some(
                serde_json::from_str(error)
                    .map_or(crate::jsonrpc::code::INTERNAL_ERROR, |Coded { code }| code),
            ),
            Self::Result(_) | Self::Nothing => None,
        }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        Self::Error {
            code: refusal.code,
            message: refusal.message,
            data: refusal.data.map(|data| data.to_string()),
        }
    }
}

/// Gives connections their numbers: 1, 2, …. Clones number together.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Arc<AtomicU64>);

impl Numbers {
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// How much of one connection is taken, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a message.
    pub message_bytes: usize,
    /// Levels of nesting in a message.
    pub depth: usize,
    /// Requests that run at once.
    pub max_running: usize,
    /// How long requests may go on after the input has ended.
    pub end_patience: Duration,
    /// Numbers the connections.
    pub numbers: Numbers,
    /// Makes it stop.
    pub stop: Stop,
}

impl Default for Limits {
    /// 16 MiB, 128 levels, 1024 requests, half a second.
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            depth: 128,
            max_running: 1024,
            end_patience: Duration::from_millis(500),
            numbers: Numbers::default(),
            stop: Stop::default(),
        }
    }
}

impl Limits {
    fn json(&self) -> sayso_core::json::Limits {
        sayso_core::json::Limits {
            max_bytes: self.message_bytes,
            max_depth: self.depth,
            ..sayso_core::json::Limits::default()
        }
    }
}
