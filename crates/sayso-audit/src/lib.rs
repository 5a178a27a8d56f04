//! The linter: rules over a [`Listing`](sayso_core::listing::Listing), the evidence they rest
//! on, and what directories and hosts ask for. Pure: no I/O, no clock, no network.
//!
//! Data flows one way: listing → [`context::Context`] (claims, effective values, evidence)
//! → every rule of [`rules::ALL`] → [`admit::admit`] (levels, suppressions) → a report.

pub mod admit;
pub mod context;
pub mod evidence;
pub mod hosts;
pub mod judge;
pub mod profile;
pub mod rule;
pub mod rules;
pub mod semantics;
pub mod summary;
