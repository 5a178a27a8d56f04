//! What happens on a connection.

use std::fmt;

use sayso_core::json::Value;

use super::call::PersonAnswer;
use crate::downstream::{Ending, StreamKind};

/// Something that happened on a connection. Ids are JSON.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A client is there.
    Connected,
    /// It is gone, and what it had asked for is dropped after this.
    Disconnected {
        /// Why.
        reason: Ending,
    },
    /// It shook hands. Its name, version and capabilities are in the peer.
    Initialized {
        /// The protocol version it asked for.
        asked: Option<&'a str>,
        /// The one it got.
        agreed: &'a str,
    },
    /// It asked `server/discover`. Its name, version and capabilities are in the peer.
    Discovered,
    /// It asks for the tools.
    Listed {
        /// The request.
        request_id: &'a str,
        /// Where it wants to go on.
        cursor: Option<&'a str>,
    },
    /// It calls a tool, listed or not.
    Called {
        /// The request.
        request_id: &'a str,
        /// The tool.
        name: &'a str,
        /// The arguments as they came.
        arguments: Option<Value<'a>>,
    },
    /// A call has come to its end. The answer is not sent yet.
    Answered {
        /// The request.
        request_id: &'a str,
        /// How.
        how: How,
    },
    /// The client no longer wants the answer, and gets none. The call's future is dropped after this.
    Cancelled {
        /// The request.
        request_id: &'a str,
        /// What the client says about it.
        reason: Option<&'a str>,
    },
    /// The client's person is asked.
    Asked {
        /// The call.
        request_id: &'a str,
        /// What they are shown.
        message: &'a str,
    },
    /// The client's person answered. In the modern era `request_id` is the one of the new request.
    PersonAnswered {
        /// The call.
        request_id: &'a str,
        /// What they said.
        answer: &'a PersonAnswer,
    },
    /// A notification is being sent to it.
    Notified {
        /// Which.
        method: &'a str,
    },
    /// A stream for notifications is open.
    StreamOpened {
        /// Which.
        kind: StreamKind,
    },
    /// A stream is closed.
    StreamClosed {
        /// Which.
        kind: StreamKind,
    },
    /// It sent another request, or a notification.
    Received {
        /// Which.
        method: &'a str,
    },
    /// It was answered with a protocol error.
    Refused {
        /// The request, where that is known.
        request_id: Option<&'a str>,
        /// The code of the error.
        code: i64,
        /// The error's message.
        message: &'a str,
    },
}

/// How a call came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// With the result of a tool that did its work.
    Result,
    /// With the result of a tool that failed.
    Failure,
    /// With a protocol error; [`Event::Refused`] says which.
    Refusal,
    /// The person has to be asked: the client will send the call again (modern era).
    InputRequired,
    /// The connection was broken instead.
    Disconnect,
    /// The client had closed the stream the answer was to go on (legacy era over HTTP).
    Undelivered,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Result => "result",
            Self::Failure => "failure",
            Self::Refusal => "refusal",
            Self::InputRequired => "input required",
            Self::Disconnect => "disconnect",
            Self::Undelivered => "undelivered",
        })
    }
}
