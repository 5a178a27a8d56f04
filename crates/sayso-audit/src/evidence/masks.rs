//! Which words of a sentence count as statements about the tool, and which do not:
//! negations, subordinate and relative clauses, examples, mentions of other tools.

use super::lexicon::Lexicon;
use super::phrases::Tokens;
use super::prose::{Token, TokenKind};

/// What a word opens or closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opener {
    Negation,
    ShortNegation,
    Contrast,
    Subordinate,
    Relative,
    Example,
    Instead,
}

/// What is known of one token's surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask {
    /// Under a negation: `does not delete`.
    pub(super) negated: bool,
    /// After `if`, `when`, `until` and the like, up to the next clause.
    pub(super) subordinate: bool,
    /// After `that`, `which`, `who`.
    pub(super) relative: bool,
    /// An example, or in brackets.
    pub(super) example: bool,
    /// Said to be refused: `inserts, updates and deletes are rejected`.
    pub(super) refused: bool,
}

/// A sentence's tokens with their masks.
pub(super) struct Masked<'p> {
    pub(super) tokens: &'p [Token],
    pub(super) masks: Vec<Mask>,
}

impl Tokens for Masked<'_> {
    fn word(&self, at: usize) -> Option<super::lexicon::WordId> {
        let token = self.tokens.get(at)?;
        match token.kind {
            TokenKind::Clause | TokenKind::Open | TokenKind::Close | TokenKind::ForExample => None,
            _ => Some(token.word),
        }
    }

    fn is_code(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| matches!(token.kind, TokenKind::Code | TokenKind::Quoted))
    }
}

impl<'p> Masked<'p> {
    /// Works out the masks of a sentence.
    pub(super) fn new(tokens: &'p [Token], text: &str, lexicon: &Lexicon) -> Self {
        let mut masks = vec![Mask::default(); tokens.len()];
        let mut scope = Scope::default();
        for (at, (token, mask)) in tokens.iter().zip(&mut masks).enumerate() {
            match token.kind {
                TokenKind::Clause => {
                    scope = Scope {
                        example: scope.example,
                        ..Scope::default()
                    }
                }
                TokenKind::Comma => scope.comma(),
                TokenKind::Open => scope.brackets += 1,
                TokenKind::Close => scope.close(),
                TokenKind::ForExample => scope.example = true,
                TokenKind::Word => {
                    let opener = lexicon.opener(token.word);
                    if opener.is_some() || scope.is_open() {
                        let word = text.get(token.range()).unwrap_or_default();
                        let previous = at.checked_sub(1).and_then(|at| tokens.get(at));
                        scope.close_open_clauses(word, previous, text, lexicon);
                        if let Some(opener) = opener {
                            let next = tokens
                                .get(at + 1)
                                .and_then(|next| text.get(next.range()))
                                .unwrap_or_default();
                            let after_comma =
                                previous.is_some_and(|token| token.kind == TokenKind::Comma);
                            // `a file of that name`: no clause begins.
                            let before = previous
                                .and_then(|token| text.get(token.range()))
                                .unwrap_or_default();
                            let determines = matches!(
                                before,
                                "of" | "in"
                                    | "for"
                                    | "with"
                                    | "under"
                                    | "by"
                                    | "at"
                                    | "on"
                                    | "from"
                                    | "to"
                            );
                            scope.open(opener, word, next, at > 0 && !after_comma && !determines);
                        }
                    }
                }
                _ => {}
            }
            *mask = scope.mask();
            scope.age();
        }
        refuse(tokens, &mut masks, text, lexicon);
        Self { tokens, masks }
    }

    /// Whether a condition stands before a token: `if …, nothing is changed`.
    pub(super) fn follows_condition(&self, at: usize) -> bool {
        self.masks.iter().take(at).any(|mask| mask.subordinate)
    }

    /// The mask of a token.
    pub(super) fn mask(&self, at: usize) -> Mask {
        self.masks.get(at).copied().unwrap_or_default()
    }
}

#[derive(Default)]
struct Scope {
    negation: u8,
    subordinate: bool,
    /// Tokens since the subordinate clause began.
    since_subordinate: u8,
    relative: u8,
    /// Tokens since the relative clause began.
    since_relative: u8,
    example: bool,
    brackets: u8,
}

impl Scope {
    /// Whether a clause is open that a word could close.
    fn is_open(&self) -> bool {
        self.subordinate || self.relative > 0 || self.example
    }

    fn open(&mut self, opener: Opener, word: &str, next: &str, relative: bool) {
        match opener {
            Opener::Negation if !matches!(next, "only" | "just" | "yet") => self.negation = 14,
            Opener::ShortNegation => self.negation = self.negation.max(4),
            // `not duplicated, so the call is safe to repeat`, but not `so that`, `do so`.
            Opener::Contrast
                if word != "so"
                    || matches!(next, "the" | "it" | "this" | "a" | "calling" | "repeating") =>
            {
                self.negation = 0;
            }
            // `what ran before is replaced`: an adverb.
            Opener::Subordinate
                if matches!(word, "before" | "after")
                    && matches!(next, "is" | "are" | "was" | "were" | "will") => {}
            Opener::Subordinate => (self.subordinate, self.since_subordinate) = (true, 0),
            // `…, which deletes it` tells what happens; `files that were deleted` does not.
            Opener::Relative if relative => (self.relative, self.since_relative) = (7, 0),
            Opener::Example if matches!(next, "example" | "instance" | "as") || word == "like" => {
                self.example = true
            }
            Opener::Instead if matches!(next, "of" | "than") => {
                self.negation = self.negation.max(5)
            }
            _ => {}
        }
    }

