//! The lock on disk.

use std::io;
use std::path::Path;

use sayso_core::json::line_column;
use sayso_core::lock::{Lock, LockError, normalised};

use crate::config::SettingsError;
use crate::error::Failure;
use crate::replace::replace_file;
use crate::saved;

/// Reads a lock; `None` where there is none yet.
///
/// # Errors
/// When there is a file that is no lock.
pub(crate) fn read(path: &Path) -> Result<Option<Lock>, Failure> {
    let file = path.display().to_string();
    let text = match saved::read_text(path) {
        Ok(text) => normalised(&text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Failure::usage(format!("cannot read the lock `{file}`")).source(error));
        }
    };
    Lock::from_text(&text).map(Some).map_err(|error| {
        let place = |offset: usize| {
            let at = line_column(&text, offset);
            format!("{file}:{}:{}", at.line, at.column)
        };
        let failure = match &error {
            LockError::Toml(error) => {
                let error = SettingsError::from_toml(error, &text, &file);
                let failure = Failure::usage(error.to_string());
                return if is_conflict(&text) {
                    failure.hint(
                        "the file has marks of a merge; take one side, then `sayso lock --accept`",
                    )
                } else {
                    failure.hint_if_known(error.hint())
                };
            }
            LockError::Format(_) => Failure::usage(format!("{file}: {error}")),
            LockError::Inconsistent { offset, message } => {
                Failure::usage(format!("{}: {message}", place(*offset)))
            }
        };
        failure.hint_if_known(error.hint())
    })
}

/// Whether a merge left its marks.
fn is_conflict(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>"))
}

/// Writes a lock, all of it or nothing.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(path: &Path, lock: &Lock) -> Result<(), Failure> {
    replace_file(path, lock.to_text().as_bytes()).map_err(|error| {
        Failure::usage(format!("cannot write the lock `{}`", path.display())).source(error)
    })
}
