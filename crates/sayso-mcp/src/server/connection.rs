//! A connection: who is at the other end, and what runs for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::call::PersonAnswer;
use super::changes::Changes;
use super::event::{Ending, Event};
use super::peer::{Peer, Transport};
use super::refusal::Refusal;
use super::{CANCELLED, INITIALIZED, Service};
use crate::jsonrpc::{self, Id, Message, MessageKind};

/// How many requests of one connection may run at once.
const MAX_RUNNING: usize = 256;

/// One connection, whatever carries it.
#[derive(Debug)]
pub(super) struct Connection<S> {
    pub(super) service: Arc<S>,
    pub(super) changes: Changes,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// As it last introduced itself.
    peer: Peer,
    /// As it introduced itself in a handshake.
    legacy: Option<Peer>,
    /// It is through with the handshake, so that it may be sent notifications.
    hears_changes: bool,
    running: HashMap<Id, Running>,
    /// Requests of ours that wait for an answer.
    asked: HashMap<Id, oneshot::Sender<PersonAnswer>>,
    last_asked: u64,
}

/// A request that runs. Dropping it makes it stop.
#[derive(Debug)]
struct Running {
    _stop: oneshot::Sender<()>,
    is_subscription: bool,
}

/// What a message comes to.
#[derive(Debug)]
pub(super) enum Step {
    /// There is nothing to say.
    Silent,
    /// This is the answer.
    Reply {
        text: String,
        /// The code, if it is an error.
        refused: Option<i64>,
    },
    /// The answer has to be worked for.
    Work(super::work::Work),
}

impl<S: Service> Connection<S> {
    pub(super) fn new(service: Arc<S>, changes: Changes, peer: Peer) -> Self {
        Self {
            service,
            changes,
            state: Mutex::new(State {
                peer,
                legacy: None,
                hears_changes: false,
                running: HashMap::new(),
                asked: HashMap::new(),
                last_asked: 0,
            }),
        }
    }

    /// A new one, with the next number.
    pub(super) fn numbered(service: Arc<S>, changes: Changes, transport: Transport) -> Self {
        let peer = Peer::unknown(changes.next_connection(), transport);
        Self::new(service, changes, peer)
    }

