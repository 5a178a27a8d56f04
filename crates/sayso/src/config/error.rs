//! What is wrong in a settings file, where, and what was probably meant.

use std::fmt;
use std::io;
use std::ops::Range;

use sayso_audit::profile::Profile;
use sayso_core::json::line_column;
use sayso_core::suggest::nearest;
use toml::Spanned;

use super::Located;
use crate::error::quoted;

/// What is wrong in a settings file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SettingsError {
    place: String,
    message: String,
    hint: Option<String>,
}

impl SettingsError {
    /// About a place in the file.
    pub(crate) fn at(text: &str, file: &str, range: Range<usize>, message: String) -> Self {
        let at = line_column(text, range.start);
        Self {
            place: format!("{file}:{}:{}", at.line, at.column),
            message,
            hint: None,
        }
    }

    /// About a file that cannot be read.
    pub(crate) fn unreadable(file: &str, error: &io::Error) -> Self {
        Self {
            place: file.to_owned(),
            message: format!("cannot be read: {error}"),
            hint: None,
        }
    }

    /// From the TOML reader's words.
    pub(crate) fn from_toml(error: &toml::de::Error, text: &str, file: &str) -> Self {
        let words = Words::read(error.message());
        let range = error.span().unwrap_or(0..0);
        let made = Self::at(text, file, range, words.message);
        match words.written {
            Some(written) => made.suggest(&written, words.expected.iter().map(String::as_str)),
            None => made,
        }
    }

    /// With the likely spelling, or all that is possible.
    pub(crate) fn suggest<'c>(
        mut self,
        written: &str,
        candidates: impl IntoIterator<Item = &'c str> + Clone,
    ) -> Self {
        self.hint = match nearest(written, candidates.clone()) {
            Some(candidate) => Some(format!("did you mean `{candidate}`?")),
            None => {
                let all: Vec<&str> = candidates.into_iter().collect();
                (1..=12)
                    .contains(&all.len())
                    .then(|| format!("possible here: {}", quoted(all)))
            }
        };
        self
    }

    /// With this to do next, unless something better is known.
    pub(crate) fn or_hint(mut self, hint: &str) -> Self {
        self.hint.get_or_insert_with(|| hint.to_owned());
        self
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for SettingsError {}

/// Checks that a profile of this name exists.
pub(super) fn known_profile(
    id: &Spanned<String>,
    located: &Located<'_>,
) -> Result<(), SettingsError> {
    let known: Vec<&str> = Profile::all().map(|profile| profile.id.as_str()).collect();
    if known.contains(&id.get_ref().as_str()) {
        return Ok(());
    }
    Err(located(
        id.span(),
        format!("no profile is called `{}`", id.get_ref()),
    )
    .suggest(id.get_ref(), known))
}

/// The TOML reader's message taken apart. serde words an unknown key or variant as
/// ``unknown field `x`, expected one of `a`, `b` `` ([`serde::de::Error::unknown_field`]).
struct Words {
    message: String,
    written: Option<String>,
    expected: Vec<String>,
}

impl Words {
    fn read(message: &str) -> Self {
        let message = message.trim_end();
        let known = [
            ("unknown field ", "unknown key"),
            ("unknown variant ", "unknown value"),
        ];
        let unknown = known
            .iter()
            .find_map(|(prefix, what)| Some((message.strip_prefix(prefix)?, *what)));
        let Some((rest, what)) = unknown else {
            let message = message.lines().collect::<Vec<_>>().join(": ");
            let message = message
                .strip_prefix("missing field ")
                .map(|key| format!("missing key {key}"))
                .unwrap_or(message);
            return Self {
                message,
                written: None,
                expected: Vec::new(),
            };
        };
        let mut in_backticks = rest.split('`').skip(1).step_by(2).map(str::to_owned);
        let written = in_backticks.next();
        let message = format!("{what} `{}`", written.as_deref().unwrap_or_default());
        Self {
            message,
            written,
            expected: in_backticks.collect(),
        }
    }
}
