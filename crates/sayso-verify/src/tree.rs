//! What files are at one moment, and what lies between two.
//!
//! A [`Look`] holds every entry of a plain folder, and of an overlay what was written to its upper side:
//! what lies below is read when it is needed, and never changes. The contents of what was seen are kept,
//! so that it can be said what a change has lost.

mod class;
mod git;
mod loss;
mod records;
mod sqlite;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sayso_core::digest::Digest;
use sha2::{Digest as _, Sha256};

use crate::change::{Change, Class, Place, What};

/// Contents above this many bytes are not kept; how much of such a file is lost cannot be said.
const KEPT: u64 = 64 << 20;

/// How many entries a folder may have.
const MOST: usize = 500_000;

/// Where this process reads a folder of the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Here.
    Plain(PathBuf),
    /// What was written is in one folder, and what was there before in another.
    Overlay {
        /// What was there before.
        lower: PathBuf,
        /// What was written.
        upper: PathBuf,
    },
}

/// A folder that is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its path, as the server sees it.
    pub path: PathBuf,
    /// What it is.
    pub place: Place,
    /// Where it is read.
    pub location: Location,
}

/// By what it is told whose a file is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Words that carry the server's name, in small letters.
    pub server: Vec<String>,
    /// What the server made while it started.
    pub made_at_start: Vec<PathBuf>,
}

/// Why files could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Reading failed.
    #[error("cannot look at {}: {source}", path.display())]
    Read {
        /// What.
        path: PathBuf,
        /// How.
        source: io::Error,
    },
    /// There is too much.
    #[error("{} has more than {MOST} entries", .0.display())]
    TooMany(PathBuf),
}

/// Folders, and what was seen in them so far.
#[derive(Debug)]
pub struct Tree {
    folders: Vec<Folder>,
    contents: PathBuf,
    known: BTreeMap<PathBuf, Entry>,
}

/// Files at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look(BTreeMap<PathBuf, Entry>);

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    mode: u32,
    modified: (i64, i64),
    attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    /// What tells that nothing was written since: inode, size and time of change.
    stamp: (u64, u64, i64, i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    File {
        digest: [u8; 32],
        size: u64,
    },
    Folder {
        is_opaque: bool,
    },
    Link(PathBuf),
    /// A pipe, a socket or a device.
    Node,
    /// Gone, though it lies below.
    Removed,
}

impl Tree {
    /// Nothing is looked at yet. `contents` is a private folder for what is kept.
    #[must_use]
    pub fn new(folders: Vec<Folder>, contents: PathBuf) -> Self {
        Self {
            folders,
            contents,
            known: BTreeMap::new(),
        }
    }

    /// Looks at all folders. What has neither moved nor changed its time is not read again, but for the
    /// files in `mapped`: memory that is written reaches a file without any trace.
    ///
    /// # Errors
    /// When something cannot be read, or there is too much.
    pub fn look(&mut self, mapped: &BTreeSet<PathBuf>) -> Result<Look, TreeError> {
        let mut seen = BTreeMap::new();
        for folder in &self.folders {
            let at = match &folder.location {
                Location::Plain(at) => at,
                Location::Overlay { upper, .. } => upper,
            };
            let is_overlay = matches!(folder.location, Location::Overlay { .. });
            let mut open = vec![PathBuf::new()];
            while let Some(below) = open.pop() {
                let entries = match fs::read_dir(at.join(&below)) {
                    Ok(entries) => entries,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    // The server may have closed it to everybody.
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => continue,
                    Err(source) => {
                        let path = at.join(&below);
                        return Err(TreeError::Read { path, source });
                    }
                };
                for entry in entries.flatten() {
                    let below = below.join(entry.file_name());
                    let path = folder.path.join(&below);
                    let Ok(status) = entry.metadata() else {
                        continue;
                    };
                    let is_mapped = mapped.contains(&path);
                    let known = self.known.get(&path).filter(|_| !is_mapped);
                    let read =
                        Entry::read(&entry.path(), &status, is_overlay, known, &self.contents);
                    let Some(read) = read else {
                        continue;
                    };
                    if matches!(read.kind, Kind::Folder { .. }) {
                        open.push(below);
                    }
                    seen.insert(path, read);
                    if seen.len() > MOST {
                        return Err(TreeError::TooMany(folder.path.clone()));
                    }
                }
            }
        }
        self.known.clone_from(&seen);
        Ok(Look(seen))
    }

