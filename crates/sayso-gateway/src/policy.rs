//! Policies: what may be called by whom, in Cedar.
//!
//! [`Policies::load`] reads and validates them against what is known of the tools;
//! [`Policies::decide`] answers one [`Question`] with a [`Verdict`].
//!
//! What a policy sees is made by [`schema`] and nowhere else. An error in any policy that bears on
//! a question denies, also in a `forbid`, which Cedar alone would skip. *Ask* is derived: denied
//! with `context.confirmed` false, permitted with it true.

mod error;
mod facts;
mod question;
mod source;
mod verdict;

pub use error::{PolicyError, PolicyErrors};
pub use facts::{PinState, ToolFacts, ToolKey};
pub use question::{Action, Question, SessionFacts, Subject};
pub use source::{PolicySource, READY_SETS, ReadySet};
pub use verdict::{Decision, Reason, Verdict};
