//! Sees when another process answers an approval.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::watch;

use super::approvals;
use crate::StoreError;

/// How often the file is looked at while somebody waits.
const INTERVAL: Duration = Duration::from_millis(200);

/// Tells that approvals changed, to all who wait. One thread looks at the file, and only while
/// somebody waits.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    changes: watch::Sender<u64>,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: usize,
    started: bool,
    closed: bool,
}

/// Somebody who waits; nobody once it is dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    shared: Arc<Shared>,
    /// Moves when approvals changed.
    pub(super) changes: watch::Receiver<u64>,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                changes: watch::Sender::new(0),
                state: Mutex::default(),
                wake: Condvar::new(),
            }),
        }
    }

    /// Waits from now on. What changes later moves [`Waiting::changes`].
    pub(super) fn wait(
        &self,
        path: &Path,
        connect: impl FnOnce() -> Result<Connection, StoreError>,
    ) -> Result<Waiting, StoreError> {
        let mut state = self.shared.lock();
        if !state.started {
            let connection = connect()?;
            let shared = Arc::clone(&self.shared);
            thread::Builder::new()
                .name("store-watch".to_owned())
                .spawn(move || shared.run(&connection))
                .map_err(|error| StoreError::Failed {
                    path: path.to_owned(),
                    said: format!("cannot start the thread that watches it: {error}"),
                })?;
            state.started = true;
        }
        state.waiting += 1;
        self.shared.wake.notify_one();
        Ok(Waiting {
            shared: Arc::clone(&self.shared),
            changes: self.shared.changes.subscribe(),
        })
    }

    /// Approvals were changed here.
    pub(super) fn changed(&self) {
        self.shared.changed();
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.close();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.shared.lock().waiting -= 1;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    fn run(&self, connection: &Connection) {
        let mut seen = None;
        loop {
            let mut state = self.lock();
            while state.waiting == 0 && !state.closed {
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                return;
            }
            drop(state);
            // What fails is tried again: whoever waits has a deadline.
            if let Ok(found) = look(connection)
                && seen.replace(found) != Some(found)
            {
                self.changed();
            }
            let state = self.lock();
            if !state.closed {
                drop(self.wake.wait_timeout(state, INTERVAL));
            }
        }
    }
}

/// How often approvals were changed. One row of one page, so it is read each time.
fn look(connection: &Connection) -> rusqlite::Result<i64> {
    approvals::changes(connection)
}
