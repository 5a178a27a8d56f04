//! The lock on disk.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sayso_core::json::line_column;
use sayso_core::lock::{Lock, LockError, normalised};

use crate::config::SettingsError;
use crate::error::Failure;
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
    // A link stays a link.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace(&path, lock.to_text().as_bytes()).map_err(|error| {
        Failure::usage(format!("cannot write the lock `{}`", path.display())).source(error)
    })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    let directory = directory.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let own = std::fs::metadata(path).map(|metadata| metadata.permissions());
        // What the umask leaves of it, as for any new file.
        builder.permissions(own.unwrap_or_else(|_| std::fs::Permissions::from_mode(0o666)));
    }
    let mut file = builder.prefix(".sayso-lock-").tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
