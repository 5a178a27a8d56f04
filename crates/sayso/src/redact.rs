//! What may be shown of a command line, an address and a server's own words.
//!
//! Values of environment variables and headers are never shown. In arguments and addresses
//! what is likely a secret is replaced; the replaced values are kept in [`Secrets`], so that
//! they are also taken out of what a server says on standard error.

use sayso_core::reveal::reveal_line;
use serde_json::Value;

/// What stands for a value that is not shown.
const HIDDEN: &str = "…";

/// Shorter values are not looked for in text: they would be found everywhere.
const SHORTEST: usize = 6;

/// Words in the name of an option or variable whose value is likely a secret.
const SECRET_WORDS: [&str; 11] = [
    "token",
    "key",
    "secret",
    "pass",
    "pwd",
    "auth",
    "credential",
    "bearer",
    "cookie",
    "header",
    "dsn",
];

/// How widely used access tokens begin.
const SECRET_PREFIXES: [&str; 11] = [
    "sk-",
    "pk-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "eyJ",
    "hf_",
];

/// Values that must not be shown. `Debug` shows none.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Keeps a value from being shown. Of a header such as `Bearer abc` the last word is one too.
    pub(crate) fn add(&mut self, value: &str) {
        let last_word = value.rsplit(' ').next().unwrap_or(value);
        for value in [value, last_word] {
            if value.len() >= SHORTEST && !self.0.iter().any(|known| known == value) {
                self.0.push(value.to_owned());
            }
        }
        // A value that contains another has to go first.
        self.0.sort_by_key(|value| std::cmp::Reverse(value.len()));
    }

    /// Keeps another's values too.
    pub(crate) fn extend(&mut self, other: &Self) {
        for value in &other.0 {
            self.add(value);
        }
    }

    /// The text without any of the values.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), HIDDEN)
        })
    }
}

/// What the argument behind an option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Following {
    /// Nothing in particular.
    Anything,
    /// A secret.
    Secret,
    /// `NAME=value` or `Name: value`, of which only the value is a secret.
    NamedSecret,
}

impl Following {
    fn after(argument: &str) -> Self {
        match argument {
            "-e" | "--env" | "-H" | "--header" | "--headers" => Self::NamedSecret,
            _ if is_option(argument) && !argument.contains('=') && is_secret_name(argument) => {
                Self::Secret
            }
            _ => Self::Anything,
        }
    }
}

/// A command line as it can be shown, quoted as a shell would want it.
pub(crate) fn shown_command<'a>(
    program: &str,
    arguments: impl IntoIterator<Item = &'a str>,
    secrets: &mut Secrets,
) -> String {
    let mut shown = quote(&reveal_line(program));
    let mut following = Following::Anything;
    for argument in arguments {
        let is_option_again = argument.starts_with("--");
        let argument_shown = match following {
            Following::Secret if !is_option_again => hide(argument, secrets),
            Following::NamedSecret if !is_option_again => hide_value(argument, secrets),
            _ => shown_argument(argument, secrets),
        };
        following = match following {
            Following::Anything => Following::after(argument),
            _ if is_option_again => Following::after(argument),
            _ => Following::Anything,
        };
        shown.push(' ');
        shown.push_str(&quote(&reveal_line(&argument_shown)));
    }
    shown
}

/// An address without user, password and query, each query value kept as a secret.
pub(crate) fn shown_url(url: &str, secrets: &mut Secrets) -> String {
    let (front, query) = match url.split_once(['?', '#']) {
        Some((front, query)) => (front, Some(query)),
        None => (url, None),
    };
    for pair in query.into_iter().flat_map(|query| query.split(['&', '#'])) {
        secrets.add(pair.split_once('=').map_or(pair, |(_, value)| value));
    }
    let end = if query.is_some() { "?…" } else { "" };
    let Some((scheme, rest)) = front.split_once("://") else {
        return format!("{front}{end}");
    };
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, format!("/{}", shown_path(path, secrets))),
        None => (rest, String::new()),
    };
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            secrets.add(user.split_once(':').map_or(user, |(_, password)| password));
            format!("{scheme}://{HIDDEN}@{host}{path}{end}")
        }
        None => format!("{scheme}://{authority}{path}{end}"),
    }
}

