//! Names that look alike. A small, exact table; not all of Unicode's confusables (UTS #39).

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// Cyrillic and Greek letters, and the Latin letter each looks like in common fonts.
const LOOKALIKES: [(char, char); 54] = [
    ('\u{0391}', 'A'),
    ('\u{0392}', 'B'),
    ('\u{0395}', 'E'),
    ('\u{0396}', 'Z'),
    ('\u{0397}', 'H'),
    ('\u{0399}', 'I'),
    ('\u{039A}', 'K'),
    ('\u{039C}', 'M'),
    ('\u{039D}', 'N'),
    ('\u{039F}', 'O'),
    ('\u{03A1}', 'P'),
    ('\u{03A4}', 'T'),
    ('\u{03A5}', 'Y'),
    ('\u{03A7}', 'X'),
    ('\u{03B1}', 'a'),
    ('\u{03B9}', 'i'),
    ('\u{03BD}', 'v'),
    ('\u{03BF}', 'o'),
    ('\u{03C1}', 'p'),
    ('\u{03C5}', 'u'),
    ('\u{0405}', 'S'),
    ('\u{0406}', 'I'),
    ('\u{0408}', 'J'),
    ('\u{0410}', 'A'),
    ('\u{0412}', 'B'),
    ('\u{0415}', 'E'),
    ('\u{041A}', 'K'),
    ('\u{041C}', 'M'),
    ('\u{041D}', 'H'),
    ('\u{041E}', 'O'),
    ('\u{0420}', 'P'),
    ('\u{0421}', 'C'),
    ('\u{0422}', 'T'),
    ('\u{0423}', 'Y'),
    ('\u{0425}', 'X'),
    ('\u{0430}', 'a'),
    ('\u{0435}', 'e'),
    ('\u{043E}', 'o'),
    ('\u{0440}', 'p'),
    ('\u{0441}', 'c'),
    ('\u{0443}', 'y'),
    ('\u{0445}', 'x'),
    ('\u{0455}', 's'),
    ('\u{0456}', 'i'),
    ('\u{0458}', 'j'),
    ('\u{04BB}', 'h'),
    ('\u{04CF}', 'l'),
    ('\u{0501}', 'd'),
    ('\u{051B}', 'q'),
    ('\u{051D}', 'w'),
    ('\u{0585}', 'o'),
    ('\u{0581}', 'g'),
    ('\u{057D}', 'u'),
    ('\u{0578}', 'n'),
];

fn latin(character: char) -> Option<char> {
    LOOKALIKES
        .iter()
        .find(|(lookalike, _)| *lookalike == character)
        .map(|(_, latin)| *latin)
}

/// What a name looks like: two names with the same skeleton are hard to tell apart.
#[must_use]
pub(crate) fn skeleton(name: Cow<'_, str>) -> Cow<'_, str> {
    let fold = |character: char| match character {
        '0' => 'O',
        '1' | 'I' => 'l',
        other => other,
    };
    if !name.is_ascii() {
        return Cow::Owned(
            name.nfkc()
                .filter(|character| sayso_core::reveal::hidden(*character).is_none())
                .map(|character| fold(latin(character).unwrap_or(character)))
                .collect(),
        );
    }
    if name.contains(['0', '1', 'I']) {
        Cow::Owned(name.chars().map(fold).collect())
    } else {
        name
    }
}

/// A letter that looks Latin in a name that has Latin letters too.
#[must_use]
pub(crate) fn mixed_scripts(name: &str) -> Option<char> {
    if name.is_ascii()
        || !name
            .chars()
            .any(|character| character.is_ascii_alphabetic())
    {
        return None;
    }
    name.chars().find(|character| latin(*character).is_some())
}
