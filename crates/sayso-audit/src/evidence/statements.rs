//! What sentences state: the verbs they are built on, and the facts their phrases name.

use std::ops::Range;

use super::act::Act;
use super::heads::TOOL_NOUNS;
use super::lexicon::{Candidates, Lexicon, UNKNOWN, WordId};
use super::masks::Masked;
use super::phrases::{Fact, Tokens};
use super::prose::{Prose, Section, Sentence, Token, TokenKind};

/// What a statement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The verb the description is built on, or one coordinated with it.
    Head(Act),
    /// A verb further on whose subject is the tool or what it works on.
    Also(Act),
    /// What an argument of the tool is for: `pass ack to clear …`.
    ByArgument(Act),
    /// A phrase.
    Fact(Fact),
}

/// A statement and where it stands in its text.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it says.
    pub says: Says,
    /// The text, by its number in [`super::ToolEvidence`].
    pub text: usize,
    /// The sentence's bytes in the text.
    pub sentence: Range<usize>,
    /// The bytes that say it.
    pub mark: Range<usize>,
    /// Whether it stands in the first sentence.
    pub first: bool,
}

/// Reads the statements of one text.
pub(super) struct StatementReader<'r> {
    pub(super) text: &'r str,
    pub(super) number: usize,
    pub(super) lexicon: &'static Lexicon,
    /// Names that belong to the tool itself: its own and its arguments'.
    pub(super) own: &'r dyn Fn(&str) -> bool,
    pub(super) found: &'r mut Vec<Statement>,
    /// The heads of the description so far.
    pub(super) heads: Vec<Act>,
}

