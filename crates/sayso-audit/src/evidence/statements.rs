//! What sentences state: the verbs they are built on, and the facts their phrases name.

use std::ops::Range;

use super::act::Act;
use super::heads::TOOL_NOUNS;
use super::lexicon::{Candidates, Forms, Lexicon, UNKNOWN, Verb, WordId};
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

/// Verbs that begin the description of an argument only where its value has that effect.
pub(super) const EFFECTS: [&str; 38] = [
    "repair",
    "fix",
    "correct",
    "rename",
    "restart",
    "reboot",
    "install",
    "redeem",
    "refund",
    "revoke",
    "deploy",
    "enqueue",
    "delete",
    "empty",
    "truncate",
    "send",
    "email",
    "notify",
    "archive",
    "acknowledge",
    "overwrite",
    "purge",
    "wipe",
    "charge",
    "publish",
    "reserve",
    "lock",
    "dequeue",
    "claim",
    "create",
    "commit",
    "persist",
    "upload",
    "hold",
    "erase",
    "register",
    "subscribe",
    "invite",
];

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

    /// `Use this when …`: advice to the model, not a statement.
    fn is_guidance(&self, tokens: &[Token]) -> bool {
        let second = tokens.get(1);
        let third = tokens.get(2);
        let advises = self.is(
            tokens.first(),
            &[
                "use", "call", "prefer", "choose", "invoke", "try", "avoid", "see",
            ],
        );
        advises
            && (self.is(
                second,
                &[
                    "when", "if", "before", "after", "for", "only", "whenever", "once",
                ],
            ) || self.is(
                third,
                &[
                    "when", "if", "before", "after", "first", "whenever", "once", "instead", "tool",
                ],
            ) && !self.is(tokens.get(3), &["to"]))
    }

    /// The part of a sentence before it speaks of another tool, named as an identifier.
    fn before_another<'t>(&self, tokens: &'t [Token]) -> &'t [Token] {
        let other = |token: &&Token| {
            token.kind == TokenKind::Code && {
                let name = self.word(token);
                !name.is_empty()
                    && name.len() <= 64
                    && name.bytes().all(|byte| {
                        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
                    })
                    && name
                        .bytes()
                        .any(|byte| matches!(byte, b'_' | b'-' | b'.') || byte.is_ascii_uppercase())
                    && !(self.own)(name)
                    && (name.contains(['_', '.'])
                        || !name.contains('-')
                        || name
                            .split('-')
                            .next()
                            .is_some_and(|part| self.lexicon.verb_named(part).is_some()))
            }
        };
        let refers = |at: usize| {
            let previous = at.checked_sub(1).and_then(|at| tokens.get(at));
            at == 0
                || self.is(
                    previous,
                    &[
                        "use", "uses", "using", "call", "calling", "see", "prefer", "try", "with",
                        "via", "through", "from", "by", "run", "and", "or", "like", "than",
                        "unlike", "after", "before", "to",
                    ],
                )
        };
        // `the "Replace variables" endpoint removes …`
        let named = |at: usize, token: &Token| {
            matches!(token.kind, TokenKind::Code | TokenKind::Quoted)
                && !(self.own)(self.word(token))
                && self.is(
                    tokens.get(at + 1),
                    &[
                        "endpoint", "tool", "command", "function", "action", "method", "instead",
                    ],
                )
        };
        let Some(mention) = tokens
            .iter()
            .enumerate()
            .position(|(at, token)| other(&token) && refers(at) || named(at, token))
        else {
            return tokens;
        };
        let end = tokens
            .iter()
            .take(mention)
            .rposition(|token| matches!(token.kind, TokenKind::Comma | TokenKind::Clause));
        tokens.get(..end.unwrap_or_default()).unwrap_or_default()
    }

    /// Unmistakable verbs further on: `The device keeps …, deletes the rest`, `Opening it stamps
    /// a time`, `…, creating one if there is none`, `Its steps can move funds`.
    fn further(&mut self, masked: &Masked<'_>, sentence: &Sentence, first: bool) {
        let of_the_call = self.begins_with_the_call(masked);
        let mut can = false;
        for at in 1..masked.tokens.len() {
            let Some(token) = masked.tokens.get(at) else {
                break;
            };
            if token.kind == TokenKind::Clause {
                can = false;
            }
            can = can || (3..=5).contains(&(token.end - token.start)) && self.may_act(masked, at);
            let Some(verb) = self.lexicon.verb(token.word) else {
                continue;
            };
            let mask = masked.mask(at);
            if mask.negated || mask.subordinate || mask.relative || mask.example || mask.refused {
                continue;
            }
            let act = self.sense(masked, at, verb);
            let object = self.takes_object(masked, at);
            // Verbs that as often tell what comes back: `adds a map to the answer`, `allows filtering`.
            // `Asking for another raises an error`.
            let fails =
                masked.tokens.iter().skip(at + 1).take(5).any(|token| {
                    self.is(Some(token), &["error", "errors", "exception", "warning"])
                });
            if fails {
                continue;
            }
            let plain = matches!(
                act,
                Act::Remove | Act::Replace | Act::Send | Act::Pay | Act::Publish | Act::Move
            );
            let third = verb.forms.has(Forms::THIRD)
                && object
                && (plain && !verb.noun || of_the_call && act.writes());
            let able = can
                && verb.forms.has(Forms::BASE)
                && matches!(
                    act,
                    Act::Remove | Act::Replace | Act::Send | Act::Pay | Act::Move
                );
            if !(third || able || self.goes_along(masked, at, verb, act)) {
                continue;
            }
            let seen = self.found.iter().any(|found| {
                found.text == self.number
                    && found.mark.start == token.start as usize
                    && matches!(found.says, Says::Head(_))
            });
            if !seen {
                self.push(Says::Also(act), masked, sentence, at..at + 1, first);
            }
        }
    }

    /// `Opening it …`, `Reading a message …`, `Each call …`: what follows is what the tool does.
    fn begins_with_the_call(&self, masked: &Masked<'_>) -> bool {
        let reading = masked
            .tokens
            .first()
            .and_then(|token| self.lexicon.verb(token.word))
            .is_some_and(|verb| verb.forms.has(Forms::GERUND));
        let doing = self.is(
            masked.tokens.first(),
            &["doing", "each", "every", "the", "a"],
        ) && self.is(
            masked.tokens.get(1),
            &[
                "so", "call", "read", "view", "visit", "lookup", "download", "access", "request",
                "fetch",
            ],
        );
        reading || doing
    }

    /// `Its steps can …`, `The script may …`: from here on base forms are acts.
    fn may_act(&self, masked: &Masked<'_>, at: usize) -> bool {
        const ACTING: [&str; 22] = [
            "step",
            "steps",
            "script",
            "scripts",
            "command",
            "commands",
            "workflow",
            "workflows",
            "flow",
            "job",
            "jobs",
            "run",
            "pipeline",
            "action",
            "actions",
            "call",
            "calls",
            "tool",
            "agent",
            "task",
            "playbook",
            "recipe",
        ];
        self.is(masked.tokens.get(at), &["can", "may", "might", "could"])
            && self.is(masked.tokens.get(at.wrapping_sub(1)), &ACTING)
            && !self.is(masked.tokens.get(at + 1), &["be", "not", "only", "never"])
    }

    /// `…, creating one if there is none`, `… while deleting the old copy`.
    fn goes_along(&self, masked: &Masked<'_>, at: usize, verb: Verb, act: Act) -> bool {
        let before = masked.tokens.get(at.wrapping_sub(1));
        let joined = before.is_some_and(|token| token.kind == TokenKind::Comma)
            || self.is(
                before,
                &[
                    "while",
                    "thereby",
                    "also",
                    "then",
                    "optionally",
                    "otherwise",
                ],
            );
        let telling = matches!(
            act,
            Act::Remove
                | Act::Replace
                | Act::Send
                | Act::Pay
                | Act::Publish
                | Act::Move
                | Act::Add
                | Act::Update
                | Act::Save
                | Act::Mark
                | Act::Claim
        );
        // `for viewing a log, editing the settings and deleting it`: a list of uses.
        let listed = masked.tokens.iter().take(at).any(|token| {
            token.kind == TokenKind::Word
                && self
                    .lexicon
                    .verb(token.word)
                    .is_some_and(|verb| verb.forms.has(Forms::GERUND))
        });
        let bracketed = masked
            .tokens
            .iter()
            .take(at)
            .rfind(|token| matches!(token.kind, TokenKind::Open | TokenKind::Close))
            .is_some_and(|token| token.kind == TokenKind::Open);
        joined
            && !bracketed
            && telling
            && verb.forms.has(Forms::GERUND)
            && !listed
            && (self.takes_object(masked, at) || self.is(masked.tokens.get(at + 1), &["if"]))
    }

    /// `Pass ack to clear handled requests`: what one of the tool's own arguments does.
    fn by_argument(&mut self, masked: &Masked<'_>, sentence: &Sentence) {
        let gives = self.is(
            masked.tokens.first(),
            &[
                "pass", "set", "with", "give", "supply", "provide", "use", "specify", "add",
                "include", "send",
            ],
        );
        let own = masked.tokens.iter().take(4).any(|token| {
            matches!(
                token.kind,
                TokenKind::Code | TokenKind::Word | TokenKind::Quoted
            ) && (self.own)(self.word(token))
        });
        let condition = self.is(masked.tokens.first(), &["with", "if", "when"]);
        if !own || !gives && !condition {
            return;
        }
        if condition {
            self.passive_with_argument(masked, sentence);
            return;
        }
        for at in 2..masked.tokens.len() {
            let Some(token) = masked.tokens.get(at) else {
                break;
            };
            let Some(verb) = self.lexicon.verb(token.word) else {
                continue;
            };
            let purpose = self.is(masked.tokens.get(at - 1), &["to", "and", "or"])
                && verb.forms.has(Forms::BASE);
            // `use $top to limit the answer`, `set page to skip ahead`
            let shapes = verb.noun
                && !matches!(verb.act, Act::Mark | Act::Save | Act::Remove | Act::Claim)
                || matches!(
                    verb.act,
                    Act::Step | Act::Manage | Act::Adjust | Act::Select | Act::Interact
                );
            if purpose
                && !shapes
                && verb.act.writes()
                && !masked.mask(at).negated
                && !masked.mask(at).example
            {
                self.push(
                    Says::ByArgument(verb.act),
                    masked,
                    sentence,
                    at..at + 1,
                    false,
                );
                return;
            }
        }
    }

    /// `With done_ids the named ones are ticked off`; not `if done_ids is set`.
    fn passive_with_argument(&mut self, masked: &Masked<'_>, sentence: &Sentence) {
        let named = masked
            .tokens
            .iter()
            .position(|token| (self.own)(self.word(token)))
            .unwrap_or_default();
        for at in named + 3..masked.tokens.len() {
            let passive = self.is(masked.tokens.get(at - 1), &["is", "are", "gets", "get"]);
            let verb = masked
                .tokens
                .get(at)
                .and_then(|token| self.lexicon.verb(token.word));
            // `results are sorted`, `fields are dropped` tell of the answer.
            let writes = verb.is_some_and(|verb| {
                verb.forms.has(Forms::PAST)
                    && matches!(
                        verb.act,
                        Act::Mark | Act::Save | Act::Claim | Act::Send | Act::Pay | Act::Publish
                    )
            });
            if passive && writes && !masked.mask(at).negated && !masked.mask(at).relative {
                let act = verb.map_or(Act::Update, |verb| verb.act);
                self.push(
                    Says::ByArgument(act),
                    masked,
                    sentence,
                    at - 1..at + 1,
                    false,
                );
                return;
            }
        }
    }

    /// `sends the PDF to this address`, `if true, delete the file afterwards`: an effect that a
    /// value of the argument has.
    fn effect(&mut self, tokens: &[Token], sentence: &Sentence) {
        if !tokens
            .iter()
            .take(7)
            .any(|token| self.lexicon.is_effect(token.word))
        {
            return;
        }
        let mut at = 0;
        while at < 6
            && tokens.get(at).is_some_and(|token| {
                token.kind == TokenKind::Comma
                    || self.is(
                        Some(token),
                        &[
                            "also",
                            "then",
                            "if",
                            "when",
                            "true",
                            "set",
                            "to",
                            "whether",
                            "and",
                            "is",
                            "given",
                            "optionally",
                        ],
                    )
            })
        {
            at += 1;
        }
        let Some(verb) = tokens
            .get(at)
            .filter(|token| self.lexicon.is_effect(token.word))
            .and_then(|token| self.lexicon.verb(token.word))
        else {
            return;
        };
        if !(verb.forms.has(Forms::BASE) || verb.forms.has(Forms::THIRD)) {
            return;
        }
        // `Send the cursor of the last answer` tells how to call.
        let calls = tokens.iter().any(|token| {
            self.is(
                Some(token),
                &[
                    "request",
                    "requests",
                    "header",
                    "headers",
                    "cursor",
                    "token",
                    "null",
                    "empty",
                    "page",
                    "parameter",
                    "results",
                    "response",
                    "output",
                    "timeout",
                    "not",
                ],
            )
        });
        let masked = Masked::new(tokens, self.text, self.lexicon);
        // `repairs broken links`: in the third person an object needs no article.
        let bare = verb.forms.has(Forms::THIRD)
            && !verb.noun
            && tokens.get(at + 1).is_some_and(|token| {
                token.kind == TokenKind::Word && self.lexicon.verb(token.word).is_none()
            });
        if !calls && (bare || self.takes_object(&masked, at)) {
            let act = self.sense(&masked, at, verb);
            self.push(Says::ByArgument(act), &masked, sentence, at..at + 1, false);
        }
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
