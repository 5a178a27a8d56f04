//! A service as the handler of what hosts send.

use std::borrow::Cow;
use std::sync::Arc;

use sayso_core::json::Value;

use super::changes::Listener;
use super::telling::Tellers;
use super::{ACKNOWLEDGED, Changes, Event, INITIALIZED, Service, TOOLS_CHANGED, reply};
use crate::downstream::{
    Ending, Era, Exchange, Handler, Peer, Refusal, Refused, Reply, Request, StreamKind, Transport,
};
use crate::jsonrpc::{Message, MessageKind};
use crate::version;

/// Answers for a service.
#[derive(Debug)]
pub(super) struct Answering<S> {
    pub(super) service: Arc<S>,
    changes: Changes,
    tellers: Arc<Tellers>,
}

impl<S> Answering<S> {
    pub(super) fn new(service: Arc<S>, changes: Changes) -> Self {
        Self {
            service,
            changes,
            tellers: Arc::default(),
        }
    }
}

impl<S: Service> Handler for Answering<S> {
    async fn request(&self, request: Request) -> Reply {
        let exchange = &request.exchange;
        let (peer, params) = (&request.peer, request.message.params());
        let is_modern = peer.era() == Some(Era::Modern);
        let is_hello = !is_modern && matches!(exchange.method(), "initialize" | "ping");
        if !is_modern && !is_hello {
            self.tellers.hears(peer);
        }
        match exchange.method() {
            "initialize" if !is_modern => self.initialize(peer, params),
            "ping" if !is_modern => {
                let method = exchange.method();
                self.service.witness(peer, Event::Received { method });
                Reply::Result("{}".to_owned())
            }
            "server/discover" if is_modern => {
                self.service.witness(peer, Event::Discovered);
                Reply::Result(reply::discovered(&self.service.identity()))
            }
            "tools/list" => self.list(exchange, params).await,
            "tools/call" => self.call(&request).await,
            "subscriptions/listen" if is_modern => self.listen(exchange, params).await,
            method => {
                self.service.witness(peer, Event::Received { method });
                self.refuse(exchange, Refusal::unknown_method(method))
            }
        }
    }

    fn notification(&self, peer: &Peer, message: Message) {
        let MessageKind::Notification { method } = message.kind() else {
            return;
        };
        if method == INITIALIZED && peer.era() == Some(Era::Legacy) {
            self.tellers.hears(peer);
        }
        self.service.witness(peer, Event::Received { method });
    }

    fn connected(&self, peer: &Peer) {
        self.service.witness(peer, Event::Connected);
        if peer.transport() == Transport::Stdio {
            let changes = self.changes.subscribe();
            self.tellers.begin(&self.service, peer, changes, false);
        }
    }

    fn disconnected(&self, peer: &Peer, ending: Ending) {
        self.tellers.end(peer);
        self.service
            .witness(peer, Event::Disconnected { reason: ending });
    }

    fn refused(&self, peer: Option<&Peer>, refused: &Refused) {
        let request_id = refused.id.as_ref().map(crate::jsonrpc::Id::to_json);
        let event = Event::Refused {
            request_id: request_id.as_deref(),
            code: refused.code,
            message: &refused.what,
        };
        match peer {
            Some(peer) => self.service.witness(peer, event),
            // What belongs to no connection has the number 0.
            None => self
                .service
                .witness(&Peer::unknown(0, Transport::Http), event),
        }
    }

    fn cancelled(&self, exchange: &Exchange, reason: Option<&str>) {
        let event = if exchange.method() == "subscriptions/listen" {
            Event::StreamClosed {
                kind: StreamKind::Subscription,
            }
        } else {
            Event::Cancelled {
                request_id: &exchange.id().to_json(),
                reason,
            }
        };
        self.service.witness(exchange.peer(), event);
    }

    fn stream_opened(&self, peer: &Peer, kind: StreamKind) {
        self.service.witness(peer, Event::StreamOpened { kind });
        // From here on, so that no change gets lost before the stream is read.
        let changes = self.changes.subscribe();
        self.tellers.begin(&self.service, peer, changes, true);
    }

    fn stream_closed(&self, peer: &Peer, kind: StreamKind) {
        if kind == StreamKind::Get {
            self.tellers.end(peer);
        }
        self.service.witness(peer, Event::StreamClosed { kind });
    }
}

impl<S: Service> Answering<S> {
    /// The refusal as the reply, witnessed.
    pub(super) fn refuse(&self, exchange: &Exchange, refusal: Refusal) -> Reply {
        let event = Event::Refused {
            request_id: Some(&exchange.id().to_json()),
            code: refusal.code,
            message: &refusal.message,
        };
        self.service.witness(exchange.peer(), event);
        refusal.into()
    }

    fn initialize(&self, peer: &Peer, params: Option<Value<'_>>) -> Reply {
        let asked = params.and_then(|params| params.get("protocolVersion"));
        let asked = asked.and_then(Value::as_str);
        let asked = asked.as_deref();
        let agreed = version::LEGACY
            .into_iter()
            .find(|version| asked == Some(version))
            .unwrap_or(version::LATEST_LEGACY);
        let peer = peer.with_version(agreed);
        self.service
            .witness(&peer, Event::Initialized { asked, agreed });
        Reply::Result(reply::initialized(&self.service.identity(), agreed))
    }

    async fn list(&self, exchange: &Exchange, params: Option<Value<'_>>) -> Reply {
        let peer = exchange.peer();
        let cursor = params.and_then(|params| params.get("cursor"));
        let text = cursor.map(|cursor| cursor.as_str().unwrap_or(Cow::Borrowed(cursor.raw())));
        let event = Event::Listed {
            request_id: &exchange.id().to_json(),
            cursor: text.as_deref(),
        };
        self.service.witness(peer, event);
        if cursor.is_some() {
            let reason = "this cursor was never given out: there is one page";
            return self.refuse(exchange, Refusal::invalid_params(reason));
        }
        let tools = self.service.list(peer).await;
        let era = peer.era().unwrap_or(Era::Legacy);
        Reply::Result(reply::listed(&self.service.identity(), &tools, era))
    }

    /// Tells a subscription of changes until it is cancelled.
    async fn listen(&self, exchange: &Exchange, params: Option<Value<'_>>) -> Reply {
        let filter = params.and_then(|params| params.get("notifications"));
        let Some(filter) = filter.filter(|filter| filter.is_object()) else {
            let reason = "`notifications` is missing or no object";
            return self.refuse(exchange, Refusal::invalid_params(reason));
        };
        let tools = filter.get("toolsListChanged").and_then(Value::as_bool);
        let tools = tools.unwrap_or(false);
        // From here on, so that no change gets lost before the stream is open.
        let mut changes: Listener = self.changes.subscribe();
        let (peer, id) = (exchange.peer(), exchange.id());
        let kind = StreamKind::Subscription;
        self.service.witness(peer, Event::StreamOpened { kind });
        let acknowledged = reply::acknowledged(id, tools);
        let mut told = exchange.notify(ACKNOWLEDGED, Some(&acknowledged)).await;
        while told.is_ok() && tools {
            changes.changed().await;
            let event = Event::Notified {
                method: TOOLS_CHANGED,
            };
            self.service.witness(peer, event);
            let params = reply::subscribed(id);
            told = exchange.notify(TOOLS_CHANGED, Some(&params)).await;
        }
        // It has no answer; whoever has gone cancels it.
        std::future::pending().await
    }
}
