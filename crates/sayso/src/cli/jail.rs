//! `sayso jail`: the process that becomes the jail of a server. Hidden: Sayso starts it itself.

use std::ffi::OsString;
use std::process::ExitCode;

/// The command's name.
pub(crate) const NAME: &str = "jail";

/// Becomes the jail. Nothing else has happened in this process by then.
pub(super) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    sayso_verify::jail::enter(arguments)
}
