//! Workflow commands, which GitHub Actions shows as annotations on a run and on the lines of
//! a pull request. GitHub keeps ten of each severity in a step, so findings that many tools
//! share are one annotation, and the gravest come first.

use std::fmt::Write as _;

use sayso_core::finding::{Finding, Severity};
use sayso_core::reveal::reveal;

use crate::audit_report::{AuditReport, Audited, TargetReport};

use super::excerpt::head;
use super::outline::Outline;
use super::positions::Positions;
use super::tally::Tally;
use super::wording;

/// How many tools an annotation names.
const NAMES: usize = 20;

struct Annotation {
    severity: Severity,
    properties: Vec<(&'static str, String)>,
    message: String,
}

/// All annotations, then one line of summary.
pub(super) fn render(report: &AuditReport) -> String {
    let mut annotations: Vec<Annotation> = Vec::new();
    for target in &report.targets {
        match &target.outcome {
            Ok(audited) => annotations.extend(listing(target, audited)),
            Err(unreadable) => {
                let hint = unreadable
                    .hint
                    .as_ref()
                    .map(|hint| format!("\nhint: {hint}"))
                    .unwrap_or_default();
                annotations.push(Annotation {
                    severity: Severity::Error,
                    properties: with_title(
                        configured(target),
                        format!("{} could not be read", target.name),
                    ),
                    message: format!("{}{hint}", unreadable.message),
                });
            }
        }
    }
    annotations.extend(report.settings_findings.iter().map(|finding| Annotation {
        severity: finding.severity,
        properties: with_title(
            vec![
                ("file", finding.file.clone()),
                ("line", finding.line.to_string()),
            ],
            finding.rule.to_owned(),
        ),
        message: format!("{}\nhelp: {}", finding.message, finding.help),
    }));
    annotations.sort_by_key(|annotation| std::cmp::Reverse(annotation.severity));

    let mut text: String = annotations.iter().map(command).collect();
    let tally = Tally::of_run(report);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "sayso: {}{}",
        wording::tally(&tally),
        wording::hidden(&tally)
    );
    text
}

fn listing(target: &TargetReport, audited: &Audited) -> Vec<Annotation> {
    let outline = Outline::new(audited, |_| true);
    let whole = outline
        .whole
        .iter()
        .map(|finding| annotation(target, (audited, &outline.positions), finding, ""));
    let shared = outline.shared.iter().map(|shared| {
        let mut names: Vec<&str> = outline
            .tools_of(shared)
            .take(NAMES)
            .map(|tool| tool.label.as_str())
            .collect();
        let more = format!("and {} more", shared.tools.len().saturating_sub(NAMES));
        if shared.tools.len() > NAMES {
            names.push(&more);
        }
        annotation(
            target,
            (audited, &outline.positions),
            shared.finding,
            &names.join(", "),
        )
    });
    let own = outline.tools.iter().flat_map(|tool| {
        tool.own
            .iter()
            .map(|finding| annotation(target, (audited, &outline.positions), finding, &tool.label))
    });
    whole.chain(shared).chain(own).collect()
}

fn annotation(
    target: &TargetReport,
    (audited, positions): (&Audited, &Positions<'_>),
    finding: &Finding,
    tools: &str,
) -> Annotation {
    let mut message = match tools {
        "" => finding.message.clone(),
        tools => format!("{tools}: {}", finding.message),
    };
    for evidence in &finding.evidence {
        let _ = write!(
            message,
            "\n{}: {}",
            evidence.label,
            head(&evidence.text, 300)
        );
    }
    if let Some(help) = &finding.help {
        let _ = write!(message, "\nhelp: {help}");
    }
    let place = finding
        .evidence
        .first()
        .map_or(&finding.location, |evidence| &evidence.location);
    let properties = match (
        target.source_file(),
        positions.start(place),
        positions.end(place),
    ) {
        (Some(file), Some(start), Some(end)) => vec![
            ("file", file.to_owned()),
            ("line", start.line.to_string()),
            ("endLine", end.line.to_string()),
            ("col", start.column.to_string()),
        ],
        _ => configured(target),
    };
    let properties = match audited.registered_at(finding.tool) {
        Some(registered) => vec![
            ("file", registered.file.clone()),
            ("line", registered.line.to_string()),
            ("col", registered.column.to_string()),
        ],
        None => properties,
    };
    let title = format!("{} ({})", finding.rule, target.name);
    Annotation {
        severity: finding.severity,
        properties: with_title(properties, title),
        message,
    }
}

fn configured(target: &TargetReport) -> Vec<(&'static str, String)> {
    match (&target.configured_in, target.source_file()) {
        (Some(place), _) => vec![
            ("file", place.file.clone()),
            ("line", place.line.to_string()),
        ],
        (None, Some(file)) => vec![("file", file.to_owned())],
        (None, None) => Vec::new(),
    }
}

fn with_title(
    mut properties: Vec<(&'static str, String)>,
    title: String,
) -> Vec<(&'static str, String)> {
    properties.push(("title", title));
    properties
}

fn command(annotation: &Annotation) -> String {
    let name = match annotation.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let properties: Vec<String> = annotation
        .properties
        .iter()
        .map(|(key, value)| format!("{key}={}", escape_property(value)))
        .collect();
    format!(
        "::{name} {}::{}\n",
        properties.join(","),
        escape_data(&annotation.message)
    )
}

/// As the runner unescapes it: `%`, CR and LF.
pub(super) fn escape_data(text: &str) -> String {
    reveal(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// As for data, and `:` and `,`, which part the properties.
pub(super) fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}
