//! How connections and streams end.

use std::fmt;

/// A stream that carries more than one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// The GET stream of a legacy session.
    Get,
    /// `subscriptions/listen` of the modern era.
    Subscription,
    /// The response to a legacy call, which the client closed before the answer. That is no
    /// cancellation (MCP 2025-11-25, "Transports", Streamable HTTP).
    Response,
}

impl fmt::Display for StreamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "get",
            Self::Subscription => "subscription",
            Self::Response => "response",
        })
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client closed its end.
    InputEnded,
    /// The input cannot be read.
    InputBroken,
    /// The client does not take what is sent.
    OutputBroken,
    /// The service broke it ([`Reply::Nothing`](super::Reply::Nothing)).
    Disconnect,
    /// The client deleted the session.
    Deleted,
    /// There were too many sessions, and this one was unused for longest.
    Forgotten,
    /// This side was told to stop.
    Stopped,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InputEnded => "the client closed its end",
            Self::InputBroken => "the input cannot be read",
            Self::OutputBroken => "the client does not take what is sent",
            Self::Disconnect => "broken on purpose",
            Self::Deleted => "the client deleted the session",
            Self::Forgotten => "too many sessions, and this one was unused for longest",
            Self::Stopped => "told to stop",
        })
    }
}
