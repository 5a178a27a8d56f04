//! With a server behind a URL.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::future::join_all;
use sayso_mcp::upstream::{Introduction, Outbound, Upstream, UpstreamOptions};
use sayso_mcp::{EraChoice, HttpTarget, Target};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::{PATIENCE, Recorder, SHORT, call, key, open, open_with, params, told, told_of};
use crate::http_server::HttpServer;

const ERAS: [(&str, EraChoice); 2] = [
    ("calls", EraChoice::Legacy),
    ("calls-modern", EraChoice::Modern),
];

fn target(url: &str) -> Target {
    Target::Http(HttpTarget::new(url).unwrap())
}

#[tokio::test]
async fn either_era_is_found_out() {
    let server = HttpServer::start().await;
    for (path, version) in [
        ("plain", "2025-06-18"),
        ("session", "2025-06-18"),
        ("sse", "2025-06-18"),
        ("modern", "2026-07-28"),
        ("modern-headers", "2026-07-28"),
        ("dual", "2025-06-18"),
    ] {
        let (upstream, _) = open(&target(&server.url(path)), EraChoice::Auto).await;
        assert_eq!(upstream.protocol_version(), version, "{path}");
        upstream.close(PATIENCE).await;
    }
}

#[tokio::test]
async fn every_kind_of_answer() {
    for (path, era) in ERAS {
        let server = HttpServer::start().await;
        let (upstream, _) = open(&target(&server.url(path)), era).await;
        let mut lines = Vec::new();
        for tool in ["echo", "refuse", "forbid", "down", "page"] {
            lines.push(told_of(&upstream, tool, era).await);
        }
        let broken = told_of(&upstream, "die", era).await;
        // Where it broke is chance.
        lines.extend(broken.rsplit_once(':').map(|(what, _)| what.to_owned()));
        insta::allow_duplicates! {
            insta::assert_snapshot!(lines.join("\n"), @"
            answered: none
            error: unknown tool: refuse (-32602)
            rejected with 403: the server does not allow this request (403): Forbidden
            rejected with 503: the server answered 503 Service Unavailable: Error 503 really really really really really really really really really really really really really really really really really really really really really rea…
            Malformed: the server answered with text/plain instead of JSON or an event stream
            ConnectionLost: the connection broke
            ");
        }
        assert!(!upstream.is_closed());
    }
}

#[tokio::test]
async fn headers_say_what_stands_in_a_modern_request() {
    let server = HttpServer::start().await;
    let (upstream, _) = open(&target(&server.url("calls-modern")), EraChoice::Modern).await;
    let params = params("größe", EraChoice::Modern);
    let headers = [("Mcp-Param-Region".to_owned(), "eu north".to_owned())];
    let outbound = Outbound {
        name: Some("größe"),
        parameter_headers: &headers,
        ..Outbound::new(key(), "tools/call", Some(&params))
    };
    upstream.request(outbound).await.unwrap();
    let seen = server.seen();
    let seen = seen.last().unwrap();
    let header = |name| seen.header(name).unwrap_or("none");
    insta::assert_snapshot!(
        ["mcp-method", "mcp-name", "mcp-param-region", "mcp-protocol-version", "mcp-session-id", "accept", "content-type"].map(header).join("\n"),
        @"
    tools/call
    =?base64?Z3LDtsOfZQ==?=
    eu north
    2026-07-28
    none
    application/json, text/event-stream
    application/json
    "
    );
}

#[tokio::test]
async fn a_request_of_the_server_is_answered_while_a_call_runs() {
    let server = HttpServer::start().await;
    let (upstream, recorder) = open(&target(&server.url("calls")), EraChoice::Legacy).await;
    // On the stream of the call, or on the server's own if that is open by then.
    told_of(&upstream, "ask", EraChoice::Legacy).await;
    let heard = recorder.heard();
    assert!(heard.ends_with("asks elicitation/create"), "{heard}");
    let seen = server.seen();
    let reply = seen.iter().find(|seen| seen.body["id"] == "e").unwrap();
    insta::assert_snapshot!(reply.body, @r#"{"jsonrpc":"2.0","id":"e","result":{"action":"decline"}}"#);
}

#[tokio::test]
async fn a_legacy_server_speaks_on_a_stream_of_its_own() {
    let server = HttpServer::start().await;
    for path in ["calls", "calls-polling"] {
        let (upstream, recorder) = open(&target(&server.url(path)), EraChoice::Legacy).await;
        let listening = async {
            let get = format!("GET /{path}");
            while !server.log().contains(&get) {
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(PATIENCE, listening).await.unwrap();
        told_of(&upstream, "change", EraChoice::Legacy).await;
        recorder.waits_for("None {").await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(recorder.heard(), @r#"None {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
        }
    }
}

#[tokio::test]
async fn a_subscription_is_a_long_request() {
    let server = HttpServer::start().await;
    let (upstream, recorder) = open(&target(&server.url("calls-modern")), EraChoice::Modern).await;
    let listen = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"notifications":{"toolsListChanged":true}}"#;
    let outbound = Outbound::new(77_777, "subscriptions/listen", Some(listen));
    let calls = async {
        recorder.waits_for("acknowledged").await;
        told_of(&upstream, "change", EraChoice::Modern).await;
        recorder.waits_for("list_changed").await;
        told_of(&upstream, "hang-up", EraChoice::Modern).await
    };
    let (ended, _) = tokio::join!(upstream.request(outbound), calls);
    insta::assert_snapshot!(format!("{}\n{}", recorder.heard(), told(&ended)), @r#"
    Some(77777) {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"toolsListChanged":true}}}
    Some(77777) {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    ConnectionLost: the server closed the event stream before it answered
    "#);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_as_its_era_has_it() {
    for (path, era) in ERAS {
        let server = HttpServer::start().await;
        let (upstream, _) = open(&target(&server.url(path)), era).await;
        let params = params("hold", era);
        let late = call(&upstream, &params, SHORT).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(told(&late), @"TimedOut: the server opened an event stream and sent no answer to `tools/call` within 0.2 s");
        }
        let outbound = Outbound::new(key(), "tools/call", Some(&params));
        assert!(timeout(SHORT, upstream.request(outbound)).await.is_err());
        let quiet = Outbound {
            cancel_on_drop: false,
            ..outbound
        };
        assert!(timeout(SHORT, upstream.request(quiet)).await.is_err());
        let calls = server.calls();
        if era == EraChoice::Modern {
            calls.one_hung_up().await;
            assert!(calls.cancelled().is_empty());
        } else {
            let told = async {
                while calls.cancelled().len() < 2 {
                    sleep(Duration::from_millis(2)).await;
                }
            };
            timeout(PATIENCE, told).await.unwrap();
            assert_eq!(calls.cancelled(), [2, 3]);
        }
    }
}

#[tokio::test]
async fn a_stream_that_broke_off_is_resumed() {
    let server = HttpServer::start().await;
    let (upstream, _) = open(&target(&server.url("resume")), EraChoice::Legacy).await;
    let listed = upstream
        .request(Outbound::new(key(), "tools/list", None))
        .await
        .unwrap();
    assert!(listed.document().text().contains("read_note"));
    let resumed = server.seen();
    let resumed = resumed
        .iter()
        .filter_map(|seen| seen.header("last-event-id"));
    assert_eq!(resumed.collect::<Vec<_>>(), ["41"]);
}

#[tokio::test]
async fn nothing_listens_there() {
    // Free, and nobody else's for now.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let introduction = Introduction::default();
    let options = UpstreamOptions::default();
    let recorder = Arc::new(Recorder::default());
    let error = Upstream::open(&target(&url), &introduction, &options, recorder).await;
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("the connection was refused"), "{error}");
}

/// A server that is scripted here: a session, and tools that do what their names say.
#[derive(Default)]
struct Script {
    /// Whether sessions are known.
    forgets: watch::Sender<bool>,
    /// The calls that are gathered: where their answers go, and their ids.
    gathered: Mutex<Vec<(mpsc::Sender<Bytes>, Value)>>,
    deleted: watch::Sender<bool>,
    called: watch::Sender<usize>,
}

async fn scripted() -> (Arc<Script>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let script = Arc::new(Script::default());
    let router = Router::new()
        .route("/mcp", any(answer))
        .with_state(Arc::clone(&script));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (script, url)
}

async fn answer(
    State(script): State<Arc<Script>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if method == Method::DELETE {
        script.deleted.send_replace(true);
        return StatusCode::NO_CONTENT.into_response();
    }
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let message: Value = serde_json::from_slice(&body).unwrap();
    let id = &message["id"];
    if message["method"] == "initialize" {
        let version = &message["params"]["protocolVersion"];
        let result = json!({ "protocolVersion": version, "capabilities": { "tools": {} } });
        let mut response = json_of(id, &result);
        let session = "s-1".parse().unwrap();
        response.headers_mut().insert("mcp-session-id", session);
        return response;
    }
    if headers.get("mcp-session-id").is_none_or(|id| id != "s-1") || *script.forgets.borrow() {
        return StatusCode::NOT_FOUND.into_response();
    }
    if id.is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    script.called.send_modify(|count| *count += 1);
    let params = &message["params"];
    match params["name"].as_str().unwrap_or_default() {
        "gather" => script.gather(id, params["arguments"]["of"].as_u64()),
        "huge" => text(id, &"x".repeat(17 << 20)),
        "huge-event" => stream_of(format!("data: {}\n\n", "x".repeat(17 << 20))),
        "noisy" => {
            let answer = body_of(id, &content("heard"));
            stream_of(format!(
                ": hello\n\ndata: not json\n\ndata: {{\"level\":\"info\"}}\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{{}}}}\n\nevent: other\ndata: x\n\ndata: {answer}\n\n"
            ))
        }
        "progress" => {
            let (sender, response) = fed();
            let token = params["_meta"]["progressToken"].clone();
            let answer = body_of(id, &content("done"));
            tokio::spawn(async move {
                for step in 1..=6 {
                    let params = json!({ "progressToken": token, "progress": step });
                    let told = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
                    let _ = sender.send(format!("data: {told}\n\n").into()).await;
                    sleep(Duration::from_millis(100)).await;
                }
                let _ = sender.send(format!("data: {answer}\n\n").into()).await;
            });
            response
        }
        "never" => std::future::pending().await,
        name => text(id, name),
    }
}

impl Script {
    /// Answers when there are so many, the last one first.
    fn gather(&self, id: &Value, of: Option<u64>) -> Response {
        let (sender, response) = fed();
        let mut gathered = self.gathered.lock().unwrap();
        gathered.push((sender, id.clone()));
        if Some(gathered.len() as u64) == of {
            for (sender, id) in gathered.drain(..).rev() {
                let answer = body_of(&id, &content(&id.to_string()));
                sender
                    .try_send(format!("data: {answer}\n\n").into())
                    .unwrap();
            }
        }
        response
    }
}

fn content(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn body_of(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

fn json_of(id: &Value, result: &Value) -> Response {
    (
        [(header::CONTENT_TYPE, "application/json")],
        body_of(id, result),
    )
        .into_response()
}

fn text(id: &Value, text: &str) -> Response {
    json_of(id, &content(text))
}

fn stream_of(events: String) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], events).into_response()
}

