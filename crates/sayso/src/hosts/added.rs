//! The profiles a person adds: every `*.toml` of a folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::HostProfile;

use crate::config::SettingsError;
use crate::error::Failure;

/// The longest file that is read as a profile, in bytes: many times the longest one known.
const MAX_BYTES: u64 = 1 << 20;

/// The profiles of `named`, or else of `own`, in the order of the files' names. That `own` is not
/// there is no error.
///
/// # Errors
/// When `named` cannot be read, or any of the files cannot be used; the error tells of them all.
pub(super) fn read(
    named: Option<&Path>,
    own: Option<&Path>,
) -> Result<Vec<(HostProfile, PathBuf)>, Failure> {
    let Some(directory) = named.or(own) else {
        return Ok(Vec::new());
    };
    let files = match files(directory) {
        Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        Err(error) => {
            let failure = Failure::usage(format!(
                "cannot read the host profiles in `{}`",
                directory.display()
            ));
            return Err(failure.source(error));
        }
        Ok(files) => files,
    };
    let mut profiles: Vec<(HostProfile, PathBuf)> = Vec::new();
    let mut problems: Vec<(String, Option<String>)> = Vec::new();
    for file in files {
        match profile(&file, &profiles) {
            Ok(profile) => profiles.push((profile, file)),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        return Ok(profiles);
    }
    let hint = problems.iter().find_map(|(_, hint)| hint.clone());
    let messages: Vec<String> = problems.into_iter().map(|(message, _)| message).collect();
    Err(Failure::usage(messages.join("\nerror: ")).hint(
        hint.unwrap_or_else(|| format!("correct it, or take it out of `{}`", directory.display())),
    ))
}

fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// One profile, or what is wrong with it and what to do.
fn profile(
    path: &Path,
    earlier: &[(HostProfile, PathBuf)],
) -> Result<HostProfile, (String, Option<String>)> {
    let file = path.display().to_string();
    let about = |message: String| (format!("{file}: {message}"), None);
    let length = std::fs::metadata(path)
        .map_err(|error| about(format!("cannot be read: {error}")))?
        .len();
    if length > MAX_BYTES {
        return Err(about(format!(
            "it has {length} bytes, and a host profile at most {MAX_BYTES}"
        )));
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| about(format!("cannot be read: {error}")))?;
    // First for the place of what no profile can have, then for what makes this one unusable.
    toml::from_str::<HostProfile>(&text).map_err(|error| {
        let error = SettingsError::from_toml(&error, &text, &file);
        (error.to_string(), error.hint().map(str::to_owned))
    })?;
    let profile = HostProfile::parse(&text, &file).map_err(|error| (error.to_string(), None))?;
    match earlier.iter().find(|(other, _)| other.id == profile.id) {
        Some((_, other)) => Err(about(format!(
            "host `{}` has a profile already, in {}",
            profile.id,
            other.display()
        ))),
        None => Ok(profile),
    }
}
