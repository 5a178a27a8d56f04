//! Phrases that state a fact, in a small pattern language.
//!
//! Elements stand apart by spaces: `word`, `one|other`, `?optional`, `..3` for up to three
//! tokens of anything but a new clause, `@remove` for any form of a verb of that class
//! (`@destroy`, `@write` and `@read` for several), `CODE` for an identifier. Apostrophes and
//! hyphens inside a word are as in the text, except that `re-run` is `rerun`.

use super::act::Act;
use super::lexicon::{Forms, Lexicon, Verb, WordId};

mod table;

/// What a phrase says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// A repeat changes nothing further, in so many words.
    Idempotent,
    /// A guard makes a repeat harmless: `unless it is already loaded`.
    Guarded,
    /// Not idempotent, in so many words.
    NotIdempotent,
    /// Each call does it again.
    Repeats,
    /// What it is set to moves between calls: `the current state of its parent`.
    MovingTarget,
    /// It cannot be undone.
    Irreversible,
    /// Something is lost, overwritten, removed.
    Loses,
    /// Something is dropped, removed, replaced; of a reader's answer as often as of the world.
    Drops,
    /// What is left out is lost: `labels not listed are removed`.
    LosesRest,
    /// An example of what it does is a loss: `such as deleting a row`.
    MayLose,
    /// It can be got back.
    Recoverable,
    /// What was there stays.
    AddsOnly,
    /// It only reads, in so many words.
    ReadsOnly,
    /// It writes, stores, changes a state.
    Writes,
    /// Something is created, sent, started: of the tool as often as of the world it describes.
    Becomes,
    /// Chance is named.
    Random,
    /// A file or a store is written.
    WritesFile,
    /// A file or folder is named that something is written to: of arguments only.
    NamesFile,
    /// Items are marked as read or taken off a queue by being read.
    Consumes,
    /// A read position moves: `moves the cursor forward`.
    Cursor,
    /// The answer depends on what was read before: `since the last call`.
    SinceLast,
    /// Later calls act on something else.
    LaterCalls,
    /// Something is called active, current or the default.
    Current,
    /// A person or another party is reached.
    Contacts,
    /// Something becomes public.
    Public,
    /// It costs money or credit.
    Costs,
    /// Nobody is asked.
    NoApproval,
    /// The web, any address, other parties' systems.
    OpenWorld,
    /// Text that outsiders wrote.
    Outsiders,
    /// One machine, one folder, one database.
    ClosedWorld,
    /// The server's own data.
    OwnData,
    /// Nothing but this machine.
    Local,
    /// It runs code, a script, a command, a query the caller writes.
    ExecutesCode,
    /// What is listed is what it can do: the operations of a dispatcher.
    Anything,
}

impl Fact {
    /// Whether the fact names a place that is written.
    pub(super) fn names_a_place(self) -> bool {
        matches!(self, Self::WritesFile | Self::NamesFile)
    }

    /// Whether the fact means something in the description of an argument.
    pub(super) fn speaks_of_arguments(self) -> bool {
        matches!(
            self,
            Self::Loses
                | Self::WritesFile
                | Self::NamesFile
                | Self::Consumes
                | Self::NotIdempotent
                | Self::ExecutesCode
        )
    }
}

/// One element of a pattern.
#[derive(Clone, Debug)]
struct Element {
    /// The words that fit, sorted; empty for code.
    words: Vec<WordId>,
    code: bool,
    optional: bool,
    /// Up to how many tokens may come before.
    gap: u8,
    /// How often one of its words is met, roughly.
    commonness: usize,
}

/// Words that stand in every other sentence: no phrase is sought because of them if it has a rarer one.
const COMMON: [&str; 52] = [
    "a", "an", "the", "of", "to", "in", "on", "for", "with", "by", "from", "as", "at", "is", "are",
    "be", "can", "may", "will", "do", "does", "not", "no", "if", "when", "it", "this", "that",
    "all", "any", "each", "every", "only", "and", "or", "one", "new", "file", "files", "path",
    "id", "ids", "value", "values", "user", "data", "list", "name", "you", "your", "its", "more",
];

/// A pattern and what it says.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub(super) fact: Fact,
    elements: Vec<Element>,
}

/// What a pattern looks at: the word and kind of each token.
pub(super) trait Tokens {
    /// The word at a place; `None` past the end or where a new clause begins.
    fn word(&self, at: usize) -> Option<WordId>;
    /// Whether an identifier stands there.
    fn is_code(&self, at: usize) -> bool;
}

