//! `sayso supervise`: the process a server runs under. Hidden: Sayso starts it itself.

use std::ffi::OsString;
use std::process::ExitCode;

use sayso_mcp::supervisor::{Options, supervise};

use crate::error::Failure;
use crate::exit;

/// The command's name.
pub(crate) const NAME: &str = "supervise";

/// Becomes the supervisor. Nothing else has happened in this process by then.
pub(super) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let done = Options::from_args(arguments).and_then(|options| supervise(&options));
    done.unwrap_or_else(|error| {
        // Nothing is left to be done if standard error is gone too.
        let _ = Failure::usage(error).print(&mut std::io::stderr());
        ExitCode::from(exit::USAGE)
    })
}
