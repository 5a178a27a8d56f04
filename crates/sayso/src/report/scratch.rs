//! What `sayso scratch report` tells: what a host really did.

mod human;
mod wording;

use std::io;

use sayso_scratch::report::Observed;

use crate::audit_report::Presentation;

/// The formats the report can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScratchFormat {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
}

/// The version of the JSON document; a new one for every change that readers could stumble over.
const VERSION: u32 = 1;

#[derive(serde::Serialize)]
struct Versioned<'o> {
    version: u32,
    #[serde(flatten)]
    observed: &'o Observed,
}

/// Writes the report.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    observed: &Observed,
    format: ScratchFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        ScratchFormat::Human => human::render(observed, presentation),
        ScratchFormat::Json => {
            let document = Versioned {
                version: VERSION,
                observed,
            };
            super::safe_json::to_string_pretty(&document)?
        }
    };
    out.write_all(text.as_bytes())
}
