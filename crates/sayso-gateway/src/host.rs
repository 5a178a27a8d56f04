//! The hosts in front of the gate: what they ask finds its server, and what servers say finds its
//! host, in whichever era each of them speaks.
//!
//! Nothing is decided here. What may be called, seen or read is the judge's, who also calls the
//! tools; everything else is passed on as it came, with those bytes changed that have to be.

mod exchange;
mod logging;
mod meta;
mod session;

pub use self::exchange::{AskError, Exchange, Gone, Introduction, Line};
pub use self::logging::Level;
pub use self::session::Session;
