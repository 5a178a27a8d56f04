//! The gate, as hosts and servers meet it: what must hold when one of them is hostile or broken.

mod approvals;
#[cfg(target_os = "linux")]
mod confine;
mod ending;
mod faults;
mod hostile_hosts;
mod hostile_servers;
mod listing;
mod pins;
mod routing;
pub(crate) mod support;
mod tasks;
