//! Writes a file in place of the one that is there, all of it or nothing.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Replaces a file, or makes it: whoever reads it, and whoever stops the program, finds the old
/// bytes or the new ones. A link stays a link, and what the file's owner allowed stays allowed.
///
/// # Errors
/// When nothing can be written beside it, or put in its place.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    let directory = directory.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let own = std::fs::metadata(&path).map(|metadata| metadata.permissions());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask leaves of it, as for any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.prefix(".sayso-").tempfile_in(directory)?;
    file.write_all(bytes)?;
    if let Ok(own) = own {
        file.as_file().set_permissions(own)?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
