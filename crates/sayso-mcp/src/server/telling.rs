//! Who is told of changes: whoever has shaken hands, over pipes on the connection and over HTTP
//! on the GET stream of the session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinHandle;

use super::changes::Listener;
use super::{Event, Peer, Service, TOOLS_CHANGED};

/// The connections that are told of changes, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Tellers(Mutex<HashMap<u64, Teller>>);

/// Tells one connection.
#[derive(Debug)]
struct Teller {
    /// `None` as long as it may not be told.
    peer: Option<Peer>,
    task: JoinHandle<()>,
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Tellers {
    fn table(&self) -> MutexGuard<'_, HashMap<u64, Teller>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a connection of changes, from when it hears them.
    pub(super) fn begin<S: Service>(
        self: &Arc<Self>,
        service: &Arc<S>,
        peer: &Peer,
        changes: Listener,
        hears: bool,
    ) {
        let number = peer.connection();
        let (tellers, service) = (Arc::clone(self), Arc::clone(service));
        let task = tokio::spawn(tell(tellers, service, number, changes));
        let peer = hears.then(|| peer.clone());
        let before = self.table().insert(number, Teller { peer, task });
        drop(before);
    }

    /// Notes that it hears changes from now on.
    pub(super) fn hears(&self, peer: &Peer) {
        if let Some(teller) = self.table().get_mut(&peer.connection()) {
            teller.peer.get_or_insert_with(|| peer.clone());
        }
    }

    pub(super) fn end(&self, peer: &Peer) {
        let teller = self.table().remove(&peer.connection());
        drop(teller);
    }

    fn hearing(&self, number: u64) -> Option<Peer> {
        self.table().get(&number)?.peer.clone()
    }
}

async fn tell<S: Service>(
    tellers: Arc<Tellers>,
    service: Arc<S>,
    number: u64,
    mut changes: Listener,
) {
    loop {
        changes.changed().await;
        if let Some(peer) = tellers.hearing(number) {
            let event = Event::Notified {
                method: TOOLS_CHANGED,
            };
            service.witness(&peer, event);
            // Whoever takes nothing hears of it at the next listing.
            peer.notify(TOOLS_CHANGED, None);
        }
    }
}
