//! Workflow commands, which GitHub Actions shows as annotations on a run.

use std::fmt::Write as _;

use super::super::github::{escape_data, escape_property};
use super::human::why_not;
use super::summary;
use crate::lock::{Change, LockReport, LockedServer, State, Weight};

/// An annotation for everything that fails and for what is worth knowing, then one line of
/// summary. GitHub keeps ten of each severity, so the heaviest come first.
pub(super) fn render(report: &LockReport) -> String {
    let mut annotations: Vec<(Severity, String, String)> = Vec::new();
    for server in &report.servers {
        let name = &server.name;
        match &server.state {
            State::Unreadable(unreadable) => {
                let hint = unreadable.hint.as_ref();
                let hint = hint.map_or_else(String::new, |hint| format!("\nhint: {hint}"));
                annotations.push((
                    Severity::Error,
                    format!("{name} could not be read"),
                    format!("{}{hint}", unreadable.message),
                ));
            }
            State::Unpinnable(error) => annotations.push((
                Severity::Error,
                format!("{name} cannot be pinned"),
                format!("{error}\nhint: {}", why_not(error)),
            )),
            State::Unpinned { pinned: false, .. } => annotations.push((
                if server.fails(report) {
                    Severity::Error
                } else {
                    Severity::Warning
                },
                format!("{name} is not pinned"),
                "hint: `sayso lock TARGET` pins it".to_owned(),
            )),
            State::Unpinned { .. } => {}
            State::Compared { changes, .. } => {
                let open = changes.iter().filter(|change| !change.accepted);
                annotations.extend(open.map(|change| annotation(report, server, change)));
            }
        }
    }
    annotations.sort_by_key(|(severity, ..)| std::cmp::Reverse(*severity));
    let mut text = String::new();
    for (severity, title, message) in annotations {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "::{} file={},title={}::{}",
            severity.command(),
            escape_property(&report.file),
            escape_property(&title),
            escape_data(&message)
        );
    }
    let _ = writeln!(text, "sayso: {}", summary(report));
    text
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Notice,
    Warning,
    Error,
}

impl Severity {
    const fn command(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

fn annotation(
    report: &LockReport,
    server: &LockedServer,
    change: &Change,
) -> (Severity, String, String) {
    let severity = match change.weight {
        weight if report.fail_on.fails(weight) => Severity::Error,
        Weight::Neutral => Severity::Notice,
        _ => Severity::Warning,
    };
    let about = match &change.tool {
        Some(tool) => format!("{tool}: "),
        None => String::new(),
    };
    let title = format!("{} ({})", change.weight.as_str(), server.name);
    (severity, title, format!("{about}{}", change.message))
}
