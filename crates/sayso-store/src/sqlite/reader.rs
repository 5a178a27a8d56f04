//! Connections for those who read: as many as read at once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::{Durability, Role, file};
use crate::StoreError;

/// How many connections are kept for later.
const KEPT: usize = 4;

/// Connections that nobody uses right now.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Idle>>,
}

#[derive(Debug, Default)]
struct Idle {
    connections: Vec<Connection>,
    closed: bool,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Arc::default(),
        }
    }

    /// Reads on a thread that may wait.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let readers = self.clone();
        let read = move || {
            let connection = readers.get()?;
            let answer = read(&connection)
                .map_err(|error| StoreError::of(&readers.path, &error))
                .flatten();
            readers.put(connection);
            answer
        };
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|_| StoreError::Closed(self.path.clone()))?
    }

    /// A connection, to be given back with [`Readers::put`].
    pub(super) fn get(&self) -> Result<Connection, StoreError> {
        let mut idle = self.lock();
        if idle.closed {
            return Err(StoreError::Closed(self.path.clone()));
        }
        if let Some(connection) = idle.connections.pop() {
            return Ok(connection);
        }
        drop(idle);
        file::connect(&self.path, Role::Reader, Durability::Process)
    }

    pub(super) fn put(&self, connection: Connection) {
        let mut idle = self.lock();
        if !idle.closed && idle.connections.len() < KEPT {
            idle.connections.push(connection);
        }
    }

    /// Gives out no more.
    pub(super) fn close(&self) {
        let mut idle = self.lock();
        idle.closed = true;
        idle.connections.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
