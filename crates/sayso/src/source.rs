//! The source files of a directory, and what was left out.

mod join;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};
use sayso_core::listing::Listing;
use sayso_source::{Language, SourceFile, Survey};

use crate::audit_report::RegisteredAt;
use crate::error::Failure;

pub(crate) use join::Join;

/// The longest file that is read, in bytes; what is longer was written by a program.
const LONGEST_FILE: u64 = 1 << 20;

/// How much is read at most, in bytes.
const MOST_TEXT: usize = 256 << 20;

/// Folders in which nothing is registered by hand: packages of others, and what a build puts out.
const FOLDERS: &[&str] = &[
    ".git",
    "__pycache__",
    "bower_components",
    "build",
    "coverage",
    "dist",
    "node_modules",
    "out",
    "site-packages",
    "target",
    "venv",
    "vendor",
];

/// Folders of tests, whose servers are made up.
const TESTS: &[&str] = &["__tests__", "test", "tests"];

/// A directory's source, as far as it was read.
#[derive(Debug)]
pub(crate) struct SourceTree {
    /// The directory, as it was named.
    pub(crate) directory: PathBuf,
    /// The files, by path; their paths are those they are shown with.
    pub(crate) files: Vec<SourceFile>,
    /// Folders that were not looked into, by path within the directory.
    pub(crate) skipped: Vec<String>,
    /// Files of tests that were left out.
    pub(crate) tests: usize,
    /// Files that could not be read, with why.
    pub(crate) unread: Vec<(String, String)>,
    /// What is registered.
    pub(crate) survey: Survey,
}

impl SourceTree {
    /// Reads a directory. Hidden folders, what `.gitignore` names, dependencies, build output and
    /// tests are left out; links are not followed.
    ///
    /// # Errors
    /// When it is no directory.
    pub(crate) fn read(directory: &Path) -> Result<Self, Failure> {
        if !directory.is_dir() {
            let shown = directory.display();
            return Err(Failure::usage(format!("`{shown}` is no directory")).hint(
                "`--source` takes the directory in which the server's tools are registered",
            ));
        }
        let mut tree = Self {
            directory: directory.to_path_buf(),
            files: Vec::new(),
            skipped: Vec::new(),
            tests: 0,
            unread: Vec::new(),
            survey: Survey::default(),
        };
        let skipped = Arc::new(Mutex::new(BTreeSet::new()));
        let mut read = 0;
        for entry in walk(directory, &skipped) {
            match entry {
                Ok(entry) => tree.add(&entry, &mut read),
                Err(error) => tree.unread.push((String::new(), error.to_string())),
            }
        }
        let skipped = skipped.lock().unwrap_or_else(PoisonError::into_inner);
        tree.skipped = skipped.iter().cloned().collect();
        tree.survey = Survey::of(&tree.files);
        Ok(tree)
    }

    fn add(&mut self, entry: &DirEntry, read: &mut usize) {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let path = entry.path().display().to_string();
        let Some(language) = Language::of(&path).filter(|_| is_file) else {
            return;
        };
        if is_test(entry.file_name().to_string_lossy().as_ref()) {
            self.tests += 1;
            return;
        }
        let length = entry.metadata().map_or(0, |metadata| metadata.len());
        if length > LONGEST_FILE {
            self.unread
                .push((path, format!("longer than {} MiB", LONGEST_FILE >> 20)));
            return;
        }
        if *read > MOST_TEXT {
            let limit = format!("more than {} MiB were read before", MOST_TEXT >> 20);
            self.unread.push((path, limit));
            return;
        }
        match std::fs::read(entry.path()).map(String::from_utf8) {
            Ok(Ok(text)) if is_packed(&text) => {
                self.unread.push((path, "packed by a program".to_owned()));
            }
            Ok(Ok(text)) => {
                *read += text.len();
                self.files.push(SourceFile {
                    path,
                    language,
                    text,
                });
            }
            Ok(Err(_)) => self.unread.push((path, "not UTF-8".to_owned())),
            Err(error) => self.unread.push((path, error.to_string())),
        }
    }

    /// How many files were read, by language.
    pub(crate) fn languages(&self) -> BTreeMap<&'static str, usize> {
        let mut languages = BTreeMap::new();
        for file in &self.files {
            *languages.entry(file.language.name()).or_default() += 1;
        }
        languages
    }

    /// Where each tool of a listing is registered, if there is one such place.
    pub(crate) fn registered(&self, listing: &Listing) -> Vec<Option<RegisteredAt>> {
        let tools = listing.tools().map(|tool| {
            let name = tool.label();
            let place = join::place_of(&self.survey, &name)?;
            Some(RegisteredAt {
                file: self.path(place.file).to_owned(),
                line: place.line,
                column: place.column,
            })
        });
        tools.collect()
    }

    /// A file's path, as it is shown.
    pub(crate) fn path(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| &file.path)
    }
}

fn walk(directory: &Path, skipped: &Arc<Mutex<BTreeSet<String>>>) -> ignore::Walk {
    let skipped = Arc::clone(skipped);
    let root = directory.to_path_buf();
    WalkBuilder::new(directory)
        .require_git(false)
        .git_global(false)
        .sort_by_file_path(Path::cmp)
        .filter_entry(move |entry| {
            let is_folder =
                entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name().to_string_lossy();
            let is_left_out = FOLDERS.contains(&name.as_ref()) || TESTS.contains(&name.as_ref());
            if is_folder && is_left_out {
                let within = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                let mut skipped = skipped.lock().unwrap_or_else(PoisonError::into_inner);
                skipped.insert(within.display().to_string());
            }
            !(is_folder && is_left_out)
        })
        .build()
}

/// Whether a program has put a text on few, long lines.
fn is_packed(text: &str) -> bool {
    const LONGEST_MEAN: usize = 500;
    text.len() > 10 * LONGEST_MEAN && text.len() / text.lines().count().max(1) > LONGEST_MEAN
}

/// Whether a file is one of tests, by its name.
fn is_test(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let by_ending = [".test", ".spec", "_test"]
        .iter()
        .any(|ending| stem.ends_with(ending));
    by_ending || (stem.starts_with("test_") && name.ends_with(".py")) || name == "conftest.py"
}
