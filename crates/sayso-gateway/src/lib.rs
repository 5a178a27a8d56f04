//! The gate: where a rule holds. Hosts call it, servers are behind it, and every call is judged.

pub mod caller;
pub mod host;
pub mod policy;
pub mod server;
pub mod settings;
pub mod stages;
