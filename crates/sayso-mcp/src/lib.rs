//! The Model Context Protocol on the wire, both eras: the only crate that speaks it.

mod client;
mod connection;
pub mod downstream;
mod error;
mod frames;
mod http;
mod identity;
mod inbox;
pub mod jsonrpc;
mod options;
mod page;
mod read;
mod saved;
pub mod server;
mod session;
mod stdio;
mod subscription;
pub mod supervisor;
mod target;
pub mod upstream;
mod version;
mod walk;

pub use client::{CallOutcome, Client, Closed, ToolCall};
pub use error::{Heard, ReadError, ReadErrorKind};
pub use http::{Awaited, HttpError, HttpKind, HttpTarget, RedirectRefusal, TargetError};
pub use options::{ClientInfo, EraChoice, OnProgress, Progress, ReadLimits, ReadOptions};
pub use read::{Reading, read_listing};
pub use saved::{SavedError, SavedErrorKind, listing_from_saved};
pub use target::{Isolation, StdioCommand, Supervisor, Target};
