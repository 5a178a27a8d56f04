//! For people at a terminal.

use sayso_core::hint::{Hint, Hints};
use sayso_source::{Annotations, Outcome, Registration, Step, StepKind, ToolName};

use super::super::screen::{Screen, Style};
use super::super::wording::{self, plural};
use super::{at, hands_on, refusal, steps};
use crate::audit_report::{Detail, Presentation};
use crate::error::quoted;
use crate::fix::{Action, Counts, FixReport, Planned, Server};

/// How many names are listed before the rest is only counted.
const MOST_NAMES: usize = 12;

/// The whole report.
pub(super) fn render(report: &FixReport, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    screen.styled(Style::Heading, &report.tree.directory.display().to_string());
    scope(&mut screen, report);
    let mut registered = counted("registration", &report.registered());
    let expressions = report.expressions();
    if expressions > 0 {
        let are = if expressions == 1 { "is" } else { "are" };
        registered.push_str(&format!(
            "; the annotations of {expressions} {are} an expression"
        ));
    }
    screen.wrapped("", "  ", &registered);
    if presentation.detail == Detail::Verbose {
        for registration in &report.tree.survey.registrations {
            screen.wrapped("  ", "    ", &told(report, registration));
        }
    }
    if let Some(server) = &report.server {
        screen.blank();
        beside(&mut screen, report, server);
    }
    if presentation.detail > Detail::Quiet {
        unknown(&mut screen, report);
        dropped(&mut screen, report);
    }
    if let Some(planned) = &report.planned {
        screen.blank();
        rulings(&mut screen, report, planned);
    }
    for note in &report.notes {
        screen.wrapped("note: ", "      ", note);
    }
    screen.into_text()
}

/// What was read and what was not: without it a count of nothing means nothing.
fn scope(screen: &mut Screen, report: &FixReport) {
    let tree = &report.tree;
    let languages = tree.languages();
    let languages: Vec<String> = languages
        .iter()
        .map(|(language, count)| format!("{count} {language}"))
        .collect();
    let mut told = format!("read: {}", plural(tree.files.len(), "file"));
    if !languages.is_empty() {
        told.push_str(&format!(" ({})", languages.join(", ")));
    }
    if !tree.skipped.is_empty() {
        told.push_str(&format!("; skipped: {}", tree.skipped.join(", ")));
    }
    if tree.tests > 0 {
        told.push_str(&format!("; {} left out", plural(tree.tests, "test file")));
    }
    told.push_str("; hidden folders and what .gitignore names are not looked into");
    screen.faint(&told);
    for (path, why) in &tree.unread {
        screen.labelled(Style::Warning, "not read", &format!("{path}: {why}"));
    }
    for file in &tree.survey.broken {
        let path = tree.path(*file);
        screen.labelled(
            Style::Warning,
            "not read throughout",
            &format!("{path}: its syntax is not understood everywhere"),
        );
    }
    if tree.files.is_empty() {
        screen.labelled(
            Style::Help,
            "hint",
            "to read a folder that is skipped, name it as `--source`",
        );
    }
}

/// `40 registrations: readOnlyHint 0, …`.
fn counted(noun: &str, counts: &Counts) -> String {
    let hints = Hint::ALL.map(|hint| format!("{} {}", hint.key(), counts.with_hint.get(hint)));
    format!("{}: {}", plural(counts.tools, noun), hints.join(", "))
}

fn told(report: &FixReport, registration: &Registration) -> String {
    let name = match &registration.name {
        ToolName::Known(name) => name.clone(),
        ToolName::Unknown(expression) => expression.clone(),
    };
    let place = &registration.place;
    let (path, line, column) = (report.tree.path(place.file), place.line, place.column);
    format!(
        "{path}:{line}:{column} {name}: {}",
        annotations(&registration.annotations)
    )
}

fn annotations(annotations: &Annotations) -> String {
    match annotations {
        Annotations::Absent(_) => "no annotations".to_owned(),
        Annotations::Literal(literal) if literal.entries.is_empty() => "no hint".to_owned(),
        Annotations::Literal(_) => values(&annotations.hints()),
        Annotations::Expression { text } => format!("annotations as `{text}` gives them"),
        Annotations::Unreachable => "no annotations get through".to_owned(),
    }
}

fn values(hints: &Hints<Option<bool>>) -> String {
    let told = hints
        .iter()
        .filter_map(|(hint, value)| Some(format!("{hint} {}", (*value)?)));
    told.collect::<Vec<_>>().join(", ")
}

fn beside(screen: &mut Screen, report: &FixReport, server: &Server) {
    screen.styled(Style::Heading, &server.name);
    screen.faint(&wording::source(&server.target, None));
    let listed = match &server.listed {
        Ok(listed) => listed,
        Err(unreadable) => {
            screen.labelled(Style::Error, "could not be read", &unreadable.message);
            if let Some(hint) = &unreadable.hint {
                screen.labelled(Style::Help, "hint", hint);
            }
            return;
        }
    };
    if !listed.complete {
        screen.labelled(
            Style::Error,
            "incomplete",
            "the listing was not read to its end",
        );
    }
    screen.wrapped("", "  ", &counted("tool", &listed.counts));
    let join = &listed.join;
    let found = join.listed - join.not_found.len();
    let style = if join.not_found.is_empty() {
        Style::Good
    } else {
        Style::Warning
    };
    screen.labelled(
        style,
        "found in the source",
        &format!("{found} of {}", join.listed),
    );
    for (name, near) in &join.not_found {
        let near = near
            .as_ref()
            .map(|near| format!(" (nearest: {near})"))
            .unwrap_or_default();
        screen.labelled(Style::Warning, "not found", &format!("{name}{near}"));
    }
    let registrations = &report.tree.survey.registrations;
    let not_listed: Vec<String> = join
        .not_listed
        .iter()
        .filter_map(|position| registrations.get(*position))
        .filter_map(|found| {
            Some(format!(
                "{} ({})",
                found.known_name()?,
                at(&report.tree, &found.place)
            ))
        })
        .collect();
    if !not_listed.is_empty() {
        screen.labelled(Style::Info, "registered, and not listed", &few(&not_listed));
    }
}

