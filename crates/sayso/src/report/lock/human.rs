//! For people at a terminal: by server and tool, the heaviest first.

use std::collections::{BTreeMap, HashMap};

use sayso_core::lock::{PinError, PinnedServer};

use super::super::screen::{Screen, Style};
use super::super::wording::{self, plural};
use super::{difference, summary};
use crate::audit_report::{Detail, Presentation};
use crate::lock::{Action, Change, LockReport, LockedServer, State, Weight};

/// The whole report.
pub(super) fn render(report: &LockReport, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    for server in &report.servers {
        if presentation.detail == Detail::Quiet && !shown_when_quiet(report, server) {
            continue;
        }
        screen.styled(Style::Heading, &server.name);
        let place = server.configured_in.as_ref();
        screen.faint(&wording::source(&server.target, place));
        state(&mut screen, report, server, presentation.detail);
        screen.blank();
    }
    if presentation.detail > Detail::Quiet && !report.notes.is_empty() {
        for note in &report.notes {
            screen.wrapped("note: ", "      ", note);
        }
        screen.blank();
    }
    verdict(&mut screen, report);
    screen.into_text()
}

fn shown_when_quiet(report: &LockReport, server: &LockedServer) -> bool {
    server.fails(report) || matches!(server.state, State::Unreadable(_))
}

fn state(screen: &mut Screen, report: &LockReport, server: &LockedServer, detail: Detail) {
    match &server.state {
        State::Unreadable(unreadable) => {
            screen.labelled(Style::Error, "could not be read", &unreadable.message);
            if let Some(hint) = &unreadable.hint {
                screen.labelled(Style::Help, "hint", hint);
            }
            for line in &unreadable.details {
                screen.line(&format!("  {}", screen.faintly(line)));
            }
        }
        State::Unpinnable(error) => {
            screen.labelled(Style::Error, "cannot be pinned", &error.to_string());
            screen.labelled(Style::Help, "hint", why_not(error));
        }
        State::Unpinned { now, pinned } => {
            let (style, what) = match (*pinned, report.asks) {
                (true, true) => (Style::Info, "to be pinned"),
                (true, false) => (Style::Good, "pinned"),
                (false, _) => (Style::Error, "not pinned"),
            };
            screen.labelled(style, what, &about(now));
        }
        State::Compared { changes, now, .. } if changes.is_empty() => {
            screen.labelled(Style::Good, "as pinned", &about(now));
        }
        State::Compared {
            before,
            now,
            changes,
        } => compared(screen, report, (before, now), changes, detail),
    }
}

/// What to do about a listing that cannot be pinned.
pub(super) fn why_not(error: &PinError) -> &'static str {
    match error {
        PinError::Incomplete(_) => {
            "a pin of a part would call the rest unchanged; see to it that all pages come"
        }
        PinError::Differs(_) => {
            "make the list depend on configuration alone; sort what comes from a set"
        }
        PinError::Nameless(_) => "give every tool one name, a string",
        PinError::Ambiguous(_) => {
            "nobody can tell which of them a call runs; give each a name of its own"
        }
    }
}

/// `40 tools, instructions`.
pub(super) fn about(server: &PinnedServer) -> String {
    let tools = plural(server.tools.len(), "tool");
    match server.instructions {
        Some(_) => format!("{tools} and the instructions"),
        None => tools,
    }
}

fn compared(
    screen: &mut Screen,
    report: &LockReport,
    (before, now): (&PinnedServer, &PinnedServer),
    changes: &[Change],
    detail: Detail,
) {
    let shown = changes
        .iter()
        .filter(|change| detail > Detail::Quiet || report.fail_on.fails(change.weight));
    let in_full = detail == Detail::Verbose || report.action == Action::Accept;
    for group in groups(shown, in_full) {
        screen.blank();
        title(screen, report, &group);
        for change in &group.changes {
            let label = match change.rule {
                Some(rule) => format!("{} ({rule})", change.weight.as_str()),
                None => change.weight.as_str().to_owned(),
            };
            screen.labelled_at("  ", style(change.weight), &label, &change.message);
        }
        match group.tools.first() {
            Some(tool) if in_full => difference::of_tool(screen, before, now, tool),
            None if in_full => difference::of_instructions(screen, before, now),
            _ => {}
        }
    }
}

/// Tools that changed alike; the server as a whole has none.
struct Group<'r> {
    tools: Vec<&'r str>,
    changes: Vec<&'r Change>,
}

/// The changes by tool, and tools that changed alike together unless each is shown in full.
fn groups<'r>(changes: impl Iterator<Item = &'r Change>, in_full: bool) -> Vec<Group<'r>> {
    let mut by_tool: BTreeMap<Option<&str>, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        by_tool
            .entry(change.tool.as_deref())
            .or_default()
            .push(change);
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<Vec<(Weight, &str, bool)>, usize> = HashMap::new();
    for (tool, changes) in by_tool {
        let alike = changes
            .iter()
            .map(|change| (change.weight, change.message.as_str(), change.accepted));
        let alike: Vec<_> = alike.collect();
        let earlier = places.get(&alike).filter(|_| !in_full && tool.is_some());
        match (earlier.and_then(|place| groups.get_mut(*place)), tool) {
            (Some(group), Some(tool)) => group.tools.push(tool),
            _ => {
                if tool.is_some() {
                    places.insert(alike, groups.len());
                }
                groups.push(Group {
                    tools: tool.into_iter().collect(),
                    changes,
                });
            }
        }
    }
    groups
}

fn title(screen: &mut Screen, report: &LockReport, group: &Group<'_>) {
    let accepted = group.changes.iter().any(|change| change.accepted);
    let mark = match (accepted, report.asks) {
        (false, _) => "",
        (true, true) => " (to be accepted)",
        (true, false) => " (accepted)",
    };
    match group.tools.as_slice() {
        [] => screen.styled(Style::Strong, &format!("the server as a whole{mark}")),
        [tool] => screen.styled(Style::Strong, &format!("{tool}{mark}")),
        tools => {
            let count = format!("{} alike{mark}", plural(tools.len(), "tool"));
            screen.styled(Style::Strong, &count);
            screen.names("  ", &tools.join(", "));
        }
    }
}

fn style(weight: Weight) -> Style {
    match weight {
        Weight::Relaxing => Style::Error,
        Weight::Held => Style::Warning,
        Weight::Tightening => Style::Info,
        Weight::Neutral => Style::Faint,
    }
}

fn verdict(screen: &mut Screen, report: &LockReport) {
    let summary = summary(report);
    let differs = report
        .servers
        .iter()
        .any(|server| server.fails(report) && matches!(server.state, State::Compared { .. }));
    let is_new = report.servers.iter().any(|server| {
        matches!(server.state, State::Unpinned { pinned: false, .. }) && server.fails(report)
    });
    let failed = report.fails() || !report.whole();
    screen.styled(if failed { Style::Error } else { Style::Good }, &summary);
    if differs && report.action == Action::Accept {
        screen.labelled(
            Style::Help,
            "hint",
            "what was not accepted stays pinned as it was",
        );
    } else if differs {
        screen.labelled(
            Style::Help,
            "hint",
            "look at what the tools do now, then take it over with `sayso lock --accept`",
        );
    } else if is_new {
        screen.labelled(
            Style::Help,
            "hint",
            "`sayso lock TARGET` pins a server that is not in the lock",
        );
    }
}
