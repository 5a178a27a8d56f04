//! Characters in a text that a person does not see, less those that build emoji and scripts.

use sayso_core::reveal::{Hidden, hidden};

/// One such character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Concealed {
    /// Its place in the text, in bytes.
    pub(crate) at: usize,
    /// The character.
    pub(crate) character: char,
    /// Why it is not seen.
    pub(crate) why: Hidden,
}

impl Concealed {
    /// Whether no honest text holds it: tags and everything that turns text or drives a terminal.
    pub(crate) fn grave(&self) -> bool {
        match self.why {
            Hidden::Bidirectional => {
                !matches!(self.character, '\u{200E}' | '\u{200F}' | '\u{061C}')
            }
            Hidden::Control => true,
            Hidden::Invisible => matches!(self.character, '\u{E0000}'..='\u{E0FFF}'),
        }
    }

    /// The letter a tag character stands for.
    pub(crate) fn tag_letter(&self) -> Option<char> {
        let code = u32::from(self.character).checked_sub(0xE0000)?;
        char::from_u32(code).filter(|letter| matches!(letter, ' '..='~'))
    }
}

/// Whether JSON text may hold such a character, as itself or escaped: a quick look that never
/// misses one, so that most text need not be decoded.
pub(crate) fn suspicious(raw: &str) -> bool {
    let plain = |character: char| {
        hidden(character).is_none() && !matches!(character, '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
    };
    if !raw.is_ascii()
        && !raw
            .chars()
            .all(|character| character.is_ascii() || plain(character))
    {
        return true;
    }
    let mut rest = raw;
    while let Some((_, escape)) = rest.split_once('\\') {
        let suspicious = match escape.as_bytes() {
            [b'b' | b'f', ..] => true,
            [b'u', ..] => {
                let unit = escape
                    .get(1..5)
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok());
                match unit {
                    // Surrogates: only these planes' halves begin characters that hide.
                    Some(high @ 0xD800..=0xDBFF) => {
                        matches!(high, 0xD82F | 0xD834 | 0xDB40..=0xDB43)
                    }
                    Some(0xDC00..=0xDFFF) => false,
                    Some(unit) => !char::from_u32(unit).is_some_and(plain),
                    None => true,
                }
            }
            _ => false,
        };
        if suspicious {
            return true;
        }
        // Behind the escaped character, which may be a backslash itself.
        rest = escape.get(1..).unwrap_or_default();
    }
    false
}

/// Every character of a text that hides, in order.
pub(crate) fn concealed(text: &str) -> Vec<Concealed> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return Vec::new();
    }
    let right_to_left = text.chars().any(is_right_to_left);
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(&(at, character)) = characters.get(index) {
        if let Some(length) = flag(characters.get(index..).unwrap_or_default()) {
            index += length;
            continue;
        }
        let previous = index
            .checked_sub(1)
            .and_then(|before| characters.get(before))
            .map(|(_, before)| *before);
        let next = characters.get(index + 1).map(|(_, after)| *after);
        let why = match character {
            // A line end of Windows.
            '\r' if next == Some('\n') => None,
            '\u{200E}' | '\u{200F}' | '\u{061C}' if right_to_left => None,
            '\u{200C}' | '\u{200D}' if joins(previous, next) => None,
            '\u{200D}' => Some(Hidden::Invisible),
            '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' if previous.is_some_and(varies) => {
                None
            }
            '\u{FE00}'..='\u{FE0F}' => Some(Hidden::Invisible),
            '\u{180B}'..='\u{180F}' if previous.is_some_and(|previous| !previous.is_ascii()) => {
                None
            }
            '\u{115F}' | '\u{1160}'
                if next.is_some_and(|next| ('\u{1100}'..='\u{11FF}').contains(&next)) =>
            {
                None
            }
            other => hidden(other),
        };
        if let Some(why) = why {
            found.push(Concealed { at, character, why });
        }
        index += 1;
    }
    found
}

/// The length of a flag written with tags (a black flag, two to six tag letters or digits, a
/// cancel tag: UTS #51 ED-14a), if one begins here.
fn flag(characters: &[(usize, char)]) -> Option<usize> {
    let (first, rest) = characters.split_first()?;
    if first.1 != '\u{1F3F4}' {
        return None;
    }
    let tags = rest
        .iter()
        .take_while(|(_, tag)| matches!(tag, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}'))
        .count();
    let ends = rest.get(tags).is_some_and(|(_, end)| *end == '\u{E007F}');
    (ends && (2..=6).contains(&tags)).then_some(tags + 2)
}

/// Whether a joiner between these two builds something: an emoji sequence, or letters of a
/// script that joins.
fn joins(previous: Option<char>, next: Option<char>) -> bool {
    let builds = |character: char| !character.is_ascii() && hidden(character).is_none();
    matches!((previous, next), (Some(previous), Some(next)) if builds(previous) && builds(next))
}

/// Whether a character has variants to select: no second selector, no space, no plain letter.
fn varies(character: char) -> bool {
    matches!(character, '0'..='9' | '#' | '*')
        || !character.is_ascii()
            && !character.is_whitespace()
            && !matches!(character, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
            && hidden(character).is_none()
}

/// Letters of Hebrew, Arabic and the scripts between them.
fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{0590}'..='\u{05FF}' | '\u{0600}'..='\u{061B}' | '\u{061D}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}
