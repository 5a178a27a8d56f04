//! Why a request has no answer, and how a conversation ended.

use std::fmt;

use crate::connection::ConnectionError;
use crate::http::HttpError;

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
    /// HTTP itself refused it, by a status below 500 before it had an effect. One of 500 and
    /// above says nothing of that: the server, or what stands before it, failed somewhere.
    #[error("{said}")]
    Rejected {
        /// The status.
        status: u16,
        /// What the status means, and what the server says.
        said: String,
    },
}

/// Why an exchange failed, and whether anything of the request may have left.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: ConnectionError,
    /// False only where the server certainly got nothing.
    pub(super) sent: bool,
    /// What happened, where that is known better than the error says.
    pub(super) said: Option<String>,
}

impl Failed {
    /// Nothing has left.
    pub(super) fn unsent(error: impl Into<ConnectionError>) -> Self {
        Self {
            error: error.into(),
            sent: false,
            said: None,
        }
    }

    /// It may have left.
    pub(super) fn sent(error: impl Into<ConnectionError>) -> Self {
        Self {
            sent: true,
            ..Self::unsent(error)
        }
    }

    /// Nothing has left, for this reason.
    pub(super) fn because(said: impl Into<String>) -> Self {
        Self {
            said: Some(said.into()),
            ..Self::unsent(ConnectionError::Closed)
        }
    }
}

impl From<Failed> for SendError {
    fn from(failed: Failed) -> Self {
        let Failed { error, sent, said } = failed;
        let said = said.unwrap_or_else(|| error.to_string());
        let session_over = matches!(error, ConnectionError::Http(HttpError::SessionEnded));
        if session_over || !sent {
            return Self::NotSent { said, session_over };
        }
        let why = match &error {
            ConnectionError::TimedOut(_) | ConnectionError::Http(HttpError::TimedOut { .. }) => {
                Lost::TimedOut
            }
            ConnectionError::TooLong { .. }
            | ConnectionError::InvalidAnswer(_)
            | ConnectionError::BrokenAnswer { .. } => Lost::Malformed,
            ConnectionError::Http(error) => match error.status() {
                Some(status) => return Self::Rejected { status, said },
                None if error.is_malformed_answer() => Lost::Malformed,
                None => Lost::ConnectionLost,
            },
            ConnectionError::Closed | ConnectionError::Io(_) | ConnectionError::NotListening(_) => {
                Lost::ConnectionLost
            }
        };
        Self::Unknown { why, said }
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
