//! For people at a terminal: the counts, what they mean, then the findings by tool.

mod counts;
mod evidence;
mod findings;

use sayso_core::reveal::reveal_line;

use crate::audit_report::{AuditReport, Audited, Detail, Presentation, TargetReport, Unreadable};

use super::excerpt::head;
use super::outline::Outline;
use super::screen::{Screen, Style};
use super::tally::Tally;
use super::wording;

/// How many of a server's last lines on standard error are shown.
const STDERR_LINES: usize = 20;

/// How many columns of each.
const STDERR_WIDTH: usize = 300;

/// The whole report.
pub(super) fn render(report: &AuditReport, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    for target in &report.targets {
        heading(&mut screen, target);
        match &target.outcome {
            Ok(audited) => listing(&mut screen, report, target, audited, presentation.detail),
            Err(unreadable) => failure(&mut screen, unreadable),
        }
    }
    settings(&mut screen, report);
    if presentation.detail > Detail::Quiet && !report.notes.is_empty() {
        for note in &report.notes {
            screen.wrapped("note: ", "      ", note);
        }
        screen.blank();
    }
    overview(&mut screen, report);
    verdict(&mut screen, report, presentation.detail);
    screen.into_text()
}

fn heading(screen: &mut Screen, target: &TargetReport) {
    screen.styled(Style::Heading, &target.name);
    let audited = target.outcome.as_ref().ok();
    let listing = audited.map(|audited| &audited.listing);
    let parts = wording::about(listing, &target.target, target.configured_in.as_ref());
    screen.faint(&parts.join(" · "));
    screen.blank();
}

fn listing(
    screen: &mut Screen,
    report: &AuditReport,
    target: &TargetReport,
    audited: &Audited,
    detail: Detail,
) {
    let fail_on = report.settings.fail_on;
    let outline = Outline::new(audited, |finding| {
        detail > Detail::Quiet || fail_on.fails(finding.severity)
    });
    if let Some(why) = wording::incomplete(&audited.listing) {
        screen.labelled(Style::Error, "incomplete listing", why);
        screen.blank();
    }
    counts::write(screen, &outline);
    findings::write(screen, target, &outline, detail);
    if detail == Detail::Verbose {
        observations(screen, audited);
        stderr(screen, &audited.stderr_tail);
    }
}

fn failure(screen: &mut Screen, unreadable: &Unreadable) {
    screen.labelled(Style::Error, "could not be read", &unreadable.message);
    if let Some(hint) = &unreadable.hint {
        screen.labelled(Style::Help, "hint", hint);
    }
    last_lines(screen, &unreadable.details);
    screen.blank();
}

/// The last lines of a server's standard error, each on one line and not without end.
fn last_lines(screen: &mut Screen, lines: &[String]) {
    for line in lines.iter().skip(lines.len().saturating_sub(STDERR_LINES)) {
        let line = head(&reveal_line(line), STDERR_WIDTH);
        screen.line(&format!("  {}", screen.faintly(&line)));
    }
}

fn observations(screen: &mut Screen, audited: &Audited) {
    if audited.listing.observations.is_empty() {
        return;
    }
    screen.styled(Style::Strong, "seen while reading");
    for observation in &audited.listing.observations {
        let times = if observation.count > 1 {
            format!(" ({} times)", observation.count)
        } else {
            String::new()
        };
        let detail = match observation.detail.as_str() {
            "" => String::new(),
            detail => format!(": {detail}"),
        };
        screen.wrapped(
            "  ",
            "    ",
            &format!("{}{times}{detail}", wording::observation(observation.kind)),
        );
    }
    screen.blank();
}

fn stderr(screen: &mut Screen, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    screen.styled(Style::Strong, "last lines on standard error");
    last_lines(screen, lines);
    screen.blank();
}

/// What was found in the files that a run goes by.
pub(super) fn settings(screen: &mut Screen, report: &AuditReport) {
    for finding in &report.settings_findings {
        let style = Style::from(finding.severity);
        screen.labelled(
            style,
            &format!("{}[{}]", finding.severity, finding.rule),
            &finding.message,
        );
        screen.faint(&format!("  in {}:{}", finding.file, finding.line));
        screen.wrapped("  help: ", "        ", &finding.help);
        screen.blank();
    }
}

/// A line a target, where there are several.
fn overview(screen: &mut Screen, report: &AuditReport) {
    if report.targets.len() < 2 {
        return;
    }
    let lines: Vec<(String, String, String)> = report.targets.iter().map(overview_line).collect();
    let width = |of: fn(&(String, String, String)) -> &String| {
        lines
            .iter()
            .map(|line| textwrap::core::display_width(of(line)))
            .max()
            .unwrap_or(0)
    };
    let (names, tools) = (width(|line| &line.0), width(|line| &line.1));
    screen.styled(Style::Strong, "all targets");
    for (name, count, rest) in &lines {
        let pad = |text: &str, width: usize| {
            " ".repeat(width.saturating_sub(textwrap::core::display_width(text)))
        };
        screen.line(&format!(
            "  {name}{}  {}{count}  {rest}",
            pad(name, names),
            pad(count, tools)
        ));
    }
    screen.blank();
}

fn overview_line(target: &TargetReport) -> (String, String, String) {
    let name = reveal_line(&target.name).into_owned();
    match &target.outcome {
        Ok(audited) => {
            let gate = wording::percent(audited.summary.gate.now, audited.summary.tools);
            let tally = wording::tally(&Tally::of(audited));
            (
                name,
                wording::plural(audited.listing.len(), "tool"),
                format!("gate rate {gate:>3} %  {tally}"),
            )
        }
        Err(_) => (name, String::new(), "could not be read".to_owned()),
    }
}

fn verdict(screen: &mut Screen, report: &AuditReport, detail: Detail) {
    let tally = Tally::of_run(report);
    let audited = report
        .targets
        .iter()
        .filter_map(|target| target.outcome.as_ref().ok());
    let tools: usize = audited.map(|audited| audited.listing.len()).sum();
    let servers = match report.targets.len() {
        1 => String::new(),
        many => format!(" of {}", wording::plural(many, "server")),
    };
    screen.line(&format!(
        "{} in {}{servers}{}",
        wording::tally(&tally),
        wording::plural(tools, "tool"),
        wording::hidden(&tally)
    ));
    let (verdict, why) = wording::verdict(report);
    if !report.whole() && verdict == "failed" {
        screen.labelled(Style::Error, "incomplete", &wording::not_read(report));
    }
    let style = if verdict == "passed" {
        Style::Good
    } else {
        Style::Error
    };
    screen.labelled(style, verdict, &why);
    if detail > Detail::Quiet
        && let Some(rule) = example_rule(report)
    {
        screen.faint(&format!(
            "`sayso explain {rule}` says what a rule checks and why it matters"
        ));
    }
}

/// A rule to name in the hint: one of the gravest findings'.
fn example_rule(report: &AuditReport) -> Option<&'static str> {
    let audited = report
        .targets
        .iter()
        .filter_map(|target| target.outcome.as_ref().ok());
    audited
        .flat_map(|audited| &audited.admitted.findings)
        .reduce(|gravest, finding| {
            if finding.severity > gravest.severity {
                finding
            } else {
                gravest
            }
        })
        .map(|finding| finding.rule)
}
