//! A connection: who is at the other end, and what runs for it.

mod introductions;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::json::Value;
use tokio::sync::oneshot;

use super::exchange::Exchange;
use super::link::{AskError, Link};
use super::outbox::Outbox;
use super::peer::{Era, Peer};
use super::work::{Answer, Counted, Ends, Tally, Work, too_many};
use super::{
    CANCELLED, Ending, Handler, Refusal, Refused, Reply, Request, SUBSCRIBE, Stop, StreamKind,
    VERSION_KEY,
};
use crate::jsonrpc::{Id, Message, MessageKind, NotAMessage, Unclassified, code};

/// What all connections of one side have in common.
#[derive(Debug)]
pub(super) struct Common<H> {
    pub(super) handler: Arc<H>,
    pub(super) max_running: usize,
    pub(super) stop: Stop,
    /// Requests of all connections.
    pub(super) tally: Tally,
}

/// One connection, whatever carries it.
#[derive(Debug)]
pub(super) struct Connection<H> {
    common: Arc<Common<H>>,
    link: Arc<Link>,
    /// Requests of this connection.
    tally: Tally,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// As it last introduced itself.
    peer: Peer,
    /// As it introduced itself in a handshake.
    legacy: Option<Peer>,
    running: HashMap<Id, Running>,
}

/// A request that runs. Dropping it makes it stop.
#[derive(Debug)]
struct Running {
    _stop: oneshot::Sender<()>,
    _counted: Counted,
    exchange: Exchange,
}

/// How a message came in, and where its answer goes.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) outbox: Outbox,
    /// Whether the outbox is this message's alone.
    pub(super) is_own: bool,
    pub(super) headers: Vec<(String, String)>,
}

/// What a message comes to.
#[derive(Debug)]
pub(super) enum Step {
    /// There is nothing to say.
    Silent,
    /// It was refused, and this is the answer.
    Refused { text: String, code: i64 },
    /// It was refused, and is of a kind that has no answer, but in HTTP this one.
    Ignored { text: String },
    /// It is a request, and its answer has to be worked for.
    Work(Work),
}

/// The version a modern request says it is of.
pub(super) fn modern_version(message: &Message) -> Option<Value<'_>> {
    message.params()?.at(&["_meta", VERSION_KEY])
}

/// What is wrong with a text that is no message, and the id that it carries.
pub(super) fn no_message(unclassified: &Unclassified) -> (Option<&Id>, Refusal) {
    let (id, reason) = match &unclassified.reason {
        NotAMessage::NotJsonRpc => (None, "not a JSON-RPC message".to_owned()),
        NotAMessage::Invalid { id, fault } => (id.as_ref(), fault.to_string()),
    };
    (id, Refusal::invalid_request(reason))
}

impl<H: Handler> Common<H> {
    /// Says that something was refused; what comes back is the answer.
    pub(super) fn refuse(&self, peer: Option<&Peer>, id: Option<&Id>, refusal: &Refusal) -> String {
        let refused = Refused {
            id: id.cloned(),
            code: refusal.code,
            what: refusal.message.clone(),
        };
        self.handler.refused(peer, &refused);
        refusal.to_json(id)
    }
}

impl<H: Handler> Connection<H> {
    /// `peer` has to be linked by `link`.
    pub(super) fn new(common: Arc<Common<H>>, peer: Peer, tally: Tally) -> Self {
        Self {
            common,
            link: Arc::clone(peer.link()),
            tally,
            state: Mutex::new(State {
                peer,
                legacy: None,
                running: HashMap::new(),
            }),
        }
    }

