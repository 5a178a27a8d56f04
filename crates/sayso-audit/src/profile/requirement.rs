//! One thing a profile asks, and the closed set of checks it may ask with.

use sayso_core::finding::Severity;
use sayso_core::hint::Hint;
use serde::Deserialize as _;

use crate::admit::Date;

/// One thing a profile asks of each tool.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its id inside the profile, kebab-case.
    pub id: String,
    /// How it is checked.
    pub check: Check,
    /// How much it matters that it is met.
    pub severity: Severity,
    /// What is asked, as a lower-case sentence without a full stop.
    pub message: String,
    /// What to do, as a lower-case sentence without a full stop.
    pub help: Option<String>,
    /// Where it is published.
    pub source: String,
    /// The day it was seen there.
    #[serde(deserialize_with = "date")]
    pub date: Date,
}

/// What can be asked. The rule `profile-requirement` knows how to look.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Check {
    /// Each of these hints is there as `true` or `false`.
    ExplicitHints {
        /// The hints.
        hints: Vec<Hint>,
        /// The tools it is asked of.
        #[serde(default)]
        on: Which,
    },
    /// At least one of these hints is `true`.
    AnyHintTrue {
        /// The hints.
        hints: Vec<Hint>,
    },
    /// There is a `title` inside `annotations`.
    AnnotationsTitle,
    /// There is a title in either place.
    AnyTitle,
    /// The name has at most so many characters.
    NameLength {
        /// The most characters.
        max: usize,
    },
    /// The name has only `A–Z a–z 0–9 _ - .` and 1 to 128 characters.
    NameCharacters,
    /// No argument chooses between reading and writing.
    NoMixedActions,
    /// There is a description.
    Description,
}

impl Check {
    /// The check as one word, for reference pages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ExplicitHints { .. } => "explicit-hints",
            Self::AnyHintTrue { .. } => "any-hint-true",
            Self::AnnotationsTitle => "annotations-title",
            Self::AnyTitle => "any-title",
            Self::NameLength { .. } => "name-length",
            Self::NameCharacters => "name-characters",
            Self::NoMixedActions => "no-mixed-actions",
            Self::Description => "description",
        }
    }
}

/// The tools a requirement is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// All.
    #[default]
    All,
    /// Those that do not claim `readOnlyHint: true`.
    Writing,
}

pub(super) fn date<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse()
        .map_err(|error| serde::de::Error::custom(format!("`{text}` is {error}")))
}
