//! What the gate keeps: the journal, approvals, outcomes by idempotency key, first pins, secrets.
//!
//! [`Store`] says what can be kept and asked; [`sqlite::SqliteStore`] keeps it in one file. Entries
//! of the journal that belong to another change (an approval opened, decided, spent) are written
//! with it, in one transaction: one is never there without the other.

mod error;
pub mod sqlite;

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use sayso_core::approval::{Approval, Binding, Shown, State, Verdict};
use sayso_core::hint::Hint;
use sayso_core::journal::{Entry, Hash, Record, Timestamp, WrittenRecord};

pub use error::StoreError;

/// What a store answers, later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// What the gate keeps. Times come from the caller.
///
/// Dropping an answer does not take back what was asked for: it may still be written.
pub trait Store: Send + Sync + 'static {
    /// Appends to the journal; resolves when the entry is as durable as the store was set up to
    /// make it. Number and chain are the store's.
    ///
    /// `ApprovalOpened`, `ApprovalDecided` and `ApprovalSpent` are written by
    /// [`Store::open_approval`], [`Store::decide`] and [`Store::spend`]: append none of them.
    fn append(&self, at: Timestamp, record: Record) -> Answer<'_, Receipt> {
        self.append_written(at, record.written())
    }

    /// As [`Store::append`], with the record written down already.
    fn append_written(&self, at: Timestamp, record: WrittenRecord) -> Answer<'_, Receipt>;

    /// Entries of the journal.
    fn entries(&self, query: EntryQuery) -> Answer<'_, Vec<Entry>>;

    /// The pending approval of equal binding, or else a new one.
    fn open_approval(&self, approval: NewApproval) -> Answer<'_, Approval>;

    /// One approval.
    fn approval(&self, id: &str) -> Answer<'_, Option<Approval>>;

    /// Approvals, the newest first.
    fn approvals(&self, which: ApprovalFilter) -> Answer<'_, Vec<Approval>>;

    /// Takes a person's answer. Errors: unknown, expired, answered already.
    fn decide(&self, id: &str, verdict: Verdict, by: &str, now: Timestamp) -> Answer<'_, Approval>;

    /// The approval once it is answered, here or by another process, or as it stands at `until`.
    /// An answer from another process is seen within about 0.3 s. Expiry does not end the wait:
    /// let `until` be no later.
    fn await_decision(&self, id: &str, until: Instant) -> Answer<'_, Approval>;

    /// Spends an approval of exactly this binding, in one step: of several calls that spend at the
    /// same time one gets it. No other approval is touched.
    fn spend(&self, binding: &Binding, now: Timestamp) -> Answer<'_, Spend>;

    /// A secret of this store, made at its first use.
    fn secret(&self, name: &str) -> Answer<'_, [u8; 32]>;

    /// Takes an idempotency key for a call that is about to go out.
    fn reserve(&self, reservation: Reservation) -> Answer<'_, Reserve>;

    /// Keeps the result (raw JSON) of the call a key was taken for.
    fn finish(&self, caller: &str, key: &str, result: &str) -> Answer<'_, ()>;

    /// Gives a key back whose call certainly did not go out.
    fn release(&self, caller: &str, key: &str) -> Answer<'_, ()>;

    /// Forgets the keys that were taken before this time.
    fn forget_outcomes(&self, before: Timestamp) -> Answer<'_, u64>;

    /// Keeps what `trust-once` accepted of a server, as the text of a lock with that one server.
    /// `false` where there is a pin already, which stays.
    fn pin(&self, server: &str, lock: &str, at: Timestamp) -> Answer<'_, bool>;

    /// Every pin, by server.
    fn pins(&self) -> Answer<'_, Vec<FirstPin>>;

    /// Keeps that something speaks against a hint of a tool.
    fn raise_evidence(&self, raised: Raised) -> Answer<'_, ()>;

    /// Everything that speaks against hints.
    fn evidence(&self) -> Answer<'_, Vec<Raised>>;

    /// Whether the store can be written now, and where its journal stands.
    fn check(&self) -> Answer<'_, Health>;

    /// Writes what waits, and ends. Everything asked for later is an error.
    fn close(&self) -> Answer<'_, ()>;
}

/// Where a record went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
}

/// Which entries are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryQuery {
    /// Those with a greater number.
    pub after: Option<u64>,
    /// Those with a smaller number.
    pub before: Option<u64>,
    /// Those of this call.
    pub call: Option<String>,
    /// Those from this time on.
    pub since: Option<Timestamp>,
    /// At most so many.
    pub limit: usize,
    /// The newest first, so that a limit leaves the oldest out.
    pub newest_first: bool,
}

impl Default for EntryQuery {
    /// The first 1,000.
    fn default() -> Self {
        Self {
            after: None,
            before: None,
            call: None,
            since: None,
            limit: 1_000,
            newest_first: false,
        }
    }
}

/// What a person is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApproval {
    /// What the answer will hold for.
    pub binding: Binding,
    /// What the person is shown.
    pub shown: Shown,
    /// Now.
    pub now: Timestamp,
    /// Until when it can be given and spent.
    pub expires_at: Timestamp,
}

/// Which approvals are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalFilter {
    /// Those that stand so at `now`.
    pub state: Option<State>,
    /// Now.
    pub now: Timestamp,
    /// At most so many.
    pub limit: usize,
}

/// What became of spending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spend {
    /// It is spent: this one call may go out.
    Spent(Approval),
    /// Nobody answered yet.
    Pending(Approval),
    /// A person said no, and the time of that answer is not over.
    Denied(Approval),
    /// Nobody was asked, or that is over.
    None,
}

/// A call that takes an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Who calls.
    pub caller: String,
    /// The key, as the caller sent it.
    pub key: String,
    /// What is called with what, as one text: a key holds for the call it was first used with.
    pub fingerprint: String,
    /// The call's id.
    pub call: String,
    /// Now.
    pub now: Timestamp,
}

/// What became of taking a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// It is taken: the call may go out.
    Fresh,
    /// The first call still runs; this is its id.
    Running(String),
    /// The first call ended; its id and its raw result.
    Finished(String, String),
    /// The gate ended while the first call ran: nobody knows what became of it; its id.
    Unknown(String),
    /// The key was used with another call; that one's id.
    Differs(String),
}

/// What `trust-once` accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstPin {
    /// The server.
    pub server: String,
    /// The text of a lock with this one server.
    pub lock: String,
    /// When.
    pub at: Timestamp,
}

/// Something that speaks against a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The hint.
    pub hint: Hint,
    /// What was seen.
    pub witness: String,
    /// When.
    pub at: Timestamp,
}

/// How a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// The last entry of the journal; none where there is none.
    pub head: Option<Receipt>,
    /// How many requests wait to be written.
    pub waiting: usize,
}
