//! All sessions of hosts.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_mcp::downstream::{Era, Peer, Transport};

use super::exchange::Introduction;
use super::session::Session;
use crate::caller::Caller;

/// Clients of the modern era over HTTP that are remembered. They never say that they are gone.
const MAX_SESSIONLESS: usize = 4096;

/// All sessions of hosts, by connection.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<State>);

/// Connections that ended lately, for requests of theirs that come late.
const MAX_ENDED: usize = 4096;

#[derive(Debug, Default)]
struct State {
    open: HashMap<u64, Open>,
    ended: VecDeque<u64>,
    clock: u64,
}

/// A session and the way to its host.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) session: Arc<Session>,
    pub(super) peer: Peer,
    pub(super) introduction: Arc<Introduction>,
    seen: u64,
}

/// What became of a look at the sessions.
pub(super) struct Seen {
    pub(super) open: Open,
    /// It was not there before.
    pub(super) is_new: bool,
    /// It had to make place.
    pub(super) forgotten: Option<Arc<Session>>,
}

impl Open {
    /// Whether it never ends by itself.
    fn is_sessionless(&self) -> bool {
        self.introduction.era == Era::Modern && self.introduction.transport == Transport::Http
    }
}

impl Sessions {
    /// The session of a peer; `caller` is asked for when it is new.
    pub(super) fn of(&self, peer: &Peer, caller: impl FnOnce() -> Caller) -> Seen {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        if let Some(open) = state.open.get_mut(&peer.connection()) {
            open.seen = now;
            if !open.introduction.is_of(peer) {
                open.introduction = Arc::new(Introduction::of(peer));
                open.peer = peer.clone();
            }
            return Seen {
                open: open.clone(),
                is_new: false,
                forgotten: None,
            };
        }
        let open = Open {
            session: Arc::new(Session::new(peer.connection(), Arc::new(caller()))),
            peer: peer.clone(),
            introduction: Arc::new(Introduction::of(peer)),
            seen: now,
        };
        let forgotten = open.is_sessionless().then(|| state.make_place()).flatten();
        state.open.insert(peer.connection(), open.clone());
        Seen {
            open,
            is_new: true,
            forgotten,
        }
    }

    /// Every session.
    pub(super) fn all(&self) -> Vec<Open> {
        self.lock().open.values().cloned().collect()
    }

    /// One session.
    pub(super) fn get(&self, connection: u64) -> Option<Open> {
        self.lock().open.get(&connection).cloned()
    }

    /// Forgets a session, which is over.
    pub(super) fn remove(&self, connection: u64) -> Option<Open> {
        let mut state = self.lock();
        if state.ended.len() >= MAX_ENDED {
            state.ended.pop_front();
        }
        state.ended.push_back(connection);
        state.open.remove(&connection)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets the client that was not heard of for longest, where there are too many.
    fn make_place(&mut self) -> Option<Arc<Session>> {
        let sessionless = self.open.iter().filter(|(_, open)| open.is_sessionless());
        if sessionless.clone().count() < MAX_SESSIONLESS {
            return None;
        }
        let (&connection, _) = sessionless.min_by_key(|(_, open)| open.seen)?;
        Some(self.open.remove(&connection)?.session)
    }
}

impl Introduction {
    fn of(peer: &Peer) -> Self {
        Self {
            era: peer.era().unwrap_or(Era::Legacy),
            transport: peer.transport(),
            protocol_version: peer.protocol_version().unwrap_or_default().to_owned(),
            client: peer.client().cloned(),
            capabilities: capabilities(peer).to_owned(),
        }
    }

    fn is_of(&self, peer: &Peer) -> bool {
        self.era == peer.era().unwrap_or(Era::Legacy)
            && self.protocol_version == peer.protocol_version().unwrap_or_default()
            && self.capabilities == capabilities(peer)
            && self.client.as_ref() == peer.client()
    }
}

fn capabilities(peer: &Peer) -> &str {
    let declared = peer.capabilities().filter(|declared| declared.is_object());
    declared.map_or("{}", |declared| declared.raw())
}
