//! An empty repository that borrows the objects of another, and what git says of them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::between::Moments;
use super::super::entry::Kind;

/// How long git may take for one answer.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Borrowed(tempfile::TempDir);

impl Borrowed {
    /// Borrows the objects that are in a repository after.
    pub(super) fn new(moments: &Moments<'_>, repository: &Path) -> Option<Self> {
        let own = tempfile::tempdir_in(&moments.tree.contents).ok()?;
        let folder = own.path();
        fs::create_dir_all(folder.join("refs")).ok()?;
        fs::create_dir_all(folder.join("objects/info")).ok()?;
        fs::write(folder.join("HEAD"), "ref: refs/heads/none\n").ok()?;
        let settings = moments.bytes(moments.before, &repository.join("config"));
        let settings =
            String::from_utf8_lossy(settings.as_deref().unwrap_or_default()).to_lowercase();
        let format = match settings.contains("sha256") {
            true => {
                "repositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256"
            }
            false => "repositoryformatversion = 0\n\tbare = true",
        };
        fs::write(folder.join("config"), format!("[core]\n\t{format}\n")).ok()?;
        let objects = repository.join("objects");
        let mut written = moments.after.below(&objects);
        if written.any(|(_, entry)| entry.kind == Kind::Removed || is_opaque(&entry.kind)) {
            // What is gone from the view is there below still: one by one, then.
            link(moments, &objects, &folder.join("objects"));
        } else {
            let here = super::here(moments, &objects);
            let lines: Vec<String> = here
                .iter()
                .filter_map(|folder| folder.canonicalize().ok()?.to_str().map(str::to_owned))
                .filter(|line| !line.contains('\n'))
                .collect();
            fs::write(
                folder.join("objects/info/alternates"),
                lines.join("\n") + "\n",
            )
            .ok()?;
        }
        Some(Self(own))
    }

    /// Of each of these files, whether what it holds is an object.
    pub(super) fn holds(&self, files: &[&Path]) -> Vec<bool> {
        let named: Option<Vec<&str>> = files.iter().map(|file| file.to_str()).collect();
        let Some(input) = named.filter(|named| !named.is_empty()) else {
            return vec![false; files.len()];
        };
        let arguments = ["hash-object", "--no-filters", "--stdin-paths"];
        let names = self
            .answer(&arguments, input.join("\n") + "\n")
            .unwrap_or_default();
        let names: Vec<&str> = names.lines().collect();
        match names.len() == files.len() {
            true => self.has(&names),
            false => vec![false; files.len()],
        }
    }

    /// Of each of these names, whether there is an object of it.
    pub(super) fn has(&self, names: &[&str]) -> Vec<bool> {
        if names.is_empty() {
            return Vec::new();
        }
        let arguments = ["cat-file", "--batch-check"];
        let said = self
            .answer(&arguments, names.join("\n") + "\n")
            .unwrap_or_default();
        let mut lines = said.lines();
        let there = names
            .iter()
            .map(|_| lines.next().is_some_and(|line| !line.ends_with(" missing")));
        there.collect()
    }

    /// Whether one of these commits has that one behind it.
    pub(super) fn leads_to(&self, commit: &str, from: &BTreeSet<String>) -> bool {
        let mut input = format!("{commit}\n");
        for name in from {
            input.push_str(&format!("^{name}\n"));
        }
        let arguments = ["rev-list", "--max-count=1", "--ignore-missing", "--stdin"];
        let is_there = self.has(&[commit]).first().copied().unwrap_or_default();
        is_there
            && self
                .answer(&arguments, input)
                .is_some_and(|said| said.trim().is_empty())
    }

    /// What git says, when it ends well and in time.
    fn answer(&self, arguments: &[&str], input: String) -> Option<String> {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .env_clear()
            .current_dir(self.0.path());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_DIR", "."),
        ] {
            command.env(name, value);
        }
        let (stdin, stdout) = (Stdio::piped(), Stdio::piped());
        let mut process = command
            .stdin(stdin)
            .stdout(stdout)
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (mut to, mut from) = (process.stdin.take()?, process.stdout.take()?);
        // It may end without reading.
        let writer = std::thread::spawn(move || drop(to.write_all(input.as_bytes())));
        let reader = std::thread::spawn(move || {
            let mut said = String::new();
            from.read_to_string(&mut said).ok().map(|_| said)
        });
        let begun = Instant::now();
        let status = loop {
            match process.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if begun.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => break None,
            }
        };
        let _ = process.kill();
        let _ = process.wait();
        let _ = writer.join();
        let said = reader.join().ok().flatten();
        said.filter(|_| status.is_some_and(|status| status.success()))
    }
}

const fn is_opaque(kind: &Kind) -> bool {
    matches!(kind, Kind::Folder { is_opaque: true })
}

/// Puts a link to each object that is there into a folder of ours.
fn link(moments: &Moments<'_>, objects: &Path, into: &Path) {
    for (path, entry) in moments.below(moments.after, objects) {
        let Ok(below) = path.strip_prefix(objects) else {
            continue;
        };
        if below.starts_with("info") || !matches!(entry.kind, Kind::File { .. }) {
            continue;
        }
        let here: Option<PathBuf> = super::here(moments, &path)
            .into_iter()
            .find(|here| here.is_file());
        let to = into.join(below);
        let folder = to.parent().unwrap_or(into);
        if let Some(here) = here.filter(|_| fs::create_dir_all(folder).is_ok()) {
            #[cfg(unix)]
            let _ = std::os::unix::fs::symlink(here, to);
            #[cfg(not(unix))]
            let _ = fs::copy(here, to);
        }
    }
}
