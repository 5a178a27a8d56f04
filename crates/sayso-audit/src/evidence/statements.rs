//! What sentences state: the verbs they are built on, and the facts their phrases name.

use std::ops::Range;

use super::act::Act;
use super::lexicon::{Forms, Lexicon, Verb, WordId};
use super::masks::{Mask, Masked};
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

/// Where a head verb was found, and in which form.
struct Head {
    at: usize,
    form: Forms,
    /// `None` for a verb the lexicon does not know.
    verb: Option<Verb>,
}

impl StatementReader<'_> {
    /// Reads a description.
    pub(super) fn description(&mut self, prose: &Prose) {
        let mut first = true;
        for sentence in &prose.sentences {
            if !matches!(sentence.section, Section::Main) {
                continue;
            }
            let tokens = prose.tokens_of(sentence);
            if self.is_guidance(tokens) || self.mentions_another(tokens) {
                continue;
            }
            let masked = Masked::new(tokens, self.text, self.lexicon);
            self.heads(&masked, sentence, first);
            self.further(&masked, sentence, first);
            self.by_argument(&masked, sentence);
            self.facts(&masked, sentence, first);
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
            if self.mentions_another(tokens) {
                continue;
            }
            let masked = Masked::new(tokens, self.text, self.lexicon);
            self.facts(&masked, sentence, false);
        }
    }

    fn push(
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

    fn word(&self, token: &Token) -> &str {
        self.text.get(token.range()).unwrap_or_default()
    }

    fn is(&self, token: Option<&Token>, words: &[&str]) -> bool {
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

    /// Whether a sentence is about another tool, named as an identifier.
    fn mentions_another(&self, tokens: &[Token]) -> bool {
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
        tokens
            .iter()
            .enumerate()
            .any(|(at, token)| other(&token) && refers(at))
    }

    /// The verb a sentence is built on, if the tool is its subject.
    fn head(&self, masked: &Masked<'_>, first: bool) -> Option<Head> {
        let tokens = masked.tokens;
        let mut at = 0;
        let mut allowed = if first { Forms::BASE } else { Forms::THIRD };
        // `Notion | Retrieve a page`: a label before the sentence.
        if tokens.get(1).is_some_and(|token| self.word(token) == "|") {
            at = 2;
        }
        while self.skippable(tokens.get(at)) {
            at += 1;
        }
        if let Some((skip, form)) = self.opening(tokens.get(at..)?) {
            at += skip;
            allowed = form;
            while self.skippable(tokens.get(at)) {
                at += 1;
            }
        }
        let token = tokens.get(at)?;
        let Some(verb) = self.lexicon.verb(token.word) else {
            // An unknown verb still carries what is coordinated with it: `Geocodes a column and writes …`.
            let third = first && token.kind == TokenKind::Word && self.word(token).ends_with('s');
            return third.then_some(Head {
                at,
                form: Forms::THIRD,
                verb: None,
            });
        };
        let form = if verb.forms.has(Forms::THIRD) {
            Forms::THIRD
        } else if verb.forms.has(allowed) {
            allowed
        } else {
            return None;
        };
        // `Set of tools`, `List of users`: a noun.
        if verb.noun && self.is(tokens.get(at + 1), &["of", "is", "are"]) {
            return None;
        }
        Some(Head {
            at,
            form,
            verb: Some(verb),
        })
    }

    /// Words before the verb that say nothing: `also`, `then`, `safely`, a bracketed tag.
    fn skippable(&self, token: Option<&Token>) -> bool {
        match token {
            Some(token) if token.kind == TokenKind::Word => {
                let word = self.word(token);
                self.lexicon.verb(token.word).is_none()
                    && (word.len() > 4 && word.ends_with("ly")
                        || [
                            "also",
                            "then",
                            "first",
                            "optionally",
                            "afterwards",
                            "bulk",
                            "batch",
                            "please",
                        ]
                        .iter()
                        .any(|skipped| word.eq_ignore_ascii_case(skipped)))
            }
            Some(token) => matches!(
                token.kind,
                TokenKind::Number | TokenKind::Comma | TokenKind::Clause
            ),
            None => false,
        }
    }

    /// `This tool`, `Use this to`, `Allows you to`: how many tokens, and the form that follows.
    fn opening(&self, tokens: &[Token]) -> Option<(usize, Forms)> {
        const NOUNS: [&str; 9] = [
            "tool",
            "function",
            "endpoint",
            "command",
            "operation",
            "method",
            "action",
            "call",
            "api",
        ];
        const HELPERS: [&str; 9] = [
            "will", "can", "may", "should", "must", "might", "to", "lets", "allows",
        ];
        let mut at = 0;
        let subject = if self.is(tokens.first(), &["this", "the", "a", "an"])
            && self.is(tokens.get(1), &NOUNS)
        {
            2
        } else if self.is(tokens.first(), &["it", "this"]) || self.is(tokens.first(), &["tool"]) {
            1
        } else {
            0
        };
        at += subject;
        if self.is(tokens.get(at), &["use", "used", "call", "is"]) && subject == 0
            || subject > 0 && self.is(tokens.get(at), &["is"])
        {
            let to = (at..at + 5).find(|place| self.is(tokens.get(*place), &["to", "for"]))?;
            let form = if self.is(tokens.get(to), &["for"]) {
                Forms::GERUND
            } else {
                Forms::BASE
            };
            return Some((to + 1, form));
        }
        if self.is(
            tokens.get(at),
            &[
                "allows", "allow", "enables", "enable", "lets", "let", "helps", "help", "ability",
            ],
        ) {
            let to = (at + 1..at + 5).find(|place| {
                self.is(
                    tokens.get(*place),
                    &["to", "you", "users", "agents", "clients"],
                )
            })?;
            let extra = usize::from(self.is(tokens.get(to + 1), &["to"]));
            return Some((to + 1 + extra, Forms::BASE));
        }
        if subject > 0 && self.is(tokens.get(at), &["for", "that"]) {
            return Some((
                at + 1,
                if self.is(tokens.get(at), &["for"]) {
                    Forms::GERUND
                } else {
                    Forms::THIRD
                },
            ));
        }
        if subject > 0 && self.is(tokens.get(at), &HELPERS) {
            return Some((at + 1, Forms::BASE));
        }
        (subject > 0).then_some((subject, Forms::THIRD))
    }

    /// The head and what is coordinated with it.
    fn heads(&mut self, masked: &Masked<'_>, sentence: &Sentence, first: bool) {
        let Some(head) = self.head(masked, first) else {
            return;
        };
        if masked.mask(head.at).negated {
            return;
        }
        if let Some(verb) = head.verb {
            let act = self.with_particle(masked, head.at, verb);
            self.heads.push(act);
            self.push(
                Says::Head(act),
                masked,
                sentence,
                head.at..head.at + 1,
                first,
            );
        }

        let mut chained = true;
        let mut form = head.form;
        for at in head.at + 1..masked.tokens.len() {
            let Some(token) = masked.tokens.get(at) else {
                break;
            };
            if token.kind == TokenKind::Clause && !self.is_semicolon(token) {
                // `Manages contexts: list, get or set`, `Edits a note: append, prepend, …`
                form = Forms::BASE;
                chained = true;
                continue;
            }
            let joined = self.joins(masked, at);
            let Some(verb) = self
                .lexicon
                .verb(token.word)
                .filter(|verb| joined && verb.forms.has(form))
            else {
                chained &= token.kind == TokenKind::Comma
                    || self.is(Some(token), &["and", "or", "then", "optionally", "also"]);
                continue;
            };
            let mask = masked.mask(at);
            if mask.negated || mask.example || mask.relative || mask.subordinate {
                continue;
            }
            if chained && self.list_goes_on(masked, at)
                || !verb.noun && form == Forms::THIRD
                || self.takes_object(masked, at)
            {
                let mut act = self.with_particle(masked, at, verb);
                // `Records an expense and splits it`: what is changed was only just made.
                let fresh = self.is(masked.tokens.get(at + 1), &["it", "its", "them"])
                    && matches!(self.heads.first(), Some(Act::Add | Act::Make));
                if act == Act::Update && fresh {
                    act = Act::Add;
                }
                self.heads.push(act);
                self.push(Says::Head(act), masked, sentence, at..at + 1, first);
                chained = true;
            } else {
                chained = false;
            }
        }
    }

    fn is_semicolon(&self, token: &Token) -> bool {
        self.word(token) == ";"
    }

    /// Whether a token follows a comma, a conjunction or a new clause.
    fn joins(&self, masked: &Masked<'_>, at: usize) -> bool {
        let mut before = at.checked_sub(1);
        while self.is(
            before.and_then(|at| masked.tokens.get(at)),
            &["also", "then", "optionally", "possibly", "immediately"],
        ) {
            before = before.and_then(|at| at.checked_sub(1));
        }
        before
            .and_then(|at| masked.tokens.get(at))
            .is_some_and(|token| {
                matches!(token.kind, TokenKind::Comma | TokenKind::Clause)
                    || self.is(
                        Some(token),
                        &["and", "or", "then", "also", "optionally", "to"],
                    ) && !self.is(Some(token), &["to"])
            })
    }

    /// In a chain of verbs: another comma or conjunction follows, or an object.
    fn list_goes_on(&self, masked: &Masked<'_>, at: usize) -> bool {
        let next = masked.tokens.get(at + 1);
        next.is_none()
            || next.is_some_and(|token| {
                matches!(
                    token.kind,
                    TokenKind::Comma | TokenKind::Clause | TokenKind::Open
                )
            })
            || self.is(next, &["and", "or", "in"])
            || self.takes_object(masked, at)
            || next.is_some_and(|token| {
                token.kind == TokenKind::Word && self.lexicon.verb(token.word).is_none()
            })
    }

    /// Whether what follows reads as a verb's object: an article, a pronoun, a preposition of direction.
    fn takes_object(&self, masked: &Masked<'_>, at: usize) -> bool {
        let next = masked.tokens.get(at + 1);
        next.is_some_and(|token| token.kind == TokenKind::Number)
            || self.is(
                next,
                &[
                    "a", "an", "the", "it", "them", "its", "their", "this", "that", "these",
                    "those", "all", "any", "each", "every", "one", "new", "existing", "your",
                    "you", "up", "out", "off", "back", "another", "him", "her", "selected",
                    "specific", "multiple", "some", "between", "whether",
                ],
            )
    }

    /// A verb with a particle can be another verb: `roll back`, `look up`, `turn off`.
    fn with_particle(&self, masked: &Masked<'_>, at: usize, verb: Verb) -> Act {
        let Some(token) = masked.tokens.get(at) else {
            return verb.act;
        };
        let next = masked.tokens.get(at + 1);
        let word = self.word(token).to_ascii_lowercase();
        let starts = |stem: &str| word.starts_with(stem);
        let is = |words: &[&str]| self.is(next, words);
        match () {
            () if starts("roll") && self.mentions(masked, &["back"]) => Act::Replace,
            () if starts("mov")
                && self.mentions(
                    masked,
                    &["stage", "status", "state", "phase", "column", "step"],
                ) =>
            {
                Act::Update
            }
            () if starts("add") && is(&["up", "together"]) => Act::Compute,
            () if starts("back") => {
                if is(&["up"]) {
                    Act::Add
                } else {
                    Act::Read
                }
            }
            () if starts("block") && is(&["until", "till"]) => Act::Read,
            () if starts("resolve")
                && self.mentions(masked, &["to", "into", "hostname", "dns", "handle"]) =>
            {
                Act::Read
            }
            () if starts("load") && self.mentions(masked, &["into"]) => Act::Bring,
            () if starts("pull")
                && self.mentions(masked, &["into", "image", "remote", "branch"]) =>
            {
                Act::Bring
            }

            () if starts("release")
                && self.mentions(
                    masked,
                    &[
                        "lock",
                        "lease",
                        "reservation",
                        "hold",
                        "claim",
                        "port",
                        "address",
                    ],
                ) =>
            {
                Act::Disconnect
            }
            () if starts("clean")
                && !is(&["up", "out"])
                && verb.forms.has(Forms::BASE)
                && !self.takes_object(masked, at) =>
            {
                Act::Remove
            }
            () if starts("place")
                && self.mentions(masked, &["order", "orders", "bid", "trade"]) =>
            {
                Act::Pay
            }
            () if starts("spin") && is(&["up"]) => Act::Add,
            () if starts("return") && self.mentions(masked, &["factory"]) => Act::Replace,
            () if starts("look") || starts("check") && is(&["whether", "if", "for", "that"]) => {
                Act::Read
            }
            () if (starts("log") || starts("sign")) && is(&["in", "into", "on"]) => Act::Connect,
            () if (starts("log") || starts("sign")) && is(&["out", "off"]) => Act::Disconnect,
            () if starts("check") && is(&["out", "in"]) => Act::Update,
            () if starts("set") && is(&["up"]) => Act::Add,
            () if starts("tear") && is(&["down"]) => Act::Remove,
            () if starts("shut") && is(&["down", "off"]) => Act::End,
            () if starts("turn") || starts("switch") && is(&["on", "off"]) => Act::Update,
            () if starts("tak") && is(&["down", "offline", "away", "off"]) => Act::Remove,
            () if starts("tak") && self.mentions(masked, &["next", "oldest", "queue", "over"]) => {
                Act::Claim
            }
            () if starts("mak") && self.mentions(masked, &["default", "active", "current"]) => {
                Act::Select
            }
            () if starts("mak")
                && self.mentions(masked, &["visible", "public", "private", "available"]) =>
            {
                Act::Publish
            }
            () if starts("mak")
                && self.mentions(
                    masked,
                    &[
                        "copy",
                        "backup",
                        "duplicate",
                        "entry",
                        "booking",
                        "reservation",
                    ],
                ) =>
            {
                Act::Add
            }
            () if starts("mak") && self.mentions(masked, &["payment", "purchase", "transfer"]) => {
                Act::Pay
            }
            () if starts("bring") || starts("put") && is(&["back"]) => Act::Replace,
            () if starts("hand") && is(&["in"]) => Act::Add,
            () if starts("start") && is(&["a", "an", "new"]) => Act::Control,
            () if starts("open")
                && is(&["a", "an"])
                && self.mentions(masked, &["page", "url", "file", "website", "document"]) =>
            {
                Act::Interact
            }
            () => verb.act,
        }
    }

    fn mentions(&self, masked: &Masked<'_>, words: &[&str]) -> bool {
        masked
            .tokens
            .iter()
            .any(|token| self.is(Some(token), words))
    }

    /// Unmistakable verbs in the third person further on: `The device keeps …, deletes the rest`.
    fn further(&mut self, masked: &Masked<'_>, sentence: &Sentence, first: bool) {
        for at in 1..masked.tokens.len() {
            let Some(token) = masked.tokens.get(at) else {
                break;
            };
            let Some(verb) = self.lexicon.verb(token.word) else {
                continue;
            };
            let joined = self.is(
                masked.tokens.get(at - 1),
                &["and", "then", "also", "it", "which"],
            );
            let clear = verb.forms.has(Forms::THIRD) && (!verb.noun || joined) && verb.act.writes();
            let Mask {
                negated,
                subordinate,
                relative,
                example,
            } = masked.mask(at);
            if !clear || negated || subordinate || relative || example {
                continue;
            }
            let seen = self.found.iter().any(|found| {
                found.text == self.number
                    && found.mark.start == token.start as usize
                    && matches!(found.says, Says::Head(_))
            });
            if !seen && self.takes_object(masked, at) {
                self.push(Says::Also(verb.act), masked, sentence, at..at + 1, first);
            }
        }
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
        if !gives || !own {
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
            if purpose && verb.act.writes() && !masked.mask(at).negated && !masked.mask(at).example
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

    /// The facts named by phrases, the longest first at each place.
    fn facts(&mut self, masked: &Masked<'_>, sentence: &Sentence, first: bool) {
        for at in 0..masked.tokens.len() {
            let word: WordId = masked.word(at).unwrap_or_default();
            if word == 0 {
                continue;
            }
            for phrase in self.lexicon.starting(word) {
                let Some(end) = phrase.matches(masked, at) else {
                    continue;
                };
                if !self.counts(phrase.fact, masked, at, end) {
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
        let last = masked.mask(end.saturating_sub(1));
        if here.example && !matches!(fact, Fact::Idempotent | Fact::NotIdempotent) {
            return false;
        }
        match fact {
            // These speak of conditions themselves.
            Fact::Idempotent => !before.negated && !self.negates_idempotency(masked, at),
            Fact::Guarded
            | Fact::NotIdempotent
            | Fact::ReadsOnly
            | Fact::AddsOnly
            | Fact::NoApproval
            | Fact::ClosedWorld
            | Fact::Consumes => {
                !before.negated || matches!(fact, Fact::AddsOnly | Fact::NotIdempotent)
            }
            Fact::Repeats | Fact::Costs | Fact::Cursor => !before.negated,
            Fact::Irreversible => !before.negated || here.negated && !before.negated,
            Fact::Loses | Fact::Writes => {
                !before.negated
                    && !here.negated
                    && !here.subordinate
                    && !here.relative
                    && !last.negated
            }
            Fact::OpenWorld | Fact::Outsiders | Fact::Public | Fact::SinceLast => !before.negated,
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
