//! Verbs further on in a sentence whose subject is the tool, a call, or what it sets off.

use super::act::Act;
use super::lexicon::{Forms, Verb};
use super::masks::Masked;
use super::prose::{Sentence, TokenKind};
use super::statements::{Says, StatementReader};

impl StatementReader<'_> {
    /// Unmistakable verbs further on: `The device keeps …, deletes the rest`, `Opening it stamps
    /// a time`, `…, creating one if there is none`, `Its steps can move funds`.
    pub(super) fn further(&mut self, masked: &Masked<'_>, sentence: &Sentence, first: bool) {
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
}
