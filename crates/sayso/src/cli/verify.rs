//! `sayso verify`.

mod arguments;
mod probe;
mod progress;
mod scenario;
mod watch;

use std::path::Path;
use std::time::Instant;

use sayso_audit::admit::{Admission, admit};
use sayso_audit::observed;
use sayso_audit::semantics::Semantics;
use sayso_audit::summary::Summary;
use sayso_core::listing::Listing;
use sayso_verify::evidence::{self as kept, EvidenceFile};
use sayso_verify::judge::ToolVerdict;

pub(super) use arguments::VerifyArgs;

use super::output;
use super::target_arguments::Verb;
use crate::audit_report::{
    AuditReport, Audited, Format, Presentation, ReportSettings, TargetReport, Unreadable,
};
use crate::error::{Failure, Outcome};
use crate::targets::PlannedTarget;
use crate::verify::{Verified, VerifiedServer, accepted};
use crate::{evidence, exit, lock, report};
use watch::Watch;

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "verify",
    example: "sayso verify --example",
};

impl VerifyArgs {
    pub(super) fn run(self) -> Outcome {
        if self.probe {
            return probe::run();
        }
        let started = Instant::now();
        let read = self.settings.read()?;
        let judging = Judging {
            admission: read.settings.audit.admission(crate::today::today()),
            semantics: read.settings.audit.semantics,
            baseline: self.baseline.as_deref().map(evidence::read).transpose()?,
        };
        let file = self.evidence_file();
        output::check_directories([&self.report.output, &file])?;
        let mut known = match &file {
            Some(file) => evidence::read_if_there(file)?,
            None => EvidenceFile::default(),
        };
        let plan = self.target.plan(&VERB)?;
        let watch = Watch::new(&self)?;
        let mut targets = Vec::new();
        let mut servers = Vec::new();
        let mut unmet = Vec::new();
        for target in plan.targets {
            let mut watched = watch.server(&target)?;
            if let Ok(judged) = &mut watched {
                unmet.append(&mut judged.unmet);
            }
            let (report, server) = judging.judge(target, watched, &watch, &mut known);
            targets.push(report);
            servers.push(server);
        }
        let report = Verified {
            audit: AuditReport {
                version: env!("CARGO_PKG_VERSION"),
                settings: ReportSettings {
                    profile: None,
                    baseline: self.baseline.as_deref().map(shown),
                    fail_on: self
                        .fail_on
                        .or(read.settings.audit.fail_on)
                        .unwrap_or_default(),
                    semantics: judging.semantics,
                    settings_file: read.file(),
                },
                targets,
                settings_findings: unmet,
                notes: plan.notes,
                duration: started.elapsed(),
            },
            servers,
            mode: watch.mode,
            why_not_better: watch.why_not_better.clone(),
            fixture: watch.fixture_name.clone(),
            evidence: file.as_deref().map(shown),
        };
        let saved = file.map_or(Ok(()), |file| evidence::write(&file, &known));
        match self.write(&report) {
            // Whoever read the report has seen enough; what was found stands all the same.
            Err(failure) if !failure.is_broken_pipe() => return Err(failure),
            _ => {}
        }
        saved?;
        Ok(exit::of(report.audit.whole(), report.audit.fails()))
    }

    fn write(&self, report: &Verified) -> Result<(), Failure> {
        let write =
            |presentation: &Presentation, out: &mut dyn std::io::Write| match self.report.format {
                Format::Human => report::verify::write(report, presentation, out),
                format => report::write(&report.audit, format, presentation, out),
            };
        self.report.write(self.detail.into(), write)
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// What verdicts are held against.
struct Judging {
    admission: Admission,
    semantics: Semantics,
    baseline: Option<EvidenceFile>,
}

impl Judging {
    /// What is reported of a target, and its evidence taken over.
    fn judge(
        &self,
        target: PlannedTarget,
        watched: Result<watch::Judged, Unreadable>,
        watch: &Watch,
        known: &mut EvidenceFile,
    ) -> (TargetReport, Option<VerifiedServer>) {
        let launch = lock::launch::of(&target);
        let mut server = None;
        let outcome = watched.map(|judged| {
            let definitions = kept::definitions(&judged.listing);
            let run = kept::Run {
                server: target.name.clone(),
                launch: kept::Launched::from(&launch),
                fixture: watch.fixture_name.clone(),
                date: crate::today::civil().to_string(),
            };
            known.record(&run, &definitions, &judged.verdicts);
            let accepted = self.baseline.as_ref().map_or_else(Vec::new, |baseline| {
                accepted(baseline, &target.name, &definitions, &judged.verdicts)
            });
            let audited =
                self.audited(&target, &judged.listing, &judged.verdicts, &accepted, watch);
            server = Some(VerifiedServer {
                verdicts: judged.verdicts,
                accepted,
                notes: judged.notes,
                duration: judged.duration,
            });
            Audited {
                stderr_tail: Vec::new(),
                duration: judged.duration,
                listing: judged.listing,
                ..audited
            }
        });
        let report = TargetReport {
            name: target.name,
            target: target.description,
            configured_in: target.configured_in,
            outcome,
        };
        (report, server)
    }

    fn audited(
        &self,
        target: &PlannedTarget,
        listing: &Listing,
        verdicts: &[ToolVerdict],
        accepted: &[(String, sayso_core::hint::Hint)],
        watch: &Watch,
    ) -> Audited {
        let mut seen = evidence::of_verdicts(verdicts, &watch.fixture_name);
        for (tool, hint) in accepted {
            if let Some(of_tool) = seen.tools.get_mut(tool) {
                of_tool.remove(hint);
            }
        }
        let found = observed::findings(listing, &seen);
        let admitted = admit(found, listing, Some(&target.name), &self.admission);
        Audited {
            hosts: Vec::new(),
            registered: Vec::new(),
            summary: Summary::new(listing, &admitted.findings),
            listing: Listing::default(),
            admitted,
            stderr_tail: Vec::new(),
            duration: std::time::Duration::ZERO,
        }
    }
}
