//! The watcher's end of a jail.

use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use sayso_mcp::StdioCommand;
use tempfile::TempDir;

use super::watch::{self, Shared};
use super::{Launcher, Mark, Refused, processes};
use crate::event::Event;
use crate::plan::{Mode, Plan};

/// How long the processes of a jail are waited for where they were ended.
const PATIENCE: Duration = Duration::from_millis(500);

/// A jail, and whoever watches it. Dropping it ends everything in it.
#[derive(Debug)]
pub struct Jail {
    launcher: Launcher,
    shared: Arc<Shared>,
    /// Where the socket is that the jail comes to.
    folder: TempDir,
    /// The watcher ends when this is closed, and with the watcher the jail.
    stop: Option<std::io::PipeWriter>,
    watcher: JoinHandle<()>,
}

impl Jail {
    /// Prepares a jail: it is made when [`command`](Self::command) is started, once.
    ///
    /// # Errors
    /// When the plan asks for what its mode does not have, or nobody can watch.
    pub fn prepare(plan: &Plan, launcher: &Launcher) -> Result<Self, Refused> {
        let of_namespaces = !plan.overlays.is_empty() || !plan.empty.is_empty();
        if plan.mode == Mode::Landlock && of_namespaces {
            return Err(Refused {
                reason: "a jail by Landlock has neither overlays nor empty folders".to_owned(),
                hint: "name scratch folders that may be written instead".to_owned(),
            });
        }
        Self::watch(plan, launcher).map_err(|error| Refused {
            reason: format!("a jail cannot be prepared: {error}"),
            hint: "make sure that the folder for temporary files can be written".to_owned(),
        })
    }

    fn watch(plan: &Plan, launcher: &Launcher) -> std::io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("sayso-jail-").tempdir()?;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700))?;
        let listener = UnixListener::bind(folder.path().join("watcher"))?;
        let (stops, stop) = std::io::pipe()?;
        let stops = OwnedFd::from(stops);
        let shared = Arc::new(Shared::new());
        let (plan, watched) = (plan.clone(), Arc::clone(&shared));
        let watcher = std::thread::Builder::new()
            .name("jail-watcher".to_owned())
            .spawn(move || watch::run(&listener, &plan, &watched, &stops))?;
        Ok(Self {
            launcher: launcher.clone(),
            shared,
            folder,
            stop: Some(stop),
            watcher,
        })
    }

    /// What starts the server in the jail. Its pipes are the server's, and it ends as the server does; of
    /// one that was ended by a signal, with 128 and the signal's number.
    #[must_use]
    pub fn command(&self) -> StdioCommand {
        let mut args = self.launcher.args.clone();
        args.push(self.folder.path().join("watcher").into());
        StdioCommand::new(self.launcher.program.clone(), args)
    }

    /// The place up to which it was seen what the server did.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.shared.len())
    }

    /// What was seen after a mark, oldest first.
    #[must_use]
    pub fn since(&self, mark: Mark) -> Vec<Event> {
        self.shared.since(mark.0)
    }

    /// How long ago something was seen last.
    #[must_use]
    pub fn quiet_for(&self) -> Duration {
        self.shared.quiet_for()
    }

    /// Moves with each event.
    #[must_use]
    pub fn count(&self) -> tokio::sync::watch::Receiver<u64> {
        self.shared.count.subscribe()
    }

    /// The processes in it, as this machine counts them.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        match self.shared.process.load(Ordering::Relaxed) {
            0 => Vec::new(),
            first => processes::descendants(first),
        }
    }

    /// Why the server was not started, where it was not.
    #[must_use]
    pub fn failure(&self) -> Option<Refused> {
        let reason = self.shared.failure()?;
        let hint = "`sayso verify --probe` tells what this machine allows".to_owned();
        Some(Refused { reason, hint })
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        // Its first process is gone where the watcher is, and its number may be another's.
        let inside = match self.watcher.is_finished() {
            true => Vec::new(),
            false => processes::held(&self.processes()),
        };
        drop(self.stop.take());
        // Whoever drops this may go on to remove the folders that were written to.
        processes::end(&inside, PATIENCE);
    }
}

/// A private folder for what a jail writes. Overlays cannot have their files below what they lie over, so
/// a plan gives empty folders for temporary files, and no overlay of them.
///
/// # Errors
/// When none can be made.
pub fn scratch() -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix("sayso-").tempdir()
}

/// Removes a scratch folder, also what the kernel left in it that nobody may enter.
///
/// # Errors
/// When something of it stays.
pub fn remove(folder: &std::path::Path) -> std::io::Result<()> {
    open_up(folder);
    std::fs::remove_dir_all(folder)
}

fn open_up(folder: &std::path::Path) {
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
