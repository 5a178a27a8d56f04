//! What the page shows, as text that is safe to show; the template escapes it.

/// The whole page.
pub(super) struct Report {
    pub(super) version: &'static str,
    pub(super) title: String,
    pub(super) targets: Vec<Target>,
    pub(super) hosts: Vec<Host>,
    pub(super) stale: Option<String>,
    pub(super) notes: Vec<String>,
}

/// One target: an error or a listing.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) about: Vec<String>,
    pub(super) error: Option<Failure>,
    pub(super) listing: Option<Listing>,
}

/// Why a target could not be read.
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) details: Vec<String>,
}

/// A listing and what happens to it.
pub(super) struct Listing {
    pub(super) incomplete: Option<String>,
    pub(super) sum: Vec<String>,
    pub(super) groups: Vec<Group>,
    pub(super) rows: Vec<Row>,
    /// The whole matrix: a head a column, a row a tool.
    pub(super) heads: Vec<Head>,
    pub(super) tools: Vec<Row>,
    pub(super) outcomes: Vec<Word>,
    pub(super) why: Vec<Why>,
    pub(super) sections: Vec<Section>,
    pub(super) gating: Option<Gating>,
}

/// Columns that are alike.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) who: String,
    pub(super) hosts: Vec<String>,
    pub(super) figures: Vec<String>,
}

/// A column of the whole matrix.
pub(super) struct Head {
    pub(super) label: String,
    pub(super) counted: bool,
}

/// A row of a matrix.
pub(super) struct Row {
    pub(super) label: String,
    /// The other tools of the row.
    pub(super) names: Vec<String>,
    pub(super) risk: &'static str,
    /// Which of several equal rows it is the first of; the others can be hidden.
    pub(super) repeats: bool,
    pub(super) cells: Vec<Cell>,
}

/// A cell of a matrix.
pub(super) struct Cell {
    pub(super) word: String,
    /// What happens in the end, for the colour and the filter.
    pub(super) outcome: &'static str,
    /// Silent, and may destroy.
    pub(super) danger: bool,
    pub(super) changed: bool,
}

/// A word in a cell and what it means.
pub(super) struct Word {
    pub(super) word: &'static str,
    pub(super) meaning: &'static str,
}

/// Why a host does with a tool what it does.
pub(super) struct Why {
    pub(super) host: String,
    pub(super) tool: String,
    pub(super) outcome: Cell,
    pub(super) because: Vec<String>,
    pub(super) reading: String,
}

/// A list below the matrix.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) items: Vec<Item>,
}

/// An item of a list: what it is about, and what is to be said of it.
pub(super) struct Item {
    pub(super) tools: Vec<String>,
    pub(super) what: String,
    pub(super) lines: Vec<String>,
}

/// What hosts do, held against what is true.
pub(super) struct Gating {
    pub(super) sum: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// What is known of a host.
pub(super) struct Host {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) facts: Vec<String>,
    pub(super) modes: Vec<Mode>,
    pub(super) notes: Vec<String>,
    pub(super) bugs: Vec<String>,
    pub(super) sources: Vec<String>,
}

/// A mode of a host.
pub(super) struct Mode {
    pub(super) name: String,
    pub(super) remarks: Vec<String>,
    pub(super) rules: Vec<Rule>,
}

/// A rule of a mode.
pub(super) struct Rule {
    pub(super) when: String,
    pub(super) then: &'static str,
    pub(super) note: Option<String>,
}
