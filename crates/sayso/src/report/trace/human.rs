//! For people at a terminal.

use crate::audit_report::Presentation;
use crate::report::screen::{Screen, Style};
use crate::trace::{Leg, Row, Trace};

use super::wording;

/// The whole trace.
pub(super) fn render(trace: &Trace<'_>, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    heading(&mut screen, trace);
    listing(&mut screen, trace);
    screen.styled(Style::Heading, "a bare client, which asks nobody");
    screen.blank();
    leg(&mut screen, &trace.bare, below_declared);
    if let Some(lesson) = wording::bare_lesson(trace) {
        screen.labelled(Style::Warning, "seen", &lesson);
        screen.blank();
    }
    host(&mut screen, trace);
    gateway(&mut screen, trace);
    revisions(&mut screen, trace);
    trials(&mut screen, trace);
    for note in &trace.notes {
        screen.labelled(Style::Faint, "note", note);
    }
    screen.into_text()
}

fn heading(screen: &mut Screen, trace: &Trace<'_>) {
    let server = &trace.server;
    let mut parts = vec![trace.target.clone()];
    parts.extend(server.name.iter().map(|name| {
        let version = server.version.as_deref().unwrap_or_default();
        format!("server: {name} {version}").trim_end().to_owned()
    }));
    parts.extend(
        server
            .protocol_version
            .iter()
            .map(|version| format!("MCP {version}")),
    );
    screen.faint(&parts.join(" · "));
    screen.blank();
}

fn listing(screen: &mut Screen, trace: &Trace<'_>) {
    screen.styled(Style::Heading, "what a client sees");
    screen.blank();
    let width = name_width(trace.listing.iter().map(|tool| tool.name.as_str()));
    for tool in &trace.listing {
        let hints = wording::as_seen(&tool.claims).map(|(hint, value)| {
            format!(
                "{:<width$}",
                format!("{hint}={value}"),
                width = hint.len() + 7
            )
        });
        let name = screen.paint(Style::Strong, &padded(&tool.name, width));
        screen.line(&format!("  {name}{}", hints.join(" ")));
    }
    screen.blank();
}

fn host(screen: &mut Screen, trace: &Trace<'_>) {
    let (host, mode) = (trace.host.host, trace.host.mode);
    screen.styled(
        Style::Heading,
        &format!("{}, mode {}", host.name, mode.name),
    );
    let behaviour = trace.host.behaviour;
    screen.faint(&format!(
        "by its profile of {}, version {} ({})",
        behaviour.date_read,
        behaviour.version,
        behaviour.confidence.as_str()
    ));
    if let Some(day) = &trace.stale_since {
        screen.labelled(Style::Warning, "stale", &format!("the profile is of {day}"));
    }
    screen.blank();
    leg(screen, &trace.gated, below_declared);
    for lesson in wording::host_lessons(&trace.gated) {
        screen.labelled(Style::Help, "seen", &lesson);
    }
    screen.blank();
}

fn gateway(screen: &mut Screen, trace: &Trace<'_>) {
    let Some(gateway) = &trace.gateway else {
        return;
    };
    screen.styled(Style::Heading, &wording::gate_heading(gateway));
    screen.faint(wording::trusts(gateway.trust));
    screen.blank();
    leg(screen, &gateway.leg, below_decided);
}

fn below_declared(row: &Row) -> String {
    wording::declares(row.declares.as_ref())
}

fn below_decided(row: &Row) -> String {
    wording::decided(row).unwrap_or_else(|| "the journal does not say why".to_owned())
}

/// A table: a row a call, what it was decided by and what it did to the store below.
fn leg(screen: &mut Screen, leg: &Leg, below: fn(&Row) -> String) {
    let width = name_width(leg.rows.iter().map(|row| row.tool.as_str()));
    let head = format!(
        "  {}{:<15}{:<9}{:<6}{:<9}{}",
        padded("tool", width),
        "gate",
        "asked",
        "sent",
        "retried",
        "outcome"
    );
    screen.styled(Style::Faint, &head);
    for row in &leg.rows {
        let name = screen.paint(Style::Strong, &padded(&row.tool, width));
        let columns = format!(
            "{:<15}{:<9}{:<6}{:<9}",
            wording::gate(row.gate),
            wording::asked(row),
            row.sent,
            row.retried()
        );
        let outcome = screen.paint(style(row), &wording::end(row));
        screen.line(&format!("  {name}{columns}{outcome}"));
        let mut below = below(row);
        if let Some(store) = wording::store(row.effects.as_deref()) {
            below = format!("{below} · store: {store}");
        }
        screen.sentence(Style::Faint, &format!("    {below}"));
    }
    if let Some(store) = wording::store(leg.effects.as_deref()) {
        screen.blank();
        screen.wrapped("  ", "    ", &format!("the store after all of it: {store}"));
    }
    screen.blank();
}

fn revisions(screen: &mut Screen, trace: &Trace<'_>) {
    let Some(first) = trace.revisions.first() else {
        return;
    };
    screen.styled(
        Style::Heading,
        "when a declaration changes while the host is connected",
    );
    screen.blank();
    screen.wrapped(
        "  ",
        "  ",
        &format!(
            "`{}` {} when the host reads the listing, and {} after the change",
            first.tool,
            wording::declares(Some(&first.declared_before)),
            wording::declares(Some(&first.declared_after)),
        ),
    );
    screen.blank();
    for revision in &trace.revisions {
        let mut lines = wording::revision(revision).into_iter();
        if let Some(first) = lines.next() {
            screen.sentence(Style::Strong, &format!("  {first}"));
        }
        for line in lines {
            screen.wrapped("    ", "    ", &line);
        }
        if wording::acts_on_old_values(revision) {
            screen.wrapped(
                "    ",
                "    ",
                "it acted on what the tool no longer declares",
            );
        }
    }
    screen.blank();
}

fn trials(screen: &mut Screen, trace: &Trace<'_>) {
    if trace.trials.is_empty() {
        return;
    }
    screen.styled(
        Style::Heading,
        "when a server lies, changes its mind, or takes too much",
    );
    for trial in &trace.trials {
        screen.blank();
        screen.sentence(Style::Strong, &format!("  {}", wording::trial(trial)));
        let callers = [
            ("bare client", &trial.bare),
            ("host", &trial.host),
            ("gate", &trial.gate.row),
        ];
        for (caller, row) in callers {
            let line = format!("{}{}", padded(caller, 13), wording::fate(row));
            screen.wrapped("    ", "                 ", &line);
        }
        for told in wording::gate_fate(trial.kind, &trial.gate) {
            screen.wrapped("                 ", "                 ", &told);
        }
        if let Some(confined) = &trial.confined {
            let line = format!("{}{}", padded("confined", 13), wording::fate(&confined.row));
            screen.wrapped("    ", "                 ", &line);
            for told in wording::confined_fate(confined) {
                screen.wrapped("                 ", "                 ", &told);
            }
        }
    }
    screen.blank();
}

fn style(row: &Row) -> Style {
    use crate::trace::End;
    match row.end {
        End::Answered(_) => Style::Good,
        End::NoAnswer | End::ConnectionLost(_) | End::Malformed(_) => Style::Warning,
        _ => Style::Faint,
    }
}

fn name_width<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let widest = names.map(|name| name.chars().count()).max();
    widest.unwrap_or_default().clamp(4, 40) + 2
}

fn padded(name: &str, width: usize) -> String {
    format!("{name:<width$}")
}
