//! What is missing where the kernel is not Linux: all of it, and it says so.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use sayso_mcp::StdioCommand;

use super::{Launcher, Mark, Refused};
use crate::event::Event;
use crate::plan::Plan;

/// A jail. There is none on this system.
#[derive(Debug)]
pub enum Jail {}

/// Why there is none.
pub(super) fn missing() -> Refused {
    Refused {
        reason: "watching and confining a server needs a Linux kernel".to_owned(),
        hint: "run it on Linux, in a virtual machine or in WSL 2".to_owned(),
    }
}

impl Jail {
    /// Always refuses.
    ///
    /// # Errors
    /// Always.
    pub fn prepare(_plan: &Plan, _launcher: &Launcher) -> Result<Self, Refused> {
        Err(missing())
    }

    /// What starts the server.
    #[must_use]
    pub fn command(&self) -> StdioCommand {
        match *self {}
    }

    /// The place up to which it was seen what the server did.
    #[must_use]
    pub fn mark(&self) -> Mark {
        match *self {}
    }

    /// What was seen after a mark.
    #[must_use]
    pub fn since(&self, _mark: Mark) -> Vec<Event> {
        match *self {}
    }

    /// How long ago something was seen last.
    #[must_use]
    pub fn quiet_for(&self) -> Duration {
        match *self {}
    }

    /// Moves with each event.
    #[must_use]
    pub fn count(&self) -> tokio::sync::watch::Receiver<u64> {
        match *self {}
    }

    /// The processes in it.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        match *self {}
    }

    /// Why the server was not started.
    #[must_use]
    pub fn failure(&self) -> Option<Refused> {
        match *self {}
    }
}

/// Becomes nothing.
pub fn enter(_arguments: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::from(125)
}
