//! What goes out to a client, in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::error::SendTimeoutError;
use tokio::sync::{Notify, mpsc};

/// How many messages may wait for a client that is slow to take them.
const BACKLOG: usize = 64;

/// How long a client may take for the next message before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something that goes out.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// A message that answers nothing, on one line.
    Message(String),
    /// The answer to a request, on one line.
    Answer {
        text: String,
        /// The code, if it is an error.
        refused: Option<i64>,
    },
    /// Nothing more: the connection breaks.
    Break,
}

impl Outgoing {
    /// What there is to write; `None` where the connection breaks.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Message(text) | Self::Answer { text, .. } => Some(text),
            Self::Break => None,
        }
    }
}

/// The client takes nothing any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone;

/// Where messages to one client, or on one stream, are put. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    sender: mpsc::Sender<Outgoing>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Whether requests of the server may go out here.
    takes_requests: bool,
    is_broken_off: AtomicBool,
    stalled: Notify,
}

impl Outbox {
    pub(super) fn new(takes_requests: bool) -> (Self, mpsc::Receiver<Outgoing>) {
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let shared = Arc::new(Shared {
            takes_requests,
            is_broken_off: AtomicBool::new(false),
            stalled: Notify::new(),
        });
        (Self { sender, shared }, receiver)
    }

    pub(super) async fn send(&self, message: String) -> Result<(), Gone> {
        self.put(Outgoing::Message(message)).await
    }

    pub(super) async fn answer(&self, text: String, refused: Option<i64>) -> Result<(), Gone> {
        self.put(Outgoing::Answer { text, refused }).await
    }

    /// As [`Self::send`], unless it would have to wait.
    pub(super) fn try_send(&self, message: String) {
        // Only what may get lost is sent like this.
        let _ = self.sender.try_send(Outgoing::Message(message));
    }

    /// Ends the connection behind what was sent before.
    pub(super) async fn break_off(&self) {
        self.shared.is_broken_off.store(true, Ordering::Relaxed);
        // Fails where the client is gone already.
        let _ = self.put(Outgoing::Break).await;
    }

    pub(super) fn is_broken_off(&self) -> bool {
        self.shared.is_broken_off.load(Ordering::Relaxed)
    }

    pub(super) fn takes_requests(&self) -> bool {
        self.shared.takes_requests
    }

    pub(super) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Waits until the client takes nothing any more.
    pub(super) async fn closed(&self) {
        tokio::select! {
            () = self.sender.closed() => {}
            () = self.shared.stalled.notified() => {}
        }
    }

    async fn put(&self, outgoing: Outgoing) -> Result<(), Gone> {
        match self.sender.send_timeout(outgoing, PATIENCE).await {
            Ok(()) => Ok(()),
            Err(SendTimeoutError::Closed(_)) => Err(Gone),
            Err(SendTimeoutError::Timeout(_)) => {
                self.shared.stalled.notify_one();
                Err(Gone)
            }
        }
    }
}
