//! Arguments whose values choose between acts: `action: list | get | delete`.

use crate::evidence::act::Act;
use crate::evidence::arguments::Argument;
use crate::evidence::lexicon::{Forms, Lexicon};
use crate::evidence::names;

/// Names of arguments that choose what is done.
const CHOOSERS: [&str; 10] = [
    "action",
    "operation",
    "op",
    "mode",
    "method",
    "command",
    "cmd",
    "verb",
    "task",
    "subcommand",
];

/// Whether an argument's name says that it chooses what is done.
pub(super) fn chooses(argument: &Argument<'_>) -> bool {
    let mut parts = names::each_part(&argument.name).filter_map(|part| argument.name.get(part));
    let Some(mut last) = parts.next() else {
        return false;
    };
    let mut before = "";
    for part in parts {
        before = std::mem::replace(&mut last, part);
    }
    let is_one =
        |word: &str, words: &[&str]| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    is_one(last, &CHOOSERS)
        && !is_one(
            before,
            &["filter", "output", "display", "sort", "http", "auth"],
        )
        || is_one(before, &["operation", "action"]) && is_one(last, &["name", "type"])
}

/// What a value does, by its verb: `set_limit`, `branch-delete`, `DELETE`.
pub(super) fn member_act(member: &str, lexicon: &Lexicon) -> Option<Act> {
    let parts = names::parts(member);
    let verb = |part: Option<&names::Part>| {
        let word = member.get(part?.clone())?;
        match word.to_ascii_lowercase().as_str() {
            "status" | "info" | "help" | "state" | "details" | "history" | "version"
            | "options" => Some(Act::Read),
            "put" => Some(Act::Replace),
            "rm" | "rmi" | "rmdir" | "del" | "kill" => Some(Act::Remove),
            "ls" | "ps" | "ll" | "stats" | "logs" => Some(Act::Read),
            "mv" => Some(Act::Move),
            "cp" => Some(Act::Bring),
            "mk" | "mkdir" | "new" => Some(Act::Add),
            "up" => Some(Act::Control),
            "down" => Some(Act::End),
            lower => lexicon
                .verb_named(lower)
                .filter(|verb| verb.forms.has(Forms::BASE))
                .map(|verb| verb.act),
        }
    };
    verb(parts.first()).or_else(|| verb(parts.last()))
}

/// The acts an argument chooses between, by member number.
pub(super) fn acts(argument: &Argument<'_>, lexicon: &Lexicon) -> Vec<(usize, Act)> {
    argument
        .members
        .iter()
        .enumerate()
        .filter_map(|(number, member)| Some((number, member_act(member, lexicon)?)))
        .collect()
}

/// An argument whose values choose between reading and writing, all by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedModes {
    /// The argument.
    pub argument: usize,
    /// A value that reads.
    pub reads: usize,
    /// A value that writes.
    pub writes: usize,
}

/// The first argument whose values choose between reading and writing, HTTP methods included.
/// Of a tool called a reader, an optional one is taken for a filter.
pub(in crate::evidence) fn mixed_modes(
    arguments: &[Argument<'_>],
    reader: bool,
    lexicon: &Lexicon,
) -> Option<MixedModes> {
    arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| argument.top)
        .find_map(|(number, argument)| {
            let acts: Vec<(usize, bool)> = if !chooses(argument) {
                http_methods(argument)
            } else if reader && !argument.required {
                Vec::new()
            } else {
                acts(argument, lexicon)
                    .into_iter()
                    .filter_map(|(member, act)| match act {
                        Act::Read => only_reads(argument.members.get(member)?, lexicon)
                            .then_some((member, false)),
                        act => act.writes().then_some((member, true)),
                    })
                    .collect()
            };
            let first = |wanted: bool| {
                acts.iter()
                    .find(|(_, writes)| *writes == wanted)
                    .map(|(member, _)| *member)
            };
            Some(MixedModes {
                argument: number,
                reads: first(false)?,
                writes: first(true)?,
            })
        })
}

/// Whether no other word of a value writes, as in `find_replace`.
fn only_reads(member: &str, lexicon: &Lexicon) -> bool {
    !names::parts(member).into_iter().any(|part| {
        member
            .get(part)
            .and_then(|word| lexicon.verb_named(&word.to_ascii_lowercase()))
            .is_some_and(|verb| verb.act.writes() && !verb.noun)
    })
}

/// The HTTP methods an argument offers, and whether each is unsafe (RFC 9110 §9.2.1).
fn http_methods(argument: &Argument<'_>) -> Vec<(usize, bool)> {
    if argument.parts().last().is_none_or(|last| last != "method") {
        return Vec::new();
    }
    let members = argument.members.iter().enumerate();
    members
        .filter_map(
            |(number, member)| match member.to_ascii_uppercase().as_str() {
                "GET" | "HEAD" | "OPTIONS" => Some((number, false)),
                "POST" | "PUT" | "PATCH" | "DELETE" => Some((number, true)),
                _ => None,
            },
        )
        .collect()
}
