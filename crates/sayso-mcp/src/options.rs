//! How a listing is read.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::target::Target;

/// Which protocol to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// The handshake first; without it where a server refuses the handshake as one of the modern era does.
    #[default]
    Auto,
    /// With the handshake only (up to 2025-11-25).
    Legacy,
    /// Without the handshake only (from 2026-07-28).
    Modern,
}

/// How a listing is read. Nothing waits longer than is said here.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// From the start until the first answer. `None`: 60 s, or 120 s for a command that
    /// downloads the server first.
    pub start_timeout: Option<Duration>,
    /// For each answer after the first.
    pub request_timeout: Duration,
    /// For all pages together.
    pub listing_timeout: Duration,
    /// How long a server may take to end once its input is closed, before it is signalled.
    pub close_timeout: Duration,
    /// Which protocol to speak.
    pub era: EraChoice,
    /// How much is read.
    pub limits: ReadLimits,
    /// Whether to list a second time in the same session and compare.
    pub read_twice: bool,
    /// Who asks.
    pub client: ClientInfo,
    /// Is told how far the reading is.
    pub on_progress: Option<OnProgress>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            start_timeout: None,
            request_timeout: Duration::from_secs(30),
            listing_timeout: Duration::from_secs(300),
            close_timeout: Duration::from_secs(2),
            era: EraChoice::Auto,
            limits: ReadLimits::default(),
            read_twice: false,
            client: ClientInfo::default(),
            on_progress: None,
        }
    }
}

impl ReadOptions {
    /// From the start of this target until its first answer.
    #[must_use]
    pub fn start_timeout_for(&self, target: &Target) -> Duration {
        let default = match target {
            Target::Stdio(command) if command.downloads_first() => 120,
            Target::Stdio(_) | Target::Http(_) => 60,
        };
        self.start_timeout.unwrap_or(Duration::from_secs(default))
    }

    pub(crate) fn tell(&self, progress: Progress<'_>) {
        if let Some(on_progress) = &self.on_progress {
            on_progress.0(progress);
        }
    }
}

/// When a time that begins at `start` is over; decades later if it never is.
pub(crate) fn deadline(start: Instant, timeout: Duration) -> Instant {
    const DECADES: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);
    start.checked_add(timeout).unwrap_or(start + DECADES)
}

/// How much is read before a listing is called incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of one message.
    pub message_bytes: usize,
    /// Bytes of all pages together.
    pub total_bytes: usize,
    /// Pages.
    pub pages: usize,
    /// Tools.
    pub tools: usize,
}

impl Default for ReadLimits {
    /// 16 MiB a message (the largest real one seen is 2.1 MB), 64 MiB, 1,000 pages and 100,000 tools.
    fn default() -> Self {
        Self {
            message_bytes: 16 << 20,
            total_bytes: 64 << 20,
            pages: 1000,
            tools: 100_000,
        }
    }
}

/// Who asks, as the protocol's `clientInfo` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientInfo {
    /// The client's name.
    pub name: String,
    /// The client's version.
    pub version: String,
}

impl Default for ClientInfo {
    fn default() -> Self {
        Self {
            name: "sayso".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// A step of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The server is being started or connected to.
    Starting,
    /// It wrote a line to its standard error, here as it came: it may hold what drives a terminal.
    Stderr(&'a str),
    /// It answered and speaks this protocol version.
    Agreed(&'a str),
    /// This many pages and tools have been read.
    Page {
        /// Pages so far.
        pages: usize,
        /// Tools so far.
        tools: usize,
    },
    /// The listing is there; the server is being ended.
    Closing,
}

/// A function that is told how far a reading is.
#[derive(Clone)]
pub struct OnProgress(Arc<dyn Fn(Progress<'_>) + Send + Sync>);

impl OnProgress {
    /// Tells `function`, which should return soon: the reading waits for it.
    pub fn new(function: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(function))
    }
}

impl fmt::Debug for OnProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnProgress")
    }
}
