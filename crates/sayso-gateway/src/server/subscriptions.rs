//! Which sessions want to be told of which resources.

use std::collections::{BTreeMap, BTreeSet};

use tokio::sync::watch;

/// Sessions by the resource they subscribed to.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(watch::Sender<BTreeMap<String, BTreeSet<u64>>>);

impl Subscriptions {
    /// A session subscribes.
    pub(super) fn add(&self, uri: &str, session: u64) {
        self.0.send_if_modified(|all| {
            let is_new = !all.contains_key(uri);
            all.entry(uri.to_owned()).or_default().insert(session);
            is_new
        });
    }

    /// A session does not want to be told any more. Whether nobody does.
    pub(super) fn remove(&self, uri: &str, session: u64) -> bool {
        self.0.send_if_modified(|all| {
            let Some(sessions) = all.get_mut(uri) else {
                return false;
            };
            sessions.remove(&session);
            sessions.is_empty() && all.remove(uri).is_some()
        });
        !self.0.borrow().contains_key(uri)
    }

    /// A session is over: the resources that nobody wants to be told of any more.
    pub(super) fn leave(&self, session: u64) -> Vec<String> {
        let mut gone = Vec::new();
        self.0.send_if_modified(|all| {
            all.retain(|uri, sessions| {
                let had = sessions.remove(&session);
                let keep = !sessions.is_empty();
                if had && !keep {
                    gone.push(uri.clone());
                }
                keep
            });
            !gone.is_empty()
        });
        gone
    }

    /// The resources that this session, or any, wants to be told of.
    pub(super) fn of(&self, session: Option<u64>) -> Vec<String> {
        let all = self.0.borrow();
        let wanted = all
            .iter()
            .filter(|(_, sessions)| session.is_none_or(|session| sessions.contains(&session)));
        wanted.map(|(uri, _)| uri.clone()).collect()
    }

    /// Moves when a resource comes or goes.
    pub(super) fn changes(&self) -> watch::Receiver<BTreeMap<String, BTreeSet<u64>>> {
        self.0.subscribe()
    }
}
