//! What policies answer.

use std::fmt;
use std::sync::Arc;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What may be done.
    pub decision: Decision,
    /// The policies that made it so, in the order of their files: what permits, what has to be
    /// confirmed, what forbids. None where a denial is only that nothing permits.
    pub reasons: Arc<[Reason]>,
    /// Whether a policy that permits it says that the call is not to be confined.
    pub lifts: bool,
    /// What went wrong in policies, if anything did; then the decision is to deny.
    pub errors: Arc<[String]>,
}

impl Verdict {
    /// The reasons as one line for people and models; never empty.
    #[must_use]
    pub fn explanation(&self) -> String {
        if !self.errors.is_empty() {
            return "a policy could not be evaluated, so the call is denied".to_owned();
        }
        if self.reasons.is_empty() {
            return "no policy permits it".to_owned();
        }
        let texts = self.reasons.iter().map(|reason| match &reason.text {
            Some(text) => text.to_string(),
            None => format!("policy {}", reason.id),
        });
        texts.collect::<Vec<_>>().join("; ")
    }
}

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It goes ahead.
    Allow,
    /// It goes ahead once a person has approved it.
    Ask,
    /// It does not happen.
    Deny,
}

impl Decision {
    /// The decision as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A policy that made a decision so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    /// Its `@id`; where it has none, `file:line`.
    pub id: Arc<str>,
    /// Its `@reason`.
    pub text: Option<Arc<str>>,
}
