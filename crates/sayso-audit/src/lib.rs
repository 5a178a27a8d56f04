//! The linter: rules over a [`Listing`](sayso_core::listing::Listing), the evidence they rest
//! on, and what directories and hosts ask for. Pure: no I/O, no clock, no network.
//!
//! Data flows one way: listing → [`context::Context`] (claims, effective values, evidence)
//! → every rule of [`rules::ALL`] → [`admit::admit`] (levels, suppressions) → a report.

pub mod admit;
mod annotation_key;
mod compare;
mod concealed;
mod confusable;
pub mod context;
pub mod documentation;
pub mod evidence;
pub mod example;
mod excerpt;
pub mod hosts;
pub mod judge;
pub mod observed;
pub mod profile;
pub mod proposal;
pub mod rule;
pub mod rules;
pub mod schema;
pub mod semantics;
pub mod submission;
pub mod suggestion;
pub mod summary;
