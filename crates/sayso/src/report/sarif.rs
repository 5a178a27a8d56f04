//! SARIF 2.1.0 (OASIS, with errata 01), for code scanning.
//!
//! Code scanning on GitHub shows a result only where it has a file and a line. They are:
//! - where the source was read and has the tool's registration, the place of that;
//! - for a saved listing, that file and the value the finding is about;
//! - for a server that a host's configuration names, that configuration and the entry's line;
//! - for any other server, a file that only stands for the listing, `mcp/NAME/tools-list.json`
//!   (`…-2.json` for the second page), whose text is carried along in the log as an artifact
//!   where it is no longer than [`EMBED_LIMIT`].
//!
//! Every result also says which tool it is about as a logical location, and has a
//! fingerprint of server, tool, rule and hint, which stays the same when tools move about.

mod model;

use std::collections::BTreeMap;
use std::io;

use sayso_audit::rules;
use sayso_core::finding::{Confidence, Finding, Location, Severity};
use sayso_core::listing::Listing;

use crate::audit_report::{AuditReport, Audited, SettingsFinding, TargetDescription, TargetReport};

use super::positions::Positions;
use super::{safe_json, wording};
use model::{
    Artifact, ArtifactContent, ArtifactLocation, Configuration, Driver, Invocation, Log,
    LogicalLocation, Message, MultiformatMessage, Notification, PhysicalLocation, Properties,
    Region, ReportingDescriptor, ResultObject, Run, SarifLocation, Tool,
};

/// The longest listing, in bytes, whose text is carried along.
const EMBED_LIMIT: usize = 1 << 20;

/// The whole log, with one run.
///
/// # Errors
/// None in practice: every map has string keys.
pub(super) fn render(report: &AuditReport) -> io::Result<String> {
    safe_json::to_string_pretty(&log(report))
}

fn log(report: &AuditReport) -> Log {
    let descriptors: Vec<ReportingDescriptor> = rules::ALL
        .iter()
        .map(|rule| descriptor(rule.meta()))
        .collect();
    let mut results = Vec::new();
    let mut artifacts = Vec::new();
    let mut notifications = Vec::new();
    for target in &report.targets {
        match &target.outcome {
            Ok(audited) => {
                let positions = Positions::new(audited);
                let mut fingerprints = Fingerprints::default();
                results.extend(
                    audited.admitted.findings.iter().map(|found| {
                        result((target, audited), &positions, found, &mut fingerprints)
                    }),
                );
                artifacts.extend(listing_artifacts(target, audited));
                notifications.extend(audited_notifications(target, audited));
            }
            Err(unreadable) => notifications.push(Notification::new(
                "error",
                format!("{} could not be read: {}", target.name, unreadable.message),
            )),
        }
    }
    results.extend(report.settings_findings.iter().map(settings_result));
    for result in &mut results {
        result.rule_index = descriptors
            .iter()
            .position(|descriptor| descriptor.id == result.rule_id);
    }
    let successful = report.unreadable() == 0;
    Log::new(Run {
        tool: Tool {
            driver: Driver {
                name: "sayso",
                full_name: "Sayso, the linter for what MCP tools claim",
                semantic_version: report.version,
                rules: descriptors,
            },
        },
        invocations: vec![Invocation {
            execution_successful: successful,
            tool_execution_notifications: notifications,
        }],
        artifacts,
        results,
        column_kind: "unicodeCodePoints",
    })
}

fn descriptor(meta: &sayso_audit::rule::RuleMeta) -> ReportingDescriptor {
    ReportingDescriptor {
        id: meta.id,
        name: pascal_case(meta.id),
        short_description: Message {
            text: meta.summary.to_owned(),
        },
        full_description: Message {
            text: first_paragraph(meta.documentation, meta.summary),
        },
        help: MultiformatMessage {
            text: meta.documentation.trim().to_owned(),
            markdown: meta.documentation.trim().to_owned(),
        },
        default_configuration: Configuration {
            level: level(meta.severity),
        },
        properties: Properties {
            precision: precision(meta.confidence),
            problem_severity: match meta.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "recommendation",
            },
            since: meta.since,
            tags: vec!["mcp", "tool-annotations"],
        },
    }
}

