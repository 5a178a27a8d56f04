//! Writing to the journal what has happened already: it is no longer up to the store whether it may.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sayso_core::journal::{Record, Timestamp, WrittenRecord};
use sayso_store::{Store, StoreError};

use crate::metrics::Metrics;

/// How long before an entry is tried again that could not be written.
const AGAIN: Duration = Duration::from_secs(1);

/// How many entries may wait that nobody waits for; what comes on top of them is counted as lost.
/// A host that sends nothing but what is refused could fill the memory otherwise.
const WAITING: usize = 4096;

/// Writes to the journal. Clones are the same.
#[derive(Clone)]
pub struct Writer {
    store: Arc<dyn Store>,
    metrics: Metrics,
    waiting: Arc<AtomicUsize>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("waiting", &self.waiting())
            .finish_non_exhaustive()
    }
}

/// An entry that is on its way.
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Writer {
    pub(super) fn new(store: Arc<dyn Store>, metrics: Metrics) -> Self {
        Self {
            store,
            metrics,
            waiting: Arc::default(),
        }
    }

    /// How many entries are on their way.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn begin(&self) -> Waiting {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting(Arc::clone(&self.waiting))
    }

    /// Writes, some time soon, what is not missed where the store fails.
    pub fn write(&self, record: Record) {
        if self.waiting() >= WAITING {
            self.metrics.record_lost();
            return;
        }
        let (writer, waiting, at) = (self.clone(), self.begin(), now());
        tokio::spawn(async move {
            let _waiting = waiting;
            if let Err(error) = writer.store.append(at, record).await {
                writer.lost(&error);
            }
        });
    }

    /// Writes what became of a call: the future is the first try, and done by whoever waits for it.
    /// Where that fails, or nobody waits for it, the entry goes its way all the same: a store that
    /// fails is tried until it works or the gate ends. As nothing goes out meanwhile, no more of
    /// them wait than calls were running.
    pub fn settle(&self, record: &Record) -> Settling {
        let entry = Entry {
            _waiting: self.begin(),
            writer: self.clone(),
            at: now(),
            record: record.written(),
            is_told: false,
        };
        Settling {
            first: Some(Box::pin(entry.attempt())),
        }
    }

    fn lost(&self, error: &StoreError) {
        self.metrics.record_lost();
        tracing::error!(%error, "an entry was not written to the journal");
    }
}

/// An entry that is written in the end.
struct Entry {
    writer: Writer,
    _waiting: Waiting,
    at: Timestamp,
    record: WrittenRecord,
    /// Whether the log has it that this failed.
    is_told: bool,
}

impl Entry {
    /// Tries once. What is given back is to be tried again.
    async fn attempt(self) -> Option<Self> {
        let store = &self.writer.store;
        let error = store
            .append_written(self.at, self.record.clone())
            .await
            .err()?;
        if matches!(error, StoreError::Closed(_) | StoreError::TooLong { .. }) {
            self.writer.lost(&error);
            return None;
        }
        if !self.is_told {
            tracing::error!(%error, "an outcome is not in the journal yet");
        }
        Some(Self {
            is_told: true,
            ..self
        })
    }

    async fn try_again(self) {
        let mut left = Some(self);
        while let Some(entry) = left {
            tokio::time::sleep(AGAIN).await;
            left = entry.attempt().await;
        }
    }
}

/// The first try to write what became of a call. The entry is written whether this is waited for or
/// dropped.
#[must_use = "waited for, it is written by whoever waits; dropped, by a task of its own"]
pub struct Settling {
    first: Option<Pin<Box<dyn Future<Output = Option<Entry>> + Send>>>,
}

impl fmt::Debug for Settling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settling").finish_non_exhaustive()
    }
}

impl Future for Settling {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(first) = &mut self.first else {
            return Poll::Ready(());
        };
        let left = ready!(first.as_mut().poll(cx));
        self.first = None;
        if let Some(entry) = left {
            tokio::spawn(entry.try_again());
        }
        Poll::Ready(())
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        // As far as it has got: begun anew, it could be written twice.
        if let Some(first) = self.first.take() {
            tokio::spawn(async move {
                if let Some(entry) = first.await {
                    entry.try_again().await;
                }
            });
        }
    }
}

/// Milliseconds since the epoch.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Arc, Record, Writer};
    use crate::metrics::Metrics;
    use prometheus_client::registry::Registry;
    use sayso_core::journal::{self, OutcomeKind};
    use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};
    use sayso_store::{EntryQuery, Store};
    use std::task::Poll;

    fn outcome(call: &str) -> Record {
        Record::Outcome(Box::new(journal::Outcome {
            attempt: 1,
            call: call.to_owned(),
            caller: "local".to_owned(),
            duration_ms: 1,
            is_error: None,
            outcome: OutcomeKind::Cancelled,
            result: None,
            result_bytes: None,
            said: None,
            server: None,
            tool: None,
        }))
    }

    /// Dropped before it is begun, on its way, and waited for; alone, and where others come with it.
    #[tokio::test]
    async fn an_outcome_is_written_once_whoever_waits_for_it()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&Options {
            path: folder.path().join("store"),
            role: Role::Gate,
            durability: Durability::Process,
        })?);
        let writer = Writer::new(Arc::clone(&store), Metrics::new(&mut Registry::default()));
        let mut calls = Vec::new();
        for round in 0..8 {
            let mut tries = Vec::new();
            for number in 0..30 {
                let call = format!("{round}-{number}");
                tries.push(writer.settle(&outcome(&call)));
                calls.push(call);
            }
            drop(tries.drain(..10));
            std::future::poll_fn(|cx| {
                for first in &mut tries {
                    let _ = std::pin::Pin::new(first).poll(cx);
                }
                Poll::Ready(())
            })
            .await;
            drop(tries.drain(..10));
            for first in tries {
                first.await;
            }
        }
        while writer.waiting() > 0 {
            tokio::task::yield_now().await;
        }
        let entries = store.entries(EntryQuery::default()).await?;
        let mut written: Vec<_> = entries
            .iter()
            .filter_map(|entry| entry.record.call())
            .collect();
        written.sort_unstable();
        calls.sort_unstable();
        assert_eq!(written, calls);
        Ok(())
    }
}
