//! How a conversation with a server behind a URL begins and ends.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use sayso_mcp::upstream::{Introduction, Upstream, UpstreamOptions};
use sayso_mcp::{EraChoice, HttpTarget, Target};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::{PATIENCE, Recorder, open, told_of};

/// What a server does with the request for its own stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    /// It opens one, after a while.
    Late,
    /// It has none, and says so after a while.
    None,
    /// It never says anything.
    Silent,
}

/// A server that asks the client something on its own stream as soon as it is called, and drops
/// what it cannot deliver; or one of the modern era that refuses a version first.
struct Script {
    stream: Stream,
    /// How often the version is refused.
    refusals: usize,
    open: Mutex<Option<mpsc::Sender<Bytes>>>,
    seen: Mutex<Vec<String>>,
    replied: watch::Sender<bool>,
    deleted: watch::Sender<bool>,
}

impl Script {
    fn log(&self) -> String {
        self.seen.lock().unwrap().join("\n")
    }

    fn note(&self, line: &str) {
        self.seen.lock().unwrap().push(line.to_owned());
    }
}

async fn serve(stream: Stream, refusals: usize) -> (Arc<Script>, Target) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let script = Arc::new(Script {
        stream,
        refusals,
        open: Mutex::default(),
        seen: Mutex::default(),
        replied: watch::Sender::new(false),
        deleted: watch::Sender::new(false),
    });
    let router = Router::new()
        .route("/mcp", any(answer))
        .with_state(Arc::clone(&script));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (script, Target::Http(HttpTarget::new(&url).unwrap()))
}

async fn answer(
    State(script): State<Arc<Script>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if method == Method::GET {
        return own_stream(&script).await;
    }
    if method == Method::DELETE {
        let session = headers.get("mcp-session-id").unwrap().to_str().unwrap();
        script.note(&format!("DELETE {session}"));
        script.deleted.send_replace(true);
        return StatusCode::NO_CONTENT.into_response();
    }
    let message: Value = serde_json::from_slice(&body).unwrap();
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        script.note("the answer");
        script.replied.send_replace(true);
        return StatusCode::ACCEPTED.into_response();
    };
    script.note(method);
    match method {
        "initialize" => {
            let version = message.pointer("/params/protocolVersion").unwrap();
            let result = json!({ "protocolVersion": version, "capabilities": { "tools": {} } });
            let mut response = result_of(&message, &result);
            let session = "s-1".parse().unwrap();
            response.headers_mut().insert("mcp-session-id", session);
            response
        }
        "server/discover" => discover(&script, &message),
        "tools/call" => ask(&script, &message).await,
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

async fn own_stream(script: &Script) -> Response {
    script.note("GET");
    if script.stream == Stream::Silent {
        return std::future::pending().await;
    }
    // As long as a call takes that is not held back.
    sleep(Duration::from_millis(100)).await;
    script.note("GET is answered");
    if script.stream == Stream::None {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let (sender, receiver) = mpsc::channel::<Bytes>(8);
    *script.open.lock().unwrap() = Some(sender);
    let chunks = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let chunk = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(chunk), receiver))
    });
    let body = Body::from_stream(chunks);
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Asks on the server's own stream, and waits for the answer if that is open.
async fn ask(script: &Script, call: &Value) -> Response {
    let open = script.open.lock().unwrap().clone();
    let said = match open {
        Some(stream) => {
            let question = json!({ "jsonrpc": "2.0", "id": "e", "method": "elicitation/create", "params": {} });
            let event = format!("data: {question}\n\n");
            stream.send(event.into()).await.unwrap();
            let mut replied = script.replied.subscribe();
            replied.wait_for(|replied| *replied).await.unwrap();
            "answered"
        }
        None => "nobody to ask",
    };
    result_of(
        call,
        &json!({ "content": [{ "type": "text", "text": said }] }),
    )
}

