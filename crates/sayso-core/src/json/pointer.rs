//! JSON pointers, RFC 6901.

use std::fmt;

/// A JSON pointer in its string form: empty for the whole document, else `/` before each step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// Joins steps, escaping `~` and `/` in each (RFC 6901 §3).
    #[must_use]
    pub fn from_steps<S: AsRef<str>>(steps: impl IntoIterator<Item = S>) -> Self {
        steps
            .into_iter()
            .fold(Self::default(), |pointer, step| pointer.join(step.as_ref()))
    }

    /// This pointer and one more step.
    #[must_use]
    pub fn join(mut self, step: &str) -> Self {
        self.0.push('/');
        for character in step.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                other => self.0.push(other),
            }
        }
        self
    }

    /// The string form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The steps, unescaped.
    pub fn steps(&self) -> impl Iterator<Item = String> {
        self.0
            .split('/')
            .skip(1)
            .map(|step| step.replace("~1", "/").replace("~0", "~"))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
