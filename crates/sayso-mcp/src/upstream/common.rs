//! What every conversation has, whatever it is carried by: who is told, what was odd, the
//! server's own requests that run, and how it ended.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::json::Value;
use sayso_core::listing::ObservationKind;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::Listener;
use super::failure::Ended;
use crate::inbox::{Inbox, is_own_request};
use crate::jsonrpc::{self, Id, Message, MessageKind, code};

/// The part that is the same for every transport.
pub(super) struct Common {
    pub(super) listener: Arc<dyn Listener>,
    inbox: Mutex<Inbox>,
    ended: watch::Sender<Option<Ended>>,
    /// The server's requests that run.
    incoming: Mutex<HashMap<Id, AbortHandle>>,
    max_incoming: usize,
    next_id: AtomicU64,
    pub(super) runtime: Handle,
}

impl Common {
    /// For a conversation in the runtime this is called in.
    pub(super) fn new(listener: Arc<dyn Listener>, max_incoming: usize) -> Self {
        Self {
            listener,
            inbox: Mutex::default(),
            ended: watch::Sender::new(None),
            incoming: Mutex::default(),
            max_incoming,
            next_id: AtomicU64::new(1),
            runtime: Handle::current(),
        }
    }

    /// A new id for the wire.
    pub(super) fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an answer that nobody waits for. An id that was sent once is known: its answer
    /// comes late, or a second time.
    pub(super) fn take_unawaited(&self, message: &Message) {
        let id = match message.kind() {
            MessageKind::Response { id } | MessageKind::Error { id: Some(id), .. } => number(id),
            _ => None,
        };
        let sent = 1..self.next_id.load(Ordering::Relaxed);
        let mut inbox = self.inbox();
        if id.is_some_and(|id| sent.contains(&id)) {
            inbox.count_late_answer();
        } else {
            inbox.observe(ObservationKind::UnknownId, message.document().text());
        }
    }

    /// Takes a request of the server's: it is answered at once, or handed on. `send` sends the
    /// answer.
    pub(super) fn take_request<S, F>(
        self: &Arc<Self>,
        message: Message,
        related: Option<u64>,
        send: S,
    ) where
        S: FnOnce(String) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let MessageKind::Request { id, method } = message.kind() else {
            return;
        };
        if is_own_request(method) {
            // A terminal in between echoes its input: a reply would come back as the answer.
            let text = message.document().text();
            let detail = format!("its own input sent back: {text}");
            self.inbox().observe(ObservationKind::NotJsonRpc, &detail);
            return;
        }
        let id = id.clone();
        let refused = if method == "ping" {
            Some(jsonrpc::response(&id, "{}"))
        } else {
            self.refuses(&id)
        };
        let mut incoming = self.incoming();
        // Looked at under the lock, so that nothing is left running when the conversation ends.
        if self.ended.borrow().is_some() {
            return;
        }
        if let Some(refusal) = refused {
            self.runtime.spawn(send(refusal));
            return;
        }
        let common = Arc::clone(self);
        let (listener, key) = (Arc::clone(&self.listener), id.clone());
        let task = self.runtime.spawn(async move {
            let reply = listener.request(message, related).await;
            if let Some(text) = reply.to_json(&key) {
                send(text).await;
            }
            common.incoming().remove(&key);
        });
        incoming.insert(id, task.abort_handle());
    }

    /// The refusal of a request that is one too many.
    fn refuses(&self, id: &Id) -> Option<String> {
        let incoming = self.incoming();
        let why = if incoming.contains_key(id) {
            "this id belongs to another request, which is not answered yet"
        } else if incoming.len() >= self.max_incoming {
            "too many requests are not answered yet"
        } else {
            return None;
        };
        Some(jsonrpc::error_response(
            Some(id),
            code::INVALID_REQUEST,
            why,
            None,
        ))
    }

    fn incoming(&self) -> MutexGuard<'_, HashMap<Id, AbortHandle>> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a request of the server's that it cancelled. False if none has this id.
    pub(super) fn cancel_incoming(&self, id: &Id) -> bool {
        let task = self.incoming().remove(id);
        task.inspect(AbortHandle::abort).is_some()
    }

    /// Ends the conversation, once: what runs for the server is dropped, and everybody is told.
    pub(super) fn end(&self, how: Ended) {
        let first = self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert(how.clone());
            first
        });
        for (_, task) in self.incoming().drain() {
            task.abort();
        }
        if first {
            self.listener.closed(&how);
        }
    }

    /// How the conversation ended, if it did.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Tells of the end, without keeping any of this.
    pub(super) fn ends(&self) -> watch::Receiver<Option<Ended>> {
        self.ended.subscribe()
    }

    /// Waits for the end.
    pub(super) async fn wait_for_end(&self) -> Ended {
        let mut ended = self.ended.subscribe();
        let how = ended.wait_for(Option::is_some).await;
        how.ok()
            .and_then(|how| how.clone())
            .unwrap_or(Ended::Closed)
    }
}

impl Common {
    /// Waits until the conversation is closed from this side: what still runs is given up then.
    pub(super) async fn wait_for_close(&self) -> Ended {
        let mut ended = self.ended.subscribe();
        let is_closed = |how: &Option<Ended>| matches!(how, Some(Ended::Closed));
        if ended.wait_for(is_closed).await.is_err() {
            std::future::pending::<()>().await;
        }
        Ended::Closed
    }
}

impl fmt::Debug for Common {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Common")
            .field("ended", &self.ended())
            .finish_non_exhaustive()
    }
}

/// An id as this side makes them.
pub(super) fn number(id: &Id) -> Option<u64> {
    match id {
        Id::Number(text) => text.parse().ok(),
        Id::String(_) => None,
    }
}

/// The id in `params`, at these keys.
pub(super) fn id_at(message: &Message, keys: &[&str]) -> Option<Id> {
    Id::read(
        message
            .params()
            .and_then(|params: Value<'_>| params.at(keys))?,
    )
}
