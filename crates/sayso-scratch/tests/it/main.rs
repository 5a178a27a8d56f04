//! The scratch server's parts, and the server over a pipe.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod journal;
mod listing;
mod report;
mod server;
mod settings;
mod store;
mod tools;
