//! From a text to sentences of words, with everything set aside that is not prose:
//! links, code, quotations, examples.

use std::ops::Range;

use super::lexicon::{Letters, Lexicon, UNKNOWN, WordId};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word.
    Word,
    /// An identifier, a code span, a link: nothing to read, but something to refer to.
    Code,
    /// A quotation.
    Quoted,
    /// A number.
    Number,
    /// A comma, or a slash between words.
    Comma,
    /// A colon, a semicolon or a dash: a new clause begins.
    Clause,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// `e.g.`, `i.e.` and the like.
    ForExample,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) word: WordId,
    pub(super) kind: TokenKind,
}

impl Token {
    /// The token's bytes.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Which part of a description a sentence stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// What the tool does.
    Main,
    /// `Args:` and the like.
    Arguments,
    /// `Returns:` and the like.
    Returns,
    /// `Examples:` and the like.
    Examples,
    /// `When to use:` and the like.
    Guidance,
}

/// A sentence: tokens, bytes, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub(super) tokens: Range<usize>,
    pub(super) bytes: Range<usize>,
    pub(super) section: Section,
}

/// A text, read.
#[derive(Debug, Default)]
pub(super) struct Prose {
    pub(super) tokens: Vec<Token>,
    pub(super) sentences: Vec<Sentence>,
}

impl Prose {
    /// Reads a text in place of the one before.
    pub(super) fn read(&mut self, text: &str, lexicon: &Lexicon) {
        let mut prose = std::mem::take(self);
        prose.tokens.clear();
        prose.sentences.clear();
        let mut reader = Reader {
            text,
            bytes: text.as_bytes(),
            at: 0,
            lexicon,
            prose,
            first: 0,
            section: Section::Main,
            line_start: true,
        };
        reader.run();
        *self = reader.prose;
    }

