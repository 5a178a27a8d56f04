//! What undoes a call.

use sayso_core::hint::Hints;

use super::Suggestion;
use crate::context::Context;

/// What undoes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// A tool of the same listing; the tool itself where a second call sets things back.
    Tool {
        /// Its position in the listing, from 0.
        position: usize,
        /// Its name.
        name: String,
    },
    /// No tool of the listing.
    Nothing,
}

pub(super) fn suggest(
    context: &Context<'_>,
    _hints: &[Hints<Option<Suggestion>>],
) -> Vec<Option<Suggestion<Undo>>> {
    context.tools.iter().map(|_| None).collect()
}