impl Phrase {
    /// The words it can begin with.
    pub(super) fn first_words(&self) -> &[WordId] {
        self.elements.first().map_or(&[], |element| &element.words)
    }

    /// The words of its most telling element, without one of which it cannot stand in a sentence.
    pub(super) fn anchor_words(&self) -> &[WordId] {
        self.elements
            .iter()
            .filter(|element| !element.optional && !element.code)
            .min_by_key(|element| element.commonness)
            .map_or(&[], |element| &element.words)
    }

    /// The words of its last element that has to be there.
    pub(super) fn last_words(&self) -> &[WordId] {
        self.elements
            .iter()
            .rfind(|element| !element.optional && !element.code)
            .map_or(&[], |element| &element.words)
    }

    /// Where the phrase ends if it begins at `at`.
    pub(super) fn matches(&self, tokens: &impl Tokens, at: usize) -> Option<usize> {
        self.elements
            .get(1..)
            .map_or(Some(at + 1), |rest| follow(rest, tokens, at + 1))
    }
}

fn follow(elements: &[Element], tokens: &impl Tokens, at: usize) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else {
        return Some(at);
    };
    for place in at..=at + usize::from(element.gap) {
        let fits = if element.code {
            tokens.is_code(place)
        } else {
            tokens
                .word(place)
                .is_some_and(|word| word != 0 && element.words.binary_search(&word).is_ok())
        };
        if fits && let Some(end) = follow(rest, tokens, place + 1) {
            return Some(end);
        }
        tokens.word(place)?;
    }
    if element.optional {
        follow(rest, tokens, at)
    } else {
        None
    }
}

/// Reads the table of phrases.
pub(super) fn compile(lexicon: &mut Lexicon) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    for (fact, patterns) in table::PHRASES {
        for pattern in *patterns {
            let mut elements = Vec::new();
            let mut gap = 0;
            for part in pattern.split_ascii_whitespace() {
                if let Some(count) = part.strip_prefix("..") {
                    gap = count.parse().unwrap_or(0);
                    continue;
                }
                elements.push(element(part, std::mem::take(&mut gap), lexicon));
            }
            phrases.push(Phrase {
                fact: *fact,
                elements,
            });
        }
    }
    phrases
}

fn element(part: &str, gap: u8, lexicon: &mut Lexicon) -> Element {
    let (optional, part) = part
        .strip_prefix('?')
        .map_or((false, part), |rest| (true, rest));
    if part == "CODE" {
        return Element {
            words: Vec::new(),
            code: true,
            optional,
            gap,
            commonness: usize::MAX,
        };
    }
    let mut words = Vec::new();
    let mut commonness = 0;
    for word in part.split('|') {
        commonness += if COMMON.contains(&word) { 40 } else { 1 };
        match word.strip_prefix('@') {
            Some(class) => words.extend(lexicon.verbs_of(|verb| class_holds(class, verb))),
            None => words.push(lexicon.intern(word)),
        }
    }
    words.sort_unstable();
    words.dedup();
    commonness += words.len();
    Element {
        words,
        code: false,
        optional,
        gap,
        commonness,
    }
}

/// Whether a verb belongs to a class as patterns spell it: `@remove`, `@remove.past`.
fn class_holds(class: &str, verb: &Verb) -> bool {
    let (class, form) = class
        .split_once('.')
        .map_or((class, None), |(class, form)| (class, Some(form)));
    let formed = match form {
        None => true,
        Some("past") => verb.forms.has(Forms::PAST),
        Some("third") => verb.forms.has(Forms::THIRD),
        Some("base") => verb.forms.has(Forms::BASE),
        Some(_) => verb.forms.has(Forms::GERUND),
    };
    formed
        && match class {
            "read" => verb.act == Act::Read,
            "add" => verb.act == Act::Add,
            "send" => verb.act == Act::Send,
            "pay" => verb.act == Act::Pay,
            "remove" => verb.act == Act::Remove,
            "replace" => verb.act == Act::Replace,
            "update" => verb.act == Act::Update,
            "mark" => verb.act == Act::Mark,
            "control" => verb.act == Act::Control,
            "destroy" => verb.act.destroys(),
            "write" => verb.act.writes(),
            _ => false,
        }
}
