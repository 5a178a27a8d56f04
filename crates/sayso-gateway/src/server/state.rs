//! What is known of a server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::json::Document;
use sayso_core::listing::{Era, Listing};

use super::Items;

/// What is known of a server at one moment.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// How it is.
    pub phase: Phase,
    /// The whole result of `initialize` or `server/discover`, of the last conversation.
    pub hello: Option<Document>,
    /// The era it is spoken to in.
    pub era: Option<Era>,
    /// Its tools, as they were listed last; kept while it is down.
    pub listing: Option<Arc<Listing>>,
    /// Its prompts, where it has any.
    pub prompts: Option<Arc<Items>>,
    /// Its resources, where it has any.
    pub resources: Option<Arc<Items>>,
    /// Its templates of resources, where it has any.
    pub templates: Option<Arc<Items>>,
    /// How often it was started again.
    pub restarts: u64,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

/// How a server is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It is being started, and listed for the first time.
    #[default]
    Starting,
    /// It answers.
    Ready,
    /// It does not answer.
    Down {
        /// Since when.
        since: Instant,
        /// Why.
        reason: String,
        /// When this was last found so.
        found: Instant,
        /// How long after that it is tried again; none if it is not.
        retry_in: Option<Duration>,
    },
}