    fn comma(&mut self) {
        // `if it does not exist, …`: the negation ends with its clause.
        if self.subordinate {
            self.negation = 0;
        }
        self.subordinate = false;
        self.relative = 0;
    }

    fn close(&mut self) {
        self.brackets = self.brackets.saturating_sub(1);
        if self.brackets == 0 {
            self.example = false;
        }
    }

    /// Clauses that end without a comma: `if text is given it replaces …`, `lines that were read are removed`.
    fn close_open_clauses(
        &mut self,
        word: &str,
        previous: Option<&Token>,
        text: &str,
        lexicon: &Lexicon,
    ) {
        let before = previous
            .and_then(|token| text.get(token.range()))
            .unwrap_or_default();
        let joined = matches!(before, "and" | "or" | "that" | "which" | "who" | "not");
        if self.relative > 0
            && self.since_relative >= 2
            && matches!(word, "is" | "are" | "will" | "gets" | "get")
            && !joined
        {
            self.relative = 0;
        }
        // `such as this one, and its value is returned`
        if self.example
            && self.brackets == 0
            && before == "and"
            && matches!(word, "its" | "it" | "the" | "then")
        {
            self.example = false;
        }
        let begins = matches!(
            word,
            "it" | "they" | "the" | "a" | "an" | "all" | "each" | "this" | "its"
        );
        let follows = joined
            || matches!(
                before,
                "of" | "in"
                    | "to"
                    | "for"
                    | "by"
                    | "with"
                    | "on"
                    | "from"
                    | "at"
                    | "as"
                    | "is"
                    | "are"
                    | "than"
                    | "has"
                    | "have"
                    | "after"
                    | "before"
                    | "into"
                    | "about"
            )
            || previous
                .and_then(|token| lexicon.verb(token.word))
                .is_some_and(|verb| {
                    verb.forms.has(super::lexicon::Forms::BASE)
                        || verb.forms.has(super::lexicon::Forms::THIRD)
                });
        if self.subordinate && self.since_subordinate >= 3 && begins && !follows {
            self.subordinate = false;
        }
    }

    fn age(&mut self) {
        self.since_subordinate = self.since_subordinate.saturating_add(1);
        self.since_relative = self.since_relative.saturating_add(1);
        self.negation = self.negation.saturating_sub(1);
        self.relative = self.relative.saturating_sub(1);
    }

    fn mask(&self) -> Mask {
        Mask {
            negated: self.negation > 0,
            subordinate: self.subordinate,
            relative: self.relative > 0,
            example: self.example,
            refused: false,
        }
    }
}

/// Marks what stands before `are refused`, `is not allowed` and the like, back to the beginning
/// of its clause or to a verb with an object of its own.
fn refuse(tokens: &[Token], masks: &mut [Mask], text: &str, lexicon: &Lexicon) {
    const REFUSED: [&str; 11] = [
        "refused",
        "rejected",
        "blocked",
        "denied",
        "forbidden",
        "disallowed",
        "prohibited",
        "disabled",
        "prevented",
        "unsupported",
        "impossible",
    ];
    const ALLOWED: [&str; 9] = [
        "allowed",
        "permitted",
        "possible",
        "supported",
        "accepted",
        "executed",
        "run",
        "available",
        "performed",
    ];
    let word = |at: usize| {
        tokens
            .get(at)
            .filter(|token| token.kind == TokenKind::Word)
            .and_then(|token| text.get(token.range()))
            .unwrap_or_default()
    };
    for at in 1..tokens.len() {
        // `is`, `are`, `be`, `gets`: nothing longer needs a look.
        let short = tokens
            .get(at)
            .is_some_and(|token| token.end - token.start <= 4);
        if !short || !matches!(word(at), "is" | "are" | "be" | "gets" | "get") {
            continue;
        }
        let refused = REFUSED.contains(&word(at + 1))
            || matches!(word(at + 1), "not" | "never") && ALLOWED.contains(&word(at + 2));
        if !refused {
            continue;
        }
        for before in (0..at).rev() {
            let Some(token) = tokens.get(before) else {
                break;
            };
            let finite = lexicon
                .verb(token.word)
                .is_some_and(|verb| verb.forms.has(super::lexicon::Forms::THIRD));
            let object = matches!(
                word(before + 1),
                "a" | "an" | "the" | "it" | "its" | "one" | "all" | "any" | "each"
            );
            if token.kind == TokenKind::Clause || finite && object {
                break;
            }
            if let Some(mask) = masks.get_mut(before) {
                mask.refused = true;
            }
        }
    }
}

/// The words that open or close a scope.
pub(super) const OPENERS: &[(Opener, &[&str])] = &[
    (
        Opener::Negation,
        &[
            "not", "never", "cannot", "doesn't", "don't", "won't", "isn't", "aren't", "can't",
            "didn't", "nothing", "neither", "nor",
        ],
    ),
    (
        Opener::ShortNegation,
        &["would", "could", "no", "without", "none"],
    ),
    (Opener::Contrast, &["but", "however", "so"]),
    (Opener::Instead, &["instead", "rather"]),
    (
        Opener::Subordinate,
        &[
            "if", "when", "whenever", "once", "after", "until", "before", "whether", "where",
            "while", "because", "unless", "how", "why",
        ],
    ),
    (
        Opener::Relative,
        &["that", "which", "who", "whose", "whom", "what"],
    ),
    (Opener::Example, &["for", "such", "like"]),
];
