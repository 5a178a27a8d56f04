//! The scratch server.

pub mod folder;
pub mod journal;
pub mod listing;
pub mod report;
mod scratch;
pub mod settings;
pub mod store;
mod suggest;
pub mod tool;

pub use scratch::{NAME, PATH, Scratch};
