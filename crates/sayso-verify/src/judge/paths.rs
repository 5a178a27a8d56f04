//! Whose a file is that the jail refused to have written: there is no change to tell it by, only
//! the path.

use std::path::{Component, Path};

use crate::change::Class;

/// Folders that hold what is made again from what is there.
const CACHES: [&str; 10] = [
    "__pycache__",
    ".cache",
    "_cacache",
    "_logs",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    "cache",
    "caches",
    "node-compile-cache",
];

/// Folders for temporary files; what is new there is nobody's data.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run/user"];

/// The class of a file by its path, the user's data where the path says nothing.
pub(super) fn class(path: &Path, existed: bool) -> Class {
    let names = || {
        path.components().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy().to_ascii_lowercase()),
            _ => None,
        })
    };
    let extension = path.extension().and_then(|extension| extension.to_str());
    let cached = matches!(extension, Some("pyc" | "pyo"))
        || names().any(|name| CACHES.contains(&name.as_str()));
    if cached {
        return Class::Cache;
    }
    if extension == Some("log") || names().any(|name| name == "logs") {
        return Class::Log;
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
