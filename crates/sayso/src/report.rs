//! One module per format, all from the same [`AuditReport`].
//!
//! Text that comes from a server never reaches an output as it is: formats for people pass it
//! through [`sayso_core::reveal`], formats for programs escape the same characters as their
//! syntax has it ([`safe_json`]).

pub(crate) mod approvals;
pub(crate) mod classify;
mod comment;
pub(crate) mod doctor;
mod escape;
mod excerpt;
pub(crate) mod fix;
mod github;
pub(crate) mod hosts;
mod html;
mod human;
pub(crate) mod install;
pub(crate) mod journal;
pub(crate) mod json;
mod junit;
pub(crate) mod lock;
mod markdown;
mod outline;
pub(crate) mod policy;
mod positions;
mod safe_json;
mod sarif;
pub(crate) mod scratch;
mod screen;
mod tally;
pub(crate) mod trace;
pub(crate) mod verify;
mod wording;

#[cfg(test)]
mod tests;

use std::io;

use crate::audit_report::{AuditReport, Format, Presentation};

/// Writes a report.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    report: &AuditReport,
    format: Format,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        Format::Human => human::render(report, presentation),
        Format::Json => json::render(report)?,
        Format::Sarif => sarif::render(report)?,
        Format::Junit => junit::render(report).map_err(io::Error::other)?,
        Format::Github => github::render(report),
        Format::Markdown => markdown::render(report),
        Format::Html => html::render(report).map_err(io::Error::other)?,
    };
    out.write_all(text.as_bytes())
}
