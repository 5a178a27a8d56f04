//! What is expected of a call.

use sayso_core::hint::Hint;
use schemars::JsonSchema;
use serde::Deserialize;

/// What is expected of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expectation {
    /// The verdict on this hint.
    #[serde(rename = "readOnlyHint")]
    pub read_only: Option<ExpectedVerdict>,
    /// The verdict on this hint.
    #[serde(rename = "destructiveHint")]
    pub destructive: Option<ExpectedVerdict>,
    /// The verdict on this hint.
    #[serde(rename = "idempotentHint")]
    pub idempotent: Option<ExpectedVerdict>,
    /// The verdict on this hint.
    #[serde(rename = "openWorldHint")]
    pub open_world: Option<ExpectedVerdict>,
    /// Files of the workspace that are changed, and no others.
    pub changed: Option<Vec<String>>,
    /// Files of the workspace of which something is lost, and no others.
    pub lost: Option<Vec<String>>,
    /// Whether the tool says that it failed.
    #[serde(rename = "isError")]
    pub is_error: Option<bool>,
}

/// A verdict, by the words it is shown with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum ExpectedVerdict {
    /// The tool did what it promises not to do.
    #[serde(rename = "contradicted")]
    Contradicted,
    /// It did so to its own state only.
    #[serde(rename = "own state only")]
    OwnStateOnly,
    /// It did so to caches only.
    #[serde(rename = "cache only")]
    CacheOnly,
    /// Nothing against the promise was seen.
    #[serde(rename = "consistent")]
    Consistent,
    /// Nothing was seen at work that could break it.
    #[serde(rename = "not exercised")]
    NotExercised,
    /// Something was at work that is not all seen.
    #[serde(rename = "can't tell")]
    CannotTell,
    /// There is no promise.
    #[serde(rename = "nothing promised")]
    NothingPromised,
}

impl ExpectedVerdict {
    /// The verdict in the words of [`Verdict::as_str`](crate::judge::Verdict::as_str).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::OwnStateOnly => "own state only",
            Self::CacheOnly => "cache only",
            Self::Consistent => "consistent",
            Self::NotExercised => "not exercised",
            Self::CannotTell => "can't tell",
            Self::NothingPromised => "nothing promised",
        }
    }
}

impl Expectation {
    /// The verdict that is expected on a hint.
    #[must_use]
    pub fn verdict(&self, hint: Hint) -> Option<&'static str> {
        let expected = match hint {
            Hint::ReadOnly => self.read_only,
            Hint::Destructive => self.destructive,
            Hint::Idempotent => self.idempotent,
            Hint::OpenWorld => self.open_world,
        };
        expected.map(ExpectedVerdict::as_str)
    }
}
