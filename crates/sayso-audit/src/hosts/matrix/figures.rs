//! A matrix, counted.

use sayso_core::effective::Effective;

use super::{Cell, Matrix};
use crate::hosts::behaviour::Outcome;
use crate::hosts::profile::HostKind;

/// One column, counted by tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Figures {
    /// All tools.
    pub tools: usize,
    /// Called without asking; in a directory, accepted.
    pub silent: usize,
    /// Asked about: the gate rate is this share of the tools.
    pub asked: usize,
    /// Refused or kept from the model.
    pub refused: usize,
    /// Left to a model, a classifier or the verbs of the name.
    pub judged: usize,
    /// Nobody knows.
    pub unknown: usize,
    /// Not there at all, since the host loses the whole listing.
    pub lost: usize,
    /// Called without asking though, by what the listing says, they may destroy; 0 in a
    /// directory, which calls nothing.
    pub silent_may_destroy: usize,
}

impl Figures {
    pub(super) fn of(cells: &[Cell<'_>], effective: &[Effective], kind: HostKind) -> Self {
        let mut figures = Self {
            tools: cells.len(),
            ..Self::default()
        };
        for (cell, effective) in cells.iter().zip(effective) {
            let slot = match cell.outcome() {
                Some(Outcome::Allow) => &mut figures.silent,
                Some(Outcome::Ask | Outcome::AskOnce | Outcome::AskEvery) => &mut figures.asked,
                Some(Outcome::Deny | Outcome::Hide) => &mut figures.refused,
                Some(Outcome::Judge | Outcome::ByName) => &mut figures.judged,
                Some(Outcome::Unknown) => &mut figures.unknown,
                None => &mut figures.lost,
            };
            *slot += 1;
            let destroys = kind.calls_tools() && cell.is_silent() && effective.may_destroy();
            figures.silent_may_destroy += usize::from(destroys);
        }
        figures
    }

    /// The share of the tools a person is asked about, from 0 to 1; 0 without tools.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no listing has 2^52 tools")]
    pub fn gate_rate(&self) -> f64 {
        if self.tools == 0 {
            0.0
        } else {
            self.asked as f64 / self.tools as f64
        }
    }
}

/// A tool on which hosts that call tools and look at hints split: some call it silently, others
/// ask or refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The tool's position in the listing.
    pub tool: usize,
    /// Whether, by what the listing says, it may destroy.
    pub may_destroy: bool,
    /// Whether it may reach an open world.
    pub open_world: bool,
    /// The columns that call it silently, by position.
    pub silent: Vec<usize>,
    /// The columns that ask.
    pub asked: Vec<usize>,
    /// The columns that refuse or hide it.
    pub refused: Vec<usize>,
}

impl Matrix<'_> {
    /// The tools on which the hosts that look at hints split, the riskiest first: what may
    /// destroy, then what may reach an open world and writes, then by how many call it silently.
    #[must_use]
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let mut split: Vec<Disagreement> = (0..self.tools.len())
            .filter_map(|tool| self.disagreement(tool))
            .collect();
        split.sort_by_key(|one| {
            let read_only = self
                .effective
                .get(one.tool)
                .is_some_and(Effective::read_only);
            let closed = !one.open_world || read_only;
            (
                !one.may_destroy,
                closed,
                std::cmp::Reverse(one.silent.len()),
                one.tool,
            )
        });
        split
    }

    fn disagreement(&self, tool: usize) -> Option<Disagreement> {
        let effective = self.effective.get(tool)?;
        let mut one = Disagreement {
            tool,
            may_destroy: effective.may_destroy(),
            open_world: effective.open_world(),
            silent: Vec::new(),
            asked: Vec::new(),
            refused: Vec::new(),
        };
        for (position, column) in self.columns.iter().enumerate() {
            let Some(cell) = column.cells.get(tool) else {
                continue;
            };
            let has_a_say =
                column.column.host.kind.calls_tools() && column.column.mode.looks_at_any();
            if !has_a_say || matches!(cell, Cell::Lost) {
                continue;
            }
            if cell.is_silent() {
                one.silent.push(position);
            } else if cell.asks() {
                one.asked.push(position);
            } else if cell.refuses() {
                one.refused.push(position);
            }
        }
        let gated = one.asked.len() + one.refused.len();
        (!one.silent.is_empty() && gated > 0).then_some(one)
    }
}
