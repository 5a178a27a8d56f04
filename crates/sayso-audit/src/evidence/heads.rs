//! The verbs a sentence is built on: its head, and what is coordinated with it.

use super::act::Act;
use super::lexicon::{Forms, Verb};
use super::masks::Masked;
use super::prose::{Sentence, Token, TokenKind};
use super::statements::{Says, StatementReader};

/// Where a head verb was found, and in which form.
struct Head {
    at: usize,
    form: Forms,
    /// `None` for a verb the lexicon does not know.
    verb: Option<Verb>,
}

/// Words for the tool itself.
pub(super) const TOOL_NOUNS: [&str; 11] = [
    "tool",
    "function",
    "endpoint",
    "command",
    "operation",
    "method",
    "action",
    "call",
    "api",
    "parameter",
    "field",
];

/// Words that follow a noun rather than a verb: `files larger than`, `replies for`, `pages may`.
const AFTER_NOUNS: [&str; 40] = [
    "of", "is", "are", "was", "were", "may", "can", "could", "must", "should", "will", "would",
    "have", "has", "had", "for", "with", "that", "which", "whose", "who", "in", "on", "at", "from",
    "larger", "smaller", "above", "below", "sent", "built", "without", "under", "after", "when",
    "not", "if", "per", "since", "between",
];