    /// The lock is held for moments only, never while something is awaited or told.
    /// Whether requests run on it.
    pub(super) fn is_busy(&self) -> bool {
        !self.state().running.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn handler(&self) -> &H {
        &self.common.handler
    }

    pub(super) fn link(&self) -> &Arc<Link> {
        &self.link
    }

    pub(super) fn peer(&self) -> Peer {
        self.state().peer.clone()
    }

    /// The peer, if it has shaken hands.
    pub(super) fn legacy_peer(&self) -> Option<Peer> {
        self.state().legacy.clone()
    }

    fn introduce(&self, peer: &Peer) {
        self.state().peer = peer.clone();
    }

    /// Takes a message in. Whatever happens at once happens here, in the order of the messages.
    pub(super) fn receive(self: &Arc<Self>, message: Message, way: Way) -> Step {
        let duplicate = message.document().duplicates().first();
        let duplicate = duplicate.map(|duplicate| Refusal::duplicate(&duplicate.key));
        match message.kind() {
            MessageKind::Request { id, .. } => {
                let id = id.clone();
                let taken = match duplicate {
                    Some(refusal) => Err((self.peer(), refusal)),
                    None => self.request(&id, message, way),
                };
                taken.unwrap_or_else(|(peer, refusal)| self.refuse(&peer, Some(&id), &refusal))
            }
            MessageKind::Notification { .. } => match duplicate {
                Some(refusal) => self.ignore(&refusal),
                None => {
                    self.notification(message);
                    Step::Silent
                }
            },
            MessageKind::Response { id } => self.resolve(&id.clone(), message, duplicate),
            MessageKind::Error { id: Some(id), .. } => {
                self.resolve(&id.clone(), message, duplicate)
            }
            MessageKind::Error { id: None, .. } => Step::Silent,
        }
    }

    /// Refuses what was no message.
    pub(super) fn refuse_text(&self, id: Option<&Id>, refusal: &Refusal) -> Step {
        self.refuse(&self.peer(), id, refusal)
    }

    fn refuse(&self, peer: &Peer, id: Option<&Id>, refusal: &Refusal) -> Step {
        Step::Refused {
            text: self.common.refuse(Some(peer), id, refusal),
            code: refusal.code,
        }
    }

    fn ignore(&self, refusal: &Refusal) -> Step {
        Step::Ignored {
            text: self.common.refuse(Some(&self.peer()), None, refusal),
        }
    }

    fn resolve(&self, id: &Id, message: Message, duplicate: Option<Refusal>) -> Step {
        match duplicate {
            Some(refusal) => {
                self.link.resolve(id, Err(AskError::Malformed));
                self.ignore(&refusal)
            }
            None => {
                // Nobody waits for what comes too late.
                self.link.resolve(id, Ok(message));
                Step::Silent
            }
        }
    }

    fn notification(&self, message: Message) {
        if let MessageKind::Notification { method } = message.kind()
            && method == CANCELLED
        {
            let param = |key| message.params().and_then(|params| params.get(key));
            let id = param("requestId").and_then(Id::read);
            let reason = param("reason").and_then(Value::as_str);
            if id.is_some_and(|id| self.cancel(&id, reason.as_deref())) {
                return;
            }
        }
        self.handler().notification(&self.peer(), message);
    }

    fn request(
        self: &Arc<Self>,
        id: &Id,
        message: Message,
        way: Way,
    ) -> Result<Step, (Peer, Refusal)> {
        let peer = match modern_version(&message) {
            Some(version) => self.modern(&message, version),
            None => self.legacy(&message),
        };
        let peer = peer.map_err(|refusal| (self.peer(), refusal))?;
        match self.begin(&peer, id, message, way) {
            Ok(work) => Ok(Step::Work(work)),
            Err(refusal) => Err((peer, refusal)),
        }
    }

    /// Notes that a request runs, and makes it ready to.
    fn begin(
        self: &Arc<Self>,
        peer: &Peer,
        id: &Id,
        message: Message,
        way: Way,
    ) -> Result<Work, Refusal> {
        let MessageKind::Request { method, .. } = message.kind() else {
            return Err(Refusal::invalid_request("not a request"));
        };
        let (own, all) = self.count()?;
        let Way {
            outbox,
            is_own,
            headers,
        } = way;
        let exchange = Exchange::new(peer.clone(), id.clone(), method.clone(), outbox, is_own);
        let stopped = self.note(&exchange, own)?;
        let request = Request {
            peer: peer.clone(),
            message,
            exchange: exchange.clone(),
            headers,
        };
        let answer = Arc::clone(self).answer(request, all, stopped);
        Ok(Work {
            exchange,
            answer: Box::pin(answer),
        })
    }

    fn count(&self) -> Result<(Counted, Counted), Refusal> {
        // Before it looks whether it may: whoever stops waits for it then.
        let all = self.common.tally.begin(usize::MAX);
        if self.common.stop.is_stopped() {
            return Err(Refusal::stopping());
        }
        let most = self.common.max_running;
        let own = self.tally.begin(most);
        own.zip(all).ok_or_else(|| too_many(most))
    }

    /// Notes that a request runs. What comes back completes when it has to stop; what has to be
    /// told then has been.
    fn note(
        &self,
        exchange: &Exchange,
        counted: Counted,
    ) -> Result<oneshot::Receiver<()>, Refusal> {
        let id = exchange.id();
        let mut state = self.state();
        if state.running.contains_key(id) {
            return Err(Refusal::invalid_request(format!(
                "a request with the id {id} runs already"
            )));
        }
        let (stop, stopped) = oneshot::channel();
        let running = Running {
            _stop: stop,
            _counted: counted,
            exchange: exchange.clone(),
        };
        state.running.insert(id.clone(), running);
        Ok(stopped)
    }

    async fn answer(
        self: Arc<Self>,
        request: Request,
        counted: Counted,
        stopped: oneshot::Receiver<()>,
    ) -> Option<Answer> {
        let over = Ends(request.exchange.clone());
        let exchange = &over.0;
        let is_subscription = exchange.method() == SUBSCRIBE;
        let reply = tokio::select! {
            biased;
            _ = stopped => None,
            () = self.common.stop.stopped(), if is_subscription => None,
            reply = self.handler().request(request) => Some(reply),
        };
        exchange.end();
        let is_wanted = self.finish(exchange);
        drop(counted);
        let reply = reply.filter(|_| is_wanted)?;
        if exchange.method() == "initialize"
            && exchange.peer().era() == Some(Era::Legacy)
            && let Reply::Result(result) = &reply
        {
            self.agree(exchange.peer(), result);
        }
        Some(Answer::new(exchange.id(), &reply))
    }

    /// Notes that a request has run; `false` if it was stopped before, so that it must not be
    /// answered.
    fn finish(&self, exchange: &Exchange) -> bool {
        let mut state = self.state();
        let runs = state.running.get(exchange.id());
        // Another one may have its id by now.
        let is_it = runs.is_some_and(|running| running.exchange.is(exchange));
        if is_it {
            state.running.remove(exchange.id());
        }
        is_it
    }

    /// Stops a request, if it runs and its answer is not settled.
    pub(super) fn cancel(&self, id: &Id, reason: Option<&str>) -> bool {
        let running = {
            let mut state = self.state();
            let running = state.running.get(id);
            let is_cancelled = running.is_some_and(|running| running.exchange.cancel());
            if is_cancelled {
                state.running.remove(id)
            } else {
                None
            }
        };
        // Held until it is told: the request stops when this is dropped.
        let Some(running) = running else {
            return false;
        };
        self.handler().cancelled(&running.exchange, reason);
        true
    }

    /// Notes that the stream for a request's answer was closed, if the request still runs.
    pub(super) fn note_closed(&self, exchange: &Exchange) {
        let is_it = |running: &Running| running.exchange.is(exchange);
        let runs = self.state().running.get(exchange.id()).is_some_and(is_it);
        if runs {
            let kind = StreamKind::Response;
            self.handler().stream_closed(exchange.peer(), kind);
        }
    }

    /// Stops the subscriptions, which never end by themselves.
    pub(super) fn end_subscriptions(&self) {
        self.state()
            .running
            .retain(|_, running| running.exchange.method() != SUBSCRIBE);
    }

    /// Says that the connection is over, then stops everything that runs.
    pub(super) fn end(&self, ending: Ending) {
        self.handler().disconnected(&self.peer(), ending);
        let running = std::mem::take(&mut self.state().running);
        drop(running);
        self.link.close();
    }
}

/// A text that is no JSON, or goes past a limit.
pub(super) fn unreadable(error: &sayso_core::json::ParseError) -> Refusal {
    if error.kind.is_limit() {
        Refusal::invalid_request(error.to_string())
    } else {
        Refusal::new(code::PARSE_ERROR, format!("not JSON: {error}"))
    }
}
