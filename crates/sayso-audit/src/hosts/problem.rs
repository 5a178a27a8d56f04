//! What is wrong in a configuration, and where.

use std::fmt;

use super::document::Position;

/// How much a [`ConfigurationProblem`] costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing was left out because of it.
    Note,
    /// A server, or the whole file, could not be read.
    Error,
}

/// Something in a host's configuration that a person should know or mend.
/// Never holds the value of an environment variable or a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigurationProblem {
    /// What it costs.
    pub severity: Severity,
    /// The file's name, as the caller gave it.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The server the problem is about, where it is about one.
    pub server: Option<String>,
    /// What happened, to which input.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl ConfigurationProblem {
    pub(super) fn new(severity: Severity, file: &str, at: Position, message: String) -> Self {
        Self {
            severity,
            file: file.to_owned(),
            line: at.line,
            column: at.column,
            server: None,
            message,
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn server(mut self, name: &str) -> Self {
        self.server = Some(name.to_owned());
        self
    }
}

impl fmt::Display for ConfigurationProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
            ..
        } = self;
        write!(formatter, "{file}:{line}:{column}: ")?;
        if let Some(server) = &self.server {
            // A name is other people's text: no line break of it may pass for ours.
            write!(formatter, "server `{}`: ", server.escape_debug())?;
        }
        write!(formatter, "{message}")?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigurationProblem {}
