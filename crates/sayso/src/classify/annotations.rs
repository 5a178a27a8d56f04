//! The `annotations` that rulings propose, and what hosts would do with them.

use sayso_audit::hosts::{Column, Difference, Matrix, Overlay, OverlayTool};
use sayso_core::hint::Hints;
use sayso_core::listing::Listing;
use serde_json::{Map, Value};

/// The hints to claim for a tool: all four, also where the tool only reads, since some hosts look
/// at one hint without the others.
pub(crate) fn proposed(name: &str, hints: &Hints<bool>) -> OverlayTool {
    OverlayTool {
        name: name.to_owned(),
        hints: hints.map(|_, value| Some(*value)),
        title: None,
    }
}

/// The hints of one tool as the value of its `annotations`.
pub(crate) fn block(tool: &OverlayTool) -> Value {
    let hints = tool.hints.iter().filter_map(|(hint, value)| {
        let value = value.as_ref()?;
        Some((hint.key().to_owned(), Value::Bool(*value)))
    });
    Value::Object(hints.collect())
}

/// The hints of all tools by name: what `sayso hosts --with` reads.
pub(crate) fn document(overlay: &Overlay) -> Value {
    let tools = overlay.tools.iter();
    let blocks = tools.map(|tool| (tool.name.clone(), block(tool)));
    Value::Object(blocks.collect::<Map<_, _>>())
}

/// Prompts that a person sees or does not, counted once for each tool in each host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prompts {
    /// Asked about before.
    pub(crate) before: usize,
    /// Asked about after.
    pub(crate) after: usize,
    /// Asked about before, and called silently after.
    pub(crate) gone: usize,
    /// Asked about after, and not before.
    pub(crate) new: usize,
}

/// What hosts do with a listing, to be held against what they do with other hints.
pub(crate) struct HostsNow<'a> {
    listing: &'a Listing,
    columns: &'a [Column<'a>],
    now: Matrix<'a>,
}

impl<'a> HostsNow<'a> {
    /// What the hosts of `columns` do with a listing as it is.
    pub(crate) fn new(listing: &'a Listing, columns: &'a [Column<'a>]) -> Self {
        Self {
            listing,
            columns,
            now: Matrix::new(listing, columns),
        }
    }

    /// The prompts before and after these hints; nothing where the listing with them is too long
    /// to be read.
    pub(crate) fn with(&self, overlay: &Overlay) -> Prompts {
        let Ok(listing) = overlay.over(self.listing) else {
            return Prompts::default();
        };
        let after = Matrix::new(&listing, self.columns);
        let mut prompts = Prompts::default();
        for host in Difference::between(&self.now, &after).hosts {
            prompts.before += host.asked_before;
            prompts.after += host.asked_after;
            prompts.gone += host.prompts_gone;
            prompts.new += host.new_prompts;
        }
        prompts
    }
}
