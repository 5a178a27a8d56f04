//! What is asked of a server, and how the conversation with it is to go.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::options::{ClientInfo, EraChoice};

/// Who we are to a server.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Which era to speak.
    pub era: EraChoice,
    /// The version to ask for first, one of the era's; the newest if there is none, or if it
    /// is not known.
    pub preferred_version: Option<String>,
    /// The capabilities to declare: a JSON object as it is to be sent.
    pub capabilities: String,
    /// The client's name and version.
    pub client: ClientInfo,
}

impl Default for Introduction {
    /// No capability, either era, this crate's own name.
    fn default() -> Self {
        Self {
            era: EraChoice::Auto,
            preferred_version: None,
            capabilities: "{}".to_owned(),
            client: ClientInfo::default(),
        }
    }
}

/// Bounds of a conversation.
#[derive(Clone, Debug)]
pub struct UpstreamOptions {
    /// From the start until the handshake is over. `None`: 60 s, or 120 s for a command that
    /// downloads the server first.
    pub start_timeout: Option<Duration>,
    /// Bytes of one message from the server. A longer one is never held.
    pub message_bytes: usize,
    /// How deep the JSON of a message may go.
    pub depth: usize,
    /// Bytes that may wait for a server that does not read its standard input. What goes past
    /// that is not sent.
    pub queue_bytes: usize,
    /// Requests of the server that may run at once. What goes past that is refused.
    pub max_incoming: usize,
}

impl Default for UpstreamOptions {
    /// 16 MiB a message, as deep as everywhere; 64 MiB may wait, and 256 requests run.
    fn default() -> Self {
        let limits = sayso_core::json::Limits::default();
        Self {
            start_timeout: None,
            message_bytes: 16 << 20,
            depth: limits.max_depth,
            queue_bytes: 64 << 20,
            max_incoming: 256,
        }
    }
}

/// A request to send.
#[derive(Clone, Copy, Debug)]
pub struct Outbound<'a> {
    /// The caller's own key, unique on the conversation. What belongs to the request is told
    /// to the listener with it; it is not the id on the wire.
    pub key: u64,
    /// The method.
    pub method: &'a str,
    /// The params: JSON, sent byte for byte but for line ends between tokens, which become
    /// spaces. What the era wants in `_meta` is in it already.
    pub params: Option<&'a str>,
    /// What stands in `Mcp-Name` (modern HTTP): the name of the tool or prompt, the URI of the resource.
    pub name: Option<&'a str>,
    /// Headers for arguments (`Mcp-Param-…`, modern HTTP): name and decoded value.
    pub parameter_headers: &'a [(String, String)],
    /// When the answer is due; never if there is none.
    pub deadline: Option<Instant>,
    /// Whether the server is told when nobody waits any more: the future was dropped or the
    /// deadline passed.
    pub cancel_on_drop: bool,
    /// Whether each `notifications/progress` of the request gives it as much time again as it
    /// had at first.
    pub keep_alive_on_progress: bool,
    /// What is kept for as long as the server may be at work on the request.
    pub kept: Option<&'a Kept>,
}

/// Something that is kept for as long as a server may be at work on a request, also where nobody
/// waits for the answer any more: until the server answered, the process or the connection ended,
/// or its time was over. Dropped then.
#[derive(Clone)]
pub struct Kept {
    /// What.
    pub what: Arc<dyn Any + Send + Sync>,
    /// When the server's time is over; asked when the request is given up.
    pub until: Arc<dyn Fn() -> Instant + Send + Sync>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl<'a> Outbound<'a> {
    /// A request without a deadline, which is cancelled when it is dropped.
    #[must_use]
    pub fn new(key: u64, method: &'a str, params: Option<&'a str>) -> Self {
        Self {
            key,
            method,
            params,
            name: None,
            parameter_headers: &[],
            deadline: None,
            cancel_on_drop: true,
            keep_alive_on_progress: false,
            kept: None,
        }
    }
}
