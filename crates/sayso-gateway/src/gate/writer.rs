//! Writing to the journal what has happened already: it is no longer up to the store whether it may.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sayso_core::journal::{Record, Timestamp};
use sayso_store::{Store, StoreError};
use tokio::sync::oneshot;

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

    /// Writes what became of a call. The entry is on its way when this returns, and a store that
    /// fails is tried until it works or the gate ends. As nothing goes out meanwhile, no more of
    /// them wait than calls were running. The future is the first try.
    pub fn settle(&self, record: Record) -> impl Future<Output = ()> + Send + use<> {
        let (tried, try_over) = oneshot::channel();
        let (writer, waiting, at) = (self.clone(), self.begin(), now());
        tokio::spawn(async move {
            let _waiting = waiting;
            let mut tried = Some(tried);
            while let Err(error) = writer.store.append(at, record.clone()).await {
                if let Some(tried) = tried.take() {
                    tracing::error!(%error, "an outcome is not in the journal yet");
                    let _ = tried.send(());
                }
                if matches!(error, StoreError::Closed(_) | StoreError::TooLong { .. }) {
                    writer.lost(&error);
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
        async move {
            // An error is the end of a task that is through.
            let _ = try_over.await;
        }
    }

    fn lost(&self, error: &StoreError) {
        self.metrics.record_lost();
        tracing::error!(%error, "an entry was not written to the journal");
    }
}

/// Milliseconds since the epoch.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
