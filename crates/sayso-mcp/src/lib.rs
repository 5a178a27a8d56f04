//! The Model Context Protocol on the wire, both eras: the only crate that speaks it.

mod connection;
mod error;
mod frames;
mod http;
mod identity;
mod inbox;
pub mod jsonrpc;
mod options;
mod page;
mod saved;
mod stdio;
pub mod supervisor;
mod target;
mod version;
mod walk;

pub use http::{Awaited, HttpError, HttpKind, HttpTarget, RedirectRefusal, TargetError};
pub use options::{ClientInfo, EraChoice, OnProgress, Progress, ReadLimits, ReadOptions};
pub use saved::{SavedError, SavedErrorKind, listing_from_saved};
pub use target::{Isolation, StdioCommand, Supervisor, Target};
pub use error::{Heard, ReadError, ReadErrorKind};
