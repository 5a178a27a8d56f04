//! The sessions of the legacy era.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::super::Service;
use super::super::connection::Connection;
use super::super::event::{Ending, Event, StreamKind};

/// How many sessions there may be. Clients forget to delete theirs.
const MAX_SESSIONS: usize = 1000;

/// A session.
#[derive(Debug)]
pub(super) struct Session<S> {
    pub(super) connection: Arc<Connection<S>>,
    /// Ends its GET stream when dropped.
    stream: Mutex<Option<oneshot::Sender<()>>>,
}

impl<S: Service> Session<S> {
    pub(super) fn new(connection: Arc<Connection<S>>) -> Arc<Self> {
        Arc::new(Self {
            connection,
            stream: Mutex::default(),
        })
    }

    /// Begins a GET stream in place of the one there was: a message goes on one stream only. What
    /// comes back completes when it has to end.
    pub(super) fn begin_stream(&self) -> oneshot::Receiver<()> {
        let (stop, stopped) = oneshot::channel();
        let kind = StreamKind::Get;
        let before = self.stream().replace(stop);
        if before.is_some_and(|before| !before.is_closed()) {
            self.connection.witness(Event::StreamClosed { kind });
        }
        self.connection.witness(Event::StreamOpened { kind });
        stopped
    }

    pub(super) fn end(&self, reason: Ending) {
        self.connection.end(reason);
        self.stream().take();
    }

    fn stream(&self) -> MutexGuard<'_, Option<oneshot::Sender<()>>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All sessions, by their names.
#[derive(Debug)]
pub(super) struct Sessions<S>(Mutex<Table<S>>);

#[derive(Debug)]
struct Table<S> {
    sessions: HashMap<String, (Arc<Session<S>>, u64)>,
    /// Grows with each use of any session.
    uses: u64,
}

impl<S> Default for Sessions<S> {
    fn default() -> Self {
        Self(Mutex::new(Table {
            sessions: HashMap::new(),
            uses: 0,
        }))
    }
}

impl<S> Sessions<S> {
    fn table(&self) -> MutexGuard<'_, Table<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one; if there are too many, the one unused for longest comes back and is no more.
    pub(super) fn add(&self, key: String, session: Arc<Session<S>>) -> Option<Arc<Session<S>>> {
        let mut table = self.table();
        let forgotten = if table.sessions.len() >= MAX_SESSIONS {
            let sessions = table.sessions.iter();
            let oldest = sessions.min_by_key(|(_, (_, used))| *used);
            oldest.map(|(key, _)| key.clone())
        } else {
            None
        };
        table.uses += 1;
        let used = table.uses;
        table.sessions.insert(key, (session, used));
        let forgotten = table.sessions.remove(&forgotten?)?;
        Some(forgotten.0)
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<Session<S>>> {
        let mut table = self.table();
        table.uses += 1;
        let uses = table.uses;
        let (session, used) = table.sessions.get_mut(key)?;
        *used = uses;
        Some(Arc::clone(session))
    }

    pub(super) fn remove(&self, key: &str) -> Option<Arc<Session<S>>> {
        let removed = self.table().sessions.remove(key);
        removed.map(|(session, _)| session)
    }
}