/// The first few of many.
fn few(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{}, and {more} more", shown.join(", ")),
    }
}

/// Registrations whose tool nobody knows before the server runs.
fn unknown(screen: &mut Screen, report: &FixReport) {
    let registrations = report.tree.survey.registrations.iter();
    let unknown = registrations.filter_map(|found| match &found.name {
        ToolName::Unknown(expression) => {
            Some(format!("{expression} ({})", at(&report.tree, &found.place)))
        }
        ToolName::Known(_) => None,
    });
    let unknown: Vec<String> = unknown.collect();
    if !unknown.is_empty() {
        screen.labelled(Style::Info, "named when the server runs", &few(&unknown));
    }
}

/// Where annotations are dropped, and what to add.
fn dropped(screen: &mut Screen, report: &FixReport) {
    let dropping: Vec<_> = report
        .tree
        .survey
        .relays
        .iter()
        .filter(|relay| !relay.carries_annotations)
        .collect();
    if dropping.is_empty() {
        return;
    }
    screen.blank();
    screen.styled(Style::Warning, "annotations are dropped on the way");
    for relay in dropping {
        let place = at(&report.tree, &relay.place);
        let where_it_is = match &relay.function {
            Some(function) => format!("{function} ({place})"),
            None => place,
        };
        screen.labelled_at("  ", Style::Strong, &where_it_is, &hands_on(relay));
    }
    screen.styled(Style::Help, "to let them through, add");
    for (number, step) in steps(report).into_iter().enumerate() {
        let place = at(&report.tree, &step.place);
        screen.wrapped(
            "  ",
            "     ",
            &format!("{}. {place}, {}", number + 1, what(step)),
        );
        // Code is not wrapped: it is there to be copied.
        screen.styled(Style::Strong, &format!("       {}", step.add));
    }
}

/// What something is added to.
fn what(step: &Step) -> String {
    let subject = &step.subject;
    match step.kind {
        StepKind::Import => "the import".to_owned(),
        StepKind::Member => format!("to the type {subject}"),
        StepKind::Parameter if subject.is_empty() => "to the parameters".to_owned(),
        StepKind::Parameter => format!("to the parameters of {subject}"),
        StepKind::HandOn if subject.is_empty() => "to what is handed on".to_owned(),
        StepKind::HandOn => format!("to what {subject} hands on"),
    }
}

fn rulings(screen: &mut Screen, report: &FixReport, planned: &Planned) {
    screen.styled(Style::Heading, &planned.rulings);
    let outcomes = &planned.plan.outcomes;
    let count = |of: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| of(outcome)).count();
    let edited = count(|outcome| matches!(outcome, Outcome::Edited { .. }));
    let agreeing = count(|outcome| matches!(outcome, Outcome::Agrees));
    let refused = count(|outcome| matches!(outcome, Outcome::Refused(_)));
    let verb = if report.action == Action::Write {
        "written"
    } else {
        "to be written"
    };
    let ruled = plural(planned.ruled, "tool");
    let mut told = format!("{ruled} ruled: {edited} {verb}, {agreeing} as ruled already");
    if refused > 0 {
        told.push_str(&format!(", {refused} not to be written"));
    }
    screen.wrapped("", "  ", &told);
    let registrations = report.tree.survey.registrations.iter();
    for (registration, outcome) in registrations.zip(outcomes) {
        if let Outcome::Refused(why) = outcome {
            let name = registration.known_name().unwrap_or_default();
            let label = format!("{name} ({})", at(&report.tree, &registration.place));
            screen.labelled_at("  ", Style::Warning, &label, &refusal(report, why));
        }
    }
    if !planned.unplaced.is_empty() {
        screen.labelled(
            Style::Warning,
            "ruled, and not found in the source",
            &few(&planned.unplaced),
        );
    }
    for (name, what) in &planned.stale {
        let told = format!("{what} changed since; `sayso classify` decides again");
        screen.labelled(Style::Warning, &format!("stale: {name}"), &told);
    }
    if !report.written.is_empty() {
        let files = quoted(report.written.iter().map(String::as_str));
        screen.labelled(Style::Good, "written", &files);
    }
    afterwards(screen, report);
}

/// The counts before and after.
fn afterwards(screen: &mut Screen, report: &FixReport) {
    let before = report
        .server
        .as_ref()
        .and_then(|server| server.listed.as_ref().ok());
    match (&report.after, before) {
        (Some(Ok(after)), Some(before)) => {
            let before = &before.counts;
            for hint in Hint::ALL {
                let (then, now) = (before.with_hint.get(hint), after.with_hint.get(hint));
                let line = format!(
                    "  {:<16} {then}/{} → {now}/{}",
                    hint.key(),
                    before.tools,
                    after.tools
                );
                screen.styled(Style::Strong, &line);
            }
            if before == after {
                let hint = "the server lists what it listed before: build it first if it runs from its build";
                screen.labelled(Style::Help, "hint", hint);
            }
        }
        (Some(Err(unreadable)), _) => {
            screen.labelled(
                Style::Error,
                "could not be started again",
                &unreadable.message,
            );
            for line in &unreadable.details {
                screen.line(&format!("  {}", screen.faintly(line)));
            }
        }
        _ => {}
    }
}
