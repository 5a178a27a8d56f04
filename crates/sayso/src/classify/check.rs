//! Whether the rulings on a server's tools can be relied on.

use sayso_core::digest::Part;
use sayso_core::hint::Hint;
use sayso_core::rulings::Rulings;
use sayso_core::suggest::nearest;

use super::standing::{Disagreement, disagreements, lost_undo};
use super::{Server, Standing};

/// What is wrong with the ruling on one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// There is none.
    Missing,
    /// The tool changed since; these parts, as far as is known.
    Stale(Vec<Part>),
    /// It leaves hints open that mean something.
    Undecided(Vec<Hint>),
    /// The tool claims something else.
    Contradicted(Vec<Disagreement>),
    /// The tool that undoes a call is not listed any more.
    UndoGone(String),
}

/// The rulings on one server, checked.
#[derive(Debug)]
pub(crate) struct Checked {
    /// How many tools a ruling can be about.
    pub(crate) tools: usize,
    /// What is wrong, by tool, in the listing's order.
    pub(crate) problems: Vec<(String, Problem)>,
    /// Rulings on tools that are not listed, each with the likeliest of those that are and have none.
    pub(crate) unlisted: Vec<(String, Option<String>)>,
    /// Tools that claim what was ruled since the ruling was made.
    pub(crate) fulfilled: usize,
}

/// Checks the rulings on a server.
pub(crate) fn check(server: &Server<'_>, rulings: &Rulings) -> Checked {
    let names = server.names();
    let mut checked = Checked {
        tools: names.len(),
        problems: Vec::new(),
        unlisted: Vec::new(),
        fulfilled: 0,
    };
    for subject in &server.subjects {
        let name = subject.tool.label().into_owned();
        let (standing, ruling) = Standing::of(rulings, server.name, subject.tool, &subject.digest);
        let Some(ruling) = ruling else {
            checked.problems.push((name, Problem::Missing));
            continue;
        };
        let against = disagreements(subject.tool, ruling);
        checked.fulfilled += usize::from(standing == Standing::Fulfilled);
        let mut found = |problem: Problem| checked.problems.push((name.clone(), problem));
        match standing {
            // What its annotations say now is told by what they contradict.
            Standing::Stale(moved) if moved == [Part::Annotations] && !against.is_empty() => {}
            Standing::Stale(moved) => found(Problem::Stale(moved)),
            Standing::Missing | Standing::Current | Standing::Fulfilled | Standing::Again => {}
        }
        let open = ruling.undecided();
        if !open.is_empty() {
            found(Problem::Undecided(open));
        }
        if !against.is_empty() {
            found(Problem::Contradicted(against));
        }
        if let Some(undo) = lost_undo(ruling, &names) {
            found(Problem::UndoGone(undo.to_owned()));
        }
    }
    let own = rulings.iter().filter(|ruling| ruling.server == server.name);
    let unlisted = own.filter(|ruling| !names.contains(&ruling.tool));
    checked.unlisted = unlisted
        .map(|ruling| {
            let free = names.iter().map(String::as_str);
            let free = free.filter(|name| rulings.get(server.name, name).is_none());
            (
                ruling.tool.clone(),
                nearest(&ruling.tool, free).map(str::to_owned),
            )
        })
        .collect();
    checked
}
