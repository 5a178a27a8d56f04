//! Brings what was written into the file itself, beside the thread that writes.

use std::path::Path;
use std::sync::mpsc;
use std::thread;

use rusqlite::Connection;

use crate::StoreError;

/// Wakes the thread that does it; the thread ends when this is dropped.
#[derive(Debug)]
pub(super) struct Checkpointer {
    wake: mpsc::SyncSender<()>,
}

impl Checkpointer {
    pub(super) fn start(path: &Path, connection: Connection) -> Result<Self, StoreError> {
        let (wake, woken) = mpsc::sync_channel(1);
        thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || {
                stand_back();
                while woken.recv().is_ok() {
                    checkpoint(&connection);
                }
            })
            .map_err(|error| StoreError::Failed {
                path: path.to_owned(),
                said: format!("cannot start the thread that brings it up to date: {error}"),
            })?;
        Ok(Self { wake })
    }

    /// There is something to do. Does not wait.
    pub(super) fn wake(&self) {
        // Full: it has been told already.
        let _ = self.wake.try_send(());
    }
}

/// Lets whoever writes go first where there is not a processor for each: they are waited for.
fn stand_back() {
    // On Linux this is of the calling thread alone (setpriority(2)), elsewhere of the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}

/// What fails here is tried again with the next: nothing is lost as long as the log is there.
fn checkpoint(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
}