    /// The lock is held for moments only, never while something is awaited or witnessed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn peer(&self) -> Peer {
        self.state().peer.clone()
    }

    pub(super) fn legacy_peer(&self) -> Option<Peer> {
        self.state().legacy.clone()
    }

    pub(super) fn introduce(&self, peer: &Peer) {
        self.state().peer = peer.clone();
    }

    pub(super) fn introduce_legacy(&self, peer: &Peer) {
        let mut state = self.state();
        state.peer = peer.clone();
        state.legacy = Some(peer.clone());
    }

    /// The peer, if it is through with a handshake.
    pub(super) fn hearing_peer(&self) -> Option<Peer> {
        let state = self.state();
        state.legacy.clone().filter(|_| state.hears_changes)
    }

    pub(super) fn set_hearing(&self) {
        self.state().hears_changes = true;
    }

    pub(super) fn witness(&self, event: Event<'_>) {
        self.service.witness(&self.peer(), event);
    }

    /// Takes a message in. Whatever happens at once happens here, in the order of the messages.
    pub(super) fn receive(&self, message: &Message) -> Step {
        match message.kind() {
            MessageKind::Request { id, method } => self
                .request(id, method, message)
                .unwrap_or_else(|(peer, refusal)| self.refuse(&peer, Some(id), &refusal)),
            MessageKind::Notification { method } => {
                self.notification(method, message);
                Step::Silent
            }
            MessageKind::Response { id } => {
                if let Some(result) = message.result() {
                    self.resolve(id, PersonAnswer::read(result));
                }
                Step::Silent
            }
            MessageKind::Error { id, error } => {
                if let Some(id) = id {
                    self.resolve(id, PersonAnswer::Failed(error.to_string()));
                }
                Step::Silent
            }
        }
    }

    pub(super) fn refuse(&self, peer: &Peer, id: Option<&Id>, refusal: &Refusal) -> Step {
        Step::Reply {
            text: self.refusal(peer, id, refusal),
            refused: Some(refusal.code),
        }
    }

    /// The answer that refuses, witnessed.
    pub(super) fn refusal(&self, peer: &Peer, id: Option<&Id>, refusal: &Refusal) -> String {
        let request_id = id.map(Id::to_json);
        let event = Event::Refused {
            request_id: request_id.as_deref(),
            code: refusal.code,
            message: &refusal.message,
        };
        self.service.witness(peer, event);
        refusal.to_json(id)
    }

    fn notification(&self, method: &str, message: &Message) {
        if method == INITIALIZED {
            self.set_hearing();
        }
        let params = message.params();
        let named = params.and_then(|params| params.get("requestId"));
        if let Some(id) = named.filter(|_| method == CANCELLED).and_then(Id::read) {
            let reason = params
                .and_then(|params| params.get("reason"))
                .and_then(|reason| reason.as_str());
            if self.cancel(&id, reason.as_deref()) {
                return;
            }
        }
        self.witness(Event::Received { method });
    }

    /// Notes that a request runs. What comes back completes when it has to stop; what has to be
    /// witnessed then has been.
    pub(super) fn begin(
        &self,
        id: &Id,
        is_subscription: bool,
    ) -> Result<oneshot::Receiver<()>, Refusal> {
        let mut state = self.state();
        if state.running.len() >= MAX_RUNNING {
            return Err(Refusal::new(
                jsonrpc::code::INTERNAL_ERROR,
                format!("{MAX_RUNNING} requests run already, which is as many as may"),
            ));
        }
        if state.running.contains_key(id) {
            return Err(Refusal::invalid_request(format!(
                "a request with the id {id} runs already"
            )));
        }
        let (stop, stopped) = oneshot::channel();
        let running = Running {
            _stop: stop,
            is_subscription,
        };
        state.running.insert(id.clone(), running);
        Ok(stopped)
    }

    /// Notes that a request has run; `false` if it was stopped before, so that it must not be
    /// answered.
    pub(super) fn finish(&self, id: &Id) -> bool {
        self.state().running.remove(id).is_some()
    }

    /// Stops a request, if it runs.
    pub(super) fn cancel(&self, id: &Id, reason: Option<&str>) -> bool {
        let running = self.state().running.remove(id);
        // Held until it is witnessed: the request stops when this is dropped.
        let Some(running) = running else {
            return false;
        };
        let request_id = id.to_json();
        if running.is_subscription {
            self.witness(Event::StreamClosed {
                kind: super::StreamKind::Subscription,
            });
        } else {
            self.witness(Event::Cancelled {
                request_id: &request_id,
                reason,
            });
        }
        true
    }

    /// Notes that the stream for a request's answer was closed, if the request still runs.
    pub(super) fn note_closed(&self, id: &Id) {
        let runs = self.state().running.contains_key(id);
        if runs {
            self.witness(Event::StreamClosed {
                kind: super::StreamKind::Response,
            });
        }
    }

    /// Stops the subscriptions, which never end by themselves.
    pub(super) fn end_subscriptions(&self) {
        self.state()
            .running
            .retain(|_, running| !running.is_subscription);
    }

    /// Says that the connection is over, then stops everything that runs.
    pub(super) fn end(&self, reason: Ending) {
        self.witness(Event::Disconnected { reason });
        let mut state = self.state();
        state.running.clear();
        state.asked.clear();
    }

    /// A new request of ours: its id, and the answer to come.
    pub(super) fn ask(&self) -> (Id, oneshot::Receiver<PersonAnswer>) {
        let (sender, answer) = oneshot::channel();
        let mut state = self.state();
        state.last_asked += 1;
        let id = Id::from(state.last_asked);
        state.asked.insert(id.clone(), sender);
        (id, answer)
    }

    /// Whether a request of ours was still waiting; it no longer does.
    pub(super) fn give_up_asking(&self, id: &Id) -> bool {
        self.state().asked.remove(id).is_some()
    }

    fn resolve(&self, id: &Id, answer: PersonAnswer) {
        let asked = self.state().asked.remove(id);
        if let Some(asked) = asked {
            // Fails where the call was cancelled in the meantime.
            let _ = asked.send(answer);
        }
    }
}
