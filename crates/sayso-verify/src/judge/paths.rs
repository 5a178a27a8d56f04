//! Whose a file is that the jail refused to have written: there is no change to tell it by, only
//! the path.

use std::path::Path;

use crate::change::{Class, names_in};

/// Folders of a system that hold what is made again from what is there, besides those that tools have.
const CACHES: [&str; 2] = ["cache", "caches"];

/// Folders for temporary files; what is new there is nobody's data.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run/user"];

/// The class of a file by its path, the user's data where the path says nothing.
pub(super) fn class(path: &Path, existed: bool) -> Class {
    let names = names_in(path);
    if let Some(class) = Class::by_names(&names) {
        return class;
    }
    if names.iter().any(|name| CACHES.contains(&name.as_str())) {
        return Class::Cache;
    }
    let temporary = TEMPORARY.iter().any(|folder| path.starts_with(folder));
    if temporary && !existed {
        return Class::Cache;
    }
    Class::UserData
}

/// Whether a path is that of a process's memory (`proc_pid_mem(5)`).
pub(super) fn is_memory(path: &Path) -> bool {
    path.starts_with("/proc") && path.file_name().is_some_and(|name| name == "mem")
}

/// Whether a socket's path is that of what looks names up or takes logs down, for any program.
pub(super) fn is_plumbing(socket: &str) -> bool {
    const PLUMBING: [&str; 6] = [
        "/dev/log",
        "/run/systemd/journal/",
        "/run/systemd/resolve/",
        "/run/systemd/userdb/",
        "/run/nscd/",
        "/var/run/nscd/",
    ];
    PLUMBING.iter().any(|path| socket.starts_with(path))
}
