//! What is wrong in a scenario, where, and what was probably meant.

use std::ops::Range;
use std::path::{Path, PathBuf};

use sayso_core::json::line_column;
use sayso_core::suggest::{nearest, quoted};

use crate::fixture::UnknownPlaceholder;

/// Why a scenario cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// It is not what a scenario has to be.
    #[error("{}:{line}:{column}: {said}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Where, from 1.
        line: usize,
        /// Where in the line, from 1.
        column: usize,
        /// What is wrong.
        said: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// A step's arguments cannot be made.
    #[error("`{step}`: {source}")]
    Placeholder {
        /// Which.
        step: String,
        /// What stands for nothing.
        source: UnknownPlaceholder,
    },
}

impl ScenarioError {
    /// What to do next, where that is known.
    #[must_use]
    pub fn next(&self) -> Option<&str> {
        match self {
            Self::Read { hint, .. } => hint.as_deref(),
            Self::Placeholder { .. } => None,
        }
    }

    pub(super) fn at(text: &str, file: &Path, range: Range<usize>, said: String) -> Self {
        let at = line_column(text, range.start);
        Self::Read {
            file: file.to_owned(),
            line: at.line,
            column: at.column,
            said,
            hint: None,
        }
    }

    pub(super) fn hint(mut self, said: &str) -> Self {
        if let Self::Read { hint, .. } = &mut self {
            *hint = Some(said.to_owned());
        }
        self
    }

    /// With the likely spelling, or all that is possible.
    pub(super) fn suggest(self, written: &str, possible: Vec<&str>) -> Self {
        match nearest(written, possible.iter().copied()) {
            Some(meant) => self.hint(&format!("did you mean `{meant}`?")),
            None => self.hint(&format!("possible here: {}", quoted(possible))),
        }
    }

    /// From the words of the TOML reader. serde words what is not known as ``unknown field `x`, expected
    /// one of `a`, `b` `` (`serde::de::Error::unknown_field`).
    pub(super) fn of_toml(error: &toml::de::Error, text: &str, file: &Path) -> Self {
        let range = error.span().unwrap_or(0..0);
        let said = error.message().trim_end().replace('\n', ": ");
        let kinds = [("unknown field ", "key"), ("unknown variant ", "value")];
        for (prefix, kind) in kinds {
            let Some(rest) = said.strip_prefix(prefix) else {
                continue;
            };
            let mut words = rest.split('`').skip(1).step_by(2);
            let written = words.next().unwrap_or_default();
            let made = Self::at(text, file, range, format!("unknown {kind} `{written}`"));
            return made.suggest(written, words.collect());
        }
        let said = match said.strip_prefix("missing field ") {
            Some(key) => format!("missing key {key}"),
            None => said,
        };
        Self::at(text, file, range, said)
    }
}
