//! Whether the rulings can be relied on, for people.

use crate::audit_report::{Detail, Unreadable};
use crate::classify::check::{Checked, Problem};
use crate::classify::standing::{Disagreement, moved_words};

use super::super::screen::{Screen, Style};
use super::super::wording::plural;

/// One server and what was found.
pub(crate) struct CheckedServer<'a> {
    /// What it is called in the rulings.
    pub(crate) name: &'a str,
    /// What was found, if it could be read.
    pub(crate) outcome: Result<Checked, &'a Unreadable>,
}

pub(super) fn write(
    screen: &mut Screen,
    servers: &[CheckedServer<'_>],
    file: &str,
    detail: Detail,
) {
    for server in servers {
        screen.styled(Style::Heading, server.name);
        match &server.outcome {
            Ok(checked) => self::checked(screen, checked, file, detail),
            Err(unreadable) => super::write_unreadable(screen, unreadable),
        }
    }
}

fn checked(screen: &mut Screen, checked: &Checked, file: &str, detail: Detail) {
    let mut last = "";
    for (tool, problem) in &checked.problems {
        if tool != last {
            screen.styled(Style::Strong, &format!("  {tool}"));
        }
        last = tool;
        let (style, label, text) = words(problem);
        screen.labelled_at("    ", style, label, &text);
    }
    if !checked.problems.is_empty() {
        screen.blank();
    }
    if detail > Detail::Quiet {
        for (tool, near) in &checked.unlisted {
            let near = match near {
                Some(near) => format!("; `{near}` has none: was it renamed?"),
                None => String::new(),
            };
            let text = format!("a ruling on `{tool}`, which is not listed{near}");
            screen.wrapped("  note: ", "        ", &text);
        }
        if checked.fulfilled > 0 {
            let text = format!(
                "{} what was ruled since; the next `sayso classify` that writes binds the rulings anew",
                match checked.fulfilled {
                    1 => "1 tool claims".to_owned(),
                    many => format!("{many} tools claim"),
                }
            );
            screen.wrapped("  note: ", "        ", &text);
        }
    }
    let of = |kind: fn(&Problem) -> bool| {
        let own = checked.problems.iter().filter(|(_, problem)| kind(problem));
        own.count()
    };
    let counts = [
        (of(|it| matches!(it, Problem::Missing)), "missing"),
        (of(|it| matches!(it, Problem::Stale(_))), "stale"),
        (of(|it| matches!(it, Problem::Undecided(_))), "incomplete"),
        (
            of(|it| matches!(it, Problem::Contradicted(_))),
            "contradicted",
        ),
        (
            of(|it| matches!(it, Problem::UndoGone(_))),
            "without their undo",
        ),
    ];
    let found: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let tools = plural(checked.tools, "tool");
    let text = match found.as_slice() {
        [] => format!("every ruling in {file} holds"),
        found => format!("of the rulings in {file}: {}", found.join(", ")),
    };
    let style = if found.is_empty() {
        Style::Good
    } else {
        Style::Error
    };
    screen.labelled(style, &tools, &text);
    screen.blank();
}

fn words(problem: &Problem) -> (Style, &'static str, String) {
    match problem {
        Problem::Missing => (Style::Error, "missing", "there is no ruling".to_owned()),
        Problem::Stale(moved) => (
            Style::Error,
            "stale",
            format!("since the review changed {}", moved_words(moved)),
        ),
        Problem::Undecided(hints) => {
            let hints: Vec<&str> = hints.iter().map(|hint| hint.key()).collect();
            let text = format!("not decided: {}", hints.join(", "));
            (Style::Error, "incomplete", text)
        }
        Problem::Contradicted(against) => {
            let against: Vec<String> = against.iter().map(disagreement).collect();
            (Style::Error, "contradicted", against.join("; "))
        }
        Problem::UndoGone(undo) => (
            Style::Error,
            "undo",
            format!("`{undo}` undoes it, and is not listed"),
        ),
    }
}

fn disagreement(against: &Disagreement) -> String {
    let more = if against.claims_less_risk() {
        "less risk than is true"
    } else {
        "more risk than is true"
    };
    let Disagreement {
        hint,
        claimed,
        ruled,
    } = against;
    format!("claims {hint} {claimed}, ruled {ruled}: {more}")
}
