//! What the gate promises at its boundary.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod confine;
mod host_changes;
mod host_lists;
mod host_pairs;
mod host_rounds;
mod host_seal;
mod host_support;
mod host_web;
mod inspect;
mod policy;
mod server;
mod server_support;
mod settings;
mod validate;
