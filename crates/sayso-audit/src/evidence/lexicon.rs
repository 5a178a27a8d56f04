//! The words the engine knows, each with one number, looked up once per word of prose.

mod inflection;
mod verbs;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use super::act::Act;
use super::arguments;
use super::effects::EFFECTS;
use super::masks::{OPENERS, Opener};
use super::phrases::{self, Fact, Phrase};
use super::senses::{SENSES, Sense};

/// A word's number; 0 is any word the lexicon does not hold.
pub(super) type WordId = u16;

/// The number of every unknown word.
pub(super) const UNKNOWN: WordId = 0;

/// Longer words are not looked up.
const LONGEST: usize = 16;

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

/// A word of up to sixteen letters as one number, so that looking it up compares no memory.
type Packed = u128;

/// Multiplies and folds: the keys are words of a fixed table, nobody chooses them.
#[derive(Default)]
struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0.rotate_left(8) ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn write_u128(&mut self, number: u128) {
        self.0 = fold(number);
    }
}

fn fold(packed: Packed) -> u64 {
    let halves = [packed, packed >> 64]
        .map(|half| u64::try_from(half & Packed::from(u64::MAX)).unwrap_or_default());
    let mixed = halves.iter().fold(0_u64, |mixed, half| {
        (mixed.rotate_left(29) ^ half).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    mixed ^ (mixed >> 32)
}

/// A word of plain letters as it is read, letter by letter.
#[derive(Clone, Copy, Default)]
pub(super) struct Letters {
    packed: Packed,
    length: usize,
}

impl Letters {
    /// One more letter, in any case.
    pub(super) fn push(&mut self, letter: u8) {
        self.packed = self.packed << 8 | Packed::from(letter.to_ascii_lowercase());
        self.length += 1;
    }
}

/// A set of words by one bit each: tells at once that a word is not among them.
struct Sieve([u64; 1024]);

impl Sieve {
    fn place(packed: Packed) -> (usize, u64) {
        let hash = fold(packed);
        (
            usize::try_from(hash >> 6 & 0x3FF).unwrap_or_default(),
            1 << (hash & 63),
        )
    }

    fn add(&mut self, packed: Packed) {
        let (place, bit) = Self::place(packed);
        if let Some(word) = self.0.get_mut(place) {
            *word |= bit;
        }
    }

    fn may_hold(&self, packed: Packed) -> bool {
        let (place, bit) = Self::place(packed);
        self.0.get(place).is_some_and(|word| word & bit != 0)
    }
}

/// Packs a word in any case; `None` if it is too long or not made of letters the lexicon uses.
fn pack(word: &str) -> Option<Packed> {
    let mut packed: Packed = 0;
    let mut length = 0;
    let mut bytes = word.bytes();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            // Inside a word a hyphen only joins: `e-mail`, `re-run`.
            b'-' => continue,
            // A typographic apostrophe, U+2019.
            0xE2 if bytes.next() == Some(0x80) && bytes.next() == Some(0x99) => b'\'',
            other if other.is_ascii() => other.to_ascii_lowercase(),
            _ => return None,
        };
        length += 1;
        if length > LONGEST {
            return None;
        }
        packed = packed << 8 | Packed::from(byte);
    }
    Some(packed)
}

/// What is known of one word.
#[derive(Clone, Debug, Default)]
struct Entry {
    verb: Option<Verb>,
    opener: Option<Opener>,
    /// Senses a verb can have in company.
    senses: Vec<u16>,
    /// Whether an argument's description that begins with it states an effect.
    effect: bool,
    /// Phrases that can begin with it.
    starts: Vec<u16>,
    /// Phrases that cannot stand in a sentence without it or one of its alternatives.
    anchors: Vec<u16>,
}

/// The words, the verbs among them, and the phrases that begin with each.
pub(super) struct Lexicon {
    ids: HashMap<Packed, WordId, BuildHasherDefault<Fold>>,
    entries: Vec<Entry>,
    phrases: Vec<Phrase>,
    /// Every word there is.
    known: Sieve,
    /// Words without which no fact about an argument is stated.
    argument_anchors: Sieve,
    /// Words that begin and end the naming of a place that is written.
    place_starts: Sieve,
    place_ends: Sieve,
    /// Words that make an argument's name worth a closer look.
    name_words: Sieve,
}

/// Phrases that may stand in a sentence, one bit each.
#[derive(Clone, Copy, Default)]
pub(super) struct Candidates {
    bits: [u64; 10],
    any: bool,
}

