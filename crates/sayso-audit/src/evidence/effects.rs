//! What an argument makes the tool do, as its own description or that of the tool says it.

use super::act::Act;
use super::lexicon::Forms;
use super::masks::Masked;
use super::prose::{Sentence, Token, TokenKind};
use super::statements::{Says, StatementReader};

/// Verbs that begin the description of an argument only where its value has that effect.
pub(super) const EFFECTS: [&str; 40] = [
    "close",
    "unlock",
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

/// Words that may stand before such a verb: `if true, also …`.
const BEFORE_EFFECTS: [&str; 12] = [
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
];

impl StatementReader<'_> {
    /// `Pass ack to clear handled requests`: what one of the tool's own arguments does.
    pub(super) fn by_argument(&mut self, masked: &Masked<'_>, sentence: &Sentence) {
        let gives = self.is(
            masked.tokens.first(),
            &[
                "pass", "set", "with", "give", "supply", "provide", "use", "specify", "add",
                "include", "send",
            ],
        );
        let condition = self.is(masked.tokens.first(), &["with", "if", "when"]);
        if !gives && !condition {
            return;
        }
        let own = masked.tokens.iter().take(4).any(|token| {
            matches!(
                token.kind,
                TokenKind::Code | TokenKind::Word | TokenKind::Quoted
            ) && (self.own)(self.word(token))
        });
        if !own {
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
    pub(super) fn effect(&mut self, tokens: &[Token], sentence: &Sentence) {
        if !tokens
            .iter()
            .take(7)
            .any(|token| self.lexicon.is_effect(token.word))
        {
            return;
        }
        let skipped = |token: &&Token| {
            token.kind == TokenKind::Comma || self.is(Some(token), &BEFORE_EFFECTS)
        };
        // `units to …`
        let at = if self.is(tokens.get(1), &["to"]) {
            2
        } else {
            tokens.iter().take(6).take_while(skipped).count()
        };
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
        // `units to hold for the caller`
        let held = at == 2
            && self.is(tokens.get(at), &["hold", "reserve", "book"])
            && self.is(tokens.get(at + 1), &["for"]);
        // `repairs broken links`: in the third person an object needs no article.
        let bare = verb.forms.has(Forms::THIRD)
            && !verb.noun
            && tokens.get(at + 1).is_some_and(|token| {
                token.kind == TokenKind::Word && self.lexicon.verb(token.word).is_none()
            });
        if !calls && (bare || held || self.takes_object(&masked, at)) {
            let act = self.sense(&masked, at, verb);
            self.push(Says::ByArgument(act), &masked, sentence, at..at + 1, false);
        }
    }
}
