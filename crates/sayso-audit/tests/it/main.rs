//! What the linter promises at its boundary.

#![expect(
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod examples;
mod hosts;
mod rules;
