//! A tool's or an argument's name, taken apart.

use std::ops::Range;

use super::act::Act;
use super::lexicon::{Forms, Lexicon, lexicon};

/// One part of a name, by bytes.
pub type Part = Range<usize>;

/// As [`parts`], one after the other.
pub(super) fn each_part(name: &str) -> impl Iterator<Item = Part> {
    let mut start: Option<usize> = None;
    let mut previous = ' ';
    let mut characters = name.char_indices().peekable();
    std::iter::from_fn(move || {
        while let Some((at, character)) = characters.next() {
            let next_lower = characters
                .peek()
                .is_some_and(|(_, next)| next.is_lowercase());
            let boundary = !character.is_alphanumeric()
                || (previous.is_lowercase() && character.is_uppercase())
                || (previous.is_uppercase() && character.is_uppercase() && next_lower)
                || (previous.is_numeric() != character.is_numeric() && previous.is_alphanumeric());
            let ended = if boundary { start.take() } else { None };
            if character.is_alphanumeric() && start.is_none() {
                start = Some(at);
            }
            previous = character;
            if let Some(from) = ended {
                return Some(from..at);
            }
        }
        start.take().map(|from| from..name.len())
    })
}

/// Splits a name at separators, at case changes (`getURLFor` → `get`, `URL`, `For`) and between letters and digits.
#[must_use]
pub fn parts(name: &str) -> Vec<Part> {
    each_part(name).collect()
}

/// The verb of a name: which class, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameVerb {
    /// What it does.
    pub act: Act,
    /// Its bytes in the name.
    pub bytes: Range<usize>,
    /// Whether the name begins with it: `delete_note` rather than `note_delete`.
    pub leads: bool,
    /// Whether the same letters are as often a noun: `queue_depth`, `post_list`.
    pub noun: bool,
}

/// The verb of a tool's name: the first part that is a verb in its base form and not as
/// often a noun, before one that is; a verb at the end (`message_delete`) counts if none leads.
pub(super) fn verb(name: &str, lexicon: &Lexicon) -> Option<NameVerb> {
    let parts = parts(name);
    let found: Vec<(usize, Part, super::lexicon::Verb)> = parts
        .iter()
        .enumerate()
        .filter_map(|(place, part)| {
            let verb = lexicon.verb_named(name.get(part.clone())?)?;
            verb.forms
                .has(Forms::BASE)
                .then(|| (place, part.clone(), verb))
        })
        .collect();
    let last = parts.len().saturating_sub(1);
    let pick = found
        .iter()
        .find(|(place, ..)| *place == 0)
        .filter(|(.., verb)| !verb.noun || found.len() == 1)
        .or_else(|| found.iter().find(|(_, _, verb)| !verb.noun))
        .or_else(|| found.iter().find(|(place, ..)| *place == 0))
        .or_else(|| found.iter().find(|(place, ..)| *place == last))
        .or_else(|| found.first())?;
    Some(NameVerb {
        act: pick.2.act,
        bytes: pick.1.clone(),
        leads: pick.0 == 0,
        noun: pick.2.noun,
    })
}

/// The verb a title begins with, in its base form: `Get a lead`.
#[must_use]
pub fn leading_verb(title: &str) -> Option<NameVerb> {
    verb(title, lexicon()).filter(|verb| verb.leads)
}
