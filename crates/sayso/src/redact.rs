//! What may be shown of a command line, an address and a server's own words.
//!
//! Values of environment variables and headers are never shown. In arguments and addresses
//! what is likely a secret is replaced; the replaced values are kept in [`Secrets`], so that
//! they are also taken out of what a server says on standard error.

use sayso_core::reveal::reveal_line;

/// What stands for a value that is not shown.
const HIDDEN: &str = "…";

/// Shorter values are not looked for in text: they would be found everywhere.
const SHORTEST: usize = 6;

/// Words in the name of an option or variable whose value is likely a secret.
const SECRET_WORDS: [&str; 11] = [
    "token",
    "key",
    "secret",
    "password",
    "passwd",
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

    /// The text without any of the values.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), HIDDEN)
        })
    }
}

/// A command line as it can be shown, quoted as a shell would want it.
pub(crate) fn shown_command<'a>(
    program: &str,
    arguments: impl IntoIterator<Item = &'a str>,
    secrets: &mut Secrets,
) -> String {
    let mut shown = quote(&reveal_line(program));
    let mut secret_follows = false;
    for argument in arguments {
        let hide = std::mem::take(&mut secret_follows);
        let argument_shown = if hide && !argument.starts_with("--") {
            hide_value("", argument, secrets)
        } else {
            secret_follows =
                is_option(argument) && !argument.contains('=') && is_secret_name(argument)
                    || matches!(argument, "-e" | "--env" | "-H");
            shown_argument(argument, secrets)
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
    if let Some((name, value)) = argument.split_once('=') {
        let is_variable = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if is_variable || (is_option(name) && is_secret_name(name)) {
            return hide_value(&format!("{name}="), value, secrets);
        }
        if is_option(name) {
            return format!("{name}={}", shown_argument(value, secrets));
        }
    }
    if argument.contains("://") {
        return shown_url(argument, secrets);
    }
    let known = SECRET_PREFIXES
        .iter()
        .any(|prefix| argument.starts_with(prefix))
        && argument.len() >= 16;
    if known || looks_random(argument) {
        return hide_value("", argument, secrets);
    }
    argument.to_owned()
}

fn hide_value(front: &str, value: &str, secrets: &mut Secrets) -> String {
    // Of `NAME=value` and `Name: value` the name helps to tell what is meant.
    let cut = value.find(['=', ':']).filter(|_| front.is_empty());
    let (name, secret) = cut
        .and_then(|at| value.split_at_checked(at + 1))
        .unwrap_or(("", value));
    secrets.add(secret.trim());
    format!("{front}{name}{HIDDEN}")
}

fn is_option(argument: &str) -> bool {
    argument.starts_with('-')
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Long, of one piece, with letters and several digits: more likely a key than a word.
fn looks_random(text: &str) -> bool {
    text.len() >= 20
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && text.bytes().filter(u8::is_ascii_digit).count() >= 3
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

#[cfg(test)]
mod tests {
    use super::{Secrets, shown_command, shown_url};

    fn show(line: &[&str]) -> String {
        shown_command(line[0], line[1..].iter().copied(), &mut Secrets::default())
    }

    #[test]
    fn a_command_line_is_shown_without_secrets() {
        let shown = [
            show(&["npx", "-y", "@scope/server-files", "/tmp/a b"]),
            show(&["srv", "--api-key", "hush", "--port", "80"]),
            show(&["srv", "--api-key=hush", "--token", "--verbose"]),
            show(&[
                "docker",
                "run",
                "-e",
                "TOKEN=hush",
                "--env",
                "A",
                "image:1.2",
            ]),
            show(&[
                "npx",
                "mcp-remote",
                "https://ann:hush@host.test/mcp?key=hush",
                "--header",
                "X-Key: hush",
            ]),
            show(&["srv", "ghp_0123456789abcdef0123", "it's", ""]),
            show(&["srv", "postgres://user:hush@db.test/base"]),
            show(&["srv", "a\u{202e}b\u{1b}[31m"]),
        ];
        insta::assert_snapshot!(shown.join("\n"), @r"
        npx -y @scope/server-files '/tmp/a b'
        srv --api-key … --port 80
        srv --api-key=… --token --verbose
        docker run -e TOKEN=… --env … image:1.2
        npx mcp-remote 'https://…@host.test/mcp?…' --header X-Key:…
        srv … 'it'\''s' ''
        srv postgres://…@db.test/base
        srv 'a\u{202e}b\u{1b}[31m'
        ");
    }

    #[test]
    fn what_was_hidden_is_taken_out_of_other_text() {
        let mut secrets = Secrets::default();
        shown_url(
            "https://ann:passw0rd@host.test/a1b2c3d4e5f6a1b2c3d4e5f6/mcp?key=s3cr3t-value",
            &mut secrets,
        );
        secrets.add("Bearer abcdefgh");
        let said = "401 for ann:passw0rd key s3cr3t-value, header Bearer abcdefgh, token abcdefgh, at /a1b2c3d4e5f6a1b2c3d4e5f6";
        insta::assert_snapshot!(secrets.scrub(said), @"401 for ann:… key …, header …, token …, at /…");
        assert_eq!(format!("{secrets:?}"), "Secrets(5)");
    }
}