impl StatementReader<'_> {
    /// Finds the head and what is coordinated with it.
    pub(super) fn heads(&mut self, masked: &Masked<'_>, sentence: &Sentence, first: bool) {
        let Some(head) = self.head(masked, first) else {
            return;
        };
        let mask = masked.mask(head.at);
        if mask.negated || mask.refused || self.acts_on_nothing(masked, head.at) {
            return;
        }
        if let Some(verb) = head.verb {
            let act = self.sense(masked, head.at, verb);
            // `Replaces the older tools` tells of the listing.
            let of_tools =
                matches!(act, Act::Replace | Act::Remove)
                    && masked.tokens.iter().skip(head.at).take(9).any(|token| {
                        self.is(Some(token), &["tool", "tools", "endpoint", "endpoints"])
                    });
            if of_tools && !first {
                return;
            }
            self.take_head(act, masked, sentence, head.at, first);
        }
        self.coordinated(masked, sentence, &head, first);
    }

    fn take_head(
        &mut self,
        act: Act,
        masked: &Masked<'_>,
        sentence: &Sentence,
        at: usize,
        first: bool,
    ) {
        self.heads.push(act);
        self.push(Says::Head(act), masked, sentence, at..at + 1, first);
    }

    fn coordinated(&mut self, masked: &Masked<'_>, sentence: &Sentence, head: &Head, first: bool) {
        let mut chained = true;
        let mut form = head.form;
        for at in head.at + 1..masked.tokens.len() {
            let Some(token) = masked.tokens.get(at) else {
                break;
            };
            if token.kind == TokenKind::Clause {
                let reads = self
                    .heads
                    .last()
                    .is_some_and(|act| matches!(act, Act::Read | Act::Compute));
                let unknown = self.heads.is_empty() && head.verb.is_none();
                if self.word(token) == ":" && (!reads && !self.heads.is_empty() || unknown) {
                    // `Manages contexts: list, get or set`, `Edits a note: append, prepend, …`,
                    // `Tidies the store: merges duplicates and drops the rest`
                    let third = masked
                        .tokens
                        .get(at + 1)
                        .and_then(|token| self.lexicon.verb(token.word))
                        .is_some_and(|verb| verb.forms.has(Forms::THIRD));
                    form = if third { head.form } else { Forms::BASE };
                    chained = third || !unknown;
                } else if form == Forms::BASE {
                    // `…; choose another tool when …` speaks to the reader.
                    return;
                }
                continue;
            }
            let Some(verb) = self
                .lexicon
                .verb(token.word)
                .filter(|verb| verb.forms.has(form) && self.joins(masked, at))
            else {
                chained &= token.kind == TokenKind::Comma
                    || self.is(Some(token), &["and", "or", "then", "optionally", "also"]);
                continue;
            };
            let mask = masked.mask(at);
            if mask.negated
                || mask.example
                || mask.relative
                || mask.subordinate && !self.leaves_a_question(masked, at, verb)
                || mask.refused
                || self.acts_on_nothing(masked, at)
            {
                continue;
            }
            chained = chained && self.list_goes_on(masked, at)
                || !verb.noun
                    && form == Forms::THIRD
                    && !self.is(masked.tokens.get(at + 1), &AFTER_NOUNS)
                || self.takes_object(masked, at)
                || self.goes_on_writing(masked, at, form, head);
            if chained {
                let act = self.sense(masked, at, verb);
                // `Records an expense and splits it`: what is changed was only just made.
                let either = masked
                    .tokens
                    .iter()
                    .take(at)
                    .skip(head.at)
                    .any(|token| self.is(Some(token), &["or"]));
                let fresh = !either
                    && self.is(masked.tokens.get(at + 1), &["it", "its", "them"])
                    && matches!(self.heads.first(), Some(Act::Add | Act::Make));
                let act = if fresh && matches!(act, Act::Update | Act::Adjust) {
                    Act::Add
                } else {
                    act
                };
                self.take_head(act, masked, sentence, at, first);
            }
        }
    }

    /// `Tells whether it is done and reminds the owner if not`: the question ends at `and`.
    fn leaves_a_question(&self, masked: &Masked<'_>, at: usize, verb: Verb) -> bool {
        verb.forms.has(Forms::THIRD)
            && verb.act.writes()
            && self.takes_object(masked, at)
            && self.is(masked.tokens.get(at.wrapping_sub(1)), &["and"])
            && masked
                .tokens
                .iter()
                .take(at)
                .any(|token| self.is(Some(token), &["whether"]))
    }

    /// `Deletes nothing`, `sends no mail`.
    fn acts_on_nothing(&self, masked: &Masked<'_>, at: usize) -> bool {
        self.is(
            masked.tokens.get(at + 1),
            &["nothing", "no", "none", "nobody", "neither"],
        )
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
        if let Some((skip, form)) = self.opening(tokens.get(at..)?, first) {
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
        (!self.is_noun(masked, at, verb, first)).then_some(Head {
            at,
            form,
            verb: Some(verb),
        })
    }

    /// Whether a word that could be a verb is a noun here: `List of users`, `Files larger than …`.
    fn is_noun(&self, masked: &Masked<'_>, at: usize, verb: Verb, first: bool) -> bool {
        let next = masked.tokens.get(at + 1);
        if next.is_some_and(|token| token.kind == TokenKind::Clause) && !verb.act.writes() {
            return verb.noun;
        }
        if next.is_some_and(|token| token.kind == TokenKind::Clause && self.word(token) != ";")
            && verb.noun
        {
            return true;
        }
        if !first && verb.act.writes() && !verb.forms.has(Forms::BASE) {
            let bare = self.is(next, &AFTER_NOUNS) || next.is_none();
            return bare || verb.noun && !self.takes_object(masked, at);
        }
        // `Set include_all to true`: an instruction about an argument.
        let instructs =
            next.is_some_and(|token| token.kind == TokenKind::Code && (self.own)(self.word(token)));
        instructs
            || verb.noun
                && self.is(next, &AFTER_NOUNS)
                && !self.tells_that(masked, at)
                && !self.has_particle(masked, at)
    }

    /// `Hands in`, `logs on`: the word behind belongs to the verb.
    fn has_particle(&self, masked: &Masked<'_>, at: usize) -> bool {
        masked.tokens.get(at).is_some_and(|token| {
            self.lexicon.senses(token.word).any(|sense| {
                !sense.next.is_empty() && self.is(masked.tokens.get(at + 1), sense.next)
            })
        })
    }

    /// `Records that a version was deployed`, but not `Records that match a filter`.
    fn tells_that(&self, masked: &Masked<'_>, at: usize) -> bool {
        self.is(
            masked.tokens.get(at + 1),
            &["that", "whether", "which", "who"],
        ) && self.is(
            masked.tokens.get(at + 2),
            &[
                "a",
                "an",
                "the",
                "it",
                "you",
                "we",
                "something",
                "someone",
                "one",
                "this",
                "your",
            ],
        )
    }

    /// Words before the verb that say nothing: `also`, `then`, `safely`, a bracketed tag.
    fn skippable(&self, token: Option<&Token>) -> bool {
        const SKIPPED: [&str; 8] = [
            "also",
            "then",
            "first",
            "optionally",
            "afterwards",
            "bulk",
            "batch",
            "please",
        ];
        match token {
            Some(token) if token.kind == TokenKind::Word => {
                let word = self.word(token);
                self.lexicon.verb(token.word).is_none()
                    && (word.len() > 4 && word.ends_with("ly")
                        || SKIPPED
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
    fn opening(&self, tokens: &[Token], first: bool) -> Option<(usize, Forms)> {
        let subject = if self.is(tokens.first(), &["this", "the", "a", "an"])
            && self.is(tokens.get(1), &TOOL_NOUNS)
        {
            2
        } else {
            usize::from(self.is(tokens.first(), &["it", "this", "tool"]))
        };
        let verb = tokens.get(subject);
        let used = subject == 0 && self.is(verb, &["use", "used", "call"])
            || subject > 0
                && self.is(verb, &["is"])
                && self.is(
                    tokens.get(subject + 1),
                    &["used", "for", "designed", "intended", "meant", "to"],
                );
        let helps = self.is(
            verb,
            &[
                "allows", "allow", "enables", "enable", "lets", "let", "helps", "help", "ability",
            ],
        );
        // Later on these speak of what the caller may do with it.
        if !first && (used || helps) {
            return Some((tokens.len(), Forms::BASE));
        }
        if used {
            let to =
                (subject..subject + 5).find(|place| self.is(tokens.get(*place), &["to", "for"]))?;
            let gerund = self.is(tokens.get(to), &["for"]);
            return Some((to + 1, if gerund { Forms::GERUND } else { Forms::BASE }));
        }
        if helps {
            let to = (subject + 1..subject + 5).find(|place| {
                self.is(
                    tokens.get(*place),
                    &["to", "you", "users", "agents", "clients"],
                )
            })?;
            return Some((
                to + 1 + usize::from(self.is(tokens.get(to + 1), &["to"])),
                Forms::BASE,
            ));
        }
        match subject {
            0 => None,
            _ if self.is(verb, &["for"]) => Some((subject + 1, Forms::GERUND)),
            _ if self.is(verb, &["that"]) => Some((subject + 1, Forms::THIRD)),
            _ if self.is(
                verb,
                &["will", "can", "may", "should", "must", "might", "to"],
            ) =>
            {
                Some((subject + 1, Forms::BASE))
            }
            _ => Some((subject, Forms::THIRD)),
        }
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
                    || self.is(Some(token), &["and", "or"])
            })
    }

    /// `merges duplicates and drops stale entries`: after a write, a verb with a bare object.
    fn goes_on_writing(&self, masked: &Masked<'_>, at: usize, form: Forms, head: &Head) -> bool {
        let writing = self
            .heads
            .last()
            .map_or(head.verb.is_none(), |act| act.writes());
        let next = masked.tokens.get(at + 1);
        let bare = next.is_some_and(|token| {
            token.kind == TokenKind::Word && self.lexicon.verb(token.word).is_none()
        });
        writing
            && form == Forms::THIRD
            && bare
            && !self.is(next, &AFTER_NOUNS)
            && !self.is(next, &["and", "or", "to", "by", "as", "into"])
    }

    /// In a chain of verbs: another comma or conjunction follows, or an object.
    fn list_goes_on(&self, masked: &Masked<'_>, at: usize) -> bool {
        masked.tokens.get(at + 1).is_none_or(|next| {
            matches!(
                next.kind,
                TokenKind::Comma | TokenKind::Clause | TokenKind::Open
            ) || self.is(Some(next), &["and", "or", "in"])
                || next.kind == TokenKind::Word && self.lexicon.verb(next.word).is_none()
        }) || self.takes_object(masked, at)
    }

    /// Whether what follows reads as a verb's object: an article, a pronoun, a particle.
    pub(super) fn takes_object(&self, masked: &Masked<'_>, at: usize) -> bool {
        const OBJECTS: [&str; 34] = [
            "a", "an", "the", "it", "them", "its", "their", "this", "that", "these", "those",
            "all", "any", "each", "every", "one", "new", "existing", "your", "you", "up", "out",
            "off", "back", "another", "him", "her", "selected", "specific", "multiple", "some",
            "between", "whether", "our",
        ];
        let next = masked.tokens.get(at + 1);
        next.is_some_and(|token| token.kind == TokenKind::Number) || self.is(next, &OBJECTS)
    }

    /// `Gives a webhook a fresh secret`: the thing has it afterwards; `gives the caller a new view` tells.
    fn gives_to(&self, masked: &Masked<'_>, at: usize) -> bool {
        const LISTENERS: [&str; 7] = [
            "user",
            "caller",
            "model",
            "agent",
            "client",
            "assistant",
            "reader",
        ];
        let is = |ahead: usize, words: &[&str]| self.is(masked.tokens.get(at + ahead), words);
        let fresh = |ahead: usize| {
            is(ahead, &["a", "an"]) && is(ahead + 1, &["fresh", "new", "different"])
                || is(ahead, &["another"])
        };
        is(0, &["give", "gives"])
            && is(1, &["a", "an", "the", "each", "every", "one"])
            && !is(2, &LISTENERS)
            && !is(3, &LISTENERS)
            && (fresh(3) || fresh(4))
    }

    /// What a verb does in its company.
    pub(super) fn sense(&self, masked: &Masked<'_>, at: usize, verb: Verb) -> Act {
        let Some(token) = masked.tokens.get(at) else {
            return verb.act;
        };
        let next = masked.tokens.get(at + 1);
        if verb.act == Act::Read && self.gives_to(masked, at) {
            return Act::Adjust;
        }
        self.lexicon
            .senses(token.word)
            .find(|sense| {
                (sense.next.is_empty() || self.is(next, sense.next))
                    && (sense.company.is_empty()
                        || masked
                            .tokens
                            .iter()
                            .any(|token| self.is(Some(token), sense.company)))
                    && (sense.object.is_empty()
                        || masked
                            .tokens
                            .iter()
                            .skip(at + 1)
                            .take(4)
                            .take_while(|token| token.kind != TokenKind::Clause)
                            .any(|token| self.is(Some(token), sense.object)))
            })
            .map_or(verb.act, |sense| sense.act)
    }
}
