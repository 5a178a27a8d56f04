//! One at a time: of two calls with the same key, one runs.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use sayso_core::json::Value;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::refusal::{ReasonCode, Refusal};
use crate::settings::WhenBusy;

/// Who has which key. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Exclusive(Arc<Mutex<HashMap<String, Weak<Turn<()>>>>>);

/// The right to run with a key; given back when the last of its clones is dropped.
#[derive(Clone, Debug)]
pub struct Lease(Option<Arc<OwnedMutexGuard<()>>>);

impl Lease {
    /// No key is needed.
    #[must_use]
    pub const fn free() -> Self {
        Self(None)
    }

    /// The same right, for whoever knows how long a server may be at work on a call that its host
    /// does not wait for any more.
    #[must_use]
    pub fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let held = Arc::clone(self.0.as_ref()?);
        Some(held)
    }
}

impl Exclusive {
    /// Takes a key: at once, or where calls queue within `patience`.
    ///
    /// # Errors
    /// When another call has it.
    pub async fn take(
        &self,
        key: String,
        when_busy: WhenBusy,
        patience: Duration,
    ) -> Result<Lease, Refusal> {
        let turn = self.turn(&key);
        if let Ok(guard) = Arc::clone(&turn).try_lock_owned() {
            return Ok(Lease(Some(Arc::new(guard))));
        }
        if when_busy == WhenBusy::Queue
            && let Ok(guard) = tokio::time::timeout(patience, turn.lock_owned()).await
        {
            return Ok(Lease(Some(Arc::new(guard))));
        }
        let queued = match when_busy {
            WhenBusy::Refuse => "",
            WhenBusy::Queue => ", and was not done in time",
        };
        let message = format!("another call with the same key is already running{queued}");
        Err(Refusal::new(ReasonCode::Busy, message))
    }

    fn turn(&self, key: &str) -> Arc<Turn<()>> {
        const SWEEP: usize = 1024;
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(key).and_then(Weak::upgrade) {
            return turn;
        }
        if turns.len() >= SWEEP {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::default();
        turns.insert(key.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

/// The key of a call: the tool, and the values of these arguments. `1.0` is 1, and an argument
/// that is left out is no value at all.
#[must_use]
pub fn key(server: &str, tool: &str, names: &[String], arguments: Option<Value<'_>>) -> String {
    let value = |name: &String| {
        let value = arguments.and_then(|arguments| arguments.get(name));
        value.map(|value| sayso_core::digest::canonical(value).1)
    };
    let values: Vec<_> = names.iter().map(value).collect();
    serde_json::json!([server, tool, values]).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sayso_core::json::{Document, Limits};

    use super::{Exclusive, key};
    use crate::settings::WhenBusy;

    fn of(arguments: &str) -> String {
        let document = Document::parse(arguments.to_owned(), &Limits::default()).unwrap();
        key("s", "reindex", &["index".to_owned()], Some(document.root()))
    }

    #[test]
    fn a_key_is_made_of_values() {
        assert_eq!(of(r#"{"index": 1}"#), of(r#"{"other": 2, "index": 1.0}"#));
        assert_ne!(of(r#"{"index": 1}"#), of(r#"{"index": "1"}"#));
        assert_ne!(of(r#"{"index": null}"#), of("{}"));
    }

    #[tokio::test]
    async fn the_second_is_refused_or_waits() {
        let exclusive = Exclusive::default();
        let patience = Duration::from_millis(100);
        let take = |key: &str, busy| exclusive.take(key.to_owned(), busy, patience);
        let lease = take("a", WhenBusy::Refuse).await.unwrap();
        assert!(take("a", WhenBusy::Refuse).await.is_err());
        assert!(take("b", WhenBusy::Refuse).await.is_ok());
        assert!(take("a", WhenBusy::Queue).await.is_err());
        let waiting = exclusive.clone();
        let next = tokio::spawn(async move {
            waiting
                .take("a".to_owned(), WhenBusy::Queue, patience)
                .await
        });
        tokio::task::yield_now().await;
        drop(lease);
        assert!(next.await.unwrap().is_ok());
        assert!(take("a", WhenBusy::Refuse).await.is_ok());
    }
}
