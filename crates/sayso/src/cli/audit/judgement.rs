//! What listings are held against, and the judgement itself.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use sayso_audit::admit::{Admission, admit, stale_suppressions};
use sayso_audit::judge::{JudgeOptions, judge};
use sayso_audit::observed::Observed;
use sayso_audit::profile::Profile;
use sayso_audit::semantics::Semantics;
use sayso_audit::summary::Summary;
use sayso_core::listing::Listing;
use sayso_core::suggest::nearest;
use sayso_verify::evidence::EvidenceFile;

use super::arguments::AuditArgs;
use crate::audit_report::{Audited, FailOn, SettingsFinding, TargetReport};
use crate::error::{Failure, quoted};
use crate::evidence;
use crate::hosts::KnownHosts;
use crate::run::Reading;
use crate::saved;
use crate::source::SourceTree;
use crate::targets::PlannedTarget;
use crate::today::today;

/// What listings are held against: options, then settings, then defaults.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) profile: Option<&'static Profile>,
    pub(super) fail_on: FailOn,
    pub(super) semantics: Semantics,
    pub(super) jobs: Option<NonZeroUsize>,
    settings_file: Option<String>,
    hosts_dir: Option<PathBuf>,
    admission: Admission,
    baseline: Option<Listing>,
    evidence: Option<EvidenceFile>,
}

impl Judgement {
    pub(super) fn new(arguments: &AuditArgs) -> Result<Self, Failure> {
        let read = arguments.settings.read()?;
        let settings_file = read.file();
        let hosts_dir = read
            .path
            .as_deref()
            .and_then(|path| read.settings.hosts.hosts_dir(path));
        let settings = read.settings.audit;
        let profile = match arguments.profile.as_deref().or(settings.profile()) {
            Some(id) => Some(find_profile(id)?),
            None => None,
        };
        let mut admission = settings.admission(today());
        let mut semantics = settings.semantics;
        if let Some(profile) = profile {
            admission.add_profile(profile);
            semantics = profile.answer(semantics);
        }
        Ok(Self {
            profile,
            fail_on: arguments.fail_on.or(settings.fail_on).unwrap_or_default(),
            semantics,
            jobs: settings.jobs,
            settings_file,
            hosts_dir,
            admission,
            baseline: arguments
                .baseline
                .as_deref()
                .map(saved::read_baseline)
                .transpose()?,
            evidence: arguments
                .evidence
                .as_deref()
                .map(evidence::read)
                .transpose()?,
        })
    }

    /// The settings file in use, as it is shown.
    pub(super) fn settings_file(&self) -> Option<String> {
        self.settings_file.clone()
    }

    /// The hosts that are counted, and a note where those somebody added cannot be: a profile that
    /// cannot be used keeps nobody from the audit.
    pub(super) fn hosts(&self) -> (KnownHosts, Option<String>) {
        match KnownHosts::load(self.hosts_dir.as_deref()) {
            Ok(hosts) => (hosts, None),
            Err(failure) => {
                let note = format!("only the hosts that ship with sayso are counted: {failure}");
                (KnownHosts::shipped(), Some(note))
            }
        }
    }

    /// Judges one reading.
    pub(super) fn judge(
        &self,
        reading: Reading,
        hosts: &KnownHosts,
        source: Option<&SourceTree>,
    ) -> TargetReport {
        let Reading { target, outcome } = reading;
        let outcome = outcome.map(|read| {
            let observed = self.observed(&target, &read.listing);
            let options = JudgeOptions {
                semantics: self.semantics,
                profile: self.profile,
                baseline: self.baseline.as_ref(),
                observed: observed.as_ref().map(|(observed, _)| observed),
            };
            let found = judge(&read.listing, &options);
            let admitted = admit(found, &read.listing, Some(&target.name), &self.admission);
            Audited {
                hosts: hosts.counts(&read.listing),
                registered: source.map_or_else(Vec::new, |tree| tree.registered(&read.listing)),
                summary: Summary::new(&read.listing, &admitted.findings),
                listing: read.listing,
                admitted,
                stderr_tail: read.stderr_tail,
                duration: read.duration,
            }
        });
        TargetReport {
            name: target.name,
            target: target.description,
            configured_in: target.configured_in,
            outcome,
        }
    }

    /// What the evidence says of a listing, with notes.
    pub(super) fn observed(
        &self,
        target: &PlannedTarget,
        listing: &Listing,
    ) -> Option<(Observed, Vec<String>)> {
        let evidence = self.evidence.as_ref()?;
        Some(evidence::observed(evidence, target, listing))
    }

    /// Suppressions that should not stand as they do. Nothing can be said of them while a
    /// target is missing.
    pub(super) fn settings_findings(&self, targets: &[TargetReport]) -> Vec<SettingsFinding> {
        let used: Option<Vec<Vec<bool>>> = targets
            .iter()
            .map(|target| Some(target.outcome.as_ref().ok()?.admitted.used.clone()))
            .collect();
        let (Some(used), Some(file)) = (used, self.settings_file()) else {
            return Vec::new();
        };
        stale_suppressions(&self.admission, &used)
            .into_iter()
            .map(|stale| SettingsFinding {
                rule: stale.finding.rule,
                severity: stale.finding.severity,
                message: stale.finding.message,
                file: file.clone(),
                line: stale.line,
                help: stale.finding.help.unwrap_or_default(),
            })
            .collect()
    }
}

fn find_profile(id: &str) -> Result<&'static Profile, Failure> {
    Profile::all()
        .find(|profile| profile.id == id)
        .ok_or_else(|| {
            let failure = Failure::usage(format!("no profile is called `{id}`"));
            let known: Vec<&str> = Profile::all().map(|profile| profile.id.as_str()).collect();
            match nearest(id, known.iter().copied()) {
                Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
                None => failure.hint(format!("there are {}", quoted(known))),
            }
        })
}
