//! How a side that serves is told to stop.

use tokio::sync::watch;

/// Tells what serves to take no more requests, to let those that run come to their end, and then
/// to end. Clones are the same.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Nobody has been told.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Tells everyone.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether everyone was told.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until everyone is told.
    pub async fn stopped(&self) {
        let mut told = self.0.subscribe();
        // Never fails: the sender lives as long as `self`.
        let _ = told.wait_for(|is_told| *is_told).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
