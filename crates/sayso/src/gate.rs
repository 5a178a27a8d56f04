//! Running the gate: from the settings to its rules, and from its rules to its end.

mod confine;
mod demonstration;
mod follow;
#[cfg(feature = "otlp")]
pub(crate) mod otlp;
pub(crate) mod rules;
mod run;
mod stopping;
pub(crate) mod targets;

pub(crate) use confine::confiner;
pub(crate) use demonstration::Demonstration;
pub(crate) use follow::Reload;
pub(crate) use run::{Plan, open as open_store, run, store_failure, supervisor};

/// Standard output may be the protocol's. Nothing is left to be done if standard error is gone.
pub(crate) fn tell(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(anstream::stderr(), "{}", sayso_core::reveal::reveal(line));
}
