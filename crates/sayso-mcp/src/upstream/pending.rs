//! The requests of one pipe that are not answered yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::failure::Failed;
use super::options::Kept;
use crate::jsonrpc::{Id, Message};

/// What a request comes to.
pub(super) type Outcome = Result<Message, Failed>;

/// The requests that are waited for, by their ids on the wire.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    waiting: HashMap<u64, Waiting>,
    /// Which request reports its progress with this token.
    tokens: HashMap<Id, u64>,
    /// What is kept for requests that nobody waits for any more, and that may still run.
    abandoned: HashMap<u64, Kept>,
    /// No request is taken any more.
    is_over: bool,
    /// The process is gone, and runs nothing.
    is_gone: bool,
}

/// Somebody who waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The caller's key.
    pub(super) key: u64,
    pub(super) answer: oneshot::Sender<Outcome>,
    /// Whether a `notifications/cancelled` of the server may end it.
    pub(super) is_subscription: bool,
    /// Where progress gives more time: its token, and where it is noted.
    pub(super) progress: Option<(Id, Arc<Beat>)>,
    /// What came as its answer could not be read; a better one may still come.
    pub(super) is_doomed: bool,
    /// What is kept while it may run.
    pub(super) kept: Option<Kept>,
}

/// When a request last showed that it goes on.
#[derive(Debug, Default)]
pub(super) struct Beat(Mutex<Option<Instant>>);

impl Beat {
    pub(super) fn mark(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn last(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until `deadline` is over, which each beat moves to as long behind it as there was at
/// first.
pub(super) async fn time_is_up(deadline: Option<Instant>, beat: Option<&Beat>) {
    let Some(mut due) = deadline else {
        return std::future::pending().await;
    };
    let span: Duration = due.saturating_duration_since(Instant::now());
    loop {
        sleep_until(due).await;
        let later = beat
            .and_then(Beat::last)
            .and_then(|last| last.checked_add(span));
        match later.filter(|later| *later > Instant::now()) {
            Some(later) => due = later,
            None => return,
        }
    }
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the answer to `id`. False where no request is taken any more.
    pub(super) fn insert(&self, id: u64, waiting: Waiting) -> bool {
        let mut table = self.lock();
        if table.is_over {
            return false;
        }
        if let Some((token, _)) = &waiting.progress {
            table.tokens.insert(token.clone(), id);
        }
        table.waiting.insert(id, waiting);
        true
    }

    /// Waits no more.
    pub(super) fn remove(&self, id: u64) -> Option<Waiting> {
        let mut table = self.lock();
        let waiting = table.waiting.remove(&id)?;
        if let Some((token, _)) = &waiting.progress
            && table.tokens.get(token) == Some(&id)
        {
            table.tokens.remove(token);
        }
        Some(waiting)
    }

    /// Keeps what belongs to a request that nobody waits for any more. False where there is nothing
    /// left that could run it.
    pub(super) fn abandon(&self, id: u64, kept: Kept) -> bool {
        let mut table = self.lock();
        if !table.is_gone {
            table.abandoned.insert(id, kept);
        }
        !table.is_gone
    }

    /// Lets go of what was kept for an abandoned request: it runs no more, or is not waited for.
    pub(super) fn let_go(&self, id: u64) {
        let kept = self.lock().abandoned.remove(&id);
        // Its end is nothing to hold the lock for.
        drop(kept);
    }

    /// Lets go of all that was kept: the process is gone.
    pub(super) fn let_all_go(&self) {
        let mut table = self.lock();
        table.is_gone = true;
        let kept = std::mem::take(&mut table.abandoned);
        drop(table);
        drop(kept);
    }

    /// The only request that is waited for, if there is just one.
    pub(super) fn only(&self) -> Option<u64> {
        let table = self.lock();
        let mut ids = table.waiting.keys();
        let only = ids.next().copied();
        only.filter(|_| ids.next().is_none())
    }

    /// Marks a request as one that fails soon. False if it is marked already, or not waited for.
    pub(super) fn doom(&self, id: u64) -> bool {
        let mut table = self.lock();
        let waiting = table.waiting.get_mut(&id);
        waiting.is_some_and(|waiting| !std::mem::replace(&mut waiting.is_doomed, true))
    }

    /// The caller's key of a request, and whether it is a subscription.
    pub(super) fn key(&self, id: u64) -> Option<(u64, bool)> {
        let table = self.lock();
        let waiting = table.waiting.get(&id)?;
        Some((waiting.key, waiting.is_subscription))
    }

    /// Notes that the request with this progress token goes on.
    pub(super) fn beat(&self, token: &Id) {
        let table = self.lock();
        let waiting = table.tokens.get(token).and_then(|id| table.waiting.get(id));
        if let Some((_, beat)) = waiting.and_then(|waiting| waiting.progress.as_ref()) {
            beat.mark();
        }
    }

    /// Whether any request waits for progress.
    pub(super) fn waits_for_progress(&self) -> bool {
        !self.lock().tokens.is_empty()
    }

    /// Takes no request any more.
    pub(super) fn refuse(&self) {
        self.lock().is_over = true;
    }

    /// Takes no request any more, and gives up those that are waited for.
    pub(super) fn drain(&self) -> Vec<(u64, Waiting)> {
        let mut table = self.lock();
        table.is_over = true;
        table.tokens.clear();
        table.waiting.drain().collect()
    }
}
