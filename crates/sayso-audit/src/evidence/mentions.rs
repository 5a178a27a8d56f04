//! Sentences that are not about the tool: advice to the model, mentions of other tools.

use super::prose::{Token, TokenKind};
use super::statements::StatementReader;

impl StatementReader<'_> {
    /// `Use this when …`: advice to the model, not a statement.
    pub(super) fn is_guidance(&self, tokens: &[Token]) -> bool {
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
    pub(super) fn before_another<'t>(&self, tokens: &'t [Token]) -> &'t [Token] {
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
                // `a PowerShell command` is any of its kind.
                && !self.is(tokens.get(at.wrapping_sub(1)), &["a", "an", "any"])
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
}
