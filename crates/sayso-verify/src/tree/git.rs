//! Git repositories: what their own files mean, and what of a work tree is still to be had from one.
//!
//! A repository's settings can name programs, and it may belong to somebody hostile. So git never sees
//! them: it is given an empty repository of ours that borrows the objects alone (gitrepository-layout,
//! `objects/info/alternates`).

mod borrowed;
mod index;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use self::borrowed::Borrowed;
use super::between::Moments;
use super::entry::Kind;
use super::{Location, Look};
use crate::change::Loss;

pub(super) use self::index::is_refreshed_index;

/// What is known of the repositories in which something changed.
#[derive(Default)]
pub(super) struct Repositories {
    /// Work files whose former contents are in an object.
    held: BTreeSet<PathBuf>,
    /// By files of a repository itself, what is lost with them.
    own: BTreeMap<PathBuf, Loss>,
}

impl Repositories {
    /// Asks for everything that these paths may have lost.
    pub(super) fn of(moments: &Moments<'_>, paths: &BTreeSet<PathBuf>) -> Self {
        let mut folders: BTreeMap<PathBuf, Vec<&PathBuf>> = BTreeMap::new();
        for path in paths {
            let before = moments.at(moments.before, path);
            if !before.is_some_and(|entry| matches!(entry.kind, Kind::File { .. })) {
                continue;
            }
            if let Some(folder) = folder_of(moments, path) {
                folders.entry(folder).or_default().push(path);
            }
        }
        let mut known = Self::default();
        for (folder, paths) in folders {
            known.ask(moments, &folder, &paths);
        }
        known
    }

    /// Whether what a work file held is in an object of its repository.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.held.contains(path)
    }

    /// What is lost with a file of a repository itself.
    pub(super) fn loss(&self, path: &Path) -> Loss {
        self.own.get(path).cloned().unwrap_or_default()
    }

    /// `folder` is the repository's own, `.git` as a rule.
    fn ask(&mut self, moments: &Moments<'_>, folder: &Path, paths: &[&PathBuf]) {
        let Some(borrowed) = Borrowed::new(moments, folder) else {
            return;
        };
        let (own, work): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| path.starts_with(folder));
        let kept: Vec<(&PathBuf, PathBuf)> = work
            .into_iter()
            .filter_map(|path| Some((path, kept(moments, path)?)))
            .collect();
        let files: Vec<&Path> = kept.iter().map(|(_, kept)| kept.as_path()).collect();
        let held = borrowed.holds(&files);
        let held = kept.iter().zip(held).filter(|(_, is_held)| *is_held);
        self.held.extend(held.map(|((path, _), _)| (*path).clone()));
        if !own.is_empty() {
            self.ask_refs(moments, folder, &own, &borrowed);
            self.ask_objects(moments, folder, &own, &borrowed);
        }
    }

    /// A ref that is gone or has moved is lost when no other ref and no log leads to where it was.
    fn ask_refs(
        &mut self,
        moments: &Moments<'_>,
        folder: &Path,
        own: &[&PathBuf],
        borrowed: &Borrowed,
    ) {
        let before = refs(moments, moments.before, folder);
        let after = refs(moments, moments.after, folder);
        let mut known: BTreeSet<String> = after.values().cloned().collect();
        known.extend(logged(moments, folder));
        for (name, commit) in &before {
            if after.get(name) == Some(commit) {
                continue;
            }
            let loss = match known.contains(commit) || borrowed.leads_to(commit, &known) {
                true => Loss::Recoverable("another ref, or a log of one".to_owned()),
                false => Loss::Items {
                    count: 1,
                    of: "ref".to_owned(),
                },
            };
            // It stands in a file of its own, or in that of all.
            let place = [folder.join(name), folder.join("packed-refs")]
                .into_iter()
                .find(|path| own.contains(&path));
            let Some(place) = place else {
                continue;
            };
            let sum = match (self.own.remove(&place), loss) {
                (Some(Loss::Items { count, of }), Loss::Items { .. }) => Loss::Items {
                    count: count + 1,
                    of,
                },
                (Some(known @ Loss::Items { .. }), _) => known,
                (_, loss) => loss,
            };
            self.own.insert(place, sum);
        }
    }

    /// An object that is gone and in no pack; a pack that is gone without a new one.
    fn ask_objects(
        &mut self,
        moments: &Moments<'_>,
        folder: &Path,
        own: &[&PathBuf],
        borrowed: &Borrowed,
    ) {
        let objects = folder.join("objects");
        let is_gone = |path: &Path| moments.at(moments.after, path).is_none();
        let gone = own
            .iter()
            .filter(|path| path.starts_with(&objects) && is_gone(path));
        let (packs, loose): (Vec<&&PathBuf>, Vec<&&PathBuf>) =
            gone.partition(|path| path.starts_with(objects.join("pack")));
        let names: Vec<(&PathBuf, String)> = loose
            .into_iter()
            .filter_map(|path| {
                let below = path.strip_prefix(&objects).ok()?.to_str()?;
                let name = below.replace('/', "");
                is_name(&name).then_some((*path, name))
            })
            .collect();
        let asked: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
        for ((path, _), is_there) in names.iter().zip(borrowed.has(&asked)) {
            if !is_there {
                let of = "object".to_owned();
                self.own
                    .insert((*path).clone(), Loss::Items { count: 1, of });
            }
        }
        let is_pack = |path: &Path| path.extension().is_some_and(|end| end == "pack");
        let mut now = moments.after.below(&objects).map(|(path, _)| path);
        let is_packed = now.any(|path| is_pack(path) && moments.at(moments.before, path).is_none());
        for pack in packs.into_iter().filter(|pack| is_pack(pack) && !is_packed) {
            self.own.insert((*pack).clone(), Loss::Unknown);
        }
    }
}

