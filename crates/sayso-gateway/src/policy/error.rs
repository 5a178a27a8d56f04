//! What is wrong with policies.

use std::fmt;

use sayso_core::json::LineColumn;

/// Everything that is wrong with a set of policies, in the order of the files. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyErrors(pub Vec<PolicyError>);

impl fmt::Display for PolicyErrors {
    /// A block an error: `file:line:column: what`, and a `hint:` where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
            if let Some(hint) = &error.hint {
                write!(f, "\n  hint: {hint}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for PolicyErrors {}

/// One thing that is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The file or ready set.
    pub source: String,
    /// Where in it.
    pub place: LineColumn,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl fmt::Display for PolicyError {
    /// `file:line:column: what`, without the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineColumn { line, column } = self.place;
        write!(f, "{}:{line}:{column}: {}", self.source, self.message)
    }
}

impl std::error::Error for PolicyError {}
