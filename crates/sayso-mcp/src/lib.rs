//! The Model Context Protocol on the wire, both eras: the only crate that speaks it.

mod frames;
mod inbox;
pub mod jsonrpc;