    /// What lies between two looks, by path.
    #[must_use]
    pub fn between(&self, before: &Look, after: &Look, names: &Names) -> Vec<Change> {
        let moment = Moments {
            tree: self,
            before,
            after,
        };
        let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
        for (path, entry) in before.0.iter().chain(&after.0) {
            if before.0.get(path) != after.0.get(path) {
                paths.insert(path.clone());
                // What lay below it is gone with it.
                if matches!(entry.kind, Kind::Removed) {
                    paths.extend(moment.lower_below(path));
                }
            }
        }
        let mut changes: Vec<Change> = paths
            .iter()
            .filter_map(|path| moment.change(path, names))
            .collect();
        rename(&mut changes, &moment);
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        changes
    }

    /// The digest of everything in the workspace, but for times.
    #[must_use]
    pub fn digest(&self, look: &Look) -> Digest {
        let mut text = String::new();
        for (path, entry) in &look.0 {
            let folder = self
                .folder(path)
                .filter(|folder| folder.place == Place::Workspace);
            let Some(below) = folder.and_then(|folder| path.strip_prefix(&folder.path).ok()) else {
                continue;
            };
            let what = match &entry.kind {
                Kind::File { digest, .. } => hex(digest),
                Kind::Link(target) => format!("to {}", target.display()),
                Kind::Folder { .. } => "folder".to_owned(),
                Kind::Node => "node".to_owned(),
                Kind::Removed => continue,
            };
            text.push_str(&format!(
                "{} {:o} {what}\n",
                below.display(),
                entry.mode & 0o7777
            ));
        }
        Digest::of_bytes(&text)
    }

    fn folder(&self, path: &Path) -> Option<&Folder> {
        let holding = self
            .folders
            .iter()
            .filter(|folder| path.starts_with(&folder.path));
        holding.max_by_key(|folder| folder.path.components().count())
    }
}

/// Files that are mapped into memory shared and writable by these processes.
#[must_use]
pub fn mapped(processes: &[u32]) -> BTreeSet<PathBuf> {
    let maps = processes
        .iter()
        .filter_map(|process| fs::read_to_string(format!("/proc/{process}/maps")).ok());
    let mut files = BTreeSet::new();
    for map in maps {
        for line in map.lines() {
            // Address, rights, offset, device, inode and path (`proc_pid_maps(5)`).
            let mut fields = line.splitn(6, ' ');
            let is_written = fields
                .nth(1)
                .is_some_and(|rights| rights.contains('w') && rights.ends_with('s'));
            let path = fields
                .nth(3)
                .map(str::trim_start)
                .filter(|path| path.starts_with('/'));
            files.extend(path.filter(|_| is_written).map(PathBuf::from));
        }
    }
    files
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Entry {
    /// Reads an entry; `None` where it is gone meanwhile.
    fn read(
        path: &Path,
        status: &Metadata,
        is_overlay: bool,
        known: Option<&Self>,
        contents: &Path,
    ) -> Option<Self> {
        let stamp = (
            status.ino(),
            status.size(),
            status.ctime(),
            status.ctime_nsec(),
        );
        let kind = status.file_type();
        let attributes = attributes(path, status);
        let is_opaque = attributes.contains_key(&b"user.overlay.opaque"[..]);
        let kind = if kind.is_file() {
            match known {
                Some(known) if known.stamp == stamp => known.kind.clone(),
                _ => file(path, status.size(), Some(contents))?,
            }
        } else if kind.is_dir() {
            Kind::Folder { is_opaque }
        } else if kind.is_symlink() {
            Kind::Link(fs::read_link(path).ok()?)
        } else if is_overlay && kind.is_char_device() && status.rdev() == 0 {
            Kind::Removed
        } else {
            Kind::Node
        };
        let own = attributes
            .into_iter()
            .filter(|(name, _)| !name.starts_with(b"user.overlay."));
        Some(Self {
            kind,
            mode: status.mode(),
            modified: (status.mtime(), status.mtime_nsec()),
            attributes: own.collect(),
            stamp,
        })
    }

    /// The same but for what looking at it can show: when it was changed, and where it lies.
    fn is_alike(&self, other: &Self) -> bool {
        self.kind == other.kind && self.mode == other.mode && self.attributes == other.attributes
    }
}

/// A file's digest; its bytes are kept where there is a folder for them.
fn file(path: &Path, size: u64, contents: Option<&Path>) -> Option<Kind> {
    let mut file = File::open(path).ok()?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    let digest: [u8; 32] = hasher.finalize().into();
    if let Some(contents) = contents.filter(|_| size <= KEPT) {
        let kept = contents.join(hex(&digest));
        if !kept.exists() {
            // Where it cannot be kept, it cannot be said what was lost.
            let _ = fs::copy(path, &kept);
        }
    }
    Some(Kind::File { digest, size })
}

/// Extended attributes of the user's; others are the system's.
fn attributes(path: &Path, status: &Metadata) -> BTreeMap<Vec<u8>, Vec<u8>> {
    if !status.is_file() && !status.is_dir() {
        return BTreeMap::new();
    }
    #[cfg(target_os = "linux")]
    {
        let mut names = vec![0; 4096];
        let count = rustix::fs::llistxattr(path, &mut names).unwrap_or_default();
        names.truncate(count);
        let names = names
            .split(|byte| *byte == 0)
            .filter(|name| name.starts_with(b"user."));
        names
            .map(|name| {
                let mut value = vec![0; 4096];
                let key = std::ffi::OsStr::from_bytes(name);
                let count = rustix::fs::lgetxattr(path, key, &mut value).unwrap_or_default();
                value.truncate(count);
                (name.to_vec(), value)
            })
            .collect()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path.as_os_str().as_bytes();
        BTreeMap::new()
    }
}

/// Two looks at the same folders.
struct Moments<'a> {
    tree: &'a Tree,
    before: &'a Look,
    after: &'a Look,
}

