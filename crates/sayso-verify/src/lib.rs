//! Watching a server at work, and binding it to what it claims.
//!
//! A [`plan::Plan`] says what a server may see and touch; a [`jail`] carries it out with what the
//! kernel gives an ordinary user, and tells each [`event::Event`] the server causes. A
//! [`tree`] is what its files were before and after a call, and which [`change::Change`]s lie
//! between. [`drive`] makes calls and fixtures to make them on; [`session`] makes them, one
//! [`observation::Observation`] a call; [`judge`] weighs those against the tool's claims, and
//! [`evidence`] is what is kept of it.
//!
//! The only crate with `unsafe`, and the only one that confines processes. It prints nothing.

pub mod change;
pub mod drive;
pub mod event;
pub mod evidence;
pub mod fixture;
pub mod jail;
pub mod judge;
pub mod observation;
pub mod plan;
pub mod scenario;
pub mod session;
pub mod tree;