/// Where in a repository's own folder a file is, if it is in one.
fn below_git(path: &Path) -> Option<&Path> {
    let mut parts = path.components();
    parts.find(|part| *part == Component::Normal(".git".as_ref()))?;
    Some(parts.as_path())
}

/// Whether a file of a repository itself is weighed by what it means: refs, objects, and what git keeps
/// of the past. Settings, hooks and lists of what to ignore are files like others.
pub(super) fn is_weighed(path: &Path) -> bool {
    below_git(path).is_some_and(|below| {
        let mut parts = below.components();
        let first = parts.next().map(Component::as_os_str);
        let first = first.and_then(|first| first.to_str()).unwrap_or_default();
        !matches!(first, "" | "config" | "hooks" | "info" | "description")
    })
}

/// Whether a file of a repository depends on when and where it was made, or on how git keeps objects.
pub(super) fn is_bookkeeping(path: &Path) -> bool {
    below_git(path).is_some_and(|below| {
        ["index", "logs", "objects", "COMMIT_EDITMSG"]
            .iter()
            .any(|name| below.starts_with(name))
    })
}

/// The folder of the repository that a path is in, before.
fn folder_of(moments: &Moments<'_>, path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|folder| {
        let folder = match folder.file_name() {
            Some(name) if name == ".git" => folder.to_owned(),
            _ => folder.join(".git"),
        };
        moments
            .at(moments.before, &folder.join("HEAD"))
            .map(|_| folder)
    })
}

/// Where the former contents of a file are kept, for git to read.
fn kept(moments: &Moments<'_>, path: &Path) -> Option<PathBuf> {
    let entry = moments.at(moments.before, path)?;
    let Kind::File { digest, size } = &entry.kind else {
        return None;
    };
    let after = moments.at(moments.after, path);
    if *size == 0 || after.is_some_and(|after| after.kind == entry.kind) {
        return None;
    }
    let kept = moments.tree.contents.join(super::hex(digest));
    if !kept.exists() {
        std::fs::write(&kept, moments.tree.bytes(path, &entry)?).ok()?;
    }
    Some(kept)
}

/// Where each ref stands, by its name.
fn refs(moments: &Moments<'_>, look: &Look, folder: &Path) -> BTreeMap<String, String> {
    let text = |path: &Path| {
        let bytes = moments.bytes(look, path)?;
        String::from_utf8(bytes).ok()
    };
    let mut found = BTreeMap::new();
    for line in text(&folder.join("packed-refs"))
        .unwrap_or_default()
        .lines()
    {
        if let Some((commit, name)) = line.split_once(' ').filter(|(commit, _)| is_name(commit)) {
            found.insert(name.to_owned(), commit.to_owned());
        }
    }
    let mut files: Vec<PathBuf> = moments
        .below(look, &folder.join("refs"))
        .into_keys()
        .collect();
    files.push(folder.join("HEAD"));
    for path in files {
        let name = path.strip_prefix(folder).ok().and_then(Path::to_str);
        let commit = text(&path).map(|text| text.trim().to_owned());
        if let (Some(name), Some(commit)) = (name, commit.filter(|commit| is_name(commit))) {
            found.insert(name.to_owned(), commit);
        }
    }
    found
}

/// The commits that the logs of refs name.
fn logged(moments: &Moments<'_>, folder: &Path) -> BTreeSet<String> {
    let logs = moments.below(moments.after, &folder.join("logs"));
    let texts = logs.keys().filter_map(|path| {
        let bytes = moments.bytes(moments.after, path)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    });
    let mut found = BTreeSet::new();
    for text in texts {
        let names = text.lines().flat_map(|line| line.split(' ').take(2));
        let names = names.filter(|name| is_name(name) && name.bytes().any(|byte| byte != b'0'));
        found.extend(names.map(str::to_owned));
    }
    found
}

/// Whether this is the name of an object, in SHA-1 or SHA-256.
fn is_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Where this process reads a path, as it was written or as it lies below.
fn here(moments: &Moments<'_>, path: &Path) -> Vec<PathBuf> {
    let Some(folder) = moments.tree.folder(path) else {
        return Vec::new();
    };
    let Ok(below) = path.strip_prefix(&folder.path) else {
        return Vec::new();
    };
    match &folder.location {
        Location::Plain(here) => vec![here.join(below)],
        Location::Overlay { lower, upper } => vec![upper.join(below), lower.join(below)],
    }
}
