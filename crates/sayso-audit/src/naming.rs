//! What a tool's name alone suggests. A guess: right often enough to compare tools of one
//! server with each other, never enough to judge one.

/// What a verb does, as far as a verb can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Verb {
    /// Looks without changing: `get`, `list`, `search`.
    Read,
    /// Brings something new: `create`, `add`, `upload`.
    Add,
    /// Changes what is there: `update`, `set`, `rename`.
    Change,
    /// Takes away: `delete`, `remove`, `purge`.
    Remove,
}

/// Verbs that leave little doubt at the head of a name. Homographs (`open`, `run`, `set`
/// as a noun, `post`, `check`, `export`, `view`, `call`) are left out on purpose.
const VERBS: [(&str, Verb); 41] = [
    ("add", Verb::Add),
    ("append", Verb::Add),
    ("browse", Verb::Read),
    ("count", Verb::Read),
    ("create", Verb::Add),
    ("delete", Verb::Remove),
    ("describe", Verb::Read),
    ("destroy", Verb::Remove),
    ("disable", Verb::Change),
    ("drop", Verb::Remove),
    ("edit", Verb::Change),
    ("enable", Verb::Change),
    ("erase", Verb::Remove),
    ("explain", Verb::Read),
    ("fetch", Verb::Read),
    ("find", Verb::Read),
    ("get", Verb::Read),
    ("insert", Verb::Add),
    ("inspect", Verb::Read),
    ("invite", Verb::Add),
    ("list", Verb::Read),
    ("lookup", Verb::Read),
    ("modify", Verb::Change),
    ("move", Verb::Change),
    ("overwrite", Verb::Change),
    ("patch", Verb::Change),
    ("purge", Verb::Remove),
    ("query", Verb::Read),
    ("read", Verb::Read),
    ("remove", Verb::Remove),
    ("rename", Verb::Change),
    ("replace", Verb::Change),
    ("retrieve", Verb::Read),
    ("search", Verb::Read),
    ("send", Verb::Add),
    ("set", Verb::Change),
    ("show", Verb::Read),
    ("truncate", Verb::Remove),
    ("update", Verb::Change),
    ("wipe", Verb::Remove),
    ("write", Verb::Change),
];

/// How far into a name a verb is looked for: a server's own prefix may stand before it.
const FAR: usize = 3;

/// The first verb among the first words of a name.
#[must_use]
pub(crate) fn verb(name: &str) -> Option<(&'static str, Verb)> {
    words(name).take(FAR).find_map(|word| known(&word))
}

/// What a word does, if it is one of the verbs that leave little doubt.
#[must_use]
pub(crate) fn known(word: &str) -> Option<(&'static str, Verb)> {
    VERBS
        .binary_search_by(|(verb, _)| (*verb).cmp(word))
        .ok()
        .and_then(|index| VERBS.get(index))
        .copied()
}

/// The words of a name, lower-case: split at anything that is no letter or digit, at
/// `camelCase` humps, and between `HTTPServer`'s acronym and word.
pub(crate) fn words(name: &str) -> impl Iterator<Item = String> {
    let mut characters = name.chars().peekable();
    std::iter::from_fn(move || {
        while characters
            .next_if(|character| !character.is_alphanumeric())
            .is_some()
        {}
        let mut word = String::new();
        let mut previous: Option<char> = None;
        while let Some(&character) = characters.peek() {
            if !character.is_alphanumeric() {
                break;
            }
            if let Some(before) = previous {
                let mut ahead = characters.clone();
                ahead.next();
                let hump = character.is_uppercase()
                    && (before.is_lowercase()
                        || before.is_uppercase()
                            && ahead.peek().is_some_and(|next| next.is_lowercase()));
                if hump {
                    break;
                }
            }
            word.extend(character.to_lowercase());
            previous = Some(character);
            characters.next();
        }
        (!word.is_empty()).then_some(word)
    })
}
