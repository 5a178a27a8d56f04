//! The hosts that are known.

use super::super::super::comment::Comment;
use super::super::super::escape::text;
use super::super::words;
use super::cell_code;
use crate::hosts_report::HostsReport;

pub(super) fn push(comment: &mut Comment, report: &HostsReport<'_>) {
    comment.push(
        "| host | id | kind | version | read | known | modes |\n|---|---|---|---|---|---|---|\n"
            .to_owned(),
    );
    for (known, behaviour) in report.known.behaving() {
        let modes: Vec<String> = behaviour.modes.iter().map(words::mode_id).collect();
        let old = if report.is_stale(behaviour) {
            " (old)"
        } else {
            ""
        };
        comment.push(format!(
            "| {} | {} | {} | {} | {}{old} | {} | {} |\n",
            text(&known.profile.name),
            cell_code(&known.profile.id),
            words::kind(known.profile.kind),
            text(&behaviour.version),
            behaviour.date_read,
            words::confidence(behaviour.confidence),
            text(&modes.join(", ")),
        ));
    }
    comment.push("\n".to_owned());
}
