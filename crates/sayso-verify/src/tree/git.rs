//! Git repositories: what their own files mean, and whether a work file is still to be had from one.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Entry, Location, Moments};

/// How long git may take for one answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The repository that a path belongs to, by its folder.
fn repository(moments: &Moments<'_>, path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|folder| {
        let inside = folder.join(".git").join("HEAD");
        moments
            .at(moments.after, &inside)
            .map(|_| folder.to_owned())
    })
}

/// Where in a repository's own folder a file is, if it is in one.
pub(super) fn below_git(path: &Path) -> Option<PathBuf> {
    let mut parts = path.components();
    parts.find(|part| part.as_os_str() == ".git")?;
    Some(parts.as_path().to_owned())
}

/// Whether a change of the index changed only what git remembers of files' times: a refresh, which git
/// makes whenever it looks.
pub(super) fn is_refreshed_index(
    moments: &Moments<'_>,
    path: &Path,
    before: Option<&Entry>,
    after: Option<&Entry>,
) -> bool {
    if below_git(path).is_none_or(|below| below != Path::new("index")) {
        return false;
    }
    let entries = |entry: Option<&Entry>| entries(&moments.bytes(entry?)?);
    match (entries(before), entries(after)) {
        (Some(before), Some(after)) => before == after,
        _ => false,
    }
}

/// The entries of an index of version 2 or 3: mode, object, flags and name (gitformat-index). Times,
/// device, inode, owner and size are left out.
fn entries(index: &[u8]) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?))
    };
    if index.get(..4)? != b"DIRC" || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let (mut found, mut at) = (Vec::new(), 12);
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + 60..at + 62)?.try_into().ok()?);
        let extended = if flags & 0x4000 == 0 { 0 } else { 2 };
        let name = index.get(at + 62 + extended..)?;
        let length = name.iter().position(|byte| *byte == 0)?;
        let mut entry = index.get(at + 24..at + 28)?.to_vec();
        entry.extend(index.get(at + 40..at + 62)?);
        entry.extend(name.get(..length)?);
        found.push(entry);
        // Padded with zeros to a multiple of eight, one at least.
        at += (62 + extended + length) / 8 * 8 + 8;
    }
    Some(found)
}

/// Whether these bytes are in an object of the repository that the path belongs to.
pub(super) fn has_object(moments: &Moments<'_>, path: &Path, bytes: &[u8]) -> bool {
    let Some(repository) = repository(moments, path) else {
        return false;
    };
    let Some(folder) = moments.tree.folder(&repository) else {
        return false;
    };
    let Ok(below) = repository.strip_prefix(&folder.path) else {
        return false;
    };
    let Some(name) = object_name(bytes) else {
        return false;
    };
    let (first, rest) = name.split_at_checked(2).unwrap_or_default();
    let loose = repository.join(".git/objects").join(first).join(rest);
    if moments.at(moments.after, &loose).is_some() {
        return true;
    }
    let here = match &folder.location {
        Location::Plain(here) => here,
        Location::Overlay { lower, .. } => lower,
    };
    let git_folder = here.join(below).join(".git");
    let mut asked = git(&["cat-file", "-e", &name]);
    asked.env("GIT_DIR", git_folder);
    answer(asked, b"").is_some()
}

/// A command that runs nothing a repository names: no hook, no monitor, no settings but its own.
fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(arguments)
        .current_dir("/")
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_CEILING_DIRECTORIES", "/");
    command
}

/// The name an object of these bytes has.
fn object_name(bytes: &[u8]) -> Option<String> {
    let name = answer(git(&["hash-object", "--no-filters", "--stdin"]), bytes)?;
    let name = name.trim().to_owned();
    (name.len() >= 40).then_some(name)
}

/// What a command says, when it ends well and in time.
fn answer(mut command: Command, input: &[u8]) -> Option<String> {
    let started = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut process = started.ok()?;
    let mut pipe = process.stdin.take()?;
    let input = input.to_vec();
    // It may end without reading.
    let writer = std::thread::spawn(move || {
        let _ = std::io::Write::write_all(&mut pipe, &input);
    });
    let begun = Instant::now();
    let status = loop {
        match process.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(1)),
            _ => break None,
        }
    };
    let _ = process.kill();
    let _ = process.wait();
    let _ = writer.join();
    if !status?.success() {
        return None;
    }
    let mut said = String::new();
    process.stdout.take()?.read_to_string(&mut said).ok()?;
    Some(said)
}
