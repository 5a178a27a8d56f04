//! `JUnit` XML: a test suite a target, a test case a tool and one for the listing as a whole.
//! A warning or an error fails the case; infos are its output. A target that could not be
//! read is an error.

use std::fmt::Write as _;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use sayso_core::finding::{Finding, Severity};
use sayso_core::reveal::{reveal, reveal_line};

use crate::audit_report::{AuditReport, Audited, TargetReport, Unreadable};

use super::outline::Outline;
use super::positions::Positions;
use super::wording;

/// The whole report.
///
/// # Errors
/// When it cannot be written as XML.
pub(super) fn render(report: &AuditReport) -> Result<String, SerializeError> {
    let mut junit = Report::new("sayso audit");
    junit.set_time(report.duration);
    for target in &report.targets {
        let mut suite = TestSuite::new(reveal_line(&target.name));
        match &target.outcome {
            Ok(audited) => {
                suite.set_time(audited.duration);
                suite.add_test_cases(cases(target, audited));
            }
            Err(error) => {
                suite.add_test_case(unreadable(target, error));
            }
        }
        junit.add_test_suite(suite);
    }
    if !report.settings_findings.is_empty() {
        let mut suite = TestSuite::new("settings");
        for finding in &report.settings_findings {
            let text = format!(
                "{}\nin {}:{}\nhelp: {}",
                finding.message, finding.file, finding.line, finding.help
            );
            let mut case = TestCase::new(
                finding.rule,
                status([finding.severity], &finding.message, finding.rule, &text),
            );
            case.set_classname("settings");
            suite.add_test_case(case);
        }
        junit.add_test_suite(suite);
    }
    let mut text = junit.to_string()?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn cases(target: &TargetReport, audited: &Audited) -> Vec<TestCase> {
    let outline = Outline::new(audited, |_| true);
    let mut listing = case(target, &outline.positions, "tools/list", &outline.whole);
    let mut notes: Vec<String> = wording::incomplete(&audited.listing)
        .map(|why| format!("incomplete listing: {why}"))
        .into_iter()
        .collect();
    notes.extend(audited.listing.observations.iter().map(|observation| {
        format!(
            "{}: {}",
            wording::observation(observation.kind),
            observation.detail
        )
    }));
    if !notes.is_empty() {
        listing.set_system_err(reveal(&notes.join("\n")));
    }
    let tools = outline.tools.iter().map(|tool| {
        let mut findings: Vec<&Finding> = tool.findings().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        case(target, &outline.positions, &tool.label, &findings)
    });
    std::iter::once(listing).chain(tools).collect()
}

fn case(
    target: &TargetReport,
    positions: &Positions<'_>,
    name: &str,
    findings: &[&Finding],
) -> TestCase {
    let describe = |grave: bool| {
        let chosen = findings
            .iter()
            .filter(|finding| (finding.severity > Severity::Info) == grave);
        chosen
            .map(|finding| description(target, positions, finding))
            .collect::<Vec<_>>()
            .join("\n\n")
    };
    let (message, rule) = findings
        .first()
        .map_or(("", ""), |finding| (finding.message.as_str(), finding.rule));
    let status = status(
        findings.iter().map(|finding| finding.severity),
        message,
        rule,
        &describe(true),
    );
    let mut case = TestCase::new(name, status);
    case.set_classname(reveal_line(&target.name));
    let infos = describe(false);
    if !infos.is_empty() {
        case.set_system_out(infos);
    }
    case
}

fn status(
    severities: impl IntoIterator<Item = Severity>,
    message: &str,
    rule: &str,
    text: &str,
) -> TestCaseStatus {
    if severities
        .into_iter()
        .all(|severity| severity == Severity::Info)
    {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status
        .set_message(reveal_line(message))
        .set_type(rule)
        .set_description(reveal(text));
    status
}

fn description(target: &TargetReport, positions: &Positions<'_>, finding: &Finding) -> String {
    let mut text = format!(
        "{}[{}]: {}",
        finding.severity, finding.rule, finding.message
    );
    let place = finding
        .evidence
        .first()
        .map_or(&finding.location, |evidence| &evidence.location);
    if let Some(position) = positions.in_file(target, place) {
        let _ = write!(text, "\nin {position}");
    } else if !place.pointer.as_str().is_empty() {
        let _ = write!(text, "\nin {}", place.pointer);
    }
    for evidence in &finding.evidence {
        let _ = write!(text, "\n{}: {}", evidence.label, evidence.text);
    }
    if let Some(help) = &finding.help {
        let _ = write!(text, "\nhelp: {help}");
    }
    reveal(&text).into_owned()
}

fn unreadable(target: &TargetReport, unreadable: &Unreadable) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let hint = unreadable.hint.as_ref().map(|hint| format!("hint: {hint}"));
    let lines: Vec<&str> = hint
        .iter()
        .chain(&unreadable.details)
        .map(String::as_str)
        .collect();
    status
        .set_message(reveal_line(&unreadable.message))
        .set_description(reveal(&lines.join("\n")));
    let mut case = TestCase::new("tools/list", status);
    case.set_classname(reveal_line(&target.name));
    case
}
