//! Findings, counted.

use sayso_core::finding::Severity;

use crate::audit_report::{AuditReport, Audited};

/// Findings by severity, and those that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Errors shown.
    pub(super) errors: usize,
    /// Warnings shown.
    pub(super) warnings: usize,
    /// Infos shown.
    pub(super) infos: usize,
    /// Kept back by suppressions.
    pub(super) suppressed: usize,
    /// Kept back by rules switched off.
    pub(super) off: usize,
}

impl Tally {
    /// Over one listing.
    pub(super) fn of(audited: &Audited) -> Self {
        let mut tally = Self::default();
        tally.add(audited);
        tally
    }

    /// Over a whole run, the settings file included.
    pub(super) fn of_run(report: &AuditReport) -> Self {
        let mut tally = Self::default();
        for audited in report
            .targets
            .iter()
            .filter_map(|target| target.outcome.as_ref().ok())
        {
            tally.add(audited);
        }
        for finding in &report.settings_findings {
            tally.count(finding.severity);
        }
        tally
    }

    fn add(&mut self, audited: &Audited) {
        for finding in &audited.admitted.findings {
            self.count(finding.severity);
        }
        self.suppressed += audited.admitted.hidden.suppressed;
        self.off += audited.admitted.hidden.off;
    }

    fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }
}
