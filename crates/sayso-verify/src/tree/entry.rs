//! One entry of a folder, as it is read.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::hex;

/// Contents above this many bytes are not kept; how much of such a file is lost cannot be said.
pub(super) const KEPT: u64 = 64 << 20;

/// Of a file above this many bytes only the beginning is read, and its time tells the rest: a file
/// that is nearly all hole is made in no time, and read in hours.
const READ: u64 = 1 << 30;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) mode: u32,
    /// Seconds and nanoseconds.
    pub(super) modified: (i64, i64),
    /// The user's extended attributes; others are the system's.
    pub(super) attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) stamp: Stamp,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File {
        digest: [u8; 32],
        size: u64,
    },
    Folder {
        /// It hides what lies below it in an overlay.
        is_opaque: bool,
    },
    Link(PathBuf),
    /// A pipe, a socket or a device.
    Node,
    /// Gone, though it lies below.
    Removed,
}

/// What tells that nothing was written since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) inode: u64,
    size: u64,
    /// When anything of it was changed, which no program can set; seconds and nanoseconds.
    pub(super) changed: (i64, i64),
}

impl Entry {
    /// Whether nothing was done to it since it was read.
    pub(super) fn is_as(&self, status: &Metadata) -> bool {
        self.stamp == stamp(status) && self.mode == mode(status)
    }

    /// Reads an entry; `None` where it is gone meanwhile. `known` is what was there before; contents
    /// are kept in the folder `keep`.
    pub(super) fn read(
        path: &Path,
        status: &Metadata,
        is_overlay: bool,
        known: Option<&Self>,
        keep: Option<&Path>,
    ) -> Option<Self> {
        let mut attributes = attributes(path, status);
        let has = |name: &[u8]| is_overlay && attributes.contains_key(name);
        let is_removed = has(b"user.overlay.whiteout") || is_whiteout(status);
        let kind = if is_overlay && is_removed {
            Kind::Removed
        } else if status.is_file() {
            file(path, status, known, keep)?
        } else if status.is_dir() {
            Kind::Folder {
                is_opaque: has(b"user.overlay.opaque"),
            }
        } else if status.is_symlink() {
            Kind::Link(fs::read_link(path).ok()?)
        } else {
            Kind::Node
        };
        if is_overlay {
            attributes.retain(|name, _| !name.starts_with(b"user.overlay."));
        }
        Some(Self {
            kind,
            mode: mode(status),
            modified: modified(status),
            attributes,
            stamp: stamp(status),
        })
    }

    /// The same, but for when it was changed and where it lies.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let is_same = match (&self.kind, &other.kind) {
            (Kind::Folder { .. }, Kind::Folder { .. }) => true,
            (one, other) => one == other,
        };
        is_same && self.mode == other.mode && self.attributes == other.attributes
    }

    /// Whether it hides what lies below it in an overlay.
    pub(super) const fn hides(&self) -> bool {
        !matches!(self.kind, Kind::Folder { is_opaque: false })
    }

    /// Whether its time of change is one that somebody set: it is not that of the last change to it.
    pub(super) fn has_set_time(&self) -> bool {
        self.modified > self.stamp.changed || self.modified.0 < self.stamp.changed.0 - 1
    }
}

