//! What hosts meet: whole messages over real pipes and HTTP, in both eras.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a fixture may panic"
)]

mod http;
#[cfg(unix)]
mod pipe;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_mcp::downstream::{
    Ending, Exchange, Gone, Handler, Peer, Refused, Reply, Request, StreamKind,
};
use sayso_mcp::jsonrpc::Message;
use tokio::sync::{Notify, watch};

/// Behaves as the methods are named, and remembers what it saw.
pub(crate) struct Actor {
    /// Lets every `wait` end.
    gate: Notify,
    seen: Mutex<Vec<String>>,
    news: watch::Sender<usize>,
    /// What it was asked last, to be used after its end.
    kept: Mutex<Option<Exchange>>,
    peer: Mutex<Option<Peer>>,
}

/// Says so when a request is dropped before its end.
struct Unfinished<'a>(&'a Actor, String);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.note(format!("dropped {}", self.1));
    }
}

impl Actor {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            gate: Notify::new(),
            seen: Mutex::default(),
            news: watch::Sender::new(0),
            kept: Mutex::default(),
            peer: Mutex::default(),
        })
    }

    fn note(&self, what: String) {
        self.seen.lock().unwrap().push(what);
        self.news.send_modify(|count| *count += 1);
    }

    fn seen(&self) -> String {
        self.seen.lock().unwrap().join("\n")
    }

    /// Waits until something was seen that contains this.
    async fn sees(&self, what: &str) {
        let mut news = self.news.subscribe();
        let seen = news.wait_for(|_| self.seen().contains(what));
        crate::serve_support::patiently(what, seen).await.unwrap();
    }

    fn kept(&self) -> Exchange {
        self.kept.lock().unwrap().clone().unwrap()
    }

    fn peer(&self) -> Peer {
        self.peer.lock().unwrap().clone().unwrap()
    }

    fn note_peer(&self, peer: &Peer, what: &str) {
        let era = peer.era().map(|era| era.to_string());
        let era = era.as_deref().unwrap_or("?");
        self.note(format!("{} {era}: {what}", peer.connection()));
    }
}

impl Handler for Actor {
    async fn request(&self, request: Request) -> Reply {
        let Request {
            peer,
            message,
            exchange,
            headers,
        } = request;
        self.note_peer(&peer, &format!("{} {}", exchange.method(), exchange.id()));
        *self.kept.lock().unwrap() = Some(exchange.clone());
        *self.peer.lock().unwrap() = Some(peer.clone());
        let params = message.params().map_or("null", |params| params.raw());
        let answer = |answer: Result<Message, _>| match answer {
            Ok(answer) => Reply::Result(format!(r#"{{"answer":{}}}"#, answer.document().text())),
            Err(error) => {
                let error: sayso_mcp::downstream::AskError = error;
                Reply::error(-1, error.to_string())
            }
        };
        match exchange.method() {
            "initialize" => {
                let version = match peer.protocol_version().unwrap_or_default() {
                    "slow" => {
                        self.gate.notified().await;
                        "2025-11-25"
                    }
                    "never" => return Reply::error(-32602, "no such version"),
                    asked => asked,
                };
                Reply::Result(format!(r#"{{"protocolVersion":"{version}"}}"#))
            }
            "echo" => Reply::Result(params.to_owned()),
            "headers" => Reply::Result(serde_json::to_string(&headers).unwrap()),
            "lines" => Reply::Result("{\n  \"a\":\r\n  \"b\\n\"\n}".to_owned()),
            "wait" => {
                self.gate.notified().await;
                Reply::Result("{}".to_owned())
            }
            "never" | "subscriptions/listen" => {
                let _unfinished = Unfinished(self, exchange.id().to_string());
                std::future::pending().await
            }
            "tell" => {
                let told = exchange
                    .notify("notifications/progress", Some(params))
                    .await;
                Reply::Result(format!(r#"{{"told":{}}}"#, told.is_ok()))
            }
            "ask" => {
                let asked = exchange.ask("roots/list", Some("{}"), Duration::from_secs(20));
                answer(asked.await)
            }
            "ask-briefly" => {
                let asked = exchange.ask("roots/list", None, Duration::from_millis(20));
                answer(asked.await)
            }
            "ask-aside" => {
                let asked = peer.ask("roots/list", None, Duration::from_secs(20));
                answer(asked.await)
            }
            "raw" => Reply::Raw(r#"{"code":-32000,"message":"no","x":1.0}"#.to_owned()),
            "unknown" => Reply::error(-32601, "there is no such method"),
            "incapable" => Reply::error(-32021, "a capability is missing"),
            "break" => Reply::Nothing,
            other => Reply::error(-32601, format!("no {other}")),
        }
    }

    fn notification(&self, peer: &Peer, message: Message) {
        self.note_peer(peer, message.document().text());
    }

    fn connected(&self, peer: &Peer) {
        self.note_peer(peer, "connected");
    }

    fn disconnected(&self, peer: &Peer, ending: Ending) {
        self.note_peer(peer, &format!("disconnected: {ending}"));
    }

    fn refused(&self, peer: Option<&Peer>, refused: &Refused) {
        let id = refused.id.as_ref().map(ToString::to_string);
        let connection = peer.map(Peer::connection);
        self.note(format!("{connection:?} refused {id:?}: {}", refused.what));
    }

    fn cancelled(&self, exchange: &Exchange, reason: Option<&str>) {
        self.note(format!("cancelled {}: {reason:?}", exchange.id()));
    }

    fn stream_opened(&self, peer: &Peer, kind: StreamKind) {
        self.note_peer(peer, &format!("{kind} opened"));
    }

    fn stream_closed(&self, peer: &Peer, kind: StreamKind) {
        self.note_peer(peer, &format!("{kind} closed"));
    }
}

/// Whoever keeps an exchange past its end can do nothing with it.
async fn assert_over(exchange: &Exchange) {
    assert!(exchange.is_closed());
    exchange.closed().await;
    assert_eq!(
        exchange.notify("notifications/progress", None).await,
        Err(Gone)
    );
    let asked = exchange.ask("ping", None, Duration::from_secs(20)).await;
    assert!(asked.is_err(), "{asked:?}");
}
