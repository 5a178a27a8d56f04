//! Which file of a host is meant.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::{ConfigurationSource, HostProfile, Os, Scope};
use sayso_core::suggest::nearest;

use crate::error::{Failure, quoted};

/// A configuration as it was read.
pub(crate) struct HostFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) source: ConfigurationSource<'static>,
}

impl HostFile {
    /// The file, as it is shown.
    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

/// The host with this id or name.
///
/// # Errors
/// When none has it, or nothing is known of where it keeps its servers.
pub(crate) fn find_host(word: &str) -> Result<&'static HostProfile, Failure> {
    let all = HostProfile::all().iter();
    let configured = all.filter(|host| host.configuration.is_some());
    let hosts: Vec<&HostProfile> = configured.collect();
    let found = hosts
        .iter()
        .find(|host| host.id == word || host.name.to_lowercase() == word.to_lowercase());
    found.copied().ok_or_else(|| {
        let failure = Failure::usage(format!(
            "no host is called `{word}`, or it is not known where it keeps its servers"
        ));
        let ids: Vec<&str> = hosts.iter().map(|host| host.id.as_str()).collect();
        match nearest(word, ids.iter().copied()) {
            Some(id) => failure.hint(format!("did you mean `{id}`?")),
            None => failure.hint(format!("known are {}", quoted(ids))),
        }
    })
}

/// The configurations of a host that are there, one a file.
///
/// # Errors
/// When one of them cannot be read.
pub(crate) fn host_files(
    host: &'static HostProfile,
    scope: Scope,
) -> Result<Vec<HostFile>, Failure> {
    let environment = |name: &str| std::env::var(name).ok();
    let project = std::env::current_dir().ok();
    let places = host.configuration_paths(Os::current(), &environment, project.as_deref());
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for place in places.iter().filter(|place| place.scope == scope) {
        for path in place.matches(&names) {
            if !seen.insert(path.clone()) {
                continue;
            }
            match std::fs::read_to_string(&path) {
                Ok(text) => files.push(HostFile {
                    path,
                    text,
                    source: place.source,
                }),
                Err(error) if is_no_file(error.kind()) => {}
                Err(error) => return Err(unreadable(&path, error)),
            }
        }
    }
    Ok(files)
}

/// One file of a host, where the person says which.
///
/// # Errors
/// When it cannot be read, or is not written as any of the host's files is.
pub(crate) fn read_host_file(
    host: &'static HostProfile,
    scope: Scope,
    path: &Path,
) -> Result<HostFile, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
    let environment = |name: &str| std::env::var(name).ok();
    let project = std::env::current_dir().ok();
    let places = host.configuration_paths(Os::current(), &environment, project.as_deref());
    let own = places
        .iter()
        .find(|place| place.matches(&names).iter().any(|own| own == path));
    let named = |source: &ConfigurationSource<'_>| {
        let mut paths = source.file.paths.every();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| paths.any(|path| path.ends_with(&format!("/{name}"))))
    };
    let source = own.map(|place| place.source);
    let source = source.or_else(|| host.sources().find(named));
    let source = source.or_else(|| host.sources().find(|source| source.file.scope == scope));
    let source = source.ok_or_else(|| {
        Failure::usage(format!("{} has no such file", host.name))
            .hint(format!("see {}", host.documentation))
    })?;
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Ok(HostFile { path, text, source })
}

fn is_no_file(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
    )
}

fn unreadable(path: &Path, error: std::io::Error) -> Failure {
    Failure::usage(format!("cannot read `{}`", path.display())).source(error)
}

fn names(directory: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect()
}
