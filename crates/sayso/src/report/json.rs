//! The report for programs, version 1. Its types are apart from the ones Sayso works with,
//! so that a change inside changes nothing here. `docs/reference/report-v1.schema.json` is
//! made from them.

pub(super) mod shared;
mod v1;

use std::io;

use sayso_audit::semantics::{Reading, Semantics};
use sayso_core::effective::Provenance;
use sayso_core::finding::{Confidence, Evidence, Finding, Location, Severity};
use sayso_core::hint::{Claim, Hints};
use sayso_core::json::Span;
use sayso_core::listing::{Completeness, Era, ServerIdentity};
use sayso_core::tool::AnnotationsShape;

use crate::audit_report::{
    AuditReport, Audited, ConfiguredIn, TargetDescription, TargetReport, Unreadable,
};

use super::outline::{Outline, ToolOutline};
use super::positions::Positions;
use super::tally::Tally;
use super::{safe_json, wording};

/// The JSON schema of this format, as published in `docs/reference/`.
pub(crate) fn schema() -> String {
    schema_of::<v1::Report>()
}

/// The JSON schema of what a type is written as.
pub(super) fn schema_of<T: schemars::JsonSchema>() -> String {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text + "\n"
}

/// The whole report.
///
/// # Errors
/// None in practice: every map has string keys.
pub(super) fn render(report: &AuditReport) -> io::Result<String> {
    safe_json::to_string_pretty(&report_v1(report))
}

fn report_v1(report: &AuditReport) -> v1::Report {
    let settings = &report.settings;
    v1::Report {
        version: 1,
        sayso: report.version.to_owned(),
        settings: v1::Settings {
            profile: settings.profile.map(|profile| profile.id.clone()),
            baseline: settings.baseline.clone(),
            fail_on: wording::fail_on(settings.fail_on).to_owned(),
            semantics: semantics(settings.semantics),
            settings_file: settings.settings_file.clone(),
        },
        summary: summary(report),
        targets: report.targets.iter().map(target).collect(),
        settings_findings: report
            .settings_findings
            .iter()
            .map(|finding| v1::SettingsFinding {
                rule: finding.rule.to_owned(),
                severity: finding.severity.into(),
                message: finding.message.clone(),
                help: finding.help.clone(),
                file: finding.file.clone(),
                line: finding.line,
            })
            .collect(),
        notes: report.notes.clone(),
        duration_ms: millis(report.duration),
    }
}

fn semantics(semantics: Semantics) -> v1::Semantics {
    let reading = |reading| match reading {
        Reading::Yes => v1::Reading::Yes,
        Reading::No => v1::Reading::No,
        Reading::Either => v1::Reading::Either,
    };
    v1::Semantics {
        delete_is_idempotent: reading(semantics.delete_is_idempotent),
        send_is_destructive: reading(semantics.send_is_destructive),
        own_tenant_is_open_world: reading(semantics.own_tenant_is_open_world),
        update_is_destructive: reading(semantics.update_is_destructive),
    }
}

fn summary(report: &AuditReport) -> v1::Summary {
    let tally = Tally::of_run(report);
    v1::Summary {
        targets: report.targets.len(),
        unreadable: report.unreadable(),
        tools: report
            .targets
            .iter()
            .filter_map(|target| Some(target.outcome.as_ref().ok()?.listing.len()))
            .sum(),
        errors: tally.errors,
        warnings: tally.warnings,
        infos: tally.infos,
        hidden: v1::Hidden {
            off: tally.off,
            suppressed: tally.suppressed,
        },
        worst: report.worst().map(Into::into),
        fails: report.fails(),
    }
}

fn target(target: &TargetReport) -> v1::Target {
    v1::Target {
        name: target.name.clone(),
        source: source(&target.target),
        configured_in: target.configured_in.as_ref().map(configured_in),
        error: target.outcome.as_ref().err().map(error),
        listing: target.outcome.as_ref().ok().map(listing),
    }
}

/// How a target was reached.
pub(super) fn source(target: &TargetDescription) -> shared::Source {
    let (kind, location) = match target {
        TargetDescription::Command(command) => (v1::SourceKind::Command, Some(command.clone())),
        TargetDescription::Url(url) => (v1::SourceKind::Url, Some(url.clone())),
        TargetDescription::File(path) => (v1::SourceKind::File, Some(path.clone())),
        TargetDescription::StandardInput => (v1::SourceKind::StandardInput, None),
        TargetDescription::Example { annotated: false } => (v1::SourceKind::Example, None),
        TargetDescription::Example { annotated: true } => (v1::SourceKind::AnnotatedExample, None),
    };
    shared::Source { kind, location }
}

