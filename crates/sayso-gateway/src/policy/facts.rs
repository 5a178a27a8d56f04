//! What is known of a tool before anybody calls it.

use std::fmt;

use sayso_core::effective::{Decided, Effective, Evidence, Trust};
use sayso_core::hint::{Claim, Hints};
use sayso_core::json::Document;

/// Which tool: by its server and its name there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolKey {
    /// The server, by the name it is called here.
    pub server: String,
    /// The tool, by its name at the server.
    pub tool: String,
}

impl ToolKey {
    /// This tool of this server.
    #[must_use]
    pub fn new(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
        }
    }
}

impl fmt::Display for ToolKey {
    /// As policies name it: `server/tool`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.tool)
    }
}

/// What is known of a tool: what policies see of it as `resource`.
#[derive(Clone, Debug)]
pub struct ToolFacts {
    /// The server, by the name it is called here.
    pub server: String,
    /// The tool, by its name at the server.
    pub name: String,
    /// The name it is served under.
    pub served_as: String,
    /// Whether its server's claims are believed.
    pub trust: Trust,
    /// The input schema that arguments are validated against, if there is one.
    pub input_schema: Option<Document>,
    /// What the server claims.
    pub claims: Hints<Claim>,
    /// What a current ruling says of the tool as a whole.
    pub ruling: Option<Hints<Option<bool>>>,
    /// What was observed.
    pub observed: Hints<Evidence>,
    /// The values of the tool as a whole.
    pub effective: Decided,
    /// What else the values of a call can be, by its arguments: one for each case of the ruling. A
    /// tool is listed if it can be called in any of these ways.
    pub cases: Vec<Effective>,
    /// Whether it is what was pinned.
    pub pin: PinState,
    /// What undoes a call: a tool of the same server, or `none` where nothing does. Left out where
    /// nobody has looked.
    pub undo: Option<String>,
    /// The operator's words for it.
    pub labels: Vec<String>,
}

impl ToolFacts {
    /// Which tool this is.
    #[must_use]
    pub fn key(&self) -> ToolKey {
        ToolKey::new(&self.server, &self.name)
    }
}

/// How a tool stands to what was pinned of it. One that moved otherwise is held back before any
/// policy is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PinState {
    /// It is what the lock holds, or differs in nothing that matters.
    Pinned,
    /// It claims more risk than the lock holds, and nothing less.
    Tightened,
    /// It is what was found at the first connection, and nobody has looked at it.
    TrustedOnce,
    /// Nothing was pinned.
    #[default]
    Unpinned,
}

impl PinState {
    /// All states.
    pub const ALL: [Self; 4] = [
        Self::Pinned,
        Self::Tightened,
        Self::TrustedOnce,
        Self::Unpinned,
    ];

    /// The state as policies see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Tightened => "tightened",
            Self::TrustedOnce => "trusted-once",
            Self::Unpinned => "unpinned",
        }
    }
}

impl fmt::Display for PinState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
