//! What watching and binding servers comes to, seen from outside.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![cfg_attr(
    target_os = "linux",
    expect(clippy::indexing_slicing, reason = "a test may panic")
)]

mod drive;
mod evidence;
#[cfg(target_os = "linux")]
mod jail;
mod judge;
#[cfg(unix)]
mod tree;
