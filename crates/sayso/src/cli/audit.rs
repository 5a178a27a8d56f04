//! `sayso audit`.

mod arguments;
mod inspect;
mod judgement;

use std::io::{self, Write as _};
use std::time::Instant;

use sayso_audit::submission;
use sayso_core::listing::Completeness;
use sayso_core::reveal::reveal_line;

pub(super) use arguments::AuditArgs;

use super::output;
use super::target_arguments::Verb;
use crate::audit_report::{AuditReport, Format, Presentation, ReportSettings};
use crate::error::{Failure, Outcome, quoted};
use crate::hosts::{self, KnownHosts};
use crate::run::Reading;
use crate::source::{Join, SourceTree};
use crate::targets::PlannedTarget;
use crate::{exit, report, run};
use judgement::Judgement;

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "audit",
    example: "sayso audit --example",
};

/// The profile of the directory whose submission file is known.
const SUBMISSION_PROFILE: &str = "openai-apps";

impl AuditArgs {
    pub(super) fn run(self) -> Outcome {
        let started = Instant::now();
        hosts::prepare();
        let judgement = Judgement::new(&self)?;
        let plan = self.target.plan(&VERB)?;
        self.check_single(&judgement, &plan.targets)?;
        output::check_directories([&self.report.output, &self.save, &self.emit_submission])?;
        let readings = run::read_all(plan.targets, &self.run_options(&judgement))?;
        let saved = self.save(&readings);
        let mut notes = plan.notes;
        let inspects = self.names || self.show.is_some();
        let (hosts, note) = match inspects {
            true => (KnownHosts::default(), None),
            false => judgement.hosts(),
        };
        notes.extend(note);
        notes.extend(readings.iter().flat_map(self::notes));
        notes.extend(evidence_notes(&judgement, &readings));
        if !self.detail.quiet && !self.shows_notes() {
            tell(&notes)?;
        }
        if self.names {
            return saved.and_then(|()| inspect::names(&readings));
        }
        if let Some(tool) = &self.show {
            return saved.and_then(|()| inspect::show(tool, self.raw, &readings));
        }
        let source = self.source.as_deref().map(SourceTree::read).transpose()?;
        notes.extend(self::not_registered(source.as_ref(), &readings));
        let targets: Vec<_> = readings
            .into_iter()
            .map(|reading| judgement.judge(reading, &hosts, source.as_ref()))
            .collect();
        let settings_findings = judgement.settings_findings(&targets);
        let report = AuditReport {
            version: env!("CARGO_PKG_VERSION"),
            settings: ReportSettings {
                profile: judgement.profile,
                baseline: self
                    .baseline
                    .as_ref()
                    .map(|path| path.display().to_string()),
                fail_on: judgement.fail_on,
                semantics: judgement.semantics,
                settings_file: judgement.settings_file(),
            },
            targets,
            settings_findings,
            notes,
            duration: started.elapsed(),
        };
        let emitted = self.emit_submission(&report);
        match self.write(&report) {
            // Whoever read the report has seen enough; what was found stands all the same.
            Err(failure) if !failure.is_broken_pipe() => return Err(failure),
            _ => {}
        }
        // What could not be written beside it keeps nobody from the report.
        saved.and(emitted)?;
        Ok(exit::of(report.whole(), report.fails()))
    }

    /// Whether what is printed has a place for notes.
    fn shows_notes(&self) -> bool {
        let has_place = match self.report.format {
            Format::Human | Format::Json | Format::Markdown | Format::Html => true,
            Format::Sarif | Format::Junit | Format::Github => false,
        };
        has_place && !self.names && self.show.is_none()
    }

    fn run_options(&self, judgement: &Judgement) -> run::RunOptions {
        run::RunOptions {
            read_twice: self.read_twice,
            ..self.reading.run_options(judgement.jobs, !self.detail.quiet)
        }
    }

