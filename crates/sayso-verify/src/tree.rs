//! What files are at one moment, and what lies between two.
//!
//! A [`Look`] holds every entry of a plain folder, and of an overlay what was written to its upper side:
//! what lies below is read when it is needed, and never changes. The contents of what was seen are kept,
//! so that it can be said what a change has lost.

mod archive;
mod between;
mod class;
mod database;
mod entry;
mod git;
mod loss;
mod records;
mod rename;
mod sqlite;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use sayso_core::digest::Digest;

use self::between::Moments;
use self::entry::{Entry, Kind};
use crate::change::{Change, Place};

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
    known: Look,
    /// What lies below overlays, as far as it was needed: it never changes.
    below: Mutex<BTreeMap<PathBuf, Option<Arc<Entry>>>>,
}

/// Files at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look(Arc<BTreeMap<PathBuf, Arc<Entry>>>);

impl Look {
    fn get(&self, path: &Path) -> Option<&Arc<Entry>> {
        self.0.get(path)
    }

    /// What is at a path and everything below it.
    fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a Arc<Entry>)> {
        let from = self
            .0
            .range::<Path, _>((std::ops::Bound::Included(path), std::ops::Bound::Unbounded));
        from.take_while(move |(below, _)| below.starts_with(path))
    }
}

impl Tree {
    /// Nothing is looked at yet. `contents` is a private folder for what is kept.
    #[must_use]
    pub fn new(folders: Vec<Folder>, contents: PathBuf) -> Self {
        Self {
            folders,
            contents,
            known: Look::default(),
            below: Mutex::default(),
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
            self.look_into(folder, mapped, &mut seen)?;
        }
        self.known = Look(Arc::new(seen));
        Ok(self.known.clone())
    }

    fn look_into(
        &self,
        folder: &Folder,
        mapped: &BTreeSet<PathBuf>,
        seen: &mut BTreeMap<PathBuf, Arc<Entry>>,
    ) -> Result<(), TreeError> {
        let (at, is_overlay) = match &folder.location {
            Location::Plain(at) => (at, false),
            Location::Overlay { upper, .. } => (upper, true),
        };
        let mut open = vec![(at.clone(), folder.path.clone())];
        while let Some((here, path)) = open.pop() {
            let entries = match fs::read_dir(&here) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    // The server has closed it to everybody: what was in it is in it still.
                    let known = self.known.below(&path).filter(|(below, _)| **below != path);
                    seen.extend(known.map(|(path, entry)| (path.clone(), Arc::clone(entry))));
                    continue;
                }
                Err(source) => return Err(TreeError::Read { path: here, source }),
            };
            for found in entries.flatten() {
                let (here, path) = (found.path(), path.join(found.file_name()));
                let Ok(status) = found.metadata() else {
                    continue;
                };
                let known = self.known.get(&path);
                let is_mapped = mapped.contains(&path);
                let entry = match known.filter(|known| !is_mapped && known.is_as(&status)) {
                    Some(known) => Arc::clone(known),
                    None => {
                        let known = known.map(AsRef::as_ref);
                        let keep = Some(self.contents.as_path());
                        match Entry::read(&here, &status, is_overlay, known, keep) {
                            Some(entry) => Arc::new(entry),
                            None => continue,
                        }
                    }
                };
                // Another folder may be mounted over this one.
                let is_other = self.folders.iter().any(|folder| folder.path == path);
                if matches!(entry.kind, Kind::Folder { .. }) && !is_other {
                    open.push((here, path.clone()));
                }
                seen.insert(path, entry);
                if seen.len() > MOST {
                    return Err(TreeError::TooMany(folder.path.clone()));
                }
            }
        }
        Ok(())
    }

    /// What lies between two looks, by path.
    #[must_use]
    pub fn between(&self, before: &Look, after: &Look, names: &Names) -> Vec<Change> {
        Moments::new(self, before, after).changes(names)
    }

    /// The digest of everything in the workspace: names, modes and contents. Times are left out, and of
    /// a git repository what depends on when and where it was made: index, logs, and objects, which its
    /// refs stand for.
    #[must_use]
    pub fn digest(&self, look: &Look) -> Digest {
        let moments = Moments::new(self, look, look);
        let mut text = String::new();
        for (path, entry) in moments.workspace() {
            let folder = self.folder(&path);
            let Some(below) = folder.and_then(|folder| path.strip_prefix(&folder.path).ok()) else {
                continue;
            };
            if git::is_bookkeeping(&path) {
                continue;
            }
            let what = match &entry.kind {
                Kind::File { digest, .. } => hex(digest),
                // A link out of here leads to wherever the workspace was made.
                Kind::Link(target) if target.is_absolute() => "to elsewhere".to_owned(),
                Kind::Link(target) => format!("to {}", target.display()),
                Kind::Folder { .. } => "folder".to_owned(),
                Kind::Node => "node".to_owned(),
                Kind::Removed => continue,
            };
            let mode = entry.mode & 0o7777;
            let _ = writeln!(text, "{} {mode:o} {what}", below.display());
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

    /// Where a path lies below an overlay, whether anything is there or not.
    fn lower(&self, path: &Path) -> Option<PathBuf> {
        let folder = self.folder(path)?;
        let Location::Overlay { lower, .. } = &folder.location else {
            return None;
        };
        let below = path.strip_prefix(&folder.path).ok()?;
        Some(lower.join(below))
    }

    /// What lies at a path below an overlay.
    fn lower_entry(&self, path: &Path) -> Option<Arc<Entry>> {
        let here = self.lower(path)?;
        let mut below = self.below.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = below.get(path) {
            return known.clone();
        }
        let status = fs::symlink_metadata(&here).ok();
        let entry = status.and_then(|status| Entry::read(&here, &status, false, None, None));
        let entry = entry.map(Arc::new);
        below.insert(path.to_owned(), entry.clone());
        entry
    }

    /// Paths below a path, in what an overlay lies over.
    fn lower_below(&self, path: &Path) -> Vec<PathBuf> {
        let Some(here) = self.lower(path) else {
            return Vec::new();
        };
        let (mut found, mut open) = (Vec::new(), vec![(here, path.to_owned())]);
        while let Some((here, path)) = open.pop() {
            for entry in fs::read_dir(here).into_iter().flatten().flatten() {
                let path = path.join(entry.file_name());
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && found.len() < MOST {
                    open.push((entry.path(), path.clone()));
                }
                found.push(path);
            }
        }
        found
    }

    /// The bytes of a file that was seen at a path, where they are kept.
    fn bytes(&self, path: &Path, entry: &Entry) -> Option<Vec<u8>> {
        let Kind::File { digest, size } = &entry.kind else {
            return None;
        };
        if *size > entry::KEPT {
            return None;
        }
        if let Ok(kept) = fs::read(self.contents.join(hex(digest))) {
            return Some(kept);
        }
        // What lies below an overlay is not kept a second time.
        let is_lower = self.lower_entry(path)?.kind == entry.kind;
        fs::read(self.lower(path).filter(|_| is_lower)?).ok()
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
