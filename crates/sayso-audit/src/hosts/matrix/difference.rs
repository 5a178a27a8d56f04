//! Two matrices of the same hosts and tools, before and after a change of the hints.

use super::{Cell, Column, Matrix};

/// What changes for one tool in one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<'p> {
    /// The tool's position in the listing.
    pub tool: usize,
    /// The column's position.
    pub column: usize,
    /// What the host does before.
    pub before: Cell<'p>,
    /// What it does after.
    pub after: Cell<'p>,
    /// What that means for people.
    pub kind: ChangeKind,
}

/// What a change means for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A call that took a person runs silently: a prompt goes away.
    PromptGone,
    /// A call that was refused, hidden, lost or judged runs silently.
    NewSilentRun,
    /// A call that ran silently, or was judged, takes a person.
    NewPrompt,
    /// A tool that was not there can be used, with a person, or is accepted by a directory.
    NowUsable,
    /// A tool that could be used cannot any more, or is refused by a directory.
    NoLongerUsable,
    /// Any other change, such as how long an answer is remembered.
    Other,
}

/// One host, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostDifference<'p> {
    /// The host and mode.
    pub column: Column<'p>,
    /// Tools asked about before.
    pub asked_before: usize,
    /// Tools asked about after.
    pub asked_after: usize,
    /// Tools that are asked about before and run silently after.
    pub prompts_gone: usize,
    /// Tools that run silently after and did not before; none in a directory, which calls nothing.
    pub new_silent: usize,
    /// Of these, the ones that may destroy by what the listing says after the change.
    pub new_silent_may_destroy: usize,
    /// Tools that are asked about after and were not before.
    pub new_prompts: usize,
}

/// All that changes between two matrices.
#[derive(Debug, Clone)]
pub struct Difference<'p> {
    /// Every cell that changes, by tool, then by column.
    pub changes: Vec<Change<'p>>,
    /// Every column, in the matrices' order.
    pub hosts: Vec<HostDifference<'p>>,
}

impl<'p> Difference<'p> {
    /// Compares matrices made with the same columns from the same tools.
    #[must_use]
    pub fn between(before: &Matrix<'p>, after: &Matrix<'p>) -> Self {
        let pairs = || before.columns.iter().zip(&after.columns);
        let mut changes: Vec<Change<'p>> = Vec::new();
        for (position, (old, new)) in pairs().enumerate() {
            let calls = new.column.host.kind.calls_tools();
            for (tool, (old, new)) in old.cells.iter().zip(&new.cells).enumerate() {
                changes.extend(kind(*old, *new, calls).map(|kind| Change {
                    tool,
                    column: position,
                    before: *old,
                    after: *new,
                    kind,
                }));
            }
        }
        changes.sort_by_key(|change| (change.tool, change.column));
        let hosts = pairs().map(|(old, new)| {
            let cells = || old.cells.iter().zip(&new.cells);
            let calls = new.column.host.kind.calls_tools();
            let newly_silent =
                |old: &Cell<'_>, new: &Cell<'_>| calls && new.is_silent() && !old.is_silent();
            HostDifference {
                column: new.column,
                asked_before: old.figures.asked,
                asked_after: new.figures.asked,
                prompts_gone: cells()
                    .filter(|(old, new)| old.asks() && new.is_silent())
                    .count(),
                new_silent: cells().filter(|(old, new)| newly_silent(old, new)).count(),
                new_silent_may_destroy: cells()
                    .zip(&after.effective)
                    .filter(|((old, new), effective)| {
                        newly_silent(old, new) && effective.may_destroy()
                    })
                    .count(),
                new_prompts: cells()
                    .filter(|(old, new)| new.asks() && !old.asks())
                    .count(),
            }
        });
        let hosts = hosts.collect();
        Self { changes, hosts }
    }
}

fn kind(before: Cell<'_>, after: Cell<'_>, calls: bool) -> Option<ChangeKind> {
    if before.outcome() == after.outcome() {
        return None;
    }
    Some(if !calls {
        if before.refuses() {
            ChangeKind::NowUsable
        } else {
            ChangeKind::NoLongerUsable
        }
    } else if after.is_silent() {
        if before.asks() {
            ChangeKind::PromptGone
        } else {
            ChangeKind::NewSilentRun
        }
    } else if after.asks() && before.refuses() {
        ChangeKind::NowUsable
    } else if after.asks() && !before.asks() {
        ChangeKind::NewPrompt
    } else if after.refuses() && !before.refuses() {
        ChangeKind::NoLongerUsable
    } else {
        ChangeKind::Other
    })
}
