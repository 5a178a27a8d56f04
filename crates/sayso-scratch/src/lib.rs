//! The scratch server: a real MCP server to point any host at, which writes down what that host
//! really did.
//!
//! It lists six [tools](tool::Tool) that act on a small made-up [store](store::Store). What they
//! declare and how calls are answered is [set](settings::Settings), also while it runs. What
//! happens goes into a [journal](journal::Journal), and [`report::Observed`] works out from one
//! what hosts did. All of it lies in one [folder](folder::Folder); [`Scratch`] serves it.
//!
//! The crate never touches anything but its folder and the socket it is given, never prints,
//! speaks no protocol itself (that is [`sayso_mcp::server`]), and never judges what it saw.

pub mod folder;
pub mod journal;
pub mod listing;
pub mod report;
mod scratch;
pub mod settings;
pub mod store;
pub mod tool;

pub use scratch::{NAME, PATH, Scratch};
