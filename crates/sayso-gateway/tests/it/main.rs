//! What the gate promises at its boundary.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod inspect;
mod policy;
mod server;
mod server_support;
mod validate;