/// Where a target is written down.
pub(super) fn configured_in(place: &ConfiguredIn) -> shared::ConfiguredIn {
    shared::ConfiguredIn {
        host: place.host.clone(),
        file: place.file.clone(),
        line: place.line,
    }
}

/// Why a target could not be read.
pub(super) fn error(unreadable: &Unreadable) -> shared::Error {
    shared::Error {
        message: unreadable.message.clone(),
        hint: unreadable.hint.clone(),
        details: unreadable.details.clone(),
    }
}

/// Who answered.
pub(super) fn server(server: &ServerIdentity) -> shared::Server {
    shared::Server {
        name: server.name.clone(),
        version: server.version.clone(),
        protocol_version: server.protocol_version.clone(),
        era: server.era.map(|era| match era {
            Era::Legacy => v1::Era::Legacy,
            Era::Modern => v1::Era::Modern,
        }),
    }
}

fn listing(audited: &Audited) -> v1::Listing {
    let outline = Outline::new(audited, |_| true);
    let positions = &outline.positions;
    let listing = &audited.listing;
    v1::Listing {
        server: server(&listing.server),
        complete: listing.completeness == Completeness::Complete,
        incomplete_because: wording::incomplete(&audited.listing).map(ToOwned::to_owned),
        pages: listing.pages().len(),
        counts: counts(&outline),
        gate_rate: v1::GateRate {
            tools: audited.summary.tools,
            now: audited.summary.gate.now,
            if_fixed: audited.summary.gate.if_fixed,
        },
        findings: outline
            .whole
            .iter()
            .map(|found| finding(positions, found))
            .collect(),
        tools: outline
            .tools
            .iter()
            .map(|one| tool(positions, one, audited))
            .collect(),
        hidden: v1::Hidden {
            off: audited.admitted.hidden.off,
            suppressed: audited.admitted.hidden.suppressed,
        },
        observations: listing
            .observations
            .iter()
            .map(|observation| v1::Observation {
                kind: wording::observation_id(observation.kind),
                count: observation.count,
                detail: observation.detail.clone(),
            })
            .collect(),
        stderr_tail: audited.stderr_tail.clone(),
        duration_ms: millis(audited.duration),
    }
}

fn counts(outline: &Outline<'_>) -> v1::Counts {
    let summary = &outline.audited.summary;
    let assumed = &outline.assumed;
    let assumed_v1 = |count: super::outline::AssumedCount| v1::AssumedCount {
        tools: count.tools,
        by_default: count.by_default,
    };
    v1::Counts {
        tools: summary.tools,
        with_hint: per_hint(&summary.with_hint, |count| *count),
        with_annotations: summary.with_annotations,
        with_title: summary.with_title,
        with_annotation_title: summary.with_annotation_title,
        assumed: v1::Assumed {
            may_write: assumed_v1(assumed.may_write),
            may_destroy: assumed_v1(assumed.may_destroy),
            not_repeatable: assumed_v1(assumed.not_repeatable),
            open_world: assumed_v1(assumed.open_world),
        },
    }
}

