//! What is wrong with a file of rulings.

use std::fmt;

use crate::json::{LineColumn, line_column};
use crate::suggest::{nearest, quoted};

/// What is wrong with a file of rulings, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulingsError {
    file: String,
    place: LineColumn,
    message: String,
    hint: Option<String>,
}

impl RulingsError {
    /// About an offset in the file.
    pub(super) fn at(text: &str, file: &str, offset: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: line_column(text, offset),
            message: message.into(),
            hint: None,
        }
    }

    /// With what to do next.
    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With the likely spelling, or all that is possible.
    pub(super) fn suggest(self, written: &str, known: &[&str]) -> Self {
        let hint = match nearest(written, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("possible here: {}", quoted(known.iter().copied())),
        };
        self.with_hint(hint)
    }

    /// What to do next, as a sentence without a full stop.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Where in the file.
    #[must_use]
    pub fn place(&self) -> LineColumn {
        self.place
    }
}

impl fmt::Display for RulingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineColumn { line, column } = self.place;
        write!(f, "{}:{line}:{column}: {}", self.file, self.message)
    }
}

impl std::error::Error for RulingsError {}
