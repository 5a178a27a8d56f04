//! Reads a journal.

use std::io;
use std::path::Path;

use super::{Entry, Journal};

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The good lines, in the order they stand.
    pub entries: Vec<Entry>,
    /// The lines that cannot be read.
    pub bad_lines: Vec<BadLine>,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[error("line {line}: {message}")]
pub struct BadLine {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Journal {
    /// Reads a journal. A bad line costs no good one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Contents> {
        Ok(Contents::parse(&std::fs::read(path)?))
    }
}

impl Contents {
    /// Reads a journal's bytes; empty lines are left out.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let mut contents = Self::default();
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(entry) => contents.entries.push(entry),
                Err(error) => contents.bad_lines.push(BadLine {
                    line: index + 1,
                    message: without_line(&error),
                }),
            }
        }
        contents
    }
}

/// The reader's message; the line it names is always 1.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((message, _)) if error.column() > 0 => {
            format!("{message} (column {})", error.column())
        }
        Some((message, _)) => message.to_owned(),
        None => message,
    }
}
