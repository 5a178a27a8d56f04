//! `drift.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sayso_core::drift::{Direction, Promises, hint_states, transitions};
use sayso_core::hint::{Claim, Hint, Hints};

use super::made_from;

pub(super) fn page() -> String {
    let mut page = format!(
        "# Drift\n\n{}\n{INTRODUCTION}",
        made_from("crates/sayso-core/src/drift.rs and crates/sayso/src/reference/drift.rs")
    );
    let classes = classes();
    page.push_str(HINTS);
    let total: usize = classes.values().map(Vec::len).sum();
    let all = [
        Direction::Relaxing,
        Direction::Tightening,
        Direction::Neutral,
    ];
    let [relaxing, tightening, neutral] = all.map(|direction| {
        transitions()
            .filter(|transition| transition.direction == direction)
            .count()
    });
    // Writing to a string cannot fail.
    let (changes, folded) = (total * total, classes.len());
    let _ = write!(
        page,
        "\nEach hint is absent, true or false, which makes {total} states of a tool and {changes} changes from one \
         to another: {relaxing} relax, {tightening} tighten, {neutral} are neutral. They come to no more than \
         {folded} classes, for a client that follows the specification acts alike on every state of a class. \
         `null`, a value that is no boolean and a repeated hint count as absent.\n\n"
    );
    page.push_str("| class | what the hints promise together | states | as they can be written |\n|---|---|---:|---|\n");
    for (number, (promises, states)) in classes.iter().enumerate() {
        let _ = writeln!(
            page,
            "| {} | {promises} | {} | {} |",
            letter(number),
            states.len(),
            written(states)
        );
    }
    page.push_str(TABLE);
    table(&mut page, &classes);
    page.push_str(REST);
    page
}

/// The states by what they promise together, the ones that promise least first.
fn classes() -> BTreeMap<Promises, Vec<Hints<Claim>>> {
    let mut classes: BTreeMap<Promises, Vec<Hints<Claim>>> = BTreeMap::new();
    for state in hint_states() {
        classes
            .entry(Promises::of_claims(&state))
            .or_default()
            .push(state);
    }
    classes
}

fn letter(number: usize) -> char {
    char::from(b'A'.saturating_add(u8::try_from(number).unwrap_or(u8::MAX)))
}

/// What each hint may be in the states of a class; every combination of that is one of them.
fn written(states: &[Hints<Claim>]) -> String {
    let hints = Hint::ALL.into_iter().filter_map(|hint| {
        let mut values: Vec<&str> = states
            .iter()
            .map(|state| state.get(hint).as_str())
            .collect();
        values.sort_unstable();
        values.dedup();
        // All three: it means nothing here.
        (values.len() < 3).then(|| format!("{hint} {}", values.join(" or ")))
    });
    hints.collect::<Vec<_>>().join(", ")
}

fn table(page: &mut String, classes: &BTreeMap<Promises, Vec<Hints<Claim>>>) {
    page.push_str("\n| from \\ to |");
    for number in 0..classes.len() {
        let _ = write!(page, " {} |", letter(number));
    }
    page.push_str("\n|---|");
    page.push_str(&":-:|".repeat(classes.len()));
    page.push('\n');
    for (number, before) in classes.keys().enumerate() {
        let _ = write!(page, "| **{}** |", letter(number));
        for after in classes.keys() {
            let direction = match before.direction_to(*after) {
                Direction::Relaxing => "R",
                Direction::Tightening => "t",
                Direction::Neutral => "·",
            };
            let _ = write!(page, " {direction} |");
        }
        page.push('\n');
    }
}

const INTRODUCTION: &str = "
What `sayso lock --check` makes of a difference between what was pinned and what is listed now. How to
pin is in the [guide](../guides/lock.md).

| direction | what it is | fails with `--fail-on` |
|---|---|---|
| relaxing | less risk is claimed, more can be reached, or a text says what a rule flags | `relaxing`, `tightening`, `neutral` |
| held | something nobody has looked at: a new tool, another command, another variable, another server | `relaxing`, `tightening`, `neutral` |
| tightening | more risk is claimed, less can be reached, or a tool is gone | `tightening`, `neutral` |
| neutral | no client acts otherwise: absent becomes the default, other words | `neutral` |

`relaxing` is what `--fail-on` is set to unless it is given; with `never` nothing fails.
";

const HINTS: &str = "
## Hints

A change of hints is judged by what the hints promise together to a client that fills in the
specification's defaults. `destructiveHint` and `idempotentHint` mean nothing for a tool that is read-only,
so a change of theirs there is neutral. A change that adds a promise relaxes, whatever promise it takes
back; one that only takes back tightens.
";

const TABLE: &str = "
Every one of these changes goes the way the cell of its two classes says: R relaxing, t tightening, · neutral.
Within a class every change is neutral.
";

const REST: &str = "
## Everything else

| what changed | direction |
|---|---|
| an argument is new, or a property inside one | relaxing |
| an argument may be a value, a type or an alternative it could not be | relaxing |
| a constraint is looser or gone | relaxing |
| a schema changed in a way whose direction cannot be told | relaxing |
| an argument or a value is gone, a constraint is narrower or new | tightening |
| title, description or instructions have other words | neutral, and relaxing if a rule flags the new ones |
| the output schema, icons, `_meta`, `execution` or a key nobody knows | neutral |
| a tool is new, also when it is probably one that vanished under another name | held |
| a tool is gone | tightening |
| the command, its directory, the address or the saved listing is another | held |
| a further environment variable is set for it; one is no longer set | held; neutral |
| the server calls itself otherwise; its version or protocol is another | held; neutral |

A rule flags a text when it finds something in the new one that it did not find in the old one, and
says at least a warning of it: [`hidden-characters`](rules.md#hidden-characters),
[`verb-contradicts-hint`](rules.md#verb-contradicts-hint), every `prose-says-…` rule, and for arguments [`free-form-input`](rules.md#free-form-input), [`mode-argument`](rules.md#mode-argument) and
[`writing-argument`](rules.md#writing-argument). That nobody is asked any more
([`prose-says-no-approval`](rules.md#prose-says-no-approval)) counts whatever its severity. Instructions are held
against the first and the last of these.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_the_hints_leaves_nothing_out() {
        let classes = classes();
        let mut changes = 0;
        for transition in transitions() {
            let (before, after) = (
                Promises::of_claims(&transition.before),
                Promises::of_claims(&transition.after),
            );
            assert!(classes.contains_key(&before) && classes.contains_key(&after));
            assert_eq!(before.direction_to(after), transition.direction);
            changes += 1;
        }
        assert_eq!(changes, 81 * 81);
        // What is written of a class stands for its states and no others.
        for (promises, states) in &classes {
            let matching = |state: &Hints<Claim>| {
                Hint::ALL.into_iter().all(|hint| {
                    states
                        .iter()
                        .any(|other| other.get(hint) == state.get(hint))
                })
            };
            let count = hint_states().filter(|state| matching(state)).count();
            assert_eq!(count, states.len(), "{promises}");
        }
    }
}
