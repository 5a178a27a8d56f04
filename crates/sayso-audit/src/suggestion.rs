//! Values a person may start from when classifying a tool, with what they rest on.
//!
//! For each hint of each tool: the likelier value, the text it was read from and how sure the
//! reading is; and by which tool of the same listing a call could be undone. A suggestion is a
//! guess: it changes no effective value, and it never rests on what the tool claims in its
//! annotations, which are the thing to be reviewed.
//!
//! How sure a suggestion is follows from how it was reached, the same way for every hint:
//!
//! - **high**: plain words, or a verb of the description that something else bears out (the
//!   name, an argument, a further sentence), with nothing speaking against it. The value that
//!   promises less needs one such piece, the one that promises more needs two.
//! - **medium**: one piece alone, or a matter of reading that no setting decides
//!   ([`Semantics`]).
//! - **low**: a name, a loose reading, or evidence for both values.
//!
//! What was observed of a tool at work ([`Context::observed`]) is no guess: a risk that was seen is
//! suggested with high confidence, whatever words say. Nothing seen changes no suggestion and stands
//! beside it.
//!
//! `cargo xtask evaluate --suggest` measures how often each is right.

mod hints;
mod objects;
mod observed;
mod repeats;
mod undo;
mod weighing;
mod world;

use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::Hints;

use crate::context::Context;

pub use undo::Undo;

/// A value somebody may start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion<T = bool> {
    /// The value.
    pub value: T,
    /// How sure the reading is.
    pub confidence: Confidence,
    /// The texts it rests on, the weightiest first; empty where it rests on nothing being said.
    pub evidence: Vec<Evidence>,
    /// The texts that speak for another value.
    pub against: Vec<Evidence>,
    /// Why, as part of a sentence: after "because".
    pub because: String,
}

/// What is suggested for one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSuggestions {
    /// For each hint; `None` where nothing is known, and for `destructiveHint` and
    /// `idempotentHint` where the tool seems to read only, as they mean nothing then.
    pub hints: Hints<Option<Suggestion>>,
    /// What undoes a call; `None` where nothing is known or there is nothing to undo.
    pub undo: Option<Suggestion<Undo>>,
}

/// Suggestions for every tool of a listing, in its order.
#[must_use]
pub fn suggest(context: &Context<'_>) -> Vec<ToolSuggestions> {
    let mut hints: Vec<Hints<Option<Suggestion>>> = context
        .tools
        .iter()
        .map(|tool| hints::suggest(tool, context.semantics))
        .collect();
    world::follow_what_is_sent(context, &mut hints);
    observed::follow(context, &mut hints);
    let mut undo = undo::suggest(context, &hints);
    hints
        .into_iter()
        .enumerate()
        .map(|(position, hints)| ToolSuggestions {
            hints,
            undo: undo.get_mut(position).and_then(Option::take),
        })
        .collect()
}
