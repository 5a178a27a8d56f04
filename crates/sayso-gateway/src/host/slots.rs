//! Places where something waits to be fetched: once, with its ticket, for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::seal::ticket;

/// A number of such places.
#[derive(Debug)]
pub(super) struct Slots<T> {
    taken: Mutex<HashMap<u128, T>>,
    limit: usize,
}

impl<T: Send + 'static> Slots<T> {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            taken: Mutex::default(),
            limit,
        })
    }

    /// Leaves something here. It comes back where there is no place left.
    pub(super) fn put(self: &Arc<Self>, value: T, patience: Duration) -> Result<u128, T> {
        let Ok(number) = ticket() else {
            return Err(value);
        };
        {
            let mut taken = self.lock();
            if taken.len() >= self.limit {
                return Err(value);
            }
            taken.insert(number, value);
        }
        tokio::spawn(expire(Arc::downgrade(self), number, patience));
        Ok(number)
    }

    /// Fetches what was left: once only.
    pub(super) fn take(&self, number: u128) -> Option<T> {
        self.lock().remove(&number)
    }

    /// Forgets what is not to be kept.
    pub(super) fn retain(&self, keep: impl Fn(&T) -> bool) {
        let mut forgotten = Vec::new();
        let mut taken = self.lock();
        for (_, value) in taken.extract_if(|_, value| !keep(value)) {
            forgotten.push(value);
        }
        // What is dropped with it may take its time.
        drop(taken);
    }

    /// How many places are taken.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u128, T>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn expire<T: Send + 'static>(slots: Weak<Slots<T>>, number: u128, patience: Duration) {
    tokio::time::sleep(patience).await;
    if let Some(slots) = slots.upgrade() {
        // Dropped here, outside the lock.
        let _expired = slots.take(number);
    }
}
