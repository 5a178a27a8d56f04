//! Texts by what an argument is called, and by the bounds a schema sets.

use super::input_schema::Part;
use super::name;
use super::value::largest;
use crate::fixture::{Built, Known};

/// The longest text that is made.
const LONGEST: usize = 4096;

/// Texts to try, the likeliest first; `None` where nobody can know one.
pub(super) fn candidates(
    argument: &str,
    way: &[Part<'_>],
    about: &str,
    tool: &str,
    built: &Built,
) -> Option<Vec<String>> {
    let mut format = way.iter().filter_map(|part| part.get("format")?.as_str());
    let made = match format.find_map(|format| of_format(format, built)) {
        Some(made) => made?,
        None => name::text(argument, about, tool, built)?,
    };
    let mut texts = vec![made.clone()];
    if name::is_path(argument) {
        let others = [
            Known::OtherFile,
            Known::Ignored,
            Known::Records,
            Known::Json,
        ];
        let others = others.iter().filter_map(|known| built.value(*known));
        texts.extend(others.map(str::to_owned));
    }
    let patterns = way.iter().filter_map(|part| part.get("pattern")?.as_str());
    let patterns: Vec<&str> = patterns.collect();
    if !patterns.is_empty() {
        texts.extend(built.values.iter().map(|(_, value)| value.clone()));
        texts.extend(name::TEXTS.iter().map(|(_, text)| (*text).to_owned()));
    }
    let root = built.root.display();
    for pattern in patterns {
        // The validator holds it against the pattern: a witness leaves look-around out.
        let Some(witness) = jsonschema_regex::pattern_witness(pattern) else {
            continue;
        };
        if name::is_path(argument) {
            texts.push(format!("{root}/made-up{witness}"));
            texts.push(format!("made-up{witness}"));
        }
        texts.extend(longer(&witness, way));
        texts.push(witness);
    }
    texts.extend((2..10).map(|number| format!("{made} {number}")));
    let least = largest(way, "minLength").min(LONGEST);
    let most = way
        .iter()
        .filter_map(|part| part.get("maxLength")?.as_u64());
    let most = most.min().and_then(|most| usize::try_from(most).ok());
    let bounded = texts.into_iter().map(|text| bounded(text, least, most));
    let mut bounded: Vec<String> = bounded.collect();
    // Short texts that differ.
    let letters = ('a'..='z').chain('0'..='9');
    bounded.extend(letters.map(|letter| letter.to_string().repeat(least.max(1))));
    Some(bounded)
}

/// What a format asks for; the inner `None` where nobody can know one.
fn of_format(format: &str, built: &Built) -> Option<Option<String>> {
    let text = match format {
        "date-time" => "2024-01-01T12:00:00Z",
        "date" => "2024-01-01",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "nobody@example.invalid",
        "hostname" | "idn-hostname" => "example.invalid",
        "ipv4" => "127.0.0.1",
        "ipv6" => "::1",
        "json-pointer" => "/a",
        "regex" => "a",
        "uri" | "iri" | "uri-reference" | "iri-reference" | "url" => {
            return Some(built.value(Known::Url).map(str::to_owned));
        }
        // It is the number of a thing.
        "uuid" => return Some(None),
        _ => return None,
    };
    Some(Some(text.to_owned()))
}

/// A witness as long as the schema has it: a letter of it again and again, each in its turn.
fn longer(witness: &str, way: &[Part<'_>]) -> Vec<String> {
    let length = witness.chars().count();
    let least = largest(way, "minLength").min(LONGEST);
    let wanted = least.max(length + 1).saturating_sub(length);
    let places = witness.char_indices().take(64);
    let longer = places.flat_map(|(place, letter)| {
        let (before, behind) = witness.split_at_checked(place).unwrap_or((witness, ""));
        let by = |more: usize| {
            let again = letter.to_string().repeat(more);
            format!("{before}{again}{behind}")
        };
        [by(wanted), by(wanted + 1), by(wanted + 2)]
    });
    longer.collect()
}

/// No shorter and no longer than it may be.
fn bounded(mut text: String, least: usize, most: Option<usize>) -> String {
    let length = text.chars().count();
    text.extend(std::iter::repeat_n('x', least.saturating_sub(length)));
    match most {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}
