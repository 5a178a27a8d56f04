//! What `sayso doctor` tells, for people.

use std::io;

use sayso_core::reveal::reveal_line;
use serde_json::json;

use super::safe_json;
use super::wording::plural;
use crate::doctor::{Finding, State};

/// The formats it can be told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DoctorFormat {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
}

/// Writes what was looked at.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    findings: &[Finding],
    format: DoctorFormat,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        DoctorFormat::Human => human(findings, out),
        DoctorFormat::Json => json(findings, out),
    }
}

/// Everything, in the order it was looked at.
fn json(findings: &[Finding], out: &mut dyn io::Write) -> io::Result<()> {
    let looked_at = findings.iter().map(|finding| {
        let (state, hint) = match &finding.state {
            State::Fine => ("fine", None),
            State::Note => ("note", None),
            State::Problem(hint) => ("problem", Some(hint)),
        };
        json!({ "of": finding.of, "state": state, "what": finding.what, "hint": hint })
    });
    let problems = findings.iter().filter(|finding| finding.is_problem());
    let document = json!({
        "version": 1,
        "problems": problems.count(),
        "findings": looked_at.collect::<Vec<_>>(),
    });
    out.write_all(safe_json::to_string_pretty(&document)?.as_bytes())
}

/// A line for each thing that was looked at, and what to do about each that will not do.
fn human(findings: &[Finding], out: &mut dyn io::Write) -> io::Result<()> {
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
