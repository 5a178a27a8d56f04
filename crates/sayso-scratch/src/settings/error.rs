//! What is wrong with a setting.

use std::fmt;

use sayso_core::json::line_column;

use super::Key;
use sayso_core::suggest::{nearest, quoted};

/// What is wrong with a setting, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    place: Option<String>,
    message: String,
    hint: Option<String>,
}

impl SettingsError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            place: None,
            message: message.into(),
            hint: None,
        }
    }

    /// With what to do next.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With its place in a file.
    pub(super) fn at(mut self, file: &str, text: &str, offset: usize) -> Self {
        let at = line_column(text, offset);
        self.place = Some(format!("{file}:{}:{}", at.line, at.column));
        self
    }

    /// What to do next, as a sentence without a full stop.
    #[must_use]
    pub fn next_step(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SettingsError {}

/// A value that is not one of those possible.
pub(super) fn value(key: Key, text: &str, possible: &[&str]) -> SettingsError {
    let error = SettingsError::new(format!("`{key}` cannot be `{text}`"));
    match nearest(text, possible.iter().copied()) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!(
            "possible here: {}",
            quoted(possible.iter().copied())
        )),
    }
}
