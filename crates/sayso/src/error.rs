//! What stops a command, and the one place that tells it.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use sayso_core::reveal::reveal;
pub(crate) use sayso_core::suggest::quoted;

use crate::exit;

/// What stopped a command: what happened, what to do next, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
    code: u8,
}

/// A command's result: the exit code, or what stopped it.
pub(crate) type Outcome = Result<u8, Failure>;

impl Failure {
    /// Something on the command line, in the settings or with a file named there is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
            hint: None,
            code: exit::USAGE,
        }
    }

    /// Stopped from outside, with nothing to explain.
    pub(crate) fn stopped(code: u8) -> Self {
        Self {
            message: "stopped before everything was read".to_owned(),
            source: None,
            hint: None,
            code,
        }
    }

    /// With what to do next, as a sentence without a full stop.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With what to do next, where that is known.
    pub(crate) fn hint_if_known(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// With another exit code.
    pub(crate) fn code_of(mut self, code: u8) -> Self {
        self.code = code;
        self
    }

    /// With the reason.
    pub(crate) fn source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// What to do next, where that is known.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// Whether it is only that the reader of our output went away.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.source
            .as_deref()
            .and_then(|source| source.downcast_ref::<io::Error>())
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Writes it: `error:` with its reasons behind colons, then `hint:`. Names in it may come
    /// from a file that somebody else wrote.
    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "error: {}", reveal(&self.to_string()))?;
        match &self.hint {
            Some(hint) => writeln!(out, "hint: {}", reveal(hint)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {}", chain(source.as_ref())),
            None => Ok(()),
        }
    }
}

impl Error for Failure {}

impl From<io::Error> for Failure {
    /// Output could not be written.
    fn from(error: io::Error) -> Self {
        Self::usage("cannot write the output").source(error)
    }
}

/// An error and its reasons, behind colons; a reason that its error already tells is not repeated.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(reason) = source {
        let text = reason.to_string();
        if !told.ends_with(&text) {
            told.push_str(": ");
            told.push_str(&text);
        }
        source = reason.source();
    }
    told
}
