//! What a host sends, by its method.

use std::sync::Arc;

use sayso_core::json::Value;
use sayso_mcp::downstream::{self, Ending, Era, Handler, Peer, Refused, Reply};
use sayso_mcp::jsonrpc::{Message, MessageKind, code};

use super::adapt::Kind;
use super::exchange::Exchange;
use super::logging::Level;
use super::method::could_be_taken_for_another;
use super::rounds::Rounded;
use super::session::ListKind;
use super::unknown::no_method;
use super::{Behind, Hosts, Inner, Judge, lists, prompts, resources};
use crate::refusal::ReasonCode;

impl<J: Judge> Handler for Hosts<J> {
    async fn request(&self, request: downstream::Request) -> Reply {
        Arc::clone(&self.0).answer(request).await
    }

    fn notification(&self, peer: &Peer, message: Message) {
        self.0.pass_notification(peer, &message);
    }

    fn disconnected(&self, peer: &Peer, _: Ending) {
        if let Some(open) = self.0.sessions.remove(peer.connection()) {
            self.0.release(&open.session);
        }
    }

    fn refused(&self, peer: Option<&Peer>, refused: &Refused) {
        let principal = peer.map_or("local", Peer::principal);
        let caller = self.0.judge.caller(principal);
        let session = peer.map(Peer::connection);
        // Nothing is wrong with what comes too late, or on top of too much.
        let reason = match refused.code {
            code::INTERNAL_ERROR if self.0.stopping.is_stopped() => ReasonCode::Stopping,
            code::INTERNAL_ERROR => ReasonCode::Overloaded,
            _ => ReasonCode::Malformed,
        };
        self.0
            .judge
            .refused(&caller, session, reason, &refused.what);
    }
}

impl<J: Judge> Inner<J> {
    async fn answer(self: Arc<Self>, request: downstream::Request) -> Reply {
        let MessageKind::Request { method, .. } = request.message.kind() else {
            return Reply::error(code::INVALID_REQUEST, "not a request");
        };
        let method = method.clone();
        match method.as_str() {
            "tools/call" => {
                let mut request = request;
                let headers = std::mem::take(&mut request.headers);
                return self.rounded(Rounded::Call(headers), request).await;
            }
            "prompts/get" => return self.rounded(Rounded::Get, request).await,
            "resources/read" => return self.rounded(Rounded::Read, request).await,
            "subscriptions/listen" if is_modern(&request) => return self.listen(request).await,
            _ => {}
        }
        let exchange = self.exchange(&request, None, None);
        let message = &request.message;
        match method.as_str() {
            "tools/list" => self.list_tools(&exchange, message).await,
            "tools/resolve" => match self.judge.resolve(&exchange, message).await {
                Reply::Result(result) => {
                    Reply::Result(self.own_result(result, Kind::Plain, &exchange))
                }
                other => other,
            },
            "prompts/list" => self.list(&exchange, prompts::LIST, message).await,
            "resources/list" => self.list(&exchange, resources::LIST, message).await,
            "resources/templates/list" => self.list(&exchange, resources::TEMPLATES, message).await,
            "completion/complete" => self.complete(&exchange, message).await,
            "tasks/get" | "tasks/cancel" => self.task(&exchange, &method, message).await,
            _ => match exchange.era() {
                Era::Legacy => self.answer_legacy(&exchange, &method, message).await,
                Era::Modern => self.answer_modern(&exchange, &method, message).await,
            },
        }
    }

    /// Methods that only the legacy era has.
    async fn answer_legacy(&self, exchange: &Exchange, method: &str, message: &Message) -> Reply {
        match method {
            "initialize" => {
                let params = message.params();
                let asked = params.and_then(|params| params.get("protocolVersion")?.as_str());
                self.initialize(asked.as_deref()).await
            }
            "ping" => Reply::Result("{}".to_owned()),
            "logging/setLevel" => set_level(exchange, message),
            "resources/subscribe" => self.subscribe(exchange, message).await,
            "resources/unsubscribe" => self.unsubscribe(exchange, message).await,
            "tasks/result" => self.task(exchange, method, message).await,
            "tasks/list" => self.list_tasks(exchange).await,
            "server/discover" | "subscriptions/listen" => no_method(method),
            _ => self.pass_unknown(exchange, method, message).await,
        }
    }

    /// Methods that only the modern era has.
    async fn answer_modern(&self, exchange: &Exchange, method: &str, message: &Message) -> Reply {
        match method {
            "server/discover" => self.discover(exchange).await,
            "tasks/update" => self.task(exchange, method, message).await,
            "initialize"
            | "ping"
            | "logging/setLevel"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "tasks/result"
            | "tasks/list" => no_method(method),
            _ => self.pass_unknown(exchange, method, message).await,
        }
    }

    async fn list_tools(&self, exchange: &Exchange, message: &Message) -> Reply {
        let cursor = message.params().and_then(|params| params.get("cursor"));
        if cursor.is_some_and(|cursor| !cursor.is_null()) {
            let reason = "this cursor was never given out: there is one page";
            return Reply::error(code::INVALID_PARAMS, reason);
        }
        match self.judge.list(exchange).await {
            Reply::Result(list) => {
                // A modern host hears of changes on a stream of its own.
                if exchange.era() == Era::Legacy {
                    exchange.session().tell(ListKind::Tools, lists::hash(&list));
                }
                Reply::Result(self.own_result(list, Kind::Cacheable, exchange))
            }
            other => other,
        }
    }

    /// Passes on a notification that is not about the host's connection to the gate.
    fn pass_notification(self: &Arc<Self>, peer: &Peer, message: &Message) {
        let MessageKind::Notification { method } = message.kind() else {
            return;
        };
        // Of a request that is over already, or of the handshake with the gate.
        if matches!(
            method.as_str(),
            "notifications/initialized" | "notifications/cancelled"
        ) {
            return;
        }
        let session = self.open(peer).session.id();
        if could_be_taken_for_another(method) {
            let shown = sayso_core::reveal::reveal_line(method);
            let what = format!("`{shown}` as a notification, which nobody would answer");
            let caller = self.judge.caller(peer.principal());
            self.judge
                .refused(&caller, Some(session), ReasonCode::Malformed, &what);
            return;
        }
        let hosts = Arc::clone(self);
        let method = method.clone();
        let params = message.params().map(|params| params.raw().to_owned());
        tokio::spawn(async move {
            for server in hosts.judge.servers() {
                server.notify(session, &method, params.as_deref()).await;
            }
        });
    }
}

fn is_modern(request: &downstream::Request) -> bool {
    request.peer.era() == Some(Era::Modern)
}

/// `logging/setLevel`. Servers are told with the next request that reaches them.
fn set_level(exchange: &Exchange, message: &Message) -> Reply {
    let level = message.params().and_then(|params| params.get("level"));
    let level = level.and_then(Value::as_str);
    match level.as_deref().and_then(Level::read) {
        Some(level) => {
            exchange.session().set_log_level(level);
            Reply::Result("{}".to_owned())
        }
        None => Reply::error(
            code::INVALID_PARAMS,
            "`level` is none of debug, info, notice, warning, error, critical, alert, emergency",
        ),
    }
}
