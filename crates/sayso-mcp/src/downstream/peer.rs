//! Who is at the other end.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::json::{Document, Value};

use super::link::{AskError, Link};
use crate::jsonrpc::Message;
use crate::options::ClientInfo;

/// Who calls where nothing says who does.
const LOCAL: &str = "local";

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

/// In whose name an HTTP request comes: whoever found that out puts it into the request's
/// extensions before the endpoint sees it. A session belongs to the principal that began it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(pub Arc<str>);

/// Who is at the other end of a connection, as far as it is known. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peer(Arc<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    connection: u64,
    transport: Transport,
    remote: Option<SocketAddr>,
    principal: Option<Principal>,
    link: Arc<Link>,
    introduction: Option<Introduction>,
}

/// What a client said about itself: in `initialize`, or in the `_meta` of a request.
#[derive(Clone, Debug)]
pub(crate) struct Introduction {
    pub(crate) era: Era,
    pub(crate) protocol_version: String,
    pub(crate) client: Option<ClientInfo>,
    pub(crate) capabilities: Option<Document>,
}

impl Peer {
    pub(crate) fn unknown(connection: u64, transport: Transport) -> Self {
        Self::new(connection, transport, Arc::default(), None, None)
    }

    pub(super) fn new(
        connection: u64,
        transport: Transport,
        link: Arc<Link>,
        remote: Option<SocketAddr>,
        principal: Option<Principal>,
    ) -> Self {
        Self(Arc::new(Inner {
            connection,
            transport,
            remote,
            principal,
            link,
            introduction: None,
        }))
    }

    /// The same peer, after it said who it is.
    pub(crate) fn introduced(&self, introduction: Introduction) -> Self {
        Self(Arc::new(Inner {
            introduction: Some(introduction),
            link: Arc::clone(&self.0.link),
            principal: self.0.principal.clone(),
            ..*self.0
        }))
    }

    /// The same peer, with the version that was agreed on.
    pub(crate) fn with_version(&self, version: &str) -> Self {
        let mut inner = Inner::clone(&self.0);
        if let Some(introduction) = &mut inner.introduction {
            version.clone_into(&mut introduction.protocol_version);
        }
        Self(Arc::new(inner))
    }

    /// The number of its connection: 1, 2, … in order of arrival. Over HTTP a connection is a
    /// session in the legacy era; the modern era has none, and requests from clients of the same
    /// principal, name and version count as one.
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

    /// The version that was agreed on; while `initialize` is being answered, the one asked for.
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

    /// The client's capabilities, as it sent them: in `initialize`, or in this request's `_meta`.
    #[must_use]
    pub fn capabilities(&self) -> Option<Value<'_>> {
        let capabilities = self.introduction()?.capabilities.as_ref()?;
        Some(capabilities.root())
    }

    /// Where it calls from; `None` over pipes, and where the listener did not put a [`SocketAddr`]
    /// into the request's extensions.
    #[must_use]
    pub fn remote(&self) -> Option<SocketAddr> {
        self.0.remote
    }

    /// In whose name it calls: what [`Principal`] says, else `local`.
    #[must_use]
    pub fn principal(&self) -> &str {
        match &self.0.principal {
            Some(Principal(name)) => name,
            None => LOCAL,
        }
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

    /// Sends a notification that belongs to no request: on the pipe, or on the GET stream of a
    /// legacy session. `params` is JSON. `false`: there is nowhere to send it, or too much waits
    /// there already.
    pub fn notify(&self, method: &str, params: Option<&str>) -> bool {
        self.0.link.notify(method, params)
    }

    /// Asks the host something that belongs to no request: on the pipe, or on the GET stream of
    /// a legacy session. `params` is JSON. Dropped before the answer, it is cancelled.
    ///
    /// # Errors
    /// When it cannot be asked, does not answer in time, or is gone.
    pub async fn ask(
        &self,
        method: &str,
        params: Option<&str>,
        timeout: Duration,
    ) -> Result<Message, AskError> {
        if self.era() != Some(Era::Legacy) {
            return Err(AskError::Impossible);
        }
        let outbox = self.0.link.outbox().ok_or(AskError::Impossible)?;
        self.0.link.ask(&outbox, method, params, timeout).await
    }

    pub(super) fn link(&self) -> &Arc<Link> {
        &self.0.link
    }

    pub(super) fn has_principal(&self, principal: Option<&Principal>) -> bool {
        self.0.principal.as_ref() == principal
    }

    fn introduction(&self) -> Option<&Introduction> {
        self.0.introduction.as_ref()
    }
}

/// Reads an `Implementation`: a name, and a version that older clients leave out.
pub(crate) fn client_info(value: Option<Value<'_>>) -> Option<ClientInfo> {
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
