//! What the gate writes down: one entry after another, each bound to the one before it.
//!
//! A [`Record`] says what happened. An [`Entry`] is a record with its number, its time and the hash
//! of the entry before it; its own [`Hash`] is SHA-256 over all of that in canonical JSON
//! (RFC 8785), so that no entry can be changed, left out or moved without the next one telling.
//! [`verify`] goes along the chain. What it cannot tell is whether entries are missing at the end:
//! for that somebody has to have noted a hash elsewhere.

mod arguments;
mod chain;
mod record;

pub use arguments::{Arguments, Json, JsonError, Kept};
pub use chain::{
    Broken, Entry, Hash, HashError, Verified, Verifier, WhyBroken, WrittenEntry, hash,
    hash_written, verify,
};
pub use record::{
    ApprovalDecided, ApprovalOpened, ApprovalSpent, Call, Decision, Drift, Evidence, HintValue,
    HintValues, Listing, Outcome, OutcomeKind, Reason, Record, Refused, ServerDown, ServerUp,
    Settings, Started, Stopped, Word, WrittenRecord,
};

/// Milliseconds since 1970-01-01T00:00:00Z, leap seconds left out.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// So many milliseconds later; at the end of time where there is nothing later.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

impl std::fmt::Display for Timestamp {
    /// As RFC 3339 has it, in UTC with milliseconds; as a number where no calendar goes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}
