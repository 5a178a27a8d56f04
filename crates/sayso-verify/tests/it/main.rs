//! What watching and binding servers comes to, seen from outside.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

mod evidence;
mod judge;
#[cfg(target_os = "linux")]
mod jail;
mod tree;
mod drive;
