//! What servers were seen to have, and for whom: the tasks they began, the resources they spoke of.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much is remembered; the oldest is forgotten first.
const MAX_REMEMBERED: usize = 16_384;

/// Servers, by caller and what they have.
#[derive(Debug, Default)]
pub(super) struct Owners(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// None where two servers have it.
    servers: HashMap<(String, String), Option<String>>,
    order: VecDeque<(String, String)>,
}

impl Owners {
    pub(super) fn remember(&self, caller: &str, what: &str, server: &str) {
        let key = (caller.to_owned(), what.to_owned());
        let mut state = self.lock();
        if let Some(known) = state.servers.get_mut(&key) {
            if known.as_deref() != Some(server) {
                *known = None;
            }
            return;
        }
        if state.order.len() >= MAX_REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.servers.remove(&oldest);
        }
        state.order.push_back(key.clone());
        state.servers.insert(key, Some(server.to_owned()));
    }

    /// The one server that has it.
    pub(super) fn server(&self, caller: &str, what: &str) -> Option<String> {
        let key = (caller.to_owned(), what.to_owned());
        self.lock().servers.get(&key).cloned().flatten()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_REMEMBERED, Owners};

    #[test]
    fn what_two_servers_have_is_neithers() {
        let owners = Owners::default();
        owners.remember("me", "t-1", "files");
        owners.remember("me", "t-1", "files");
        assert_eq!(owners.server("me", "t-1").as_deref(), Some("files"));
        assert_eq!(owners.server("you", "t-1"), None);
        owners.remember("me", "t-1", "mail");
        assert_eq!(owners.server("me", "t-1"), None);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let owners = Owners::default();
        for number in 0..=MAX_REMEMBERED {
            owners.remember("me", &number.to_string(), "files");
        }
        assert_eq!(owners.server("me", "0"), None);
        assert_eq!(owners.server("me", "1").as_deref(), Some("files"));
    }
}
