//! What hosts do with the hints, one module per format, all from the same [`HostsReport`].

mod figures;
pub(in crate::report) mod html;
mod human;
pub(crate) mod json;
mod markdown;
mod outline;
mod sections;
mod words;

use std::io;

use crate::audit_report::Presentation;
use crate::cli::HostsFormat;
use crate::hosts_report::HostsReport;

/// Writes a report on hosts.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    report: &HostsReport<'_>,
    format: HostsFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        HostsFormat::Human => human::render(report, presentation),
        HostsFormat::Json => json::render(report)?,
        HostsFormat::Markdown => markdown::render(report),
        HostsFormat::Html => html::render(report).map_err(io::Error::other)?,
    };
    out.write_all(text.as_bytes())
}
