//! What is asked of policies.

use std::fmt;

use sayso_core::effective::Effective;
use sayso_core::json::Value;
use sayso_mcp::server::Transport;

use super::facts::ToolKey;
use crate::caller::Caller;

/// One thing somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who.
    pub caller: &'a Caller,
    /// What.
    pub action: Action,
    /// With what.
    pub subject: Subject<'a>,
    /// The arguments as they will be sent. `None` is the same as none given; a listing has none.
    pub arguments: Option<Value<'a>>,
    /// Whether a person has approved this very call.
    pub confirmed: bool,
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub now: i64,
    /// How the caller is connected.
    pub transport: Transport,
    /// What the caller's session has seen so far.
    pub session: SessionFacts,
}

/// What the caller wants to do it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A tool.
    Tool {
        /// Which.
        key: &'a ToolKey,
        /// The values of this call, by its arguments; for a listing those of the tool as a whole.
        effective: &'a Effective,
    },
    /// A prompt of a server.
    Prompt {
        /// The server.
        server: &'a str,
        /// The prompt's name there.
        name: &'a str,
    },
    /// A resource of a server, or a template.
    Resource {
        /// The server.
        server: &'a str,
        /// The resource's URI or the template.
        uri: &'a str,
    },
}

/// What a caller can want to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// See that it is there.
    List,
    /// Call a tool.
    Call,
    /// Read or subscribe to a resource.
    Read,
    /// Get a prompt.
    Get,
    /// Have an argument of a prompt or resource template completed.
    Complete,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::List,
        Self::Call,
        Self::Read,
        Self::Get,
        Self::Complete,
    ];

    /// Its name in policies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Call => "call",
            Self::Read => "read",
            Self::Get => "get",
            Self::Complete => "complete",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a session has seen so far.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SessionFacts {
    /// It has read what anybody may have written.
    pub read_untrusted: bool,
    /// It has read what is not for everybody.
    pub read_private: bool,
}
