//! Text from a server, made safe to show and impossible to misread.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Why a character must not be shown as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hidden {
    /// A control character other than newline and tab: it can drive a terminal.
    Control,
    /// Takes no room: zero-width, fillers, variation selectors, Unicode tags.
    Invisible,
    /// Changes the direction of the text around it (UAX #9 embeddings, overrides, isolates and marks).
    Bidirectional,
}

/// Whether a character hides itself or what stands around it.
///
/// U+200D and the variation selectors are not counted: they build emoji and scripts. A
/// run of them that builds nothing is for a rule to find.
#[must_use]
pub fn hidden(character: char) -> Option<Hidden> {
    match character {
        '\n' | '\t' => None,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => Some(Hidden::Control),
        '\u{061C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' => Some(Hidden::Bidirectional),
        '\u{AD}'
        | '\u{034F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'
        | '\u{200C}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => Some(Hidden::Invisible),
        _ => None,
    }
}

/// The text with every hidden character written as `\u{…}`; newlines and tabs stay.
#[must_use]
pub fn reveal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| hidden(character).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut revealed = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if hidden(character).is_some() {
            // Writing to a string cannot fail.
            let _ = write!(revealed, "\\u{{{:x}}}", u32::from(character));
        } else {
            revealed.push(character);
        }
    }
    Cow::Owned(revealed)
}

/// As [`reveal`], on one line: newlines and tabs are written as `\n` and `\t` too.
#[must_use]
pub fn reveal_line(text: &str) -> Cow<'_, str> {
    match reveal(text) {
        Cow::Borrowed(text) if !text.contains(['\n', '\t']) => Cow::Borrowed(text),
        other => Cow::Owned(other.replace('\n', "\\n").replace('\t', "\\t")),
    }
}
