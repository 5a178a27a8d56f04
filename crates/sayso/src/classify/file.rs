//! The rulings on disk.

use std::io;
use std::path::PathBuf;

use sayso_core::ruling::Ruling;
use sayso_core::rulings::{self, Rulings, RulingsError};

use crate::error::Failure;
use crate::replace::replace_file;
use crate::saved;

/// The file of rulings, read again before each change, so that what a person edits meanwhile stays.
#[derive(Debug)]
pub(crate) struct RulingsFile {
    path: PathBuf,
}

impl RulingsFile {
    /// The file at this path, whether it is there or not.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The file, as it is shown.
    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether there is one.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    fn text(&self) -> Result<String, Failure> {
        match saved::read_text(&self.path) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => {
                let failure = Failure::usage(format!("cannot read the rulings `{}`", self.shown()));
                Err(failure.source(error))
            }
        }
    }

    /// All rulings; none where there is no file yet.
    ///
    /// # Errors
    /// When there is a file that cannot be read or has something wrong in it.
    pub(crate) fn read(&self) -> Result<Rulings, Failure> {
        Rulings::parse(&self.text()?, &self.shown()).map_err(|error| wrong(&error))
    }

    /// Puts rulings in, in place of those on the same tools; everything else stays as it is written.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn put(&self, new: &[Ruling]) -> Result<(), Failure> {
        let mut text = self.text()?;
        if text.trim().is_empty() {
            text = new.iter().cloned().collect::<Rulings>().to_toml();
        } else {
            let before = self.read()?;
            let said = |ruling: &&Ruling| before.get(&ruling.server, &ruling.tool) != Some(*ruling);
            for ruling in new.iter().filter(said) {
                text = rulings::put(&text, &self.shown(), ruling).map_err(|error| wrong(&error))?;
            }
        }
        self.write(&text)
    }

    /// Takes the ruling on a tool out.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn remove(&self, server: &str, tool: &str) -> Result<(), Failure> {
        let text = rulings::remove(&self.text()?, &self.shown(), server, tool)
            .map_err(|error| wrong(&error))?;
        self.write(&text)
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        replace_file(&self.path, text.as_bytes()).map_err(|error| {
            Failure::usage(format!("cannot write the rulings `{}`", self.shown())).source(error)
        })
    }
}

/// What is wrong in a file of rulings, as what stops a command.
pub(crate) fn wrong(error: &RulingsError) -> Failure {
    Failure::usage(error.to_string()).hint_if_known(error.hint())
}
