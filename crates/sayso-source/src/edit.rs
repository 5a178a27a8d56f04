//! Writing claims into source.
//!
//! An edit inserts or replaces a range of bytes; every byte outside stays as it is. What cannot be
//! written without a guess is refused, with the reason.

mod render;

use std::collections::BTreeMap;
use std::ops::Range;

use sayso_core::hint::{Hint, Hints};

use crate::facts::{Annotations, Literal, Notation, Slot};
use crate::go::is_pointer;
use crate::style::{end_of_line, newline};
use crate::survey::{Place, Registration, SourceFile, Survey};
use render::Renderer;

/// The values to write: by tool, the hints that are ruled.
pub type Values = BTreeMap<String, Hints<Option<bool>>>;

/// A change to one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The file, by its position among those that were read.
    pub file: usize,
    /// The byte at which it begins.
    pub start: usize,
    /// The byte behind the last one that is replaced; the same as `start` for an insertion.
    pub end: usize,
    /// What stands there afterwards.
    pub text: String,
}

/// What comes of one registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is known of the tool.
    NotRuled,
    /// The source says what was ruled.
    Agrees,
    /// It is edited.
    Edited {
        /// The hints that were not there.
        inserted: Vec<Hint>,
        /// The hints that said something else.
        corrected: Vec<Hint>,
    },
    /// It is not.
    Refused(Refusal),
}

/// Why a registration is not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Annotations do not get through, by position in [`Survey::relays`].
    Dropped(Vec<usize>),
    /// The tool is registered in these other places too.
    Repeated(Vec<Place>),
    /// The annotations are an expression.
    Expression(String),
    /// A hint's value is an expression.
    Computed(Hint),
    /// The annotations are those of other tools too, by name, and would not be true of them.
    Shared(Vec<String>),
    /// The hint is a pointer, and nothing in the package makes one.
    NoPointer(Hint),
    /// There is a function on the way that takes them, and arguments before them are left out.
    NoPlace,
}

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The edits, by file and place. No two of them overlap.
    pub edits: Vec<Edit>,
    /// What comes of each registration, in the order of [`Survey::registrations`].
    pub outcomes: Vec<Outcome>,
}

impl Plan {
    /// Works out how the values get into the source.
    #[must_use]
    pub fn of(files: &[SourceFile], survey: &Survey, values: &Values) -> Self {
        let planner = Planner {
            files,
            survey,
            values,
        };
        let mut plan = Self::default();
        for registration in &survey.registrations {
            let outcome = planner.outcome(registration);
            if matches!(outcome, Outcome::Edited { .. }) {
                plan.edits.extend(planner.edits(registration));
            }
            plan.outcomes.push(outcome);
        }
        plan.edits.sort();
        // Tools that share their annotations share the edit, and a file needs one import.
        plan.edits.dedup();
        plan
    }

    /// A file's text with its edits.
    #[must_use]
    pub fn apply(&self, file: usize, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        let mut done = 0;
        for edit in self.edits.iter().filter(|edit| edit.file == file) {
            whole.push_str(text.get(done..edit.start).unwrap_or_default());
            whole.push_str(&edit.text);
            done = edit.end;
        }
        whole.push_str(text.get(done..).unwrap_or_default());
        whole
    }

    /// The files that change, by position.
    #[must_use]
    pub fn files(&self) -> Vec<usize> {
        let mut files: Vec<usize> = self.edits.iter().map(|edit| edit.file).collect();
        files.dedup();
        files
    }
}

struct Planner<'p> {
    files: &'p [SourceFile],
    survey: &'p Survey,
    values: &'p Values,
}

/// The bytes that tell one place of annotations from another.
fn target(registration: &Registration) -> Option<(usize, Range<usize>)> {
    let span = match &registration.annotations {
        Annotations::Absent(slot) => slot.at..slot.at,
        Annotations::Literal(literal) => literal.span.clone(),
        Annotations::Expression { .. } | Annotations::Unreachable => return None,
    };
    Some((registration.place.file, span))
}

impl<'p> Planner<'p> {
    fn outcome(&self, registration: &Registration) -> Outcome {
        let name = registration.known_name();
        let Some(values) = name.and_then(|name| self.values.get(name)) else {
            return Outcome::NotRuled;
        };
        if let Some(refusal) = self.unreachable(registration) {
            return Outcome::Refused(refusal);
        }
        let literal = match &registration.annotations {
            Annotations::Absent(_) => None,
            Annotations::Literal(literal) => Some(literal),
            Annotations::Expression { text } => {
                return Outcome::Refused(Refusal::Expression(text.clone()));
            }
            Annotations::Unreachable => return Outcome::Refused(Refusal::NoPlace),
        };
        let (inserted, corrected) = match changes(literal, values) {
            Ok(changes) => changes,
            Err(hint) => return Outcome::Refused(Refusal::Computed(hint)),
        };
        if inserted.is_empty() && corrected.is_empty() {
            return Outcome::Agrees;
        }
        if let Some(hint) = unpointed(registration, &inserted) {
            return Outcome::Refused(Refusal::NoPointer(hint));
        }
        let others = self.others_that_differ(registration, values);
        if !others.is_empty() {
            return Outcome::Refused(Refusal::Shared(others));
        }
        Outcome::Edited {
            inserted,
            corrected,
        }
    }

