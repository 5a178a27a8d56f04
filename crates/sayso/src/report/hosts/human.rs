//! For people at a terminal: the matrix, what its columns are, and what to make of it.

mod below;
mod list;
mod matrix;
mod why;

use crate::audit_report::{Detail, Presentation, Unreadable};
use crate::hosts_report::{HostsReport, HostsTarget};

use super::super::screen::{Screen, Style};
use super::super::wording;
use super::outline::Outline;
use super::words;

/// The whole report.
pub(super) fn render(report: &HostsReport<'_>, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    if report.settings.list {
        list::write(&mut screen, report);
    }
    for target in &report.targets {
        self::target(&mut screen, report, target, presentation.detail);
    }
    if presentation.detail > Detail::Quiet {
        if !report.targets.is_empty() {
            stale(&mut screen, report);
        }
        for note in &report.notes {
            screen.wrapped("note: ", "      ", note);
        }
    }
    let mut text = screen.into_text();
    // Blocks end with an empty line, the report does not.
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn target(screen: &mut Screen, report: &HostsReport<'_>, target: &HostsTarget<'_>, detail: Detail) {
    screen.styled(Style::Heading, target.name);
    let listing = target.outcome.as_ref().ok().map(|treated| treated.listing);
    let about = wording::about(listing, target.target, target.configured_in);
    screen.faint(&about.join(" · "));
    screen.blank();
    let treated = match &target.outcome {
        Ok(treated) => treated,
        Err(unreadable) => return failure(screen, unreadable),
    };
    if let Some(why) = wording::incomplete(treated.listing) {
        screen.labelled(Style::Error, "incomplete listing", why);
        screen.blank();
    }
    let outline = Outline::new(report, treated, detail != Detail::Verbose);
    if report.settings.tool.is_some() {
        if !outline.tools.is_empty() {
            why::write(screen, &outline, detail);
        }
        return;
    }
    if treated.matrix.tools.is_empty() {
        screen.line("the listing has no tools");
        screen.blank();
        return;
    }
    introduction(screen, &outline);
    matrix::write(screen, &outline);
    matrix::legend(screen, &outline, detail);
    below::write(screen, &outline, detail);
}

fn introduction(screen: &mut Screen, outline: &Outline<'_, '_>) {
    let report = outline.report;
    let real = outline.real_columns().count();
    let tools = wording::plural(outline.tools.len(), "tool");
    let mut text = format!(
        "what happens to {tools} in {}",
        words::how_many(report, real)
    );
    if report.columns.iter().all(|column| column.mode.default) {
        text.push_str(", each as a new user has it");
    }
    if let Some(file) = &report.settings.with {
        text.push_str(&format!(
            "; `before → after` where the hints of {file} change it"
        ));
    }
    screen.sentence(Style::Strong, &text);
    if !report.settings.named {
        screen.faint("hosts that treat this listing alike share a column; below it they are named");
    }
    screen.blank();
}

fn failure(screen: &mut Screen, unreadable: &Unreadable) {
    screen.labelled(Style::Error, "could not be read", &unreadable.message);
    if let Some(hint) = &unreadable.hint {
        screen.labelled(Style::Help, "hint", hint);
    }
    for line in &unreadable.details {
        screen.faint(&format!("  {line}"));
    }
    screen.blank();
}

/// Which of the hosts shown are known by old facts only.
fn stale(screen: &mut Screen, report: &HostsReport<'_>) {
    let stale = words::stale(report);
    if stale.is_empty() {
        return;
    }
    let days = report.settings.freshness.stale_after_days;
    screen.sentence(
        Style::Strong,
        &format!("old: what is known was read more than {days} days ago"),
    );
    screen.wrapped("  ", "  ", &stale.join(", "));
    screen.blank();
}
