//! What the nouns promise at their boundary.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod digest;
mod drift;
mod effective;
mod json;
mod lock;
mod reveal;
mod rulings;
mod schema_drift;
mod splice;
mod tool;
