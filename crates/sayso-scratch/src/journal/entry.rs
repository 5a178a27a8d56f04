//! The lines of a journal.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::listing::{Declared, DeclaredByTool};
use crate::settings::ListChanged;
use crate::store::State;

/// One line: what happened, when and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object with an event")]
pub struct Entry {
    /// The time, RFC 3339 in UTC, to a millisecond.
    #[serde(serialize_with = "milliseconds")]
    pub time: Timestamp,
    /// Milliseconds since this process opened the journal, by a clock that never goes back.
    pub offset_ms: f64,
    /// The number of the line among those of its process, from 0.
    pub sequence: u64,
    /// The id of the process that wrote it.
    pub process: u32,
    /// The connection it happened on, as its process counts them, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub record: Record,
}

/// What happened. Request ids are JSON texts: `"1"` is not `1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Record {
    /// A server began to serve, or found its journal emptied and began it anew.
    Started {
        /// The version of Sayso.
        version: String,
        /// `stdio` or `http`.
        transport: String,
        /// What the store held.
        state: State,
        /// Whether it had begun before. Its clients follow, with what they had said before.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
    /// What is set from here on, other than the defaults.
    Settings {
        /// Value by key, as they are written.
        settings: BTreeMap<String, String>,
    },
    /// A change of the settings file that does not hold, because the file is wrong.
    SettingsRefused {
        /// What is wrong.
        message: String,
    },
    /// What is listed from here on.
    Listing {
        /// The number of the listing among those of its process, from 1.
        revision: u64,
        /// How connected clients are told of it; none of the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<ListChanged>,
        /// What each tool declares.
        declared: DeclaredByTool,
    },
    /// A client connected.
    Connected {
        /// `stdio` or `http`.
        transport: String,
        /// The listing it had fetched before the journal was begun anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        has_listing: Option<u64>,
    },
    /// A connection ended.
    Disconnected {
        /// How.
        reason: String,
    },
    /// A client said who it is: in `initialize` or `server/discover`, or with its first request.
    Introduced {
        /// The method it did so with.
        method: String,
        /// `legacy` or `modern`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        era: Option<String>,
        /// Its name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
        /// Its version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_version: Option<String>,
        /// The protocol version it asked for, in `initialize`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol_asked: Option<String>,
        /// The protocol version that is spoken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol: Option<String>,
        /// Its capabilities.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capabilities: Option<Json>,
    },
    /// A client asked for the tools.
    Listed {
        /// The request.
        request_id: String,
        /// Where it wanted to go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
        /// The listing it got, by [`Record::Listing`]'s number.
        revision: u64,
    },
    /// A client called a tool, listed or not.
    Called {
        /// The request.
        request_id: String,
        /// The tool's name.
        tool: String,
        /// The arguments as they came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Json>,
        /// What the tool declared at that time, if there is such a tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        declared: Option<Declared>,
    },
    /// What a call did to the store. The client need not have heard of it.
    Worked {
        /// The request.
        request_id: String,
        /// The tool's name.
        tool: String,
        /// Whether it was done; what was refused changed nothing.
        done: bool,
        /// What the tool says.
        text: String,
        /// What the call did besides, unseen by the client.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        aside: Option<AsideEffect>,
        /// How the answer is kept from the client.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        withheld: Option<WithheldAnswer>,
        /// The store afterwards.
        state: State,
    },
    /// A call came to its end.
    Answered {
        /// The request.
        request_id: String,
        /// `result`, `failure`, `refusal`, `input required`, `disconnect`, `undelivered`.
        how: String,
    },
    /// A client cancelled a request.
    Cancelled {
        /// The request.
        request_id: String,
        /// What it said about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The person at the client is asked.
    Asked {
        /// The call.
        request_id: String,
        /// What they are shown.
        message: String,
    },
    /// The person at the client answered.
    PersonAnswered {
        /// The call; in the modern era the one that was sent again with the answer.
        request_id: String,
        /// `accepted`, `declined`, `cancelled` or `failed`.
        answer: String,
        /// What was filled in, or why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// A notification was sent.
    Notified {
        /// Which.
        method: String,
    },
    /// A stream for notifications was opened.
    StreamOpened {
        /// `get` or `subscription`.
        kind: String,
    },
    /// A stream was closed.
    StreamClosed {
        /// `get`, `subscription`, or `response`: that of a call.
        kind: String,
    },
    /// A client sent another request, or a notification.
    Received {
        /// Which.
        method: String,
    },
    /// A client was answered with a protocol error.
    Refused {
        /// The request, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
    },
}

/// RFC 3339 with three digits behind the point, so that lines stand below each other.
fn milliseconds<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ"))
}

/// What a call did besides what its tool is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsideEffect {
    /// The tool whose effect it was.
    pub tool: String,
    /// Whether it was done.
    pub done: bool,
    /// What that tool would have said.
    pub text: String,
}

/// How an answer is kept from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithheldAnswer {
    /// There is none.
    Never,
    /// It comes late.
    Late,
    /// The connection is broken.
    Disconnect,
}

/// JSON as it came, on one line. Read back from a journal it is the same value, with numbers
/// spelt anew and repeated keys made one.
#[derive(Clone, Debug)]
pub struct Json(Box<RawValue>);

impl Json {
    /// From JSON text; `None` if it is not JSON.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        // In JSON a line end can stand between values only.
        let line = text.replace(['\n', '\r'], " ");
        RawValue::from_string(line).ok().map(Self)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(self.text()).unwrap_or_default()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    /// By way of a value: raw text cannot be had inside a tagged record.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        RawValue::from_string(value.to_string())
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}