    /// The tokens of a sentence.
    pub(super) fn tokens_of(&self, sentence: &Sentence) -> &[Token] {
        self.tokens.get(sentence.tokens.clone()).unwrap_or_default()
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    lexicon: &'t Lexicon,
    prose: Prose,
    /// The first token of the sentence being read.
    first: usize,
    section: Section,
    line_start: bool,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            if self.line_start && !byte.is_ascii_whitespace() {
                self.line_start = false;
                if self.line_opening() {
                    continue;
                }
            }
            self.step(byte);
        }
        self.end_sentence();
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'\n' => self.newline(),
            b' ' | b'\t' | b'\r' | b'*' | b'#' | b'>' | b']' | b'[' => self.at += 1,
            b'`' => self.code_span(),
            b'"' => self.quotation(b'"', 160),
            b'\'' => self.quotation(b'\'', 80),
            b'{' => self.braces(),
            b'<' => self.tag(),
            b',' | b'/' | b'&' => self.punctuation(TokenKind::Comma),
            b';' | b':' | b'|' => self.punctuation(TokenKind::Clause),
            b'-' => self.dash(),
            b'(' => self.punctuation(TokenKind::Open),
            b')' => self.punctuation(TokenKind::Close),
            b'.' | b'!' | b'?' => self.full_stop(),
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            0x80.. => self.beyond_ascii(),
            _ => self.at += 1,
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, start: usize, end: usize, word: WordId, kind: TokenKind) {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        self.prose.tokens.push(Token {
            start: narrow(start),
            end: narrow(end),
            word,
            kind,
        });
    }

    fn punctuation(&mut self, kind: TokenKind) {
        self.push(self.at, self.at + 1, UNKNOWN, kind);
        self.at += 1;
    }

    /// A bullet or a heading opens a line; returns whether anything was read.
    fn line_opening(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        if let Some(section) = heading(line) {
            self.end_sentence();
            self.section = section;
            self.at += line.len();
            return true;
        }
        if is_bullet(line) {
            self.end_sentence();
            self.at += line.find([' ', '\t']).unwrap_or(1);
            return true;
        }
        false
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line_start = true;
        let blank = self.bytes.get(self.at..).is_some_and(|rest| {
            rest.iter()
                .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
                .is_none_or(|byte| *byte == b'\n')
        });
        if blank {
            self.end_sentence();
            // A paragraph after an indented section stands on its own again.
            if matches!(self.section, Section::Guidance) {
                self.section = Section::Main;
            }
        }
    }

    fn dash(&mut self) {
        let spaced = self
            .at
            .checked_sub(1)
            .and_then(|at| self.bytes.get(at))
            .is_none_or(u8::is_ascii_whitespace);
        if spaced || self.peek(1) == Some(b'-') || self.peek(1) == Some(b'>') {
            self.push(self.at, self.at + 1, UNKNOWN, TokenKind::Clause);
        }
        self.at += 1;
    }

    fn full_stop(&mut self) {
        let next = self.peek(1);
        self.at += 1;
        let abbreviation = self.prose.tokens.last().is_some_and(|token| {
            token.end as usize == self.at - 1
                && (token.kind == TokenKind::ForExample
                    || self
                        .text
                        .get(token.range())
                        .is_some_and(|word| matches!(word, "etc" | "vs" | "approx" | "incl")))
        });
        if !abbreviation
            && next.is_none_or(|byte| {
                byte.is_ascii_whitespace() || matches!(byte, b'"' | b')' | b'*' | b'\'')
            })
        {
            self.end_sentence();
        }
    }

    fn code_span(&mut self) {
        let fence = self.bytes.get(self.at..self.at + 3) == Some(b"```");
        let (open, close) = if fence { (3, "```") } else { (1, "`") };
        let start = self.at + open;
        let inside = self.text.get(start..).unwrap_or_default();
        match inside.find(close).filter(|end| fence || *end <= 200) {
            Some(end) => {
                if fence {
                    self.end_sentence();
                } else {
                    self.push(start, start + end, UNKNOWN, TokenKind::Code);
                }
                self.at = start + end + close.len();
            }
            None => self.at = start.min(self.bytes.len()),
        }
    }

    fn quotation(&mut self, quote: u8, longest: usize) {
        let start = self.at + 1;
        let opens = self
            .at
            .checked_sub(1)
            .and_then(|at| self.bytes.get(at))
            .is_none_or(|byte| {
                byte.is_ascii_whitespace()
                    || matches!(byte, b'(' | b'[' | b'=' | b':' | b',' | b'/')
            });
        let inside = self
            .bytes
            .get(start..(start + longest).min(self.bytes.len()))
            .unwrap_or_default();
        let end = inside.iter().enumerate().position(|(at, byte)| {
            *byte == quote
                && (quote == b'"'
                    || inside
                        .get(at + 1)
                        .is_none_or(|next| !next.is_ascii_alphanumeric()))
        });
        match end.filter(|end| opens && !inside.iter().take(*end).any(|byte| *byte == b'\n')) {
            Some(end) => {
                self.push(start, start + end, UNKNOWN, TokenKind::Quoted);
                self.at = start + end + 1;
            }
            None => self.at = start,
        }
    }

    /// A piece of JSON, or a template's placeholder.
    fn braces(&mut self) {
        let mut depth = 0_usize;
        let inside = self
            .bytes
            .get(self.at..(self.at + 2000).min(self.bytes.len()))
            .unwrap_or_default();
        for (offset, byte) in inside.iter().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.push(self.at, self.at + offset + 1, UNKNOWN, TokenKind::Code);
                        self.at += offset + 1;
                        return;
                    }
                }
                _ => {}
            }
        }
        self.at += 1;
    }

    fn tag(&mut self) {
        let inside = self
            .bytes
            .get(self.at + 1..(self.at + 48).min(self.bytes.len()))
            .unwrap_or_default();
        let end = inside.iter().position(|byte| *byte == b'>');
        match (inside.first(), end) {
            (Some(first), Some(end)) if first.is_ascii_alphabetic() || *first == b'/' => {
                let name = self
                    .text
                    .get(self.at + 1..self.at + 1 + end)
                    .unwrap_or_default();
                self.end_sentence();
                self.section = if *first == b'/' {
                    Section::Main
                } else {
                    section_named(name).unwrap_or(Section::Main)
                };
                self.at += end + 2;
            }
            _ => self.at += 1,
        }
    }

    fn beyond_ascii(&mut self) {
        let Some(character) = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        else {
            self.at += 1;
            return;
        };
        let width = character.len_utf8();
        match character {
            '\u{2013}' | '\u{2014}' | '\u{2192}' => {
                self.push(self.at, self.at + width, UNKNOWN, TokenKind::Clause);
                self.at += width;
            }
            '\u{201C}' => {
                let start = self.at + width;
                let inside = self.text.get(start..).unwrap_or_default();
                match inside.find('\u{201D}').filter(|end| *end < 200) {
                    Some(end) => {
                        self.push(start, start + end, UNKNOWN, TokenKind::Quoted);
                        self.at = start + end + 3;
                    }
                    None => self.at = start,
                }
            }
            letter if letter.is_alphanumeric() => self.word(),
            _ => self.at += width,
        }
    }

    /// Nearly all words are plain letters, without a capital inside: read in one go.
    fn plain_word(&mut self, rest: &[u8]) -> bool {
        let mut letters = Letters::default();
        let mut length = 0;
        let mut lower = false;
        for byte in rest {
            if !byte.is_ascii_alphabetic() {
                if !matches!(byte, b' ' | b',' | b')' | b'\n' | b';') {
                    return false;
                }
                break;
            }
            if lower && byte.is_ascii_uppercase() {
                return false;
            }
            lower = byte.is_ascii_lowercase();
            letters.push(*byte);
            length += 1;
        }
        if length == 0 {
            return false;
        }
        self.push(
            self.at,
            self.at + length,
            self.lexicon.find_letters(letters),
            TokenKind::Word,
        );
        self.at += length;
        true
    }

    fn word(&mut self) {
        let start = self.at;
        let mut shape = Shape::default();
        let mut end = start;
        let rest = self.text.get(start..).unwrap_or_default();
        if self.plain_word(rest.as_bytes()) {
            return;
        }
        let mut characters = rest.char_indices().peekable();
        let mut previous = ' ';
        while let Some((offset, character)) = characters.next() {
            let next = characters.peek().map_or(' ', |(_, next)| *next);
            if !shape.takes(previous, character, next, offset) {
                break;
            }
            end = start + offset + character.len_utf8();
            previous = character;
        }
        if end == start {
            self.at += rest.chars().next().map_or(1, char::len_utf8);
            return;
        }
        let word = self.text.get(start..end).unwrap_or_default();
        if rest
            .get(word.len()..)
            .is_some_and(|after| after.starts_with("://"))
        {
            let link = rest.find(|character: char| {
                character.is_whitespace() || matches!(character, ')' | '"' | '`' | '>')
            });
            let end = start + link.unwrap_or(rest.len());
            self.push(start, end, UNKNOWN, TokenKind::Code);
            self.at = end;
            return;
        }
        // `get-mail-message`
        let hyphenated =
            rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '-');
        let name = rest
            .get(..hyphenated.unwrap_or(rest.len()))
            .unwrap_or_default()
            .trim_end_matches('-');
        if name.len() > word.len()
            && name.bytes().filter(|byte| *byte == b'-').count() >= 2
            && !name.contains("--")
        {
            self.push(start, start + name.len(), UNKNOWN, TokenKind::Code);
            self.at = start + name.len();
            return;
        }
        let kind = match word {
            "e.g" | "i.e" | "E.g" | "eg" => TokenKind::ForExample,
            _ if shape.identifier => TokenKind::Code,
            _ if shape.letters == 0 => TokenKind::Number,
            _ => TokenKind::Word,
        };
        let id = if kind == TokenKind::Word {
            self.lexicon.find(word)
        } else {
            UNKNOWN
        };
        self.push(start, end, id, kind);
        self.at = end;
    }

    fn end_sentence(&mut self) {
        let tokens = self.first..self.prose.tokens.len();
        self.first = self.prose.tokens.len();
        let Some((first, last)) = self
            .prose
            .tokens
            .get(tokens.clone())
            .and_then(|all| all.first().zip(all.last()))
        else {
            return;
        };
        // The quotation marks and brackets around the ends belong to the sentence.
        let start = self.widen_left(first.start as usize);
        let end = self.widen_right(last.end as usize);
        self.prose.sentences.push(Sentence {
            tokens,
            bytes: start..end,
            section: self.section,
        });
    }

    fn widen_left(&self, start: usize) -> usize {
        match start.checked_sub(1).and_then(|at| self.bytes.get(at)) {
            Some(b'`' | b'"' | b'\'') => start - 1,
            _ => start,
        }
    }

    fn widen_right(&self, end: usize) -> usize {
        let extra = self.bytes.get(end..).unwrap_or_default().iter();
        end + extra
            .take(3)
            .take_while(|byte| matches!(byte, b'`' | b'"' | b'\'' | b'.' | b'!' | b'?' | b')'))
            .count()
    }
}

