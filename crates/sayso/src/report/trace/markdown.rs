//! Markdown: the tables as they go into a document.

use std::fmt::Write as _;

use sayso_core::reveal::reveal_line;

use crate::trace::{Leg, Row, Trace};

use super::wording;

/// The whole trace. Writing to a string cannot fail.
pub(super) fn render(trace: &Trace<'_>) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "## What a client sees\n");
    let _ = writeln!(
        page,
        "| tool | readOnlyHint | destructiveHint | idempotentHint | openWorldHint |"
    );
    let _ = writeln!(page, "|---|---|---|---|---|");
    for tool in &trace.listing {
        let values = wording::as_seen(&tool.claims).map(|(_, value)| value);
        let _ = writeln!(page, "| {} | {} |", code(&tool.name), values.join(" | "));
    }
    let _ = writeln!(page, "\n## A bare client, which asks nobody\n");
    leg(&mut page, &trace.bare, DECLARES);
    if let Some(lesson) = wording::bare_lesson(trace) {
        let _ = writeln!(page, "\n- {}", cell(&lesson));
    }
    let (host, mode) = (trace.host.host, trace.host.mode);
    let _ = writeln!(page, "\n## {}, mode {}\n", host.name, mode.name);
    leg(&mut page, &trace.gated, DECLARES);
    let lessons = wording::host_lessons(&trace.gated);
    if !lessons.is_empty() {
        page.push('\n');
    }
    for lesson in lessons {
        let _ = writeln!(page, "- {}", cell(&lesson));
    }
    if let Some(gateway) = &trace.gateway {
        let _ = writeln!(page, "\n## {}\n", heading(&wording::gate_heading(gateway)));
        leg(&mut page, &gateway.leg, DECIDED);
        let _ = writeln!(page, "\n- {}", wording::trusts(gateway.trust));
    }
    if !trace.revisions.is_empty() {
        let _ = writeln!(
            page,
            "\n## When a declaration changes while the host is connected\n"
        );
    }
    for revision in &trace.revisions {
        let mut told = wording::revision(revision);
        if wording::acts_on_old_values(revision) {
            told.push("it acted on what the tool no longer declares".to_owned());
        }
        let _ = writeln!(page, "- {}", cell(&told.join("; ")));
    }
    trials(&mut page, trace);
    for note in &trace.notes {
        let _ = writeln!(page, "\nNote: {}", cell(note));
    }
    page
}

/// What stands beside a tool: the heading, and what.
type Beside = (&'static str, fn(&Row) -> String);

const DECLARES: Beside = ("declares", |row| {
    let declares = wording::declares(row.declares.as_ref());
    declares.trim_start_matches("declares ").to_owned()
});

const DECIDED: Beside = ("decided by", |row| {
    cell(&wording::decided(row).unwrap_or_default())
});

fn trials(page: &mut String, trace: &Trace<'_>) {
    if trace.trials.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "\n## When a server lies, changes its mind, or takes too much\n"
    );
    let _ = writeln!(
        page,
        "| server | bare client | host | gate | gate with confinement |\n|---|---|---|---|---|"
    );
    for trial in &trace.trials {
        let mut gate = vec![wording::fate(&trial.gate.row)];
        gate.extend(wording::gate_fate(trial.kind, &trial.gate));
        let confined = trial.confined.as_ref().map(|confined| {
            let mut told = vec![wording::fate(&confined.row)];
            told.extend(wording::confined_fate(confined));
            told.join("; ")
        });
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            cell(&wording::trial(trial)),
            cell(&wording::fate(&trial.bare)),
            cell(&wording::fate(&trial.host)),
            cell(&gate.join("; ")),
            cell(&confined.unwrap_or_else(|| "as the gate".to_owned())),
        );
    }
}

/// With its first letter as headings have it.
fn heading(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    cell(&format!(
        "{}{}",
        first.unwrap_or_default(),
        letters.as_str()
    ))
}

fn leg(page: &mut String, leg: &Leg, (beside, told): Beside) {
    let has_store = leg.effects.is_some();
    let (store, rule) = if has_store {
        (" store |", "---|")
    } else {
        ("", "")
    };
    let _ = writeln!(
        page,
        "| tool | {beside} | gate | asked | sent | retried | outcome |{store}"
    );
    let _ = writeln!(page, "|---|---|---|---|---|---|---|{rule}");
    for row in &leg.rows {
        let store = wording::store(row.effects.as_deref());
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} |{}",
            code(&row.tool),
            told(row),
            wording::gate(row.gate),
            wording::asked(row),
            row.sent,
            row.retried(),
            cell(&wording::end(row)),
            store.map_or_else(String::new, |store| format!(" {store} |")),
        );
    }
}

/// A name in code, whatever it holds.
fn code(name: &str) -> String {
    format!("`{}`", cell(name).replace('`', "'"))
}

/// Text that can stand in a cell, and in which nothing is markup of its own.
fn cell(text: &str) -> String {
    reveal_line(text)
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('\n', " ")
}
