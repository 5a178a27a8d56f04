//! `notifications/tools/list_changed` (MCP, "Tools"; for the modern era "Subscriptions").

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::Session;
use crate::connection::{MOMENT, Transport};
use crate::jsonrpc::Outgoing;
use crate::options::deadline;

/// How long a server may take to take up a subscription, or to open its own stream.
const OPENING_TIMEOUT: Duration = Duration::from_secs(5);

impl<T: Transport> Session<T> {
    /// Whether the list changed since this was last asked; waits for it up to `timeout`.
    pub(crate) async fn list_changed(&mut self, timeout: Duration) -> bool {
        self.listen().await;
        if self.take_change() {
            return true;
        }
        let deadline = deadline(Instant::now(), timeout.max(MOMENT));
        self.connection.hear(deadline).await;
        self.take_change()
    }

    fn take_change(&mut self) -> bool {
        let heard = self.connection.inbox().list_changes();
        std::mem::replace(&mut self.changes_told, heard) < heard
    }

    async fn listen(&mut self) {
        if self.cannot_listen || self.connection.is_listening() {
            return;
        }
        let subscription = self.subscription();
        let patience = OPENING_TIMEOUT.min(self.options.request_timeout);
        let due = Instant::now() + patience;
        let opened = self.connection.listen(subscription.as_ref(), due).await;
        if let Err(error) = opened {
            self.cannot_listen = true;
            self.note(format!(
                "changes of the list are heard beside answers only, if at all: {error}"
            ));
        }
    }

    /// The request that asks to be told (MCP 2026-07-28, "Subscriptions").
    fn subscription(&mut self) -> Option<Outgoing> {
        let meta = self.meta.clone()?;
        let params = json!({ "_meta": meta, "notifications": { "toolsListChanged": true } });
        Some(Outgoing::request(
            self.next_id(),
            "subscriptions/listen",
            Some(params),
        ))
    }
}
