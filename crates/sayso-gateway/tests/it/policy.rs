//! Policies: what they decide, what they refuse to load, and that the fast way is the exact one.

mod arguments;
mod errors;
mod exact;
mod listing;
mod ready;
mod world;
