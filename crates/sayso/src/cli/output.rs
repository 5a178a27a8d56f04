//! Where a report goes: standard output or a file, and how it is to look there.

use std::io;
use std::path::{Path, PathBuf};

use crate::audit_report::{Detail, Presentation};
use crate::error::Failure;

/// That there is a place for every file, before anything is read for it.
pub(super) fn check_directories<'p>(
    files: impl IntoIterator<Item = &'p Option<PathBuf>>,
) -> Result<(), Failure> {
    for file in files.into_iter().flatten() {
        let directory = file.parent().filter(|path| !path.as_os_str().is_empty());
        if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
            let (file, directory) = (file.display(), directory.display());
            return Err(Failure::usage(format!(
                "cannot write `{file}`: there is no directory `{directory}`"
            ))
            .hint("create the directory first"));
        }
    }
    Ok(())
}

/// Writes a report to the file, or to standard output; it is told whether colour is taken there.
pub(super) fn write(
    file: Option<&Path>,
    report: impl FnOnce(&Presentation, &mut dyn io::Write) -> io::Result<()>,
    detail: Detail,
) -> Result<(), Failure> {
    let presentation = |color| Presentation {
        color,
        width: width(),
        detail,
    };
    let Some(path) = file else {
        let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        return super::to_stdout(|out| report(&presentation(color), out));
    };
    let mut bytes = Vec::new();
    report(&presentation(false), &mut bytes)?;
    write_file(path, &bytes)
}

/// How something goes to standard output piece by piece.
pub(super) fn presentation() -> Presentation {
    Presentation {
        color: anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
        width: width(),
        detail: Detail::Normal,
    }
}

/// Writes a file.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .map_err(|error| Failure::usage(format!("cannot write `{}`", path.display())).source(error))
}

/// The columns of the terminal, or 100; never more than is pleasant to read.
fn width() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(100, |(width, _)| usize::from(width.0).clamp(40, 140))
}