/// What the characters of a word are like.
#[derive(Default)]
struct Shape {
    letters: usize,
    identifier: bool,
}

impl Shape {
    /// Whether a character goes on with the word.
    fn takes(&mut self, previous: char, character: char, next: char, offset: usize) -> bool {
        match character {
            _ if character.is_alphabetic() => {
                self.identifier |= previous.is_lowercase() && character.is_uppercase();
                self.letters += 1;
                true
            }
            '0'..='9' => true,
            '_' => {
                self.identifier = true;
                true
            }
            '\'' | '\u{2019}' => previous.is_alphabetic() && next.is_alphabetic(),
            '.' => {
                let inside = previous.is_alphanumeric() && next.is_alphanumeric();
                self.identifier |= inside && !(self.letters == 1 && offset == 1);
                inside
            }
            // `e-mail`, `re-run`; longer parts are words of their own.
            '-' | '\u{2010}' | '\u{2011}' => {
                previous.is_alphabetic() && next.is_alphabetic() && self.letters <= 2 && offset <= 2
            }
            _ => false,
        }
    }
}

fn is_bullet(line: &str) -> bool {
    let mut characters = line.chars();
    match characters.next() {
        Some('-' | '*' | '\u{2022}' | '+') => characters.next().is_some_and(char::is_whitespace),
        Some('0'..='9') => {
            let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
            rest.starts_with(". ") || rest.starts_with(") ")
        }
        _ => false,
    }
}

