//! The sessions of the legacy era.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Handler;
use super::super::connection::Connection;

/// All sessions, by their names.
#[derive(Debug)]
pub(super) struct Sessions<H> {
    /// How many there may be. Clients forget to delete theirs.
    most: usize,
    table: Mutex<Table<H>>,
}

#[derive(Debug)]
struct Table<H> {
    sessions: HashMap<String, Session<H>>,
    /// Grows with each use of any session.
    uses: u64,
}

#[derive(Debug)]
struct Session<H> {
    connection: Arc<Connection<H>>,
    used: u64,
}

impl<H: Handler> Sessions<H> {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            table: Mutex::new(Table {
                sessions: HashMap::new(),
                uses: 0,
            }),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table<H>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one; if there are too many, the one unused for longest comes back and is no more. One
    /// with requests that run goes last.
    pub(super) fn add(
        &self,
        key: String,
        connection: Arc<Connection<H>>,
    ) -> Option<Arc<Connection<H>>> {
        let mut table = self.table();
        let forgotten = if table.sessions.len() >= self.most {
            let sessions = table.sessions.iter();
            let oldest =
                sessions.min_by_key(|(_, session)| (session.connection.is_busy(), session.used));
            oldest.map(|(key, _)| key.clone())
        } else {
            None
        };
        table.uses += 1;
        let used = table.uses;
        table.sessions.insert(key, Session { connection, used });
        let forgotten = table.sessions.remove(&forgotten?)?;
        Some(forgotten.connection)
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<Connection<H>>> {
        let mut table = self.table();
        table.uses += 1;
        let uses = table.uses;
        let session = table.sessions.get_mut(key)?;
        session.used = uses;
        Some(Arc::clone(&session.connection))
    }

    pub(super) fn remove(&self, key: &str) -> Option<Arc<Connection<H>>> {
        let removed = self.table().sessions.remove(key);
        removed.map(|session| session.connection)
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Arc<Connection<H>>> {
        let table = self.table();
        let sessions = table.sessions.values();
        sessions
            .map(|session| Arc::clone(&session.connection))
            .collect()
    }

    /// Forgets all of them.
    pub(super) fn take_all(&self) -> Vec<Arc<Connection<H>>> {
        let sessions = std::mem::take(&mut self.table().sessions);
        sessions
            .into_values()
            .map(|session| session.connection)
            .collect()
    }
}
