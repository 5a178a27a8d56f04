//! Conversations of sessions: each session of a host has its own with a server that has sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::Lost;
use super::backoff::Backoff;
use super::conversation::Conversation;
use super::ears::Ears;
use super::launch::Launch;
use crate::host::Exchange;

/// How long a conversation must have been idle before another session may have its place.
const IDLE: Duration = Duration::from_secs(5);

/// How long a server has to end a conversation whose place is needed.
const EVICTION_PATIENCE: Duration = Duration::from_secs(1);

/// The conversations by session.
pub(super) struct Seats {
    seats: Mutex<HashMap<u64, Arc<Seat>>>,
    permits: Arc<Semaphore>,
}

/// The place of one session; whoever holds the lock opens its conversation, and the others wait.
#[derive(Default)]
struct Seat(tokio::sync::Mutex<Place>);

#[derive(Default)]
struct Place {
    conversation: Option<Arc<Conversation>>,
    /// When it was taken last.
    used: Option<Instant>,
    backoff: Backoff,
    /// Why the last attempt failed, and when the next one may be made.
    failed: Option<(String, Instant)>,
    is_left: bool,
}

impl Seats {
    pub(super) fn new(max: usize) -> Self {
        Self {
            seats: Mutex::default(),
            permits: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))),
        }
    }

    fn seats(&self) -> MutexGuard<'_, HashMap<u64, Arc<Seat>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The conversation of this exchange's session, which is opened where there is none yet; and
    /// whether it was opened just now.
    ///
    /// # Errors
    /// When the server does not start, or there are as many conversations as there may be.
    pub(super) async fn take(
        &self,
        exchange: &Exchange,
        launch: &Launch,
        ears: impl FnOnce() -> Ears,
    ) -> Result<(Arc<Conversation>, bool), Lost> {
        let session = exchange.session().id();
        if exchange.session().is_ended() {
            return Err(session_over());
        }
        let seat = Arc::clone(self.seats().entry(session).or_default());
        let mut place = seat.0.lock().await;
        if place.is_left {
            return Err(session_over());
        }
        place.used = Some(Instant::now());
        if let Some(conversation) = &place.conversation
            && !conversation.upstream.is_closed()
        {
            return Ok((Arc::clone(conversation), false));
        }
        place.conversation = None;
        if let Some((reason, not_before)) = &place.failed
            && let Some(wait) = not_before.checked_duration_since(Instant::now())
        {
            return Err(Lost::Down {
                reason: reason.clone(),
                retry_in: Some(wait),
            });
        }
        if self.permits.available_permits() == 0 {
            self.sweep();
        }
        if self.permits.available_permits() == 0 {
            self.evict().await;
        }
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit = permit.map_err(|_| Lost::Busy)?;
        let ears = Arc::new(ears());
        ears.remember(exchange);
        let launch = launch.with_capabilities(exchange.capabilities());
        match Conversation::open(&launch, ears, Some(permit)).await {
            Ok(conversation) => {
                let conversation = Arc::new(conversation);
                place.failed = None;
                place.backoff.reset();
                place.conversation = Some(Arc::clone(&conversation));
                Ok((conversation, true))
            }
            Err(reason) => {
                let wait = place.backoff.next();
                place.failed = Some((reason.clone(), Instant::now() + wait));
                Err(Lost::Down {
                    reason,
                    retry_in: Some(wait),
                })
            }
        }
    }

    /// The conversation of a session, if it has one.
    pub(super) async fn get(&self, session: u64) -> Option<Arc<Conversation>> {
        let seat = self.seats().get(&session).map(Arc::clone)?;
        let place = seat.0.lock().await;
        place.conversation.clone()
    }

    /// Takes a session's place away and ends its conversation.
    pub(super) async fn leave(&self, session: u64, patience: Duration) {
        let seat = self.seats().remove(&session);
        if let Some(seat) = seat {
            seat.leave(patience).await;
        }
    }

    /// Ends all conversations.
    pub(super) async fn close(&self, patience: Duration) {
        let seats: Vec<Arc<Seat>> = self.seats().drain().map(|(_, seat)| seat).collect();
        let mut closing = tokio::task::JoinSet::new();
        for seat in seats {
            closing.spawn(async move { seat.leave(patience).await });
        }
        closing.join_all().await;
    }

    /// Drops conversations that are over.
    fn sweep(&self) {
        for seat in self.seats().values() {
            if let Ok(mut place) = seat.0.try_lock() {
                place
                    .conversation
                    .take_if(|conversation| conversation.upstream.is_closed());
            }
        }
    }

    /// Ends the conversation that was idle for longest, if one was for long enough: hosts that go
    /// away without a word must not keep others out. Its session gets another when it asks again.
    async fn evict(&self) {
        let seats: Vec<Arc<Seat>> = self.seats().values().map(Arc::clone).collect();
        let idle = seats.iter().filter_map(|seat| {
            let place = seat.0.try_lock().ok()?;
            let used = place.used.filter(|used| used.elapsed() >= IDLE)?;
            let conversation = place.conversation.as_ref()?;
            (conversation.ears.running() == 0).then_some((used, seat))
        });
        let Some((_, seat)) = idle.min_by_key(|(used, _)| *used) else {
            return;
        };
        let Ok(mut place) = seat.0.try_lock() else {
            return;
        };
        if let Some(conversation) = place.conversation.take() {
            conversation.close(EVICTION_PATIENCE).await;
        }
    }

    /// How many requests run on all of them.
    pub(super) fn running(&self) -> usize {
        let seats: Vec<Arc<Seat>> = self.seats().values().map(Arc::clone).collect();
        let running = seats.iter().map(|seat| match seat.0.try_lock() {
            Ok(place) => place
                .conversation
                .as_ref()
                .map_or(0, |conversation| conversation.ears.running()),
            // A conversation is being opened for a request.
            Err(_) => 1,
        });
        running.sum()
    }
}

fn session_over() -> Lost {
    Lost::NotSent("the host's session is over".to_owned())
}

impl Seat {
    async fn leave(&self, patience: Duration) {
        let mut place = self.0.lock().await;
        place.is_left = true;
        if let Some(conversation) = place.conversation.take() {
            conversation.close(patience).await;
        }
    }
}
