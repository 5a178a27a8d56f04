//! What the page shows, as text that is safe to show; the template escapes it.

use super::super::excerpt::Excerpt;

/// The whole page.
pub(super) struct Report {
    pub(super) version: &'static str,
    pub(super) verdict: &'static str,
    pub(super) verdict_text: Vec<Piece>,
    pub(super) tally: String,
    pub(super) targets: Vec<Target>,
    pub(super) settings: Vec<Finding>,
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

/// A listing and what was found.
pub(super) struct Listing {
    pub(super) incomplete: Option<String>,
    pub(super) total: usize,
    pub(super) coverage: Vec<Bar>,
    pub(super) gate: Gate,
    /// What real hosts do with every tool.
    pub(super) hosts: Vec<Piece>,
    pub(super) effects: Vec<Effect>,
    pub(super) assumed: Vec<AssumedRow>,
    pub(super) blocks: Vec<Block>,
    pub(super) tools: Vec<ToolRow>,
    pub(super) observations: Vec<String>,
    pub(super) stderr: Vec<String>,
}

/// A count as a bar.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) percent: usize,
}

/// The gate rate, twice.
pub(super) struct Gate {
    pub(super) now: Bar,
    pub(super) fixed: Bar,
}

/// One class of effect, by whether it may be repeated.
pub(super) struct Effect {
    pub(super) name: &'static str,
    pub(super) class: &'static str,
    pub(super) total: usize,
    pub(super) repeatable: usize,
    pub(super) repeatable_percent: usize,
    pub(super) once: usize,
    pub(super) once_percent: usize,
}

/// What a client has to assume.
pub(super) struct AssumedRow {
    pub(super) name: &'static str,
    pub(super) count: usize,
    pub(super) by_default: usize,
}

/// Findings under one heading.
pub(super) struct Block {
    pub(super) heading: String,
    /// Every tool it is about, for the filter.
    pub(super) search: String,
    pub(super) names: Vec<String>,
    /// How many findings of what severity.
    pub(super) count: String,
    pub(super) severity: &'static str,
    pub(super) open: bool,
    pub(super) values: Vec<HintValue>,
    pub(super) behaviour: Option<&'static str>,
    /// What real hosts do, where that is not the same for all tools.
    pub(super) hosts: Option<String>,
    pub(super) findings: Vec<Finding>,
    pub(super) paste: Option<String>,
}

/// One hint's value and where it comes from.
pub(super) struct HintValue {
    pub(super) hint: &'static str,
    pub(super) value: bool,
    pub(super) meaningful: bool,
    pub(super) claimed: bool,
    pub(super) origin: String,
}

/// One finding.
pub(super) struct Finding {
    pub(super) severity: &'static str,
    pub(super) rule: String,
    pub(super) message: Vec<Piece>,
    pub(super) place: Option<String>,
    pub(super) evidence: Vec<EvidenceView>,
    pub(super) help: Vec<Piece>,
}

/// A piece of evidence, cut around what matters.
pub(super) struct EvidenceView {
    pub(super) place: String,
    pub(super) excerpt: Excerpt,
    pub(super) label: String,
}

/// A piece of a sentence.
pub(super) struct Piece {
    pub(super) code: bool,
    pub(super) text: String,
}

/// A row of the table of tools.
pub(super) struct ToolRow {
    pub(super) name: String,
    pub(super) values: Vec<HintValue>,
    pub(super) confirm: bool,
    pub(super) findings: usize,
    pub(super) severity: &'static str,
}