impl Moments<'_> {
    /// What is at a path, whether it was written or lies below.
    fn at(&self, look: &Look, path: &Path) -> Option<Entry> {
        if let Some(entry) = look.0.get(path) {
            return Some(entry.clone()).filter(|entry| entry.kind != Kind::Removed);
        }
        let folder = self.tree.folder(path)?;
        let Location::Overlay { lower, .. } = &folder.location else {
            return None;
        };
        let is_hidden = path.ancestors().skip(1).any(|above| {
            matches!(
                look.0.get(above).map(|entry| &entry.kind),
                Some(
                    Kind::Removed
                        | Kind::Folder { is_opaque: true }
                        | Kind::File { .. }
                        | Kind::Link(_)
                )
            )
        });
        let below = path
            .strip_prefix(&folder.path)
            .ok()
            .filter(|_| !is_hidden)?;
        let path = lower.join(below);
        let status = fs::symlink_metadata(&path).ok()?;
        Entry::read(&path, &status, false, None, &self.tree.contents)
    }

    /// Files that lay below a path, in what an overlay lies over.
    fn lower_below(&self, path: &Path) -> Vec<PathBuf> {
        let Some(folder) = self.tree.folder(path) else {
            return Vec::new();
        };
        let Location::Overlay { lower, .. } = &folder.location else {
            return Vec::new();
        };
        let Ok(below) = path.strip_prefix(&folder.path) else {
            return Vec::new();
        };
        let (mut found, mut open) = (Vec::new(), vec![below.to_owned()]);
        while let Some(below) = open.pop() {
            for entry in fs::read_dir(lower.join(&below))
                .into_iter()
                .flatten()
                .flatten()
            {
                let below = below.join(entry.file_name());
                found.push(folder.path.join(&below));
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && found.len() < MOST {
                    open.push(below);
                }
            }
        }
        found
    }

    /// The bytes of a file that was seen, where they are kept.
    fn bytes(&self, entry: &Entry) -> Option<Vec<u8>> {
        match &entry.kind {
            Kind::File { digest, size } if *size <= KEPT => {
                fs::read(self.tree.contents.join(hex(digest))).ok()
            }
            _ => None,
        }
    }

    fn change(&self, path: &Path, names: &Names) -> Option<Change> {
        let (before, after) = (self.at(self.before, path), self.at(self.after, path));
        let what = what(before.as_ref(), after.as_ref())?;
        // What lies beside a database is told with its rows.
        if loss::belongs_to_database(self, path) {
            return self.log_alone(path, names);
        }
        let (lost, detail) = loss::of(self, path, before.as_ref(), after.as_ref());
        let place = self
            .tree
            .folder(path)
            .map_or(Place::Elsewhere, |folder| folder.place);
        let is_refreshed = git::is_refreshed_index(self, path, before.as_ref(), after.as_ref());
        let class = match is_refreshed {
            true => Class::Cache,
            false => class::of(path, place, names),
        };
        Some(Change {
            path: path.to_owned(),
            place,
            class,
            what,
            lost,
            detail,
        })
    }
}

