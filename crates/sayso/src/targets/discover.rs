//! Targets from every host configuration on this machine.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::{self, ConfigurationFile, Os};

use super::configured::add_servers;
use super::{Found, PlannedTarget, Source};
use crate::audit_report::{TargetDescription, Unreadable};

/// Reads every configuration of a known host that is there. Servers that are started in the
/// very same way are audited once.
pub(crate) fn discover(asked: &[String]) -> Found {
    let environment = |name: &str| std::env::var(name).ok();
    let project = std::env::current_dir().ok();
    let places = hosts::configuration_paths(Os::current(), &environment, project.as_deref());
    let mut found = Found::default();
    let mut read = BTreeSet::new();
    for place in &places {
        for path in place.matches(&names) {
            read_place(place, &path, asked, &mut read, &mut found);
        }
    }
    if read.is_empty() {
        found.notes.push(format!(
            "no known host has a configuration here; {} places were looked in",
            places.len()
        ));
    }
    merge_identical(&mut found);
    found
}

fn read_place(
    place: &ConfigurationFile<'_>,
    path: &Path,
    asked: &[String],
    read: &mut BTreeSet<(PathBuf, String)>,
    found: &mut Found,
) {
    let file = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => {
            // Two profiles of one host may name the same file for different parts of it.
            let part = format!("{} {:?}", place.host, place.source.file.servers);
            if read.insert((path.to_owned(), part)) {
                add_servers(&text, place.source, &file, asked, found);
            }
        }
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
            ) => {}
        Err(error) => {
            let unreadable = Unreadable {
                message: format!("cannot read the configuration: {error}"),
                hint: None,
                details: Vec::new(),
            };
            read.insert((path.to_owned(), String::new()));
            found.targets.push(PlannedTarget::new(
                file.clone(),
                TargetDescription::File(file),
                Source::Unreadable(unreadable),
            ));
        }
    }
}

fn names(directory: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect()
}

/// Keeps the first of several servers that are started in the very same way.
fn merge_identical(found: &mut Found) {
    let mut kept: Vec<PlannedTarget> = Vec::new();
    for target in std::mem::take(&mut found.targets) {
        let same = kept
            .iter()
            .find(|earlier| same_launch(&earlier.source, &target.source));
        match (same, &target.configured_in) {
            (Some(earlier), Some(place)) => found.notes.push(format!(
                "`{}` in {}:{} is started in the same way as `{}`{} and was audited once",
                target.name,
                place.file,
                place.line,
                earlier.name,
                earlier
                    .configured_in
                    .as_ref()
                    .map(|at| format!(" in {}:{}", at.file, at.line))
                    .unwrap_or_default(),
            )),
            _ => kept.push(target),
        }
    }
    found.targets = kept;
}

fn same_launch(one: &Source, other: &Source) -> bool {
    match (one, other) {
        (Source::Process(one), Source::Process(other)) => one == other,
        (Source::Http(one), Source::Http(other)) => one == other,
        _ => false,
    }
}
