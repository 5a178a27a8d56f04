//! A question to the person at the terminal.

use std::io::{self, IsTerminal as _, Write as _};

use crate::error::Failure;

/// Whether there is somebody to ask: who types here and sees what is asked.
pub(super) fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks; anything but a yes is a no.
///
/// # Errors
/// When the terminal cannot be written to or read from.
pub(super) fn ask(question: &str) -> Result<bool, Failure> {
    let mut err = anstream::stderr().lock();
    write!(err, "{question} [y/N] ")?;
    err.flush()?;
    drop(err);
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}
