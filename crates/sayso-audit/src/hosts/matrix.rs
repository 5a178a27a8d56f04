//! What every host does with every tool of a listing, and the figures that matter.

mod difference;
mod figures;
mod overlay;
mod ruling;

use std::borrow::Cow;
use std::collections::BTreeMap;

use sayso_core::effective::Effective;
use sayso_core::listing::Listing;
use sayso_core::tool::Tool;

use super::behaviour::{Behaviour, Decision, Mode, Outcome, Rejection, SeenTool, TitleSource};
use super::profile::HostProfile;

pub use difference::{Change, ChangeKind, Difference, HostDifference};
pub use figures::{Disagreement, Figures};
pub use overlay::{Overlay, OverlayError, OverlayTool};
pub use ruling::{Gating, GatingCounts, HostGating};

/// One host in one mode: a column of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column<'p> {
    /// The host.
    pub host: &'p HostProfile,
    /// What it does with hints.
    pub behaviour: &'p Behaviour,
    /// The mode it is in.
    pub mode: &'p Mode,
}

/// Which modes of each host make columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes<'m> {
    /// The one a new user has.
    Default,
    /// Each.
    All,
    /// The one with this id.
    Named(&'m str),
}

impl<'p> Column<'p> {
    /// The columns of one host: none if nothing is known of what it does, or it has no such mode.
    pub fn of(host: &'p HostProfile, modes: Modes<'_>) -> Vec<Self> {
        let Some(behaviour) = &host.behaviour else {
            return Vec::new();
        };
        let chosen = behaviour.modes.iter().filter(|mode| match modes {
            Modes::Default => mode.default,
            Modes::All => true,
            Modes::Named(id) => mode.id == id,
        });
        chosen
            .map(|mode| Self {
                host,
                behaviour,
                mode,
            })
            .collect()
    }

    /// `host` in its default mode, else `host:mode`: how a column is named on the command line.
    #[must_use]
    pub fn label(&self) -> Cow<'p, str> {
        if self.mode.default {
            Cow::Borrowed(&self.host.id)
        } else {
            Cow::Owned(format!("{}:{}", self.host.id, self.mode.id))
        }
    }

    /// The title a person sees in this host, and where it stands; `None` when that is not known.
    #[must_use]
    pub fn title<'a>(&self, tool: Tool<'a>) -> Option<(TitleSource, Cow<'a, str>)> {
        let places = self.behaviour.title.iter();
        places
            .filter_map(|source| {
                let text = match source {
                    TitleSource::Title => tool.title(),
                    TitleSource::AnnotationTitle => tool.annotation_title(),
                    TitleSource::Name => tool.name(),
                };
                text.filter(|text| !text.is_empty())
                    .map(|text| (*source, text))
            })
            .next()
    }
}

/// What comes of one tool in one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'p> {
    /// The host decides about it.
    Decided(Decision<'p>),
    /// The host cannot read the listing, so that no tool of it is there.
    Lost,
}

impl<'p> Cell<'p> {
    /// What the host does; `None` when the listing is lost.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Decided(decision) => Some(decision.outcome),
            Self::Lost => None,
        }
    }

    /// The decision, unless the listing is lost.
    #[must_use]
    pub fn decision(&self) -> Option<&Decision<'p>> {
        match self {
            Self::Decided(decision) => Some(decision),
            Self::Lost => None,
        }
    }

    /// Whether a call goes through without a person.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_silent)
    }

    /// Whether a person is asked.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.outcome().is_some_and(Outcome::asks)
    }

    /// Whether the tool cannot be used: refused, hidden or lost.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.outcome().is_none_or(Outcome::refuses)
    }

    /// The outcome in one word; `lost` when there is none.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        self.outcome().map_or("lost", Outcome::as_str)
    }
}

/// A column and what happens to every tool in it.
#[derive(Debug, Clone)]
pub struct MatrixColumn<'p> {
    /// The host and mode.
    pub column: Column<'p>,
    /// Why the host loses the whole listing, if it does: the first tool it stumbles over.
    pub rejection: Option<Rejection>,
    /// One cell a tool, in the listing's order.
    pub cells: Vec<Cell<'p>>,
    /// The column, counted.
    pub figures: Figures,
}

/// Every tool in every host.
#[derive(Debug, Clone)]
pub struct Matrix<'a> {
    /// The tools in the listing's order.
    pub tools: Vec<Tool<'a>>,
    /// What a client assumes of each with the specification's defaults filled in.
    pub effective: Vec<Effective>,
    /// The columns in the order they were asked for.
    pub columns: Vec<MatrixColumn<'a>>,
}

/// The tools as one parser reads them: each tool, or what makes it lose the listing.
type Read = Result<Vec<SeenTool>, Rejection>;

impl<'a> Matrix<'a> {
    /// Works out what each of the hosts does with each tool.
    #[must_use]
    pub fn new(listing: &'a Listing, columns: &[Column<'a>]) -> Self {
        let tools: Vec<Tool<'a>> = listing.tools().collect();
        let effective: Vec<Effective> = tools
            .iter()
            .map(|tool| Effective::from_claims(&tool.claims().states()))
            .collect();
        let mut readings: BTreeMap<Option<&str>, Read> = BTreeMap::new();
        let columns = columns
            .iter()
            .map(|column| {
                let parser = column.behaviour.parser.as_deref();
                let read = readings.entry(parser).or_insert_with(|| {
                    let read = |tool: &Tool<'_>| column.behaviour.read(*tool);
                    tools.iter().map(read).collect()
                });
                MatrixColumn::new(*column, read, &tools, &effective)
            })
            .collect();
        Self {
            tools,
            effective,
            columns,
        }
    }

    /// The cells of one tool, in the order of the columns.
    pub fn row(&self, tool: usize) -> impl Iterator<Item = (&MatrixColumn<'a>, Cell<'a>)> {
        let cell = move |column: &MatrixColumn<'a>| column.cells.get(tool).copied();
        self.columns
            .iter()
            .filter_map(move |column| Some((column, cell(column)?)))
    }

    /// The position of the tool with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.tools
            .iter()
            .position(|tool| tool.name().as_deref() == Some(name))
    }
}

impl<'p> MatrixColumn<'p> {
    fn new(column: Column<'p>, read: &Read, tools: &[Tool<'_>], effective: &[Effective]) -> Self {
        let (cells, rejection): (Vec<Cell<'p>>, _) = match read {
            Ok(seen) => {
                let decided = seen
                    .iter()
                    .zip(tools)
                    .map(|(seen, tool)| Cell::Decided(column.mode.decide(seen, tool)));
                (decided.collect(), None)
            }
            Err(rejection) => (vec![Cell::Lost; tools.len()], Some(rejection.clone())),
        };
        let figures = Figures::of(&cells, effective, column.host.kind);
        Self {
            column,
            rejection,
            cells,
            figures,
        }
    }
}
