//! The words the engine knows, each with one number, looked up once per word of prose.

mod inflection;
mod verbs;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use super::act::Act;
use super::phrases::{self, Phrase};

/// A word's number; 0 is any word the lexicon does not hold.
pub(super) type WordId = u16;

/// The number of every unknown word.
pub(super) const UNKNOWN: WordId = 0;

/// Longer words are not looked up.
const LONGEST: usize = 24;

/// Which forms of a verb a word can be: `set` is base and past at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forms(u8);

impl Forms {
    pub(super) const BASE: Self = Self(1);
    pub(super) const THIRD: Self = Self(2);
    pub(super) const PAST: Self = Self(4);
    pub(super) const GERUND: Self = Self(8);

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A word that can be a verb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verb {
    pub(super) act: Act,
    pub(super) forms: Forms,
    /// Whether the same letters are as often a noun: `posts`, `updates`, `deploys`.
    pub(super) noun: bool,
}

/// FNV-1a: the keys are short and come from a fixed table.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut hash = if self.0 == 0 {
            0xcbf2_9ce4_8422_2325
        } else {
            self.0
        };
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self.0 = hash;
    }
}

/// The words, the verbs among them, and the phrases that begin with each.
pub(super) struct Lexicon {
    ids: HashMap<Box<[u8]>, WordId, BuildHasherDefault<Fnv>>,
    verbs: Vec<Option<Verb>>,
    phrases: Vec<Phrase>,
    starts: Vec<Vec<u16>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

/// The one lexicon.
pub(super) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

impl Lexicon {
    fn build() -> Self {
        let mut lexicon = Self {
            ids: HashMap::default(),
            verbs: vec![None],
            phrases: Vec::new(),
            starts: vec![Vec::new()],
        };
        for (act, words) in verbs::VERBS {
            for word in words.split_ascii_whitespace() {
                lexicon.add_verb(*act, word);
            }
        }
        lexicon.phrases = phrases::compile(&mut lexicon);
        for (number, phrase) in lexicon.phrases.iter().enumerate() {
            for word in phrase.first_words() {
                if let Some(list) = lexicon.starts.get_mut(usize::from(*word)) {
                    list.push(u16::try_from(number).unwrap_or(u16::MAX));
                }
            }
        }
        lexicon
    }

    /// Adds a verb as the table spells it: `*` marks a noun homograph.
    fn add_verb(&mut self, act: Act, spelled: &str) {
        let noun = spelled.ends_with('*');
        let base = spelled.trim_end_matches('*');
        for (form, word) in inflection::forms(base) {
            let id = usize::from(self.intern(&word));
            if let Some(slot) = self.verbs.get_mut(id) {
                match slot {
                    // The table lists the commoner meaning first.
                    Some(verb) if verb.act == act => verb.forms = verb.forms.with(form),
                    Some(_) => {}
                    None => {
                        *slot = Some(Verb {
                            act,
                            forms: form,
                            noun,
                        })
                    }
                }
            }
        }
    }

    /// The number of a word, which gets one if it has none.
    pub(super) fn intern(&mut self, word: &str) -> WordId {
        if let Some(id) = self.ids.get(word.as_bytes()) {
            return *id;
        }
        let id = WordId::try_from(self.verbs.len()).unwrap_or(UNKNOWN);
        self.ids.insert(word.as_bytes().into(), id);
        self.verbs.push(None);
        self.starts.push(Vec::new());
        id
    }

    /// The number of a word in any case; [`UNKNOWN`] for words that are not in the lexicon.
    pub(super) fn find(&self, word: &str) -> WordId {
        let mut buffer = [0_u8; LONGEST];
        let mut length = 0;
        for character in word.chars() {
            let byte = match character {
                '\u{2019}' => b'\'',
                // Inside a word a hyphen only joins: `e-mail`, `re-run`.
                '-' | '\u{2010}' | '\u{2011}' => continue,
                other if other.is_ascii() => {
                    u8::try_from(other).unwrap_or(b'?').to_ascii_lowercase()
                }
                _ => return UNKNOWN,
            };
            let Some(slot) = buffer.get_mut(length) else {
                return UNKNOWN;
            };
            *slot = byte;
            length += 1;
        }
        buffer
            .get(..length)
            .and_then(|key| self.ids.get(key))
            .copied()
            .unwrap_or(UNKNOWN)
    }

    /// The verb a word can be.
    pub(super) fn verb(&self, word: WordId) -> Option<Verb> {
        self.verbs.get(usize::from(word)).copied().flatten()
    }

    /// The verb with these letters.
    pub(super) fn verb_named(&self, word: &str) -> Option<Verb> {
        self.verb(self.find(word))
    }

    /// The phrases that can begin with a word.
    pub(super) fn starting(&self, word: WordId) -> impl Iterator<Item = &Phrase> {
        self.starts
            .get(usize::from(word))
            .into_iter()
            .flatten()
            .filter_map(|number| self.phrases.get(usize::from(*number)))
    }

    /// Every word that is a verb of these classes in these forms.
    pub(super) fn verbs_of(&self, wanted: impl Fn(&Verb) -> bool) -> Vec<WordId> {
        self.verbs
            .iter()
            .enumerate()
            .filter(|(_, verb)| verb.as_ref().is_some_and(&wanted))
            .filter_map(|(id, _)| WordId::try_from(id).ok())
            .collect()
    }
}