/// An event stream that is fed from outside and ends with its sender.
fn fed() -> (mpsc::Sender<Bytes>, Response) {
    let (sender, receiver) = mpsc::channel::<Bytes>(8);
    let chunks = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let chunk = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(chunk), receiver))
    });
    let body = Body::from_stream(chunks);
    let response = ([(header::CONTENT_TYPE, "text/event-stream")], body);
    (sender, response.into_response())
}

#[tokio::test]
async fn a_thousand_calls_are_answered_in_reverse_order() {
    let (_, url) = scripted().await;
    let (upstream, _) = open(&target(&url), EraChoice::Legacy).await;
    let calls = (0..1000).map(|_| {
        let upstream = upstream.clone();
        async move {
            let params = r#"{"name":"gather","arguments":{"of":1000}}"#;
            let answer = call(&upstream, params, PATIENCE).await;
            let id = match answer.as_ref().unwrap().kind() {
                sayso_mcp::jsonrpc::MessageKind::Response { id } => id.to_json(),
                other => format!("{other:?}"),
            };
            assert_eq!(told(&answer), format!("answered: {id}"));
        }
    });
    join_all(calls).await;
}

#[tokio::test]
async fn what_cannot_be_read_fails_its_own_call_only() {
    let (_, url) = scripted().await;
    let (upstream, _) = open(&target(&url), EraChoice::Legacy).await;
    let mut lines = Vec::new();
    for tool in ["noisy", "huge", "huge-event", "echo"] {
        let line = told_of(&upstream, tool, EraChoice::Legacy).await;
        lines.push(format!("{tool}: {line}"));
    }
    let observed = upstream.observations();
    let observed: Vec<_> = observed
        .iter()
        .map(|observation| (observation.kind, observation.count))
        .collect();
    lines.push(format!("{observed:?}"));
    insta::assert_snapshot!(lines.join("\n"), @"
    noisy: answered: heard
    huge: Malformed: a message of more than 16777216 bytes
    huge-event: Malformed: a message of more than 16777216 bytes
    echo: answered: echo
    [(NotJson, 1), (NotJsonRpc, 1), (UnknownId, 1)]
    ");
}

#[tokio::test]
async fn progress_gives_a_call_more_time() {
    let (_, url) = scripted().await;
    let (upstream, recorder) = open(&target(&url), EraChoice::Legacy).await;
    let params = r#"{"_meta":{"progressToken":"t"},"name":"progress","arguments":{}}"#;
    let outbound = |key, keep_alive_on_progress| Outbound {
        deadline: Some(Instant::now() + Duration::from_millis(300)),
        keep_alive_on_progress,
        ..Outbound::new(key, "tools/call", Some(params))
    };
    let kept = upstream.request(outbound(5, true)).await;
    assert_eq!(told(&kept), "answered: done");
    assert_eq!(recorder.heard().matches("Some(5) {").count(), 6);
    let late = told(&upstream.request(outbound(6, false)).await);
    assert!(late.starts_with("TimedOut"), "{late}");
}

#[tokio::test]
async fn a_session_that_is_over_is_told_from_everything_else() {
    let (script, url) = scripted().await;
    let (upstream, recorder) = open(&target(&url), EraChoice::Legacy).await;
    assert_eq!(
        told_of(&upstream, "echo", EraChoice::Legacy).await,
        "answered: echo"
    );
    script.forgets.send_replace(true);
    let mut lines = Vec::new();
    for _ in 0..2 {
        lines.push(told_of(&upstream, "echo", EraChoice::Legacy).await);
    }
    lines.push(format!("{:?}", upstream.closed().await));
    lines.push(recorder.heard());
    insta::assert_snapshot!(lines.join("\n"), @"
    not sent (session over): the server has ended the session (404)
    not sent (session over): the server has ended the session (404)
    SessionOver
    closed: the server has ended the session
    ");
    assert_eq!(*script.called.borrow(), 1);
    // There is no session to end any more.
    upstream.close(PATIENCE).await;
    assert!(!*script.deleted.borrow());
}

#[tokio::test]
async fn closing_ends_the_session_and_what_still_runs() {
    let (script, url) = scripted().await;
    let options = UpstreamOptions::default();
    let (upstream, _) = open_with(
        &target(&url),
        EraChoice::Legacy,
        options,
        Recorder::default(),
    )
    .await;
    let running = call(&upstream, r#"{"name":"never"}"#, PATIENCE);
    let closing = async {
        let mut called = script.called.subscribe();
        called.wait_for(|count| *count == 1).await.unwrap();
        upstream.close(PATIENCE).await
    };
    let (running, _) = tokio::join!(running, closing);
    let after = told_of(&upstream, "echo", EraChoice::Legacy).await;
    insta::assert_snapshot!([told(&running), after].join("\n"), @"
    ConnectionLost: the conversation was closed
    not sent: the conversation was closed
    ");
    assert!(*script.deleted.borrow());
}

/// Answers one request after another on each connection, and closes a connection when it is told
/// to, without a word.
async fn raw(listener: TcpListener, close: watch::Sender<usize>) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut close = close.subscribe();
        close.mark_unchanged();
        tokio::spawn(async move {
            let mut buffer = vec![0; 64 << 10];
            loop {
                let count = tokio::select! {
                    read = stream.read(&mut buffer) => read.unwrap_or(0),
                    _ = close.changed() => 0,
                };
                let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    return;
                };
                if body.contains("hang up") {
                    return;
                }
                let message: Value = serde_json::from_str(body).unwrap_or_default();
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({ "protocolVersion": "2025-11-25", "capabilities": {} })
                    }
                    _ => content("echo"),
                };
                let (status, body) = match (head.starts_with("POST"), &message["id"]) {
                    (true, Value::Null) => ("202 Accepted", String::new()),
                    (true, id) => ("200 OK", body_of(id, &result)),
                    (false, _) => ("405 Method Not Allowed", String::new()),
                };
                let response = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(response.as_bytes()).await.unwrap();
            }
        });
    }
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_meanwhile_loses_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let close = watch::Sender::new(0);
    let serving = tokio::spawn(raw(listener, close.clone()));
    let (upstream, _) = open(&target(&url), EraChoice::Legacy).await;
    for round in 1..=3 {
        assert_eq!(
            told_of(&upstream, "echo", EraChoice::Legacy).await,
            "answered: echo"
        );
        close.send_replace(round);
        // Until the end has arrived.
        sleep(Duration::from_millis(50)).await;
    }
    let lost = told_of(&upstream, "hang up", EraChoice::Legacy).await;
    insta::assert_snapshot!(lost, @"ConnectionLost: the connection broke: connection closed before message completed");
    serving.abort();
    // The listener goes, and the connections it made.
    let _ = serving.await;
    close.send_replace(9);
    sleep(Duration::from_millis(50)).await;
    let refused = told_of(&upstream, "echo", EraChoice::Legacy).await;
    insta::assert_snapshot!(refused, @"not sent: the connection was refused");
}
