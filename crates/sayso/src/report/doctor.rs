//! What `sayso doctor` tells, for people.

use std::io;

use sayso_core::reveal::reveal_line;

use super::wording::plural;
use crate::doctor::{Finding, State};

/// Writes a line for each thing that was looked at, and what to do about each that will not do.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(findings: &[Finding], out: &mut dyn io::Write) -> io::Result<()> {
    for finding in findings {
        let mark = match finding.state {
            State::Fine => "ok     ",
            State::Note => "note   ",
            State::Problem(_) => "problem",
        };
        let (of, what) = (reveal_line(&finding.of), reveal_line(&finding.what));
        writeln!(out, "{mark}  {of}: {what}")?;
        if let State::Problem(hint) = &finding.state {
            writeln!(out, "         hint: {}", reveal_line(hint))?;
        }
    }
    let problems = findings
        .iter()
        .filter(|finding| finding.is_problem())
        .count();
    match problems {
        0 => writeln!(out, "nothing has to be mended"),
        count => writeln!(out, "{} to be mended", plural(count, "problem")),
    }
}
