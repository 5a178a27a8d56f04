//! What `sayso scratch report` tells: what a host really did.

mod human;
mod wording;

use std::io;

use sayso_scratch::report::Observed;

use crate::audit_report::Presentation;
use crate::profile_check::{Fact, ProfileCheck};

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
    profiles: Vec<HeldProfile<'o>>,
}

/// A host's profile held against what was seen.
#[derive(serde::Serialize)]
struct HeldProfile<'o> {
    host: &'o str,
    mode: &'o str,
    clients: &'o [usize],
    facts: &'o [Fact],
}

impl<'o> From<&'o ProfileCheck<'_>> for HeldProfile<'o> {
    fn from(check: &'o ProfileCheck<'_>) -> Self {
        Self {
            host: &check.column.host.id,
            mode: &check.column.mode.id,
            clients: &check.clients,
            facts: &check.facts,
        }
    }
}

/// Writes the report.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    observed: &Observed,
    profiles: &[ProfileCheck<'_>],
    format: ScratchFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        ScratchFormat::Human => human::render(observed, profiles, presentation),
        ScratchFormat::Json => {
            let document = Versioned {
                version: VERSION,
                observed,
                profiles: profiles.iter().map(HeldProfile::from).collect(),
            };
            super::safe_json::to_string_pretty(&document)?
        }
    };
    out.write_all(text.as_bytes())
}