impl Moments<'_> {
    /// The change of a database whose log moved and whose own file did not.
    fn log_alone(&self, path: &Path, names: &Names) -> Option<Change> {
        let database =
            loss::database_of(path).filter(|_| path.as_os_str().as_bytes().ends_with(b"-wal"))?;
        let (before, after) = (
            self.at(self.before, &database),
            self.at(self.after, &database),
        );
        if before.as_ref().map(|entry| &entry.kind) != after.as_ref().map(|entry| &entry.kind) {
            return None;
        }
        let old = self.bytes(before.as_ref()?)?;
        let new = self.bytes(after.as_ref()?)?;
        let (lost, detail) = loss::of_database(self, &database, &old, &new);
        let place = self
            .tree
            .folder(&database)
            .map_or(Place::Elsewhere, |folder| folder.place);
        // Opening a database in that mode writes a log without a row in it.
        detail.as_ref()?;
        Some(Change {
            class: class::of(&database, place, names),
            path: database,
            place,
            what: What::Changed,
            lost,
            detail,
        })
    }
}

/// What became of an entry; `None` where nothing did.
fn what(before: Option<&Entry>, after: Option<&Entry>) -> Option<What> {
    let (before, after) = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => return Some(What::Created),
        (Some(_), None) => return Some(What::Deleted),
        (Some(before), Some(after)) => (before, after),
    };
    if before.is_alike(after) {
        // A folder's time moves with what is in it, and a file's where it is written as it was.
        let is_set = before.stamp.0 == after.stamp.0
            && before.modified != after.modified
            && matches!(after.kind, Kind::File { .. })
            && after.modified.0 < after.stamp.2 - 1;
        return is_set.then_some(What::Times);
    }
    match (&before.kind, &after.kind) {
        (Kind::File { digest, .. }, Kind::File { digest: other, .. }) if digest == other => {}
        (Kind::File { size: before, .. }, Kind::File { size: 0, .. }) if *before > 0 => {
            return Some(What::Truncated);
        }
        (Kind::File { .. }, Kind::File { .. }) | (Kind::Link(_), Kind::Link(_))
            if before.kind != after.kind =>
        {
            return Some(What::Changed);
        }
        (one, other) if std::mem::discriminant(one) != std::mem::discriminant(other) => {
            return Some(What::Retyped);
        }
        _ => {}
    }
    match before.mode == after.mode {
        true if before.attributes != after.attributes => Some(What::Attributes),
        true => None,
        false => Some(What::Mode {
            before: before.mode & 0o7777,
            after: after.mode & 0o7777,
        }),
    }
}

/// Joins what is gone with what is new and the same.
fn rename(changes: &mut Vec<Change>, moments: &Moments<'_>) {
    let digest = |look: &Look, path: &Path| match moments.at(look, path)?.kind {
        Kind::File { digest, size } if size > 0 => Some(digest),
        _ => None,
    };
    let gone: Vec<(PathBuf, [u8; 32])> = changes
        .iter()
        .filter(|change| change.what == What::Deleted)
        .filter_map(|change| Some((change.path.clone(), digest(moments.before, &change.path)?)))
        .collect();
    let mut moved = BTreeSet::new();
    for change in changes
        .iter_mut()
        .filter(|change| change.what == What::Created)
    {
        let Some(now) = digest(moments.after, &change.path) else {
            continue;
        };
        let from = gone
            .iter()
            .find(|(path, was)| *was == now && !moved.contains(path));
        if let Some((from, _)) = from {
            moved.insert(from.clone());
            change.what = What::Renamed { from: from.clone() };
        }
    }
    changes.retain(|change| change.what != What::Deleted || !moved.contains(&change.path));
}
