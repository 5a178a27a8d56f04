//! What servers were seen to have, and for whom: the tasks they began, the resources they spoke of.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much is remembered; the oldest is forgotten first.
const MAX_REMEMBERED: usize = 16_384;

/// What is known of what servers have, by caller and what it is.
#[derive(Debug)]
pub(super) struct Owners<K>(Mutex<State<K>>);

#[derive(Debug)]
struct State<K> {
    /// None where two servers have it.
    known: HashMap<(String, String), Option<K>>,
    order: VecDeque<(String, String)>,
}

impl<K> Default for Owners<K> {
    fn default() -> Self {
        Self(Mutex::new(State {
            known: HashMap::new(),
            order: VecDeque::new(),
        }))
    }
}

impl<K: Clone + PartialEq> Owners<K> {
    pub(super) fn remember(&self, caller: &str, what: &str, owner: K) {
        let key = (caller.to_owned(), what.to_owned());
        let mut state = self.lock();
        if let Some(known) = state.known.get_mut(&key) {
            if known.as_ref() != Some(&owner) {
                *known = None;
            }
            return;
        }
        if state.order.len() >= MAX_REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.known.remove(&oldest);
        }
        state.order.push_back(key.clone());
        state.known.insert(key, Some(owner));
    }

    /// The one owner that has it.
    pub(super) fn get(&self, caller: &str, what: &str) -> Option<K> {
        let key = (caller.to_owned(), what.to_owned());
        self.lock().known.get(&key).cloned().flatten()
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
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
        assert_eq!(owners.get("me", "t-1"), Some("files"));
        assert_eq!(owners.get("you", "t-1"), None);
        owners.remember("me", "t-1", "mail");
        assert_eq!(owners.get("me", "t-1"), None);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let owners = Owners::default();
        for number in 0..=MAX_REMEMBERED {
            owners.remember("me", &number.to_string(), "files");
        }
        assert_eq!(owners.get("me", "0"), None);
        assert_eq!(owners.get("me", "1"), Some("files"));
    }
}
