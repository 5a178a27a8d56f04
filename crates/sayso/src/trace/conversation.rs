//! A caller's conversation with the server: the connection, the listing it acts on, its calls.

use std::time::Duration;

use sayso_core::listing::{Completeness, Listing};
use sayso_mcp::{CallOutcome, Client, ReadError, ReadOptions, Target, ToolCall};

use super::End;

/// A connection, and the listing that came over it.
pub(super) struct Conversation {
    target: Target,
    options: ReadOptions,
    /// `None` after the connection was lost, until the next call.
    client: Option<Client>,
    listing: Listing,
}

/// How one sending of a call went.
pub(super) enum Sent {
    /// It is over.
    Ended(End),
    /// There was no answer in time.
    TimedOut,
    /// The connection was lost first, and how.
    Lost(String),
}

impl Conversation {
    /// Connects and lists.
    pub(super) async fn begin(target: Target, options: ReadOptions) -> Result<Self, ReadError> {
        let mut client = Client::connect(target.clone(), options.clone()).await?;
        let listing = client.list().await?;
        Ok(Self {
            target,
            options,
            client: Some(client),
            listing,
        })
    }

    /// The listing the caller acts on.
    pub(super) fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Why the listing is not all there is, if it is not.
    pub(super) fn incomplete(&self) -> Option<&str> {
        match &self.listing.completeness {
            Completeness::Complete => None,
            Completeness::Incomplete(why) => Some(why),
        }
    }

    /// Sends a call once; over a new connection, with a new listing, if the old one was lost.
    pub(super) async fn send(
        &mut self,
        name: &str,
        arguments: &str,
        timeout: Duration,
    ) -> Result<Sent, ReadError> {
        let client = match &mut self.client {
            Some(client) => client,
            slot @ None => {
                let mut client = Client::connect(self.target.clone(), self.options.clone()).await?;
                self.listing = client.list().await?;
                slot.insert(client)
            }
        };
        let call = ToolCall {
            name,
            arguments,
            timeout,
            cancel: true,
        };
        let outcome = client.call(call).await;
        if let CallOutcome::ConnectionLost(_) = outcome
            && let Some(client) = self.client.take()
        {
            client.close().await;
        }
        Ok(sent(outcome))
    }

    /// Opens what the server tells of changes on, where the transport needs that.
    pub(super) async fn listen(&mut self) {
        self.heard_of_change(Duration::ZERO).await;
    }

    /// Whether the server tells of a change within this time.
    pub(super) async fn heard_of_change(&mut self, timeout: Duration) -> bool {
        match &mut self.client {
            Some(client) => client.list_changed(timeout).await,
            None => false,
        }
    }

    /// Reads the listing again.
    pub(super) async fn list_again(&mut self) -> Result<(), ReadError> {
        if let Some(client) = &mut self.client {
            self.listing = client.list().await?;
        }
        Ok(())
    }

    /// Ends it.
    pub(super) async fn end(self) {
        if let Some(client) = self.client {
            client.close().await;
        }
    }
}

fn sent(outcome: CallOutcome) -> Sent {
    Sent::Ended(match outcome {
        CallOutcome::TimedOut => return Sent::TimedOut,
        CallOutcome::ConnectionLost(how) => return Sent::Lost(how),
        CallOutcome::Answered {
            text,
            is_error: false,
            ..
        } => End::Answered(text),
        CallOutcome::Answered { text, .. } => End::ToolError(text),
        CallOutcome::Refused(error) => End::Refused(error.to_string()),
        CallOutcome::Rejected(how) => End::Refused(how),
        CallOutcome::InputRequired { .. } => End::InputRequired,
        CallOutcome::Malformed(why) => End::Malformed(why),
        CallOutcome::NotSent(why) => End::NotSent(why),
        // The wire may come to know further ends.
        other => End::Malformed(format!("{other:?}")),
    })
}