fn tool(positions: &Positions<'_>, outline: &ToolOutline<'_>, audited: &Audited) -> v1::Tool {
    let value = outline.tool.value();
    let effective = &outline.effective;
    v1::Tool {
        position: outline.tool.position(),
        name: outline.tool.name().map(std::borrow::Cow::into_owned),
        title: outline.tool.title().map(std::borrow::Cow::into_owned),
        annotation_title: outline
            .tool
            .annotation_title()
            .map(std::borrow::Cow::into_owned),
        annotations: match outline.shape {
            AnnotationsShape::Absent => v1::AnnotationsShape::Absent,
            AnnotationsShape::Null => v1::AnnotationsShape::Null,
            AnnotationsShape::Object => v1::AnnotationsShape::Object,
            AnnotationsShape::Malformed(_) => v1::AnnotationsShape::Malformed,
            AnnotationsShape::Duplicated => v1::AnnotationsShape::Duplicated,
        },
        claims: per_hint(&outline.claims, |claim| claim_v1(*claim)),
        claim_locations: per_hint(&outline.tool.claims().hints, |located| {
            let values = located.values.iter();
            values
                .map(|value| location(positions, &place(outline.tool.page(), *value)))
                .collect()
        }),
        effective: per_hint(&effective.hints, |hint| v1::EffectiveHint {
            value: hint.value,
            provenance: match hint.provenance {
                Provenance::Claimed => v1::Provenance::Claimed,
                // An audit works with claims alone, so none but the default is met here.
                Provenance::Default
                | Provenance::Distrusted
                | Provenance::Ruled
                | Provenance::Case
                | Provenance::Contradicted => v1::Provenance::Default,
            },
        }),
        read_only: effective.read_only(),
        may_destroy: effective.may_destroy(),
        repeatable: effective.repeatable(),
        open_world: effective.open_world(),
        must_confirm: effective.must_confirm(),
        hosts: outline.hosts.map(|counts| v1::HostCounts {
            hosts: counts.hosts,
            silent: counts.silent,
            asks: counts.asks,
            refuses: counts.refuses,
            lost: counts.lost,
            other: counts.other,
        }),
        suggested_annotations: outline.suggested(),
        location: location(positions, &place(outline.tool.page(), value)),
        registered_at: audited
            .registered_at(Some(outline.tool.position()))
            .map(|place| v1::RegisteredAt {
                file: place.file.clone(),
                line: place.line,
                column: place.column,
            }),
        findings: sorted_findings(outline)
            .into_iter()
            .map(|found| finding(positions, found))
            .collect(),
    }
}

fn place(page: usize, value: sayso_core::json::Value<'_>) -> Location {
    Location {
        page,
        pointer: value.pointer(),
        span: value.span(),
    }
}

fn sorted_findings<'a>(outline: &ToolOutline<'a>) -> Vec<&'a Finding> {
    let mut findings: Vec<&Finding> = outline.findings().collect();
    findings.sort_by_key(|finding| {
        (
            std::cmp::Reverse(finding.severity),
            finding.location.span,
            finding.rule,
        )
    });
    findings
}

fn finding(positions: &Positions<'_>, finding: &Finding) -> v1::Finding {
    v1::Finding {
        rule: finding.rule.to_owned(),
        severity: finding.severity.into(),
        confidence: match finding.confidence {
            Confidence::Low => v1::Confidence::Low,
            Confidence::Medium => v1::Confidence::Medium,
            Confidence::High => v1::Confidence::High,
        },
        hint: finding.hint.map(|hint| hint.key().to_owned()),
        message: finding.message.clone(),
        help: finding.help.clone(),
        location: location(positions, &finding.location),
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| self::evidence(positions, evidence))
            .collect(),
        suggestion: per_hint(&finding.suggestion, |value| *value),
    }
}

fn evidence(positions: &Positions<'_>, evidence: &Evidence) -> v1::Evidence {
    v1::Evidence {
        location: location(positions, &evidence.location),
        text: evidence.text.clone(),
        mark: v1::Span {
            start: evidence.mark.start,
            end: evidence.mark.end,
        },
        label: evidence.label.clone(),
    }
}

fn location(positions: &Positions<'_>, location: &Location) -> v1::Location {
    let Span { start, end } = location.span;
    let position = |at: Option<sayso_core::json::LineColumn>| {
        at.map(|at| v1::LineColumn {
            line: at.line,
            column: at.column,
        })
    };
    v1::Location {
        page: location.page,
        pointer: location.pointer.as_str().to_owned(),
        span: v1::Span { start, end },
        start: position(positions.start(location)),
        end: position(positions.end(location)),
    }
}

/// One value for each hint.
pub(super) fn per_hint<T, U>(hints: &Hints<T>, change: impl Fn(&T) -> U) -> v1::PerHint<U> {
    v1::PerHint {
        read_only: change(&hints.read_only),
        destructive: change(&hints.destructive),
        idempotent: change(&hints.idempotent),
        open_world: change(&hints.open_world),
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl From<Severity> for v1::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Self::Info,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Error,
        }
    }
}

/// What was sent for a hint.
pub(super) const fn claim_v1(claim: Claim) -> v1::Claim {
    match claim {
        Claim::Absent => v1::Claim::Absent,
        Claim::Null => v1::Claim::Null,
        Claim::True => v1::Claim::True,
        Claim::False => v1::Claim::False,
        Claim::Malformed => v1::Claim::Malformed,
        Claim::Duplicated => v1::Claim::Duplicated,
    }
}