    /// That what is about one server is asked for one target, and that the profile fits.
    fn check_single(
        &self,
        judgement: &Judgement,
        targets: &[PlannedTarget],
    ) -> Result<(), Failure> {
        let asked = [
            ("--baseline", self.baseline.is_some()),
            ("--save", self.save.is_some()),
            ("--source", self.source.is_some()),
            ("--emit-submission", self.emit_submission.is_some()),
        ];
        if let Some((option, _)) = asked.iter().find(|(_, asked)| *asked && targets.len() != 1) {
            return Err(Failure::usage(format!(
                "`{option}` is about one target, and there are {}",
                targets.len()
            ))
            .hint("audit one target at a time; `--server NAME` chooses one of a configuration"));
        }
        let profile = judgement.profile.map(|profile| profile.id.as_str());
        if self.emit_submission.is_some() && profile != Some(SUBMISSION_PROFILE) {
            return Err(Failure::usage("only one profile has a submission file")
                .hint(format!("add `--profile {SUBMISSION_PROFILE}`")));
        }
        Ok(())
    }

    /// Writes the listing so that it can be audited again: every tool byte for byte.
    fn save(&self, readings: &[Reading]) -> Result<(), Failure> {
        let read = readings
            .iter()
            .find_map(|reading| reading.outcome.as_ref().ok());
        let (Some(path), Some(read)) = (&self.save, read) else {
            return Ok(());
        };
        if let Completeness::Incomplete(reason) = &read.listing.completeness {
            let failure = Failure::usage(format!(
                "the listing was not saved, for it is incomplete: {reason}"
            ));
            return Err(failure.code_of(exit::UNREADABLE));
        }
        let tools: Vec<&str> = read
            .listing
            .tools()
            .map(|tool| tool.value().raw())
            .collect();
        output::write_file(
            path,
            format!("{{\"tools\": [\n{}\n]}}\n", tools.join(",\n")).as_bytes(),
        )
    }

    fn emit_submission(&self, report: &AuditReport) -> Result<(), Failure> {
        let audited = report
            .targets
            .iter()
            .find_map(|target| target.outcome.as_ref().ok());
        let (Some(path), Some(audited)) = (&self.emit_submission, audited) else {
            return Ok(());
        };
        let findings = &audited.admitted.findings;
        let submission =
            submission::openai_apps(&audited.listing, &report.settings.semantics, findings);
        output::write_file(path, format!("{submission:#}\n").as_bytes())
    }

    fn write(&self, report: &AuditReport) -> Result<(), Failure> {
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::write(report, self.report.format, presentation, out)
        };
        self.report.write(self.detail.into(), write)
    }
}

/// What a reading gave besides its listing, with the target's name.
fn notes(reading: &Reading) -> Vec<String> {
    let notes = reading.outcome.iter().flat_map(|read| &read.notes);
    notes
        .map(|note| format!("`{}`: {note}", reveal_line(&reading.target.name)))
        .collect()
}

/// What the evidence is not about.
fn evidence_notes(judgement: &Judgement, readings: &[Reading]) -> Vec<String> {
    let read = readings.iter().filter_map(|reading| {
        let read = reading.outcome.as_ref().ok()?;
        judgement.observed(&reading.target, &read.listing)
    });
    read.flat_map(|(_, notes)| notes).collect()
}

/// The tools that are listed and were not found in the source.
fn not_registered(source: Option<&SourceTree>, readings: &[Reading]) -> Option<String> {
    let tree = source?;
    let read = readings
        .iter()
        .find_map(|reading| reading.outcome.as_ref().ok())?;
    let join = Join::of(&read.listing, &tree.survey);
    let names: Vec<&str> = join
        .not_found
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let directory = tree.directory.display();
    let names = (!names.is_empty()).then(|| quoted(names))?;
    Some(format!(
        "not found in the source `{directory}`: {names}; `sayso fix` says what was read"
    ))
}

/// Tells notes on standard error.
fn tell(notes: &[String]) -> Result<(), Failure> {
    let mut err = anstream::stderr().lock();
    for note in notes {
        writeln!(err, "note: {}", reveal_line(note))?;
    }
    Ok(())
}
