//! A matrix held against what is true: where hosts ask too little and where too much.

use sayso_core::effective::Effective;

use super::{Cell, Column, Matrix, Overlay};

/// How a host treats one tool, measured by what is true of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gating {
    /// It runs silently, and may destroy.
    Under,
    /// It is asked about, refused, hidden or lost, though it only reads, or only adds within
    /// this system.
    Over,
    /// Neither: it is treated as it should be, or it only adds but reaches beyond this system,
    /// where either answer can be right.
    Right,
    /// A model, a classifier or the tool's name decides, or nobody knows.
    Open,
}

/// One column, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct GatingCounts {
    /// Runs silently, and may destroy.
    pub under: usize,
    /// Asked about or refused for nothing.
    pub over: usize,
    /// Neither.
    pub right: usize,
    /// Not decided by rules.
    pub open: usize,
}

/// One column held against the rulings.
#[derive(Debug, Clone)]
pub struct HostGating<'p> {
    /// The host and mode.
    pub column: Column<'p>,
    /// Each tool in the listing's order; `None` for a tool without a ruling, and for all of them
    /// in a directory, which calls nothing.
    pub tools: Vec<Option<Gating>>,
    /// The counts over the tools that have one.
    pub counts: GatingCounts,
}

impl Gating {
    /// Measures what a host does by what is true.
    #[must_use]
    pub fn of(cell: Cell<'_>, truth: &Effective) -> Self {
        let needs_nobody = truth.read_only() || (!truth.may_destroy() && !truth.open_world());
        if cell.is_silent() {
            if truth.may_destroy() {
                Self::Under
            } else {
                Self::Right
            }
        } else if cell.asks() || cell.refuses() {
            if needs_nobody {
                Self::Over
            } else {
                Self::Right
            }
        } else {
            Self::Open
        }
    }
}

impl<'a> Matrix<'a> {
    /// Holds every column against the rulings; one item a column. A ruling that leaves a hint out
    /// leaves it at the specification's default.
    #[must_use]
    pub fn held_against(&self, rulings: &Overlay) -> Vec<HostGating<'a>> {
        let truths: Vec<Option<Effective>> = self
            .tools
            .iter()
            .map(|tool| rulings.truth(tool.name().as_deref()?))
            .collect();
        let columns = self.columns.iter().map(|column| {
            let calls = column.column.host.kind.calls_tools();
            let tools: Vec<Option<Gating>> = column
                .cells
                .iter()
                .zip(&truths)
                .map(|(cell, truth)| {
                    let truth = truth.as_ref().filter(|_| calls)?;
                    Some(Gating::of(*cell, truth))
                })
                .collect();
            let mut counts = GatingCounts::default();
            for gating in tools.iter().flatten() {
                *match gating {
                    Gating::Under => &mut counts.under,
                    Gating::Over => &mut counts.over,
                    Gating::Right => &mut counts.right,
                    Gating::Open => &mut counts.open,
                } += 1;
            }
            HostGating {
                column: column.column,
                tools,
                counts,
            }
        });
        columns.collect()
    }
}