/// A file's digest; its bytes are kept where there is a folder for them.
fn file(
    path: &Path,
    status: &Metadata,
    known: Option<&Entry>,
    keep: Option<&Path>,
) -> Option<Kind> {
    let size = status.len();
    let read = match open(path) {
        Ok(mut file) => digest(&mut file, size, keep.filter(|_| size <= KEPT)),
        Err(error) => Err(error),
    };
    match read {
        Ok((mut hasher, read)) => {
            if size > READ {
                hasher.update(format!("{size} {:?}", modified(status)));
            }
            let digest = hasher.finalize().into();
            Some(Kind::File {
                digest,
                size: if size > READ { size } else { read },
            })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // It is closed to us: what it holds is what it held, unless its time has moved.
        Err(_) => {
            let known = known.filter(|known| {
                known.modified == modified(status) && known.stamp.inode == stamp(status).inode
            });
            Some(known.map_or_else(
                || Kind::File {
                    digest: Sha256::digest(format!("closed {size} {:?}", modified(status))).into(),
                    size,
                },
                |known| known.kind.clone(),
            ))
        }
    }
}

/// Opens what was a file a moment ago: neither a link nor a pipe that has taken its place.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Reads a file, and keeps what was read under its digest.
fn digest(file: &mut File, size: u64, keep: Option<&Path>) -> io::Result<(Sha256, u64)> {
    let mut hasher = Sha256::new();
    let room = usize::try_from(size.clamp(4096, 1 << 18)).unwrap_or(4096);
    let mut buffer = vec![0; room];
    // Where it cannot be kept, it cannot be said what was lost.
    let mut kept = keep.and_then(|folder| tempfile::NamedTempFile::new_in(folder).ok());
    let mut count = 0;
    while count < READ {
        let part = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = buffer.get(..part).unwrap_or_default();
        hasher.update(bytes);
        kept = kept.filter(|kept| kept.as_file().write_all(bytes).is_ok());
        count += u64::try_from(part).unwrap_or_default();
    }
    if let (Some(kept), Some(folder)) = (kept, keep) {
        let name: [u8; 32] = hasher.clone().finalize().into();
        let _ = kept.persist(folder.join(hex(&name)));
    }
    Ok((hasher, count))
}

/// The user's extended attributes.
#[cfg(target_os = "linux")]
fn attributes(path: &Path, status: &Metadata) -> BTreeMap<Vec<u8>, Vec<u8>> {
    use std::os::unix::ffi::OsStrExt as _;

    use rustix::fs::{lgetxattr, llistxattr};

    /// What the kernel allows of names together, and of one value (`xattr(7)`).
    const ROOM: usize = 1 << 16;

    let mut found = BTreeMap::new();
    if !status.is_file() && !status.is_dir() {
        return found;
    }
    let mut names = vec![0; 1024];
    let mut count = llistxattr(path, &mut names[..]);
    if count.is_err() {
        names = vec![0; ROOM];
        count = llistxattr(path, &mut names[..]);
    }
    names.truncate(count.unwrap_or_default());
    for name in names.split(|byte| *byte == 0) {
        if name.starts_with(b"user.") {
            let mut value = vec![0; ROOM];
            let key = std::ffi::OsStr::from_bytes(name);
            let count = lgetxattr(path, key, &mut value[..]).unwrap_or_default();
            value.truncate(count);
            found.insert(name.to_vec(), value);
        }
    }
    found
}

#[cfg(not(target_os = "linux"))]
const fn attributes(_: &Path, _: &Metadata) -> BTreeMap<Vec<u8>, Vec<u8>> {
    BTreeMap::new()
}

/// Whether this marks in an overlay's upper side that something is gone: a device of the number nought
/// (the kernel's overlayfs documentation, "whiteouts and opaque directories").
#[cfg(unix)]
fn is_whiteout(status: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    status.file_type().is_char_device() && status.rdev() == 0
}

#[cfg(unix)]
fn mode(status: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(status)
}

#[cfg(unix)]
fn modified(status: &Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt as _;

    (status.mtime(), status.mtime_nsec())
}

#[cfg(unix)]
fn stamp(status: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt as _;

    Stamp {
        inode: status.ino(),
        size: status.len(),
        changed: (status.ctime(), status.ctime_nsec()),
    }
}

#[cfg(not(unix))]
const fn is_whiteout(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn mode(status: &Metadata) -> u32 {
    if status.permissions().readonly() {
        0o444
    } else {
        0o666
    }
}

#[cfg(not(unix))]
fn modified(status: &Metadata) -> (i64, i64) {
    let since = status.modified().ok().and_then(|time| {
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some((
            i64::try_from(since.as_secs()).ok()?,
            i64::from(since.subsec_nanos()),
        ))
    });
    since.unwrap_or_default()
}

#[cfg(not(unix))]
fn stamp(status: &Metadata) -> Stamp {
    Stamp {
        inode: 0,
        size: status.len(),
        changed: modified(status),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_device_of_number_nought_is_a_whiteout() {
        let null = fs::metadata("/dev/null").unwrap();
        assert!(!is_whiteout(&null));
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(!is_whiteout(&file.as_file().metadata().unwrap()));
    }
}