/// Some servers take their key as a part of the path.
fn shown_path(path: &str, secrets: &mut Secrets) -> String {
    let segments = path.split('/').map(|segment| {
        if looks_random(segment) {
            secrets.add(segment);
            HIDDEN
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn shown_argument(argument: &str, secrets: &mut Secrets) -> String {
    if is_address(argument) {
        return shown_url(argument, secrets);
    }
    // Settings written out on the command line, keys and all.
    if let Ok(settings @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(argument) {
        keep_secrets(&settings, false, secrets);
        return if settings.is_object() {
            "{…}"
        } else {
            "[…]"
        }
        .to_owned();
    }
    if let Some((name, value)) = argument.split_once('=') {
        if is_variable(name) {
            return format!("{name}={}", hide(value, secrets));
        }
        if is_option(name) && !is_secret_name(name) {
            return format!("{name}={}", shown_argument(value, secrets));
        }
    }
    if let Some((front, value)) = named_secret(argument) {
        return format!("{front}{}", hide(value, secrets));
    }
    let known = SECRET_PREFIXES
        .iter()
        .any(|prefix| argument.starts_with(prefix))
        && argument.len() >= 16;
    if known || looks_random(argument) || argument.contains("://") && argument.contains('@') {
        return hide(argument, secrets);
    }
    argument.to_owned()
}

/// An address begins with its scheme (RFC 3986 § 3.1).
fn is_address(argument: &str) -> bool {
    let of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    argument
        .split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.bytes().all(of_scheme))
}

/// Splits at the first value whose name says that it is a secret, in whatever notation:
/// `token=…`, `Server=db;Password=…`, `Authorization: …`.
fn named_secret(text: &str) -> Option<(&str, &str)> {
    let separators = text.match_indices(['=', ':']);
    let mut places =
        separators.filter_map(|(at, separator)| text.split_at_checked(at + separator.len()));
    places.find(|(front, value)| {
        let name = front.trim_end_matches(['=', ':', '"', '\'', ' ']);
        let word = name
            .rsplit(|character: char| !character.is_alphanumeric() && !"_-".contains(character))
            .next()
            .unwrap_or(name);
        // `image:tag` and `C:\keys` name nothing.
        let separates = front.ends_with('=') || value.starts_with([' ', '"', '\'']);
        separates && is_secret_name(word)
    })
}

/// Keeps the strings that are secrets by their name or their looks.
fn keep_secrets(settings: &Value, is_secret: bool, secrets: &mut Secrets) {
    match settings {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            keep_secrets(value, is_secret || is_secret_name(name), secrets);
        }),
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| keep_secrets(element, is_secret, secrets)),
        Value::String(text) if is_secret => secrets.add(text),
        Value::String(text) => {
            shown_argument(text, secrets);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn hide(value: &str, secrets: &mut Secrets) -> String {
    secrets.add(value.trim());
    // Of `user:password` the second part is one by itself.
    if let Some((_, part)) = value.split_once([':', '=']) {
        secrets.add(part.trim());
    }
    HIDDEN.to_owned()
}

/// Of `NAME=value` and `Name: value` the name helps to tell what is meant.
fn hide_value(argument: &str, secrets: &mut Secrets) -> String {
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let cut = argument.find(['=', ':']);
    match cut.and_then(|at| argument.split_at_checked(at + 1)) {
        Some((front, value)) if front.bytes().rev().skip(1).all(of_name) => {
            format!("{front}{}", hide(value, secrets))
        }
        _ => hide(argument, secrets),
    }
}

fn is_variable(name: &str) -> bool {
    let of_variable = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(of_variable)
}

fn is_option(argument: &str) -> bool {
    argument.starts_with('-')
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Long, of one piece, and letters and digits take turns: more likely a key than a name with a
/// date or a version.
fn looks_random(text: &str) -> bool {
    let in_keys = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+=".contains(&byte);
    let take_turns = |pair: &&[u8]| {
        matches!(pair, [one, other] if one.is_ascii_alphanumeric() && other.is_ascii_alphanumeric()
            && one.is_ascii_digit() != other.is_ascii_digit())
    };
    text.len() >= 20
        && text.bytes().all(in_keys)
        && text.as_bytes().windows(2).filter(take_turns).count() >= 3
}

/// In single quotes where a shell would make something else of it.
fn quote(text: &str) -> String {
    let plain =
        |character: char| character.is_alphanumeric() || "-_./:@=,+%…~\\".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The words of a line that [`shown_command`] made; `None` where a quotation has no end.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut in_quotes = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ' ' if !in_quotes => words.extend(word.take()),
            '\'' => {
                in_quotes = !in_quotes;
                word.get_or_insert_default();
            }
            // Only between two quotations; anywhere else it stands for itself.
            '\\' if !in_quotes && characters.next_if_eq(&'\'').is_some() => {
                word.get_or_insert_default().push('\'');
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    (!in_quotes).then_some(words)
}

#[cfg(test)]
mod tests;
