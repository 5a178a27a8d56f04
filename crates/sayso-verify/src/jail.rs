//! The jail: what the kernel gives an ordinary user to keep a server from the machine, and to be told
//! what it does all the same.
//!
//! Nothing of it needs privileges, a container or a helper program. A server in a jail is a process like
//! any other for whoever speaks to it: its pipes go straight through.

#[cfg(target_os = "linux")]
mod connect;
#[cfg(target_os = "linux")]
mod decide;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod message;
#[cfg(target_os = "linux")]
mod names;
#[cfg(target_os = "linux")]
mod nameserver;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod tracee;
#[cfg(target_os = "linux")]
mod view;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod probe;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Jail, enter};
#[cfg(target_os = "linux")]
pub use inside::enter;
#[cfg(target_os = "linux")]
pub use outside::{Jail, remove, scratch};
pub use probe::{Probe, probe};

/// How to run [`enter`] in a process of its own. The socket to the watcher is put behind `args`.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program, most often this one.
    pub program: PathBuf,
    /// What makes it become the jail.
    pub args: Vec<OsString>,
}

/// A place in what was seen, to ask what came after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

/// Why there is no jail, and what would enable one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refused {
    /// What happened, in words.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}
