//! What a rule has to say.

use std::fmt;
use std::ops::Range;

use crate::hint::{Hint, Hints};
use crate::json::{Pointer, Span};

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Should be looked at before release.
    Warning,
    /// Wrong, near-certainly.
    Error,
}

impl Severity {
    /// All, mildest first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The severity as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A hunch, from a name alone for instance.
    Low,
    /// Right more often than not.
    Medium,
    /// Near-certain.
    High,
}

impl Confidence {
    /// The confidence as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A place in a listing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Location {
    /// The page, from 0.
    pub page: usize,
    /// The JSON pointer in that page's document.
    pub pointer: Pointer,
    /// The bytes in that page's document.
    pub span: Span,
}

/// A piece of text a finding rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Where the string or value stands that the text is taken from.
    pub location: Location,
    /// The text to show, decoded: a sentence, an argument's name, a list of values.
    pub text: String,
    /// The part of `text` that matters, in bytes.
    pub mark: Range<usize>,
    /// What is to be seen there, in a few words.
    pub label: String,
}

/// One thing a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How much it matters, before configuration.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// The tool it is about, by position; `None` for the listing as a whole.
    pub tool: Option<usize>,
    /// The hint it is about, if it is about one.
    pub hint: Option<Hint>,
    /// What is wrong, in one lower-case sentence without a full stop.
    pub message: String,
    /// Where.
    pub location: Location,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What to do about it.
    pub help: Option<String>,
    /// The values that would be right, where the rule can tell.
    pub suggestion: Hints<Option<bool>>,
}
