//! Who is at the other end.

use std::fmt;
use std::sync::Arc;

use sayso_core::json::{Document, Value};

use crate::options::ClientInfo;

/// How a peer is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// One line a message, over a pair of pipes.
    Stdio,
    /// Streamable HTTP.
    Http,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        })
    }
}

/// Which half of the protocol's history is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// With a handshake: up to 2025-11-25.
    Legacy,
    /// Each request for itself: from 2026-07-28.
    Modern,
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        })
    }
}

/// Who is at the other end of a connection, as far as it is known. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: u64,
    transport: Transport,
    introduction: Option<Introduction>,
}

/// What a client said about itself: in `initialize`, or in the `_meta` of a request.
#[derive(Debug)]
pub(super) struct Introduction {
    pub(super) era: Era,
    pub(super) protocol_version: String,
    pub(super) client: Option<ClientInfo>,
    pub(super) capabilities: Option<Document>,
}

impl Peer {
    pub(super) fn unknown(connection: u64, transport: Transport) -> Self {
        Self(Arc::new(Inner {
            connection,
            transport,
            introduction: None,
        }))
    }

    /// The same peer, after it said who it is.
    pub(super) fn introduced(&self, introduction: Introduction) -> Self {
        Self(Arc::new(Inner {
            introduction: Some(introduction),
            ..*self.0
        }))
    }

    /// The number of its connection: 1, 2, … in order of arrival. Over HTTP a connection is a
    /// session in the legacy era; the modern era has none, and requests from clients of the same
    /// name and version count as one.
    #[must_use]
    pub fn connection(&self) -> u64 {
        self.0.connection
    }

    /// How it is connected.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.0.transport
    }

    /// Which era it speaks; `None` until it has said something that shows it.
    #[must_use]
    pub fn era(&self) -> Option<Era> {
        self.introduction().map(|introduction| introduction.era)
    }

    /// The version that was agreed on.
    #[must_use]
    pub fn protocol_version(&self) -> Option<&str> {
        self.introduction()
            .map(|introduction| introduction.protocol_version.as_str())
    }

    /// The client's name and version, in its own words.
    #[must_use]
    pub fn client(&self) -> Option<&ClientInfo> {
        self.introduction()
            .and_then(|introduction| introduction.client.as_ref())
    }

    /// The client's capabilities, as it sent them.
    #[must_use]
    pub fn capabilities(&self) -> Option<Value<'_>> {
        let capabilities = self.introduction()?.capabilities.as_ref()?;
        Some(capabilities.root())
    }

    /// Whether the client has a person who fills in forms: it declares `elicitation`, empty or
    /// with `form` (MCP 2025-11-25, "Elicitation", capabilities).
    #[must_use]
    pub fn can_ask(&self) -> bool {
        let declared = self
            .capabilities()
            .and_then(|capabilities| capabilities.get("elicitation"));
        declared.is_some_and(|declared| {
            declared.is_object()
                && (declared.get("form").is_some() || declared.members().next().is_none())
        })
    }

    fn introduction(&self) -> Option<&Introduction> {
        self.0.introduction.as_ref()
    }
}

/// Reads an `Implementation`: a name, and a version that older clients leave out.
pub(super) fn client_info(value: Option<Value<'_>>) -> Option<ClientInfo> {
    let value = value?;
    let text = |key| {
        let text: Option<Value<'_>> = value.get(key);
        text.and_then(Value::as_str)
            .map(std::borrow::Cow::into_owned)
    };
    Some(ClientInfo {
        name: text("name")?,
        version: text("version").unwrap_or_default(),
    })
}
