//! Which values an operator allows an argument to have.

use std::path::{Component, Path, PathBuf};

use sayso_core::digest::canonical;
use sayso_core::json::{Document, Limits, Pointer, Value};
use sayso_core::reveal::reveal_line;
use serde_json::Value as Json;

use super::super::schema::{Invalid, Problem, not_one_of, shortened, shown};
use crate::settings::{ArgumentSettings, JournalSettings};

/// What one argument may be. A list of values may have any of what a single value may be. An
/// argument that is left out is not restricted: whether it may be is the schema's.
#[derive(Debug)]
pub(super) struct Allowed {
    name: String,
    one_of: Option<Vec<Json>>,
    /// The values, in canonical form.
    canonical: Vec<String>,
    under: Option<PathBuf>,
    follow_links: bool,
    journal: JournalSettings,
}

impl Allowed {
    pub(super) fn new(name: &str, settings: &ArgumentSettings, journal: &JournalSettings) -> Self {
        let one_of = settings.allowed_values();
        let canonical = one_of.iter().flatten().filter_map(|value| {
            let document = Document::parse(value.to_string(), &Limits::default()).ok()?;
            Some(canonical(document.root()).1)
        });
        Self {
            name: name.to_owned(),
            canonical: canonical.collect(),
            one_of,
            under: settings.under.clone(),
            follow_links: false,
            journal: journal.clone(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn follow_links(&mut self) {
        self.follow_links = true;
    }

    pub(super) fn check(&self, arguments: Value<'_>, into: &mut Invalid) {
        let Some(value) = arguments.get(&self.name) else {
            return;
        };
        let at = Pointer::default().join(&self.name);
        if let Some(options) = &self.one_of
            && !self.is_listed(value)
        {
            if value.is_array() {
                for (position, element) in value.elements().enumerate() {
                    if !self.is_listed(element) {
                        let at = at.clone().join(&position.to_string());
                        into.add(self.not_listed(&at, element, options));
                    }
                }
            } else {
                into.add(self.not_listed(&at, value, options));
            }
        }
        if let Some(folder) = &self.under {
            self.check_under(folder, &at, value, into);
        }
    }

    fn is_listed(&self, value: Value<'_>) -> bool {
        let value = canonical(value).1;
        self.canonical.contains(&value)
    }

    fn not_listed(&self, at: &Pointer, value: Value<'_>, options: &[Json]) -> Problem {
        let value = value.to_serde().unwrap_or_default();
        let shown = shown(&value, at, &self.journal);
        Problem {
            restricted: true,
            ..not_one_of(at, &value, &shown, options)
        }
    }

    fn check_under(&self, folder: &Path, at: &Pointer, value: Value<'_>, into: &mut Invalid) {
        if value.is_array() {
            for (position, element) in value.elements().enumerate() {
                let at = at.clone().join(&position.to_string());
                self.check_path(folder, &at, element, into);
            }
        } else if !value.is_null() {
            self.check_path(folder, at, value, into);
        }
    }

    fn check_path(&self, folder: &Path, at: &Pointer, value: Value<'_>, into: &mut Invalid) {
        let path = value.as_str();
        let wrong = match &path {
            Some(path) => self.wrong_path(folder, path),
            None => Some("is no path".to_owned()),
        };
        let Some(wrong) = wrong else { return };
        let shown = shown(&value.to_serde().unwrap_or_default(), at, &self.journal);
        let folder_shown = folder.display().to_string();
        let folder_shown = shortened(&reveal_line(&folder_shown), 120);
        let message = format!("{shown} {wrong}; allowed are paths under `{folder_shown}`");
        into.add(Problem {
            restricted: true,
            ..Problem::at(at, &message)
        });
    }

    /// What is wrong with a path. `..` is refused rather than resolved: behind a symbolic link it
    /// leads elsewhere than it reads.
    fn wrong_path(&self, folder: &Path, path: &str) -> Option<String> {
        let read = Path::new(path);
        if path.contains('\0') {
            return Some("has a NUL character in it".to_owned());
        }
        if !read.is_absolute() {
            return Some(
                "is not a whole path, and what it counts from is not known here".to_owned(),
            );
        }
        let climbs = |component| component == Component::ParentDir;
        // A server elsewhere may read `\` as `/`.
        let elsewhere = !self.follow_links && path.contains('\\');
        if read.components().any(climbs) || elsewhere {
            return Some("has `..` or `\\` in it".to_owned());
        }
        if !read.starts_with(folder) {
            return Some("is somewhere else".to_owned());
        }
        if self.follow_links {
            let (path, folder) = (where_it_leads(read), where_it_leads(folder));
            return match (path, folder) {
                (Some(path), Some(folder)) if path.starts_with(&folder) => None,
                (Some(_), Some(_)) => Some("leads somewhere else".to_owned()),
                _ => Some("cannot be followed".to_owned()),
            };
        }
        None
    }
}

/// The path with all links in it followed, as far as it exists.
fn where_it_leads(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    for ancestor in path.ancestors() {
        match std::fs::canonicalize(ancestor) {
            Ok(found) => {
                let mut whole = found;
                whole.extend(missing.into_iter().rev());
                return Some(whole);
            }
            // A link to nothing may lead anywhere once there is something.
            Err(_) if ancestor.is_symlink() => return None,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                missing.extend(ancestor.file_name());
            }
            Err(_) => return None,
        }
    }
    None
}