/// The text of the documentation's first section.
fn first_paragraph(documentation: &str, otherwise: &str) -> String {
    let lines = documentation.lines().map(str::trim);
    let mut text = lines
        .skip_while(|line| line.is_empty() || line.starts_with('#'))
        .take_while(|line| !line.is_empty());
    match text.next() {
        Some(first) => text.fold(first.to_owned(), |text, line| format!("{text} {line}")),
        None => otherwise.to_owned(),
    }
}

fn pascal_case(id: &str) -> String {
    id.split('-')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters.collect::<Vec<_>>())
        })
        .collect()
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

const fn precision(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "very-high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    }
}

/// Fingerprints of one target's results, numbered where they would be the same.
#[derive(Default)]
struct Fingerprints {
    seen: BTreeMap<String, usize>,
}

impl Fingerprints {
    fn next(&mut self, stem: String) -> BTreeMap<&'static str, String> {
        let number = self.seen.entry(stem.clone()).or_default();
        *number += 1;
        BTreeMap::from([("sayso/v1", format!("{stem}#{number}"))])
    }
}

fn result(
    (target, audited): (&TargetReport, &Audited),
    positions: &Positions<'_>,
    finding: &Finding,
    fingerprints: &mut Fingerprints,
) -> ResultObject {
    let tool = finding
        .tool
        .and_then(|position| audited.listing.tool(position));
    let label = tool.map(|tool| tool.label().into_owned());
    let mut text = match &label {
        Some(label) => format!("{label}: {}", finding.message),
        None => finding.message.clone(),
    };
    for evidence in &finding.evidence {
        text.push_str(&format!("\n{}: {}", evidence.label, evidence.text));
    }
    if let Some(help) = &finding.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    let stem = [
        target.name.as_str(),
        label.as_deref().unwrap_or_default(),
        finding.rule,
        finding.hint.map_or("", sayso_core::hint::Hint::key),
    ]
    .join("/");
    ResultObject {
        rule_id: finding.rule,
        rule_index: None,
        level: level(finding.severity),
        message: Message { text },
        locations: vec![location((target, audited), positions, finding, label)],
        partial_fingerprints: fingerprints.next(stem),
    }
}

fn location(
    (target, audited): (&TargetReport, &Audited),
    positions: &Positions<'_>,
    finding: &Finding,
    tool: Option<String>,
) -> SarifLocation {
    // The evidence is what a person wants to see; the finding's own place is the tool's name.
    let place = finding
        .evidence
        .first()
        .map_or(&finding.location, |evidence| &evidence.location);
    let registered = audited.registered_at(finding.tool);
    let physical = match (registered, &target.target, &target.configured_in) {
        (Some(registered), ..) => PhysicalLocation {
            artifact_location: ArtifactLocation::new(&registered.file),
            region: Some(Region {
                start_column: Some(registered.column),
                ..Region::line(registered.line)
            }),
        },
        (None, TargetDescription::File(path), _) => PhysicalLocation {
            artifact_location: ArtifactLocation::new(path),
            region: region(audited, positions, place),
        },
        (None, _, Some(configured)) => PhysicalLocation {
            artifact_location: ArtifactLocation::new(&configured.file),
            region: Some(Region::line(configured.line)),
        },
        (None, ..) => PhysicalLocation {
            artifact_location: ArtifactLocation::new(&stand_in(target, place.page)),
            region: region(audited, positions, place),
        },
    };
    let mut logical = vec![LogicalLocation {
        name: Some(tool.clone().unwrap_or_else(|| target.name.clone())),
        fully_qualified_name: match tool {
            Some(tool) => format!("{}/{tool}", target.name),
            None => target.name.clone(),
        },
        kind: if finding.tool.is_some() {
            "function"
        } else {
            "module"
        },
    }];
    if !place.pointer.as_str().is_empty() {
        logical.push(LogicalLocation {
            name: None,
            fully_qualified_name: place.pointer.as_str().to_owned(),
            kind: "value",
        });
    }
    SarifLocation {
        physical_location: physical,
        logical_locations: logical,
    }
}