/// The section a line opens, if the line is a heading.
fn heading(line: &str) -> Option<Section> {
    let hashes = line.starts_with('#');
    let bare = line
        .trim()
        .trim_matches(|character: char| matches!(character, '#' | '*' | '_' | ' ' | '='));
    let titled = bare.strip_suffix(':').or_else(|| hashes.then_some(bare))?;
    if titled.len() > 40 || titled.split_whitespace().count() > 4 {
        return None;
    }
    section_named(titled).or(Some(Section::Main).filter(|_| hashes))
}

fn section_named(title: &str) -> Option<Section> {
    let first = title
        .split(|character: char| !character.is_alphabetic())
        .find(|word| !word.is_empty())?;
    let mut lower = [0_u8; 12];
    let slot = lower.get_mut(..first.len())?;
    slot.copy_from_slice(first.as_bytes());
    slot.make_ascii_lowercase();
    match &*slot {
        b"args" | b"arguments" | b"argument" | b"parameters" | b"params" | b"parameter"
        | b"input" | b"inputs" | b"options" => Some(Section::Arguments),
        b"returns" | b"return" | b"output" | b"outputs" | b"response" | b"responses"
        | b"result" | b"results" | b"raises" | b"errors" => Some(Section::Returns),
        b"example" | b"examples" | b"sample" | b"samples" => Some(Section::Examples),
        b"when" | b"use" | b"usage" | b"hint" | b"hints" | b"tips" | b"tip" | b"best"
        | b"workflow" | b"see" | b"related" | b"prerequisites" => Some(Section::Guidance),
        b"note" | b"notes" | b"warning" | b"important" | b"caution" | b"description"
        | b"behavior" | b"behaviour" => Some(Section::Main),
        _ => None,
    }
}
