//! What a service's owner tells all connections.

use std::sync::Arc;

use tokio::sync::broadcast;

use crate::downstream::Numbers;

/// How many changes a slow connection may be behind; it hears of more than that as one.
const BACKLOG: usize = 64;

/// Tells every connection that may hear it that the tools have changed: in the legacy era after
/// initialization (over HTTP on the GET stream), in the modern era over `subscriptions/listen`.
///
/// Connections that share it are numbered together. Clones are the same.
#[derive(Clone, Debug)]
pub struct Changes(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    sender: broadcast::Sender<()>,
    numbers: Numbers,
}

impl Changes {
    /// With nobody connected yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Shared {
            sender: broadcast::Sender::new(BACKLOG),
            numbers: Numbers::default(),
        }))
    }

    /// Sends `notifications/tools/list_changed` to everyone who may hear it.
    pub fn tools_changed(&self) {
        // Fails where nobody is connected, and then there is nobody to tell.
        let _ = self.0.sender.send(());
    }

    pub(super) fn subscribe(&self) -> Listener {
        Listener(self.0.sender.subscribe())
    }

    /// Numbers the connections.
    pub(super) fn numbers(&self) -> Numbers {
        self.0.numbers.clone()
    }
}

impl Default for Changes {
    fn default() -> Self {
        Self::new()
    }
}

/// Hears of changes from when it was made.
#[derive(Debug)]
pub(super) struct Listener(broadcast::Receiver<()>);

impl Listener {
    /// Waits for the next change; for ever, once nobody can make one.
    pub(super) async fn changed(&mut self) {
        if let Err(broadcast::error::RecvError::Closed) = self.0.recv().await {
            std::future::pending::<()>().await;
        }
    }
}
