//! The hosts that are known.

use crate::hosts_report::HostsReport;

use super::super::super::screen::{Screen, Style};
use super::super::super::wording::plural;
use super::super::words;
use crate::hosts::is_real;

pub(super) fn write(screen: &mut Screen, report: &HostsReport<'_>) {
    let mut real = 0;
    let mut modes = 0;
    for (known, behaviour) in report.known.behaving() {
        let profile = &known.profile;
        if is_real(profile) {
            real += 1;
            modes += behaviour.modes.len();
        }
        let name = screen.paint(Style::Strong, &profile.id);
        let display = screen.paint(Style::Faint, &profile.name);
        screen.line(&format!("{name}  {display}"));
        let old = if report.is_stale(behaviour) {
            " (old)"
        } else {
            ""
        };
        let facts = format!(
            "{}; known {}, read {}{old}; version {}",
            words::kind(profile.kind),
            words::confidence(behaviour.confidence),
            behaviour.date_read,
            behaviour.version,
        );
        screen.listed("  ", "  ", &facts);
        if let Some(file) = &known.file {
            screen.wrapped("  ", "  ", &format!("added by {}", file.display()));
        }
        let ids: Vec<String> = behaviour.modes.iter().map(words::mode_id).collect();
        screen.listed("  modes: ", "    ", &ids.join(", "));
    }
    screen.blank();
    screen.line(&format!(
        "{} and {}; a host whose build is no longer current is shown only when named",
        plural(real, "host"),
        plural(modes, "mode")
    ));
    screen.blank();
}
