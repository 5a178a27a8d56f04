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
    let parts = argument.parts();
    match parts.as_slice() {
        [one] => CHOOSERS.contains(&one.as_str()),
        [.., before, last] => {
            CHOOSERS.contains(&last.as_str())
                && !matches!(
                    before.as_str(),
                    "filter" | "output" | "display" | "sort" | "http" | "auth"
                )
                || matches!(
                    (before.as_str(), last.as_str()),
                    ("operation" | "action", "name" | "type")
                )
        }
        [] => false,
    }
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