impl StatementReader<'_> {
    /// Reads a description.
    pub(super) fn description(&mut self, prose: &Prose) {
        let mut first = true;
        let mut another = false;
        for sentence in &prose.sentences {
            if !matches!(sentence.section, Section::Main) {
                continue;
            }
            let whole = prose.tokens_of(sentence);
            if self.is_guidance(whole) {
                continue;
            }
            // `Use set_rules to change them. It replaces the whole set.`
            if another && self.is(whole.first(), &["it", "that", "this", "which"]) {
                continue;
            }
            let tokens = self.before_another(whole);
            another = tokens.len() < whole.len();
            if tokens.is_empty() {
                first = false;
                continue;
            }
            let masked = Masked::new(tokens, self.text, self.lexicon);
            self.heads(&masked, sentence, first);
            self.further(&masked, sentence, first);
            self.by_argument(&masked, sentence);
            let candidates = self.candidates(tokens, |_| true);
            if candidates.any() {
                self.facts(&masked, sentence, &candidates, first);
            }
            first = false;
        }
    }

    /// Reads an argument's description: facts only.
    pub(super) fn argument(&mut self, prose: &Prose) {
        for sentence in &prose.sentences {
            if matches!(sentence.section, Section::Examples) {
                continue;
            }
            let tokens = prose.tokens_of(sentence);
            self.effect(tokens, sentence);
            let candidates = self.candidates(tokens, Fact::speaks_of_arguments);
            if !candidates.any() || self.before_another(tokens).len() < tokens.len() {
                continue;
            }
            let masked = Masked::new(tokens, self.text, self.lexicon);
            self.facts(&masked, sentence, &candidates, false);
        }
    }

    pub(super) fn push(
        &mut self,
        says: Says,
        masked: &Masked<'_>,
        sentence: &Sentence,
        tokens: Range<usize>,
        first: bool,
    ) {
        let start = masked
            .tokens
            .get(tokens.start)
            .map_or(0, |token| token.start as usize);
        let end = masked
            .tokens
            .get(tokens.end.saturating_sub(1))
            .map_or(start, |token| token.end as usize);
        self.found.push(Statement {
            says,
            text: self.number,
            sentence: sentence.bytes.clone(),
            mark: start..end,
            first,
        });
    }

    pub(super) fn word(&self, token: &Token) -> &str {
        self.text.get(token.range()).unwrap_or_default()
    }

    pub(super) fn is(&self, token: Option<&Token>, words: &[&str]) -> bool {
        token.is_some_and(|token| {
            token.kind == TokenKind::Word
                && words
                    .iter()
                    .any(|word| self.word(token).eq_ignore_ascii_case(word))
        })
    }

    /// The phrases that may stand in a sentence.
    fn candidates(&self, tokens: &[Token], wanted: fn(Fact) -> bool) -> Candidates {
        let mut candidates = Candidates::default();
        for token in tokens.iter().filter(|token| token.word != UNKNOWN) {
            self.lexicon.candidates(token.word, wanted, &mut candidates);
        }
        candidates
    }

    /// The facts named by phrases.
    fn facts(
        &mut self,
        masked: &Masked<'_>,
        sentence: &Sentence,
        candidates: &Candidates,
        first: bool,
    ) {
        // `This tool will be removed`
        let about_itself = self.is(masked.tokens.first(), &["this", "the"])
            && self.is(masked.tokens.get(1), &TOOL_NOUNS);
        for at in 0..masked.tokens.len() {
            let word: WordId = masked.word(at).unwrap_or_default();
            if word == 0 {
                continue;
            }
            for phrase in self.lexicon.starting(word, candidates) {
                let Some(end) = phrase.matches(masked, at) else {
                    continue;
                };
                let dropped = about_itself
                    && matches!(
                        phrase.fact,
                        Fact::Loses | Fact::Drops | Fact::Writes | Fact::Becomes
                    );
                if dropped && at < 5 || !self.counts(phrase.fact, masked, at, end) {
                    continue;
                }
                self.push(Says::Fact(phrase.fact), masked, sentence, at..end, first);
            }
        }
    }

    /// Whether the surroundings let a phrase count.
    fn counts(&self, fact: Fact, masked: &Masked<'_>, at: usize, end: usize) -> bool {
        let before = at
            .checked_sub(1)
            .map(|before| masked.mask(before))
            .unwrap_or_default();
        let here = masked.mask(at);
        let next = masked.tokens.get(end);
        let last = masked.mask(end.saturating_sub(1));
        if here.example && !matches!(fact, Fact::Idempotent | Fact::NotIdempotent | Fact::MayLose) {
            return false;
        }
        match fact {
            // These speak of conditions themselves.
            Fact::Idempotent => !before.negated && !self.negates_idempotency(masked, at),
            // `if it fails, nothing is changed` is said of that case alone.
            // `removes nothing else`, `updates are rejected if the version is old`
            Fact::ReadsOnly => {
                !before.negated
                    && !masked.follows_condition(at)
                    && !self.is(
                        next,
                        &[
                            "else", "further", "more", "new", "again", "if", "when", "unless",
                            "but", "other", "besides", "until", "while", "once",
                        ],
                    )
            }
            // These speak of what is left out themselves.
            Fact::LosesRest | Fact::MayLose => !before.negated && !before.subordinate,
            Fact::Guarded
            | Fact::NotIdempotent
            | Fact::AddsOnly
            | Fact::NoApproval
            | Fact::ClosedWorld
            | Fact::Consumes => {
                !before.negated || matches!(fact, Fact::AddsOnly | Fact::NotIdempotent)
            }
            Fact::Repeats | Fact::Costs | Fact::Cursor | Fact::Irreversible => !before.negated,
            // `where the picture is written`
            Fact::NamesFile | Fact::WritesFile if self.is(masked.tokens.get(at), &["where"]) => {
                !before.negated
            }
            Fact::Recoverable => !before.negated,
            Fact::Loses
            | Fact::Drops
            | Fact::Writes
            | Fact::Becomes
            | Fact::WritesFile
            | Fact::NamesFile => {
                !before.negated
                    && !here.negated
                    && !here.refused
                    && !here.subordinate
                    && !here.relative
                    && !last.negated
            }
            Fact::OpenWorld | Fact::Outsiders | Fact::Public | Fact::SinceLast | Fact::Contacts => {
                !before.negated
            }
            _ => !before.negated && !before.relative,
        }
    }

    /// `idempotency key` is an argument, `whether it is idempotent` a question.
    fn negates_idempotency(&self, masked: &Masked<'_>, at: usize) -> bool {
        self.is(
            masked.tokens.get(at + 1),
            &["key", "keys", "token", "header"],
        ) || self.is(masked.tokens.get(at), &["idempotency"])
    }
}
