//! What the linter promises at its boundary.

#![expect(
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod admit;
mod claims;
mod drift;
mod evidence;
mod examples;
mod hosts;
mod listings;
mod observed;
mod profiles;
mod rules;
mod schema;
mod semantics;
mod submission;
mod suggestion;
mod support;
