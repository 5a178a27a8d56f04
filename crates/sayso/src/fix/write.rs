//! Writing edited files, and what keeps from it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use sayso_source::Plan;

use crate::error::{Failure, quoted};
use crate::replace::replace_file;
use crate::source::SourceTree;

/// How long git may take to say what was changed.
const GIT_DEADLINE: Duration = Duration::from_secs(20);

/// Writes every file that changes, each whole or not at all.
///
/// # Errors
/// When a file is not as it was read, or cannot be written; the message says which were.
pub(crate) fn write(tree: &SourceTree, plan: &Plan) -> Result<Vec<String>, Failure> {
    let mut written = Vec::new();
    for file in plan.files() {
        let Some(source) = tree.files.get(file) else {
            continue;
        };
        let path = Path::new(&source.path);
        let text = plan.apply(file, &source.text);
        let done = |error: Failure| match written.is_empty() {
            true => error.hint("nothing was written"),
            false => error.hint(format!(
                "these were written before: {}",
                quoted(written.iter().map(String::as_str))
            )),
        };
        match std::fs::read(path) {
            Ok(now) if now == source.text.as_bytes() => {}
            Ok(_) => {
                let message = format!("`{}` was changed while it was read", source.path);
                return Err(done(Failure::usage(message)));
            }
            Err(error) => {
                let failure = Failure::usage(format!("cannot read `{}`", source.path));
                return Err(done(failure.source(error)));
            }
        }
        if let Err(error) = replace_file(path, text.as_bytes()) {
            let failure = Failure::usage(format!("cannot write `{}`", source.path));
            return Err(done(failure.source(error)));
        }
        written.push(source.path.clone());
    }
    Ok(written)
}

/// Refuses files with changes that git does not have yet, which an edit would be mixed up with.
/// Where there is no git, or no repository, nothing is refused.
///
/// # Errors
/// When there is such a file, or git does not answer.
pub(crate) fn check_committed(tree: &SourceTree, plan: &Plan) -> Result<(), Failure> {
    let files: Vec<&str> = plan
        .files()
        .into_iter()
        .map(|file| tree.path(file))
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    let changed = changed(&tree.directory, &files)?;
    if changed.is_empty() {
        return Ok(());
    }
    let names = quoted(changed.iter().map(String::as_str));
    Err(Failure::usage(format!("not committed yet: {names}"))
        .hint("commit first, so that what is written can be told apart; or add `--allow-dirty`"))
}

/// Those of the files that are changed or not tracked.
fn changed(directory: &Path, files: &[&str]) -> Result<Vec<String>, Failure> {
    let absolute: Vec<PathBuf> = files
        .iter()
        .filter_map(|file| std::fs::canonicalize(file).ok())
        .collect();
    let mut command = tokio::process::Command::new("git");
    command
        // A monitor that the repository's configuration names is a program of somebody else's.
        .args([
            "-c",
            "core.fsmonitor=false",
            "status",
            "--porcelain",
            "-z",
            "--",
        ])
        .args(&absolute)
        .current_dir(directory)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let output =
        runtime.block_on(async { tokio::time::timeout(GIT_DEADLINE, command.output()).await });
    let output = match output {
        Ok(Ok(output)) if output.status.success() => output,
        // No git, or no repository.
        Ok(_) => return Ok(Vec::new()),
        Err(_) => {
            let failure = "`git status` did not answer, so nobody knows what is committed";
            return Err(Failure::usage(failure).hint("add `--allow-dirty` to write all the same"));
        }
    };
    let listed = String::from_utf8_lossy(&output.stdout);
    let paths = listed.split('\0').filter_map(|entry| entry.get(3..));
    Ok(paths
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect())
}
