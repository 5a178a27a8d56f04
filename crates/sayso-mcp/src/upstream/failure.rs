//! Why a request has no answer, and how a conversation ended.

use std::fmt;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It certainly never reached the server, or the server certainly did nothing with it: it
    /// may be sent again.
    #[error("not sent: {said}")]
    NotSent {
        /// Why.
        said: String,
        /// The server has ended the HTTP session; a new conversation is needed (404 with a
        /// session id; MCP 2025-11-25, "Session Management").
        session_over: bool,
    },
    /// It may have had its effect.
    #[error("{said}")]
    Unknown {
        /// What kind of thing happened.
        why: Lost,
        /// What happened.
        said: String,
    },
    /// HTTP itself refused it.
    #[error("{said}")]
    Rejected {
        /// The status.
        status: u16,
        /// What the status means, and what the server says.
        said: String,
    },
}

impl SendError {
    /// Not sent, for this reason.
    pub(crate) fn not_sent(said: impl Into<String>) -> Self {
        Self::NotSent {
            said: said.into(),
            session_over: false,
        }
    }
}

/// How an answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The deadline passed.
    TimedOut,
    /// The process ended, its output did, or the connection broke.
    ConnectionLost,
    /// What came as the answer is none.
    Malformed,
}

/// How a conversation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was closed from this side.
    Closed,
    /// The server's process ended, in words that continue "the server …".
    Exited(String),
    /// The process lives on, and closed its standard output or its standard input.
    PipeClosed,
    /// The server has ended the HTTP session.
    SessionOver,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the conversation was closed"),
            Self::Exited(how) => write!(f, "the server {how}"),
            Self::PipeClosed => f.write_str("the server closed the connection"),
            Self::SessionOver => f.write_str("the server has ended the session"),
        }
    }
}
