//! The nouns of Sayso and its judgement, without I/O, clock or randomness.
//!
//! A [`json::Document`] is the one way JSON is read; a [`listing::Listing`] is
//! what one server sent; a [`hint::Claim`] is one hint as it stood on the wire;
//! a [`ruling::Ruling`] is what an operator decided is true; [`effective`] turns
//! them into the values a client acts on; a [`digest::Digest`] is the same for
//! all spellings of a value, and [`drift`] says which way a change goes; a
//! [`finding::Finding`] is what a rule has to say.

pub mod approval;
pub mod digest;
pub mod drift;
pub mod effective;
pub mod finding;
pub mod hint;
pub mod journal;
pub mod json;
pub mod listing;
pub mod lock;
pub mod reveal;
pub mod ruling;
pub mod rulings;
pub mod schema_bounds;
pub mod suggest;
pub mod tool;