fn region(audited: &Audited, positions: &Positions<'_>, place: &Location) -> Option<Region> {
    let (start, end) = (positions.start(place)?, positions.end(place)?);
    // Spans count from the document; in a file of JSON lines that is not the file.
    let whole_file = audited.listing.pages().get(place.page)?.lines_before == 0;
    Some(Region {
        start_line: start.line,
        start_column: Some(start.column),
        end_line: Some(end.line),
        end_column: Some(end.column),
        byte_offset: whole_file.then_some(place.span.start),
        byte_length: whole_file.then(|| place.span.end.saturating_sub(place.span.start)),
    })
}

/// The file that stands for a page nobody saved.
fn stand_in(target: &TargetReport, page: usize) -> String {
    let name: String = target
        .name
        .chars()
        .map(|character| {
            if character.is_alphanumeric() || matches!(character, '-' | '_') {
                character
            } else {
                '-'
            }
        })
        .collect();
    match page {
        0 => format!("mcp/{name}/tools-list.json"),
        later => format!("mcp/{name}/tools-list-{}.json", later + 1),
    }
}

fn listing_artifacts(target: &TargetReport, audited: &Audited) -> Vec<Artifact> {
    match (&target.target, &target.configured_in) {
        (TargetDescription::File(path), _) => {
            vec![Artifact {
                location: ArtifactLocation::new(path),
                roles: ["analysisTarget"],
                contents: None,
            }]
        }
        (_, Some(configured)) => vec![Artifact {
            location: ArtifactLocation::new(&configured.file),
            roles: ["analysisTarget"],
            contents: None,
        }],
        _ => live_artifacts(target, &audited.listing),
    }
}

fn live_artifacts(target: &TargetReport, listing: &Listing) -> Vec<Artifact> {
    let texts = listing.pages().iter().map(|page| page.document.text());
    let embed = texts.clone().map(str::len).sum::<usize>() <= EMBED_LIMIT;
    texts
        .enumerate()
        .map(|(page, text)| Artifact {
            location: ArtifactLocation::new(&stand_in(target, page)),
            roles: ["analysisTarget"],
            contents: embed.then(|| ArtifactContent {
                text: text.to_owned(),
            }),
        })
        .collect()
}

fn audited_notifications(target: &TargetReport, audited: &Audited) -> Vec<Notification> {
    let incomplete = wording::incomplete(&audited.listing).map(|why| {
        Notification::new(
            "warning",
            format!("{}: the listing is incomplete: {why}", target.name),
        )
    });
    let observations = audited.listing.observations.iter().map(|observation| {
        let what = wording::observation(observation.kind);
        Notification::new(
            "note",
            format!("{}: {what}: {}", target.name, observation.detail),
        )
    });
    incomplete.into_iter().chain(observations).collect()
}

fn settings_result(finding: &SettingsFinding) -> ResultObject {
    ResultObject {
        rule_id: finding.rule,
        rule_index: None,
        level: level(finding.severity),
        message: Message {
            text: format!("{}\nhelp: {}", finding.message, finding.help),
        },
        locations: vec![SarifLocation {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation::new(&finding.file),
                region: Some(Region::line(finding.line)),
            },
            logical_locations: Vec::new(),
        }],
        partial_fingerprints: BTreeMap::from([(
            "sayso/v1",
            format!("{}/{}", finding.rule, finding.message),
        )]),
    }
}
