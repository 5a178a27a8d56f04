//! A store in one SQLite file.

use std::path::PathBuf;

/// How much an entry has to survive before [`crate::Store::append`] resolves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// That this process is killed.
    #[default]
    Process,
    /// That the machine loses power.
    Power,
}

/// What the store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be the gate's: made where there is none; one at a time.
    Gate,
    /// To be looked at and answered in, beside a gate or without one. The file has to be there.
    Beside,
    /// To be looked at only. The file has to be there.
    Reader,
}

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file.
    pub path: PathBuf,
    /// What for.
    pub role: Role,
    /// How durable entries are.
    pub durability: Durability,
}
