//! What is known of the hosts.

use sayso_audit::hosts::Behaviour;

use super::super::super::words;
use super::super::page::{Host, Mode, Rule};
use super::safe;
use crate::hosts::KnownHost;
use crate::hosts_report::HostsReport;

impl Host {
    pub(super) fn new(report: &HostsReport<'_>, known: &KnownHost, behaviour: &Behaviour) -> Self {
        let old = if report.is_stale(behaviour) {
            " (old)"
        } else {
            ""
        };
        let added = known
            .file
            .as_ref()
            .map(|file| format!("added by {}", file.display()));
        let facts = [
            Some(words::kind(known.profile.kind).to_owned()),
            Some(format!("known {}", words::confidence(behaviour.confidence))),
            Some(format!("read {}{old}", behaviour.date_read)),
            Some(format!("version {}", behaviour.version)),
            added,
        ];
        let all = |lines: &[String]| lines.iter().map(|line| safe(line)).collect();
        Self {
            id: safe(&known.profile.id),
            name: safe(&known.profile.name),
            facts: facts
                .into_iter()
                .flatten()
                .map(|fact| safe(&fact))
                .collect(),
            modes: behaviour.modes.iter().map(Mode::new).collect(),
            notes: all(&behaviour.notes),
            bugs: all(&behaviour.bugs),
            sources: all(&behaviour.sources),
        }
    }
}

impl Mode {
    fn new(mode: &sayso_audit::hosts::Mode) -> Self {
        let needs = mode.needs.as_ref().map(|needs| format!("needs {needs}"));
        Self {
            name: safe(&format!("{}: {}", words::mode_id(mode), mode.name)),
            remarks: needs
                .iter()
                .chain(&mode.note)
                .map(|remark| safe(remark))
                .collect(),
            rules: mode
                .rules
                .iter()
                .map(|rule| Rule {
                    when: safe(&rule.when.to_string()),
                    then: rule.then.as_str(),
                    note: rule.note.as_deref().map(safe),
                })
                .collect(),
        }
    }
}