fn discover(script: &Script, message: &Value) -> Response {
    let asked = script.log().matches("server/discover").count();
    if asked <= script.refusals {
        let error = json!({
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": { "supported": ["2026-07-28"] },
        });
        let body = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
        let headers = [(header::CONTENT_TYPE, "application/json")];
        return (StatusCode::BAD_REQUEST, headers, body.to_string()).into_response();
    }
    let result = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {} },
    });
    result_of(message, &result)
}

fn result_of(message: &Value, result: &Value) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (headers, body.to_string()).into_response()
}

#[tokio::test]
async fn nothing_is_sent_before_the_servers_own_stream_is_answered() {
    let (script, target) = serve(Stream::Late, 0).await;
    let (upstream, recorder) = open(&target, EraChoice::Legacy).await;
    let answered = told_of(&upstream, "ask", EraChoice::Legacy).await;
    assert_eq!(answered, "answered: answered");
    assert_eq!(recorder.heard(), "None asks elicitation/create");
    insta::assert_snapshot!(script.log(), @"
    initialize
    notifications/initialized
    GET
    GET is answered
    tools/call
    the answer
    ");
}

#[tokio::test]
async fn a_server_without_a_stream_of_its_own_is_not_waited_for() {
    for (stream, answered) in [(Stream::None, true), (Stream::Silent, false)] {
        let (script, target) = serve(stream, 0).await;
        let (upstream, _) = open(&target, EraChoice::Legacy).await;
        let told = told_of(&upstream, "ask", EraChoice::Legacy).await;
        assert_eq!(told, "answered: nobody to ask");
        let log = script.log();
        assert_eq!(log.contains("GET is answered"), answered, "{log}");
        assert!(log.ends_with("tools/call"), "{log}");
    }
}

#[tokio::test]
async fn a_conversation_that_is_dropped_ends_its_session() {
    let (script, target) = serve(Stream::Late, 0).await;
    let (upstream, _) = open(&target, EraChoice::Legacy).await;
    drop(upstream);
    let mut deleted = script.deleted.subscribe();
    let deleted = timeout(PATIENCE, deleted.wait_for(|deleted| *deleted));
    deleted.await.unwrap().unwrap();
    assert!(script.log().ends_with("DELETE s-1"), "{}", script.log());
}

#[tokio::test]
async fn closing_ends_the_session_once() {
    let (script, target) = serve(Stream::None, 0).await;
    let (upstream, _) = open(&target, EraChoice::Legacy).await;
    upstream.close(PATIENCE).await;
    assert!(*script.deleted.borrow());
    upstream.close(PATIENCE).await;
    drop(upstream);
    // Time for another one, if it came.
    sleep(Duration::from_millis(50)).await;
    assert_eq!(script.log().matches("DELETE").count(), 1);
}

#[tokio::test]
async fn a_server_that_refuses_a_version_it_has_is_asked_once_more() {
    let (script, target) = serve(Stream::None, 1).await;
    let (upstream, _) = open(&target, EraChoice::Modern).await;
    assert_eq!(upstream.protocol_version(), "2026-07-28");
    insta::assert_snapshot!(script.log(), @"
    server/discover
    server/discover
    ");
}

#[tokio::test]
async fn a_server_that_goes_on_refusing_is_not_asked_again() {
    let (script, target) = serve(Stream::None, 9).await;
    let introduction = Introduction {
        era: EraChoice::Modern,
        ..Introduction::default()
    };
    let options = UpstreamOptions::default();
    let recorder = Arc::new(Recorder::default());
    let opened = Upstream::open(&target, &introduction, &options, recorder).await;
    let error = opened.unwrap_err().to_string();
    let (_, said) = error.split_once(": ").unwrap();
    insta::assert_snapshot!(said, @"the server refused `server/discover`: Unsupported protocol version (-32022)");
    assert_eq!(script.log().matches("server/discover").count(), 2);
}
