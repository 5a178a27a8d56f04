//! What real hosts do with each tool of a listing, counted.

use sayso_audit::hosts::{Cell, Column, Matrix};
use sayso_core::listing::Listing;

use super::{KnownHosts, ModeChoice, is_real};

/// How many real hosts, each as a new user has it, do what with a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostCounts {
    /// All of them.
    pub(crate) hosts: usize,
    /// Call it without asking.
    pub(crate) silent: usize,
    /// Ask a person.
    pub(crate) asks: usize,
    /// Refuse it, or keep it from the model.
    pub(crate) refuses: usize,
    /// Lose the whole listing.
    pub(crate) lost: usize,
    /// Have a model, a classifier or its name decide, or do what nobody has found out.
    pub(crate) other: usize,
}

impl KnownHosts {
    /// What the real hosts do with each tool, in the listing's order.
    pub(crate) fn counts(&self, listing: &Listing) -> Vec<HostCounts> {
        // Nobody names a host, so that there is none that is not known.
        let columns = self.columns(&[], &ModeChoice::Default).unwrap_or_default();
        let columns: Vec<Column<'_>> = columns
            .into_iter()
            .filter(|column| is_real(column.host))
            .collect();
        let matrix = Matrix::new(listing, &columns);
        (0..matrix.tools.len())
            .map(|tool| HostCounts::of(matrix.row(tool).map(|(_, cell)| cell)))
            .collect()
    }
}

impl HostCounts {
    fn of<'c>(cells: impl Iterator<Item = Cell<'c>>) -> Self {
        let mut counts = Self::default();
        for cell in cells {
            counts.hosts += 1;
            *match cell.outcome() {
                Some(outcome) if outcome.is_silent() => &mut counts.silent,
                Some(outcome) if outcome.asks() => &mut counts.asks,
                Some(outcome) if outcome.refuses() => &mut counts.refuses,
                Some(_) => &mut counts.other,
                None => &mut counts.lost,
            } += 1;
        }
        counts
    }
}
