//! The gate: where a rule holds. Hosts call it, servers are behind it, and every call is judged.
//!
//! [`call`] is the way of a call, a stage a line; the stages are in [`stages`], a file each. Nothing
//! reaches a server but through [`stages::forward`], which takes a
//! [`Permitted`](stages::approve::Permitted) and uses it up; only [`stages::approve`] makes one.

pub mod call;
pub mod caller;
pub mod catalogue;
pub mod clock;
pub mod confine;
pub mod facts;
pub mod gate;
pub mod host;
pub mod metrics;
pub mod names;
pub mod pins;
pub mod policy;
pub mod refusal;
pub mod server;
pub mod settings;
pub mod spans;
pub mod stages;
pub mod web;
