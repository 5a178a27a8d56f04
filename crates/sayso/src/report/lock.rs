//! What `sayso lock` tells, one module per format.

mod difference;
mod github;
mod human;
pub(crate) mod json;
mod pinned;

use std::io;
use std::path::Path;

use sayso_core::lock::Lock;

use super::wording::plural;
use crate::audit_report::Presentation;
use crate::lock::{LockReport, State, Weight};

/// The formats a report on a lock can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
    /// Workflow commands that GitHub shows as annotations
    Github,
}

/// Writes what one run has to tell.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    report: &LockReport,
    format: Format,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        Format::Human => human::render(report, presentation),
        Format::Json => json::render(report)?,
        Format::Github => github::render(report),
    };
    out.write_all(text.as_bytes())
}

/// Writes what is pinned.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write_pinned(
    lock: &Lock,
    file: &Path,
    format: Format,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        Format::Human | Format::Github => pinned::render(lock, file, presentation),
        Format::Json => json::render_pinned(lock, file)?,
    };
    out.write_all(text.as_bytes())
}

/// What a run came to, in one sentence.
fn summary(report: &LockReport) -> String {
    let count = |of: &dyn Fn(&State) -> bool| {
        let servers = report.servers.iter();
        servers.filter(|server| of(&server.state)).count()
    };
    let same =
        count(&|state| matches!(state, State::Compared { changes, .. } if changes.is_empty()));
    let pinned = count(&|state| matches!(state, State::Unpinned { pinned: true, .. }));
    let unpinned = count(&|state| matches!(state, State::Unpinned { pinned: false, .. }));
    let refused = count(&|state| matches!(state, State::Unpinnable(_)));
    let unread = count(&|state| matches!(state, State::Unreadable(_)));
    let of_servers = [
        (pinned, "pinned"),
        (same, "as pinned"),
        (unpinned, "not pinned"),
        (refused, "not to be pinned"),
        (unread, "not read"),
    ];
    let mut parts: Vec<String> = of_servers
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", plural(count, "server")))
        .collect();
    for weight in Weight::ALL.into_iter().rev() {
        let changes = report.servers.iter().flat_map(|server| server.changes());
        let count = changes.filter(|change| change.weight == weight).count();
        if count > 0 {
            let changes = plural(count, "change");
            let (count, noun) = changes.split_once(' ').unwrap_or((&changes, ""));
            parts.push(format!("{count} {} {noun}", weight.as_str()));
        }
    }
    if parts.is_empty() {
        parts.push("no servers".to_owned());
    }
    parts.join(", ")
}
