//! Which settings file is in use.

use std::path::{Path, PathBuf};

use super::FILE_NAME;

/// The nearest settings file: in `directory` or one above it, but not above the root of a
/// repository.
pub(crate) fn find(directory: &Path) -> Option<PathBuf> {
    for ancestor in directory.ancestors() {
        let candidate = ancestor.join(FILE_NAME);
        if candidate.is_file() {
            return Some(candidate);
        }
        if ancestor.join(".git").exists() {
            return None;
        }
    }
    None
}
