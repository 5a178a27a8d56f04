//! What `sayso trace` tells.

mod human;
mod json;
mod markdown;
mod wording;

use std::io;

use crate::audit_report::Presentation;
use crate::trace::Trace;

/// The formats a trace can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TraceFormat {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
    /// Markdown
    Markdown,
}

/// Writes a trace.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    trace: &Trace<'_>,
    format: TraceFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        TraceFormat::Human => human::render(trace, presentation),
        TraceFormat::Json => json::render(trace)?,
        TraceFormat::Markdown => markdown::render(trace),
    };
    out.write_all(text.as_bytes())
}