impl Candidates {
    fn add(&mut self, number: u16) {
        if let Some(word) = self.bits.get_mut(usize::from(number / 64)) {
            *word |= 1 << (number % 64);
            self.any = true;
        }
    }

    fn has(&self, number: u16) -> bool {
        self.bits
            .get(usize::from(number / 64))
            .is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.any
    }
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
            entries: vec![Entry::default()],
            known: Sieve([0; 1024]),
            argument_anchors: Sieve([0; 1024]),
            place_starts: Sieve([0; 1024]),
            place_ends: Sieve([0; 1024]),
            name_words: Sieve([0; 1024]),
            phrases: Vec::new(),
        };
        for (act, words) in verbs::VERBS {
            for word in words.split_ascii_whitespace() {
                lexicon.add_verb(*act, word);
            }
        }
        for (opener, words) in OPENERS {
            for word in *words {
                let id = lexicon.intern(word);
                lexicon.note(id, |entry| entry.opener = Some(*opener));
            }
        }
        for word in arguments::NAME_WORDS
            .iter()
            .flat_map(|words| words.split_ascii_whitespace())
        {
            if let Some(packed) = pack(word) {
                lexicon.name_words.add(packed);
            }
        }
        let phrases = phrases::compile(&mut lexicon);
        for (number, phrase) in phrases.iter().enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            for word in phrase.first_words() {
                lexicon.note(*word, |entry| entry.starts.push(number));
            }
            for word in phrase.anchor_words() {
                lexicon.note(*word, |entry| entry.anchors.push(number));
            }
        }
        lexicon.sift(&phrases);
        lexicon.phrases = phrases;
        lexicon
    }

    /// Sets up the sieves that tell what an argument's description is worth.
    fn sift(&mut self, phrases: &[Phrase]) {
        // That a place is written takes two words: the place, and a verb of writing.
        let of_arguments =
            |phrase: &&Phrase| phrase.fact.speaks_of_arguments() && !phrase.fact.names_a_place();
        let of_places = |phrase: &&Phrase| phrase.fact.names_a_place();
        self.argument_anchors = self.sieve(
            phrases
                .iter()
                .filter(of_arguments)
                .flat_map(Phrase::anchor_words),
        );
        self.place_starts = self.sieve(
            phrases
                .iter()
                .filter(of_places)
                .flat_map(Phrase::first_words),
        );
        self.place_ends = self.sieve(
            phrases
                .iter()
                .filter(of_places)
                .flat_map(Phrase::last_words),
        );
        for (form, word) in EFFECTS.iter().flat_map(|word| inflection::forms(word)) {
            let id = self.find(&word);
            if form != Forms::PAST && form != Forms::GERUND && id != UNKNOWN {
                self.note(id, |entry| entry.effect = true);
                if let Some(packed) = pack(&word) {
                    self.argument_anchors.add(packed);
                }
            }
        }
    }

    /// Adds a verb as the table spells it: `*` marks a noun homograph.
    fn add_verb(&mut self, act: Act, spelled: &str) {
        let noun = spelled.ends_with('*');
        let base = spelled.trim_end_matches('*');
        for (form, word) in inflection::forms(base) {
            let id = self.intern(&word);
            let senses: Vec<u16> = (0_u16..)
                .zip(SENSES)
                .filter(|(_, sense)| sense.is_of(&word))
                .map(|(number, _)| number)
                .collect();
            self.note(id, |entry| entry.senses = senses);
            self.note(id, |entry| match &mut entry.verb {
                // The table lists the commoner meaning first.
                Some(verb) if verb.act == act => verb.forms = verb.forms.with(form),
                Some(_) => {}
                slot => {
                    *slot = Some(Verb {
                        act,
                        forms: form,
                        noun,
                    })
                }
            });
        }
    }

    /// Changes what is known of a word.
    fn note(&mut self, id: WordId, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries.get_mut(usize::from(id)) {
            change(entry);
        }
    }

    fn get(&self, id: WordId) -> Option<&Entry> {
        self.entries.get(usize::from(id))
    }

    /// The number of a word, which gets one if it has none.
    pub(super) fn intern(&mut self, word: &str) -> WordId {
        let Some(key) = pack(word) else {
            return UNKNOWN;
        };
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = WordId::try_from(self.entries.len()).unwrap_or(UNKNOWN);
        self.ids.insert(key, id);
        self.known.add(key);
        self.entries.push(Entry::default());
        id
    }

    /// The number of a word in any case; [`UNKNOWN`] for words that are not in the lexicon.
    pub(super) fn find(&self, word: &str) -> WordId {
        pack(word)
            .and_then(|key| self.ids.get(&key))
            .copied()
            .unwrap_or(UNKNOWN)
    }

    /// The verb a word can be.
    pub(super) fn verb(&self, word: WordId) -> Option<Verb> {
        self.get(word)?.verb
    }

    /// The verb with these letters.
    pub(super) fn verb_named(&self, word: &str) -> Option<Verb> {
        self.verb(self.find(word))
    }

    /// The scope a word opens.
    pub(super) fn opener(&self, word: WordId) -> Option<Opener> {
        self.get(word)?.opener
    }

    /// The senses a verb can have in company, in the order of the table.
    pub(super) fn senses(&self, word: WordId) -> impl Iterator<Item = &'static Sense> {
        self.get(word)
            .map(|entry| entry.senses.as_slice())
            .unwrap_or_default()
            .iter()
            .filter_map(|number| SENSES.get(usize::from(*number)))
    }

    /// Whether a word states an effect at the beginning of an argument's description.
    pub(super) fn is_effect(&self, word: WordId) -> bool {
        self.get(word).is_some_and(|entry| entry.effect)
    }

    /// The number of a word read letter by letter.
    pub(super) fn find_letters(&self, letters: Letters) -> WordId {
        if letters.length > LONGEST || !self.known.may_hold(letters.packed) {
            return UNKNOWN;
        }
        self.ids.get(&letters.packed).copied().unwrap_or(UNKNOWN)
    }

    /// Whether any part of an argument's name makes it worth a closer look.
    pub(super) fn is_telling(&self, name: &str) -> bool {
        let mut letters = Letters::default();
        let mut lower = false;
        for byte in name.bytes() {
            let starts = !byte.is_ascii_alphabetic() || lower && byte.is_ascii_uppercase();
            if starts && letters.length > 0 {
                if self.name_words.may_hold(letters.packed) {
                    return true;
                }
                letters = Letters::default();
            }
            if byte.is_ascii_alphabetic() {
                letters.push(byte);
            }
            lower = byte.is_ascii_lowercase();
        }
        letters.length > 0 && self.name_words.may_hold(letters.packed)
    }

    /// The words of a set, as a sieve.
    fn sieve<'w>(&self, words: impl Iterator<Item = &'w WordId>) -> Sieve {
        let wanted: HashSet<WordId> = words.copied().collect();
        let mut sieve = Sieve([0; 1024]);
        for (packed, _) in self.ids.iter().filter(|(_, id)| wanted.contains(id)) {
            sieve.add(*packed);
        }
        sieve
    }

    /// Whether a text can state a fact about an argument.
    pub(super) fn may_speak_of_arguments(&self, text: &str) -> bool {
        let (mut started, mut ended) = (false, false);
        let mut letters = Letters::default();
        for byte in text.bytes().chain([b' ']) {
            if byte.is_ascii_alphabetic() {
                letters.push(byte);
            } else if byte != b'-' {
                if letters.length > 1 {
                    if self.argument_anchors.may_hold(letters.packed) {
                        return true;
                    }
                    let start = self.place_starts.may_hold(letters.packed);
                    let end = self.place_ends.may_hold(letters.packed);
                    // It takes two words: `stored` alone can be either.
                    if end && started || start && ended {
                        return true;
                    }
                    started |= start;
                    ended |= end;
                }
                letters = Letters::default();
            }
        }
        false
    }

    /// Adds the phrases that a word lets stand in its sentence, if their facts are wanted.
    pub(super) fn candidates(
        &self,
        word: WordId,
        wanted: fn(Fact) -> bool,
        candidates: &mut Candidates,
    ) {
        for number in self
            .get(word)
            .map(|entry| entry.anchors.as_slice())
            .unwrap_or_default()
        {
            if self
                .phrases
                .get(usize::from(*number))
                .is_some_and(|phrase| wanted(phrase.fact))
            {
                candidates.add(*number);
            }
        }
    }

    /// The candidates that can begin with a word.
    pub(super) fn starting(
        &self,
        word: WordId,
        candidates: &Candidates,
    ) -> impl Iterator<Item = &Phrase> {
        self.get(word)
            .map(|entry| entry.starts.as_slice())
            .unwrap_or_default()
            .iter()
            .filter(|number| candidates.has(**number))
            .filter_map(|number| self.phrases.get(usize::from(*number)))
    }

    /// Every word that is a verb of these classes in these forms.
    pub(super) fn verbs_of(&self, wanted: impl Fn(&Verb) -> bool) -> Vec<WordId> {
        self.entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.verb.as_ref().is_some_and(&wanted))
            .filter_map(|(id, _)| WordId::try_from(id).ok())
            .collect()
    }
}