    fn unreachable(&self, registration: &Registration) -> Option<Refusal> {
        let through = registration.through.iter().copied();
        let dropping: Vec<usize> = through
            .filter(|relay| {
                self.survey
                    .relays
                    .get(*relay)
                    .is_some_and(|relay| !relay.carries_annotations)
            })
            .collect();
        if !dropping.is_empty() {
            return Some(Refusal::Dropped(dropping));
        }
        let name = registration.known_name()?;
        let others: Vec<Place> = self
            .survey
            .registrations_of(name)
            .filter(|other| other.place != registration.place)
            .map(|other| other.place.clone())
            .collect();
        (!others.is_empty()).then_some(Refusal::Repeated(others))
    }

    /// The tools that have their annotations from the same place, and of which something else is
    /// ruled or nothing.
    fn others_that_differ(&self, own: &Registration, values: &Hints<Option<bool>>) -> Vec<String> {
        let place = target(own);
        let others =
            self.survey.registrations.iter().filter(|other| {
                other.place != own.place && target(other) == place && place.is_some()
            });
        let differing = others.filter(|other| {
            let ruled = other.known_name().and_then(|name| self.values.get(name));
            ruled != Some(values)
        });
        let names = differing.map(|other| match other.known_name() {
            Some(name) => name.to_owned(),
            None => "a tool whose name is not known".to_owned(),
        });
        names.collect()
    }

    fn edits(&self, registration: &Registration) -> Vec<Edit> {
        let file = registration.place.file;
        let name = registration.known_name();
        let values = name.and_then(|name| self.values.get(name));
        let (Some(source), Some(values)) = (self.files.get(file), values) else {
            return Vec::new();
        };
        let renderer = Renderer::of(source);
        let edit = |start: usize, end: usize, text: String| Edit {
            file,
            start,
            end,
            text,
        };
        match &registration.annotations {
            Annotations::Absent(slot) => {
                let text = renderer.annotations(slot, values);
                let mut edits = vec![edit(slot.at, slot.at, surrounded(slot, &text))];
                if let Notation::Keyword {
                    import: Some(at), ..
                } = &slot.notation
                {
                    let (at, text) = import(&source.text, *at);
                    edits.push(edit(at, at, text));
                }
                edits
            }
            Annotations::Literal(literal) => {
                let mut edits = Vec::new();
                for entry in &literal.entries {
                    let ruled = *values.get(entry.hint);
                    if let Some(value) = ruled.filter(|value| Some(*value) != entry.value) {
                        let text = renderer.boolean(value).to_owned();
                        edits.push(edit(entry.span.start, entry.span.end, text));
                    }
                }
                let missing = missing(literal, values);
                if missing.iter().any(|(_, value)| value.is_some()) {
                    let text = renderer.hints(&literal.slot, &missing);
                    let text = surrounded(&literal.slot, &text);
                    edits.push(edit(literal.slot.at, literal.slot.at, text));
                }
                edits
            }
            Annotations::Expression { .. } | Annotations::Unreachable => Vec::new(),
        }
    }
}

/// The first of these hints that has to be a pointer where nothing makes one.
fn unpointed(registration: &Registration, inserted: &[Hint]) -> Option<Hint> {
    let slot = match &registration.annotations {
        Annotations::Absent(slot) => slot,
        Annotations::Literal(literal) => &literal.slot,
        Annotations::Expression { .. } | Annotations::Unreachable => return None,
    };
    let Notation::Fields { pointer: None, .. } = slot.notation else {
        return None;
    };
    inserted.iter().copied().find(|hint| is_pointer(*hint))
}

fn surrounded(slot: &Slot, text: &str) -> String {
    [slot.before.as_str(), text, slot.after.as_str()].concat()
}

/// The ruled hints that are not written out.
fn missing(literal: &Literal, values: &Hints<Option<bool>>) -> Hints<Option<bool>> {
    values.map(|hint, value| {
        let is_there = literal.entries.iter().any(|entry| entry.hint == hint);
        value.filter(|_| !is_there)
    })
}

/// The hints that have to be inserted, and those that have to be corrected.
fn changes(
    literal: Option<&Literal>,
    values: &Hints<Option<bool>>,
) -> Result<(Vec<Hint>, Vec<Hint>), Hint> {
    let (mut inserted, mut corrected) = (Vec::new(), Vec::new());
    for (hint, value) in values.iter() {
        let Some(value) = value else { continue };
        let mut entries = literal
            .into_iter()
            .flat_map(|literal| &literal.entries)
            .filter(|entry| entry.hint == hint)
            .peekable();
        if entries.peek().is_none() {
            inserted.push(hint);
        }
        for entry in entries {
            if !entry.is_literal {
                return Err(hint);
            }
            if entry.value != Some(*value) && !corrected.contains(&hint) {
                corrected.push(hint);
            }
        }
    }
    Ok((inserted, corrected))
}

/// The import of the class of annotations, and where it goes: on a line of its own.
fn import(source: &str, at: usize) -> (usize, String) {
    const IMPORT: &str = "from mcp.types import ToolAnnotations";
    let newline = newline(source);
    let before = source.get(..at).unwrap_or_default();
    if before.is_empty() || before.ends_with('\n') {
        return (at, format!("{IMPORT}{newline}{newline}"));
    }
    (end_of_line(source, at), format!("{newline}{IMPORT}"))
}
