//! Whether each server can be started or reached for all that is known before.

use std::path::{Path, PathBuf};

use super::Finding;
use crate::gate::rules::Place;
use crate::gate::targets;
use crate::targets::{PlannedTarget, Process, Source};

pub(super) fn look_at(place: &Place) -> Vec<Finding> {
    let planned = targets::planned(&place.settings, &place.folder);
    planned.iter().map(server).collect()
}

fn server(target: &PlannedTarget) -> Finding {
    let of = format!("server {}", target.name);
    match &target.source {
        Source::Process(process) => program(of, process),
        Source::Http(server) => match server.url.split_once("://") {
            Some(("http" | "https", rest)) if !rest.is_empty() => {
                Finding::fine(of, "is reached at its URL, which was not tried")
            }
            _ => Finding::problem(
                of,
                "its `url` is no http or https address",
                "give the whole address, with `https://`",
            ),
        },
        Source::Unreadable(unreadable) => Finding::problem(
            of,
            unreadable.message.clone(),
            "set the variable in the environment of the gate: for a host's gate, in `env` of its entry",
        ),
        Source::Saved(_) | Source::StandardInput => {
            Finding::problem(of, "is no server", "give it a `command` or a `url`")
        }
    }
}

fn program(of: String, process: &Process) -> Finding {
    let here = PathBuf::from(".");
    let folder = process.directory.as_deref().unwrap_or(&here);
    if !folder.is_dir() {
        return Finding::problem(
            of,
            format!("its folder `{}` is not there", folder.display()),
            "make the folder, or change `cwd`",
        );
    }
    match found(&process.program, folder) {
        Some(path) => Finding::fine(of, format!("is started with {}", path.display())),
        None => Finding::problem(
            of,
            format!("the program `{}` is not found", process.program),
            "install it, or write its whole path into `command`",
        ),
    }
}

/// The program a name stands for.
pub(super) fn found(program: &str, folder: &Path) -> Option<PathBuf> {
    which::which_in(program, std::env::var_os("PATH"), folder).ok()
}
