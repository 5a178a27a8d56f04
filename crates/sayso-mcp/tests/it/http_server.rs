//! An HTTP server on a loopback port, well- and ill-behaved by path.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a fixture may panic"
)]

mod calls;
mod trouble;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use self::trouble::{refusal, trouble};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A running server; it ends with the runtime of the test.
pub(crate) struct HttpServer {
    pub(crate) base: String,
    state: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Vec<Seen>>,
    /// Where answers go for an HTTP+SSE client, and for a server request that waits for its answer.
    stream: Mutex<Option<mpsc::Sender<Bytes>>>,
    pong: watch::Sender<bool>,
    calls: calls::Calls,
}

impl HttpServer {
    pub(crate) async fn start() -> Self {
        Self::start_on("127.0.0.1:0").await.unwrap()
    }

    /// On this address, if the machine has it.
    pub(crate) async fn start_on(address: &str) -> Option<Self> {
        let listener = TcpListener::bind(address).await.ok()?;
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Shared::default());
        let router = router(Arc::clone(&state));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Some(Self { base, state })
    }

    /// All paths, to be served by someone else.
    pub(crate) fn router() -> Router {
        router(Arc::new(Shared::default()))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// What the tools of `/calls` and its like have seen.
    pub(crate) fn calls(&self) -> &calls::Calls {
        &self.state.calls
    }

    /// Everything that was asked, in the order it arrived.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    /// One line for each request: the HTTP method, the path and the message's method.
    pub(crate) fn log(&self) -> String {
        let lines = self.seen().into_iter().map(|seen| {
            let message = match (&seen.body["method"], &seen.body["id"]) {
                (Value::String(method), _) => method.clone(),
                (_, Value::Null) => String::new(),
                (_, id) => format!("answer to {id}"),
            };
            format!("{} {} {message}", seen.method, seen.uri)
                .trim_end()
                .to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn router(state: Arc<Shared>) -> Router {
    Router::new()
        .route("/{behaviour}", any(behave))
        .route("/{behaviour}/", any(behave))
        .route("/{behaviour}/messages", any(behave_below))
        .with_state(state)
}

/// The tools of every well-behaved path.
pub(crate) fn tools() -> Value {
    json!([
        { "name": "read_note", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } },
        { "name": "drop_note", "inputSchema": { "type": "object" }, "annotations": { "destructiveHint": null } },
    ])
}

/// What a server up to 2025-11-25 answers; `None` for what is no request.
fn legacy(message: &Value) -> Option<Value> {
    let id = message
        .get("id")
        .filter(|_| message.get("method").is_some())?;
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "fixture", "version": "1.2.3" },
        }),
        "tools/list" => json!({ "tools": tools() }),
        "ping" => json!({}),
        _ => {
            let error = json!({ "code": -32601, "message": "Method not found" });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

/// What a server of 2026-07-28 answers, and with which status.
fn modern(seen: &Seen) -> (StatusCode, Value) {
    let message = &seen.body;
    let id = &message["id"];
    let refused = |code: i64, text: &str, data: Value| {
        let error = json!({ "code": code, "message": text, "data": data });
        (
            StatusCode::BAD_REQUEST,
            json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        )
    };
    let version = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion");
    if seen.header("mcp-method").is_none() && seen.uri.path() == "/modern-headers" {
        return refused(-32020, "Header mismatch", Value::Null);
    }
    if version != Some(&json!("2026-07-28")) {
        return refused(
            -32022,
            "Unsupported protocol version",
            json!({ "supported": ["2026-07-28"] }),
        );
    }
    let headers = (
        seen.header("mcp-protocol-version"),
        seen.header("mcp-method"),
    );
    if headers != (Some("2026-07-28"), message["method"].as_str())
        || seen.header("mcp-session-id").is_some()
    {
        return refused(-32020, "Header mismatch", Value::Null);
    }
    let result = match message["method"].as_str() {
        Some("server/discover") => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "2.0.0" } },
        }),
        Some("tools/list") => {
            json!({ "resultType": "complete", "tools": tools(), "ttlMs": 0, "cacheScope": "private" })
        }
        _ => {
            let error = json!({ "code": -32601, "message": "Method not found" });
            return (
                StatusCode::NOT_FOUND,
                json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            );
        }
    };
    (
        StatusCode::OK,
        json!({ "jsonrpc": "2.0", "id": id, "result": result }),
    )
}

async fn behave(
    State(shared): State<Arc<Shared>>,
    Path(behaviour): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let seen = shared.note(method.clone(), uri, headers, &body);
    if let Some(status) = behaviour.strip_prefix("status-") {
        return refusal(status.parse().unwrap());
    }
    if behaviour.starts_with("calls") {
        return calls::behave(&shared, &behaviour, &seen);
    }
    if method == Method::GET {
        return get(&shared, &behaviour, &seen);
    }
    if method == Method::DELETE {
        return if behaviour == "session" {
            StatusCode::NO_CONTENT
        } else {
            StatusCode::METHOD_NOT_ALLOWED
        }
        .into_response();
    }
    if let Some(response) = trouble(&behaviour, &seen).await {
        return response;
    }
    match behaviour.as_str() {
        "modern" | "modern-headers" => modern(&seen).into_json(),
        "dual" if seen.header("mcp-protocol-version") == Some("2026-07-28") => {
            modern(&seen).into_json()
        }
        "old" | "old-foreign" | "old-silent" | "old-named" => {
            StatusCode::METHOD_NOT_ALLOWED.into_response()
        }
        "session" | "lost-session" => session(&seen),
        "ping" => ping(&shared, &seen),
        "resume" if seen.body["method"] == "tools/list" => {
            event_stream_of([b"id: 41\nretry: 1\ndata:\n\n".to_vec()])
        }
        "sse" | "resume" => match legacy(&seen.body) {
            Some(answer) => event_stream_of([event(&answer)]),
            None => StatusCode::ACCEPTED.into_response(),
        },
        _ => plain(&seen, legacy),
    }
}

/// A JSON answer to a request, 202 to anything else.
fn plain(seen: &Seen, answer: impl Fn(&Value) -> Option<Value>) -> Response {
    match answer(&seen.body) {
        Some(answer) => (StatusCode::OK, answer).into_json(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}

/// GET: the stream of HTTP+SSE, or the rest of a stream that broke off.
fn get(shared: &Arc<Shared>, behaviour: &str, seen: &Seen) -> Response {
    match behaviour {
        "old" | "old-named" => {
            let endpoint = match behaviour {
                "old" => "old/messages?session=1".to_owned(),
                _ => format!(
                    "http://{}/old/messages?session=1",
                    seen.header("host").unwrap()
                ),
            };
            let (sender, response) = event_stream();
            sender
                .try_send(Bytes::from(format!(
                    ": hello\n\nevent: endpoint\ndata: {endpoint}\n\n"
                )))
                .unwrap();
            *shared.stream.lock().unwrap() = Some(sender);
            response
        }
        "old-foreign" => event_stream_of([
            b"event: endpoint\ndata: http://127.0.0.1:9/messages?key=hush\n\n".to_vec(),
        ]),
        "old-silent" => event_stream_of([b": nothing to say\n\n".to_vec()]),
        "resume" if seen.header("last-event-id") == Some("41") => {
            let list = shared.last_message("tools/list");
            event_stream_of([event(&legacy(&list).unwrap())])
        }
        "html" => (
            StatusCode::OK,
            [(header::CONTENT_TYPE, "text/html")],
            "<html>",
        )
            .into_response(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// `POST /old/messages`, where HTTP+SSE takes its messages.
async fn behave_below(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let seen = shared.note(method, uri, headers, &body);
    if seen.uri.path().starts_with("/calls") {
        return calls::behave_below(&shared, &seen);
    }
    let sender = shared.stream.lock().unwrap().clone().unwrap();
    if let Some(answer) = legacy(&seen.body) {
        sender.send(event(&answer).into()).await.unwrap();
    }
    (StatusCode::ACCEPTED, "Accepted").into_response()
}

/// A session in the manner of 2025-06-18: its id and the version are due on every later request.
fn session(seen: &Seen) -> Response {
    if seen.body["method"] == "initialize" {
        let mut response = plain(seen, legacy);
        response
            .headers_mut()
            .insert("mcp-session-id", "s-1".parse().unwrap());
        return response;
    }
    match (
        seen.header("mcp-session-id"),
        seen.header("mcp-protocol-version"),
    ) {
        (Some("s-1"), Some("2025-06-18")) => plain(seen, legacy),
        (None, _) => StatusCode::BAD_REQUEST.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Before it lists its tools, the server asks something itself and waits for the answer.
fn ping(shared: &Arc<Shared>, seen: &Seen) -> Response {
    if seen.body["id"] == "p1" && seen.body.get("result").is_some() {
        shared.pong.send_replace(true);
    }
    let Some(answer) = legacy(&seen.body) else {
        return StatusCode::ACCEPTED.into_response();
    };
    if seen.body["method"] != "tools/list" {
        return (StatusCode::OK, answer).into_json();
    }
    let (sender, response) = event_stream();
    let mut pong = shared.pong.subscribe();
    tokio::spawn(async move {
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "hi" } });
        let request = json!({ "jsonrpc": "2.0", "id": "p1", "method": "ping" });
        sender.send(event(&notification).into()).await.unwrap();
        sender.send(event(&request).into()).await.unwrap();
        pong.wait_for(|pong| *pong).await.unwrap();
        sender.send(event(&answer).into()).await.unwrap();
    });
    response
}

fn event(message: &Value) -> Vec<u8> {
    format!("event: message\ndata: {message}\n\n").into_bytes()
}

/// An event stream that is fed from outside and ends with its sender.
fn event_stream() -> (mpsc::Sender<Bytes>, Response) {
    let (sender, body) = fed();
    (
        sender,
        ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response(),
    )
}

fn fed() -> (mpsc::Sender<Bytes>, Body) {
    let (sender, receiver) = mpsc::channel::<Bytes>(8);
    let chunks = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let chunk = receiver.recv().await?;
        Some((Ok::<_, Infallible>(chunk), receiver))
    });
    (sender, Body::from_stream(chunks))
}

fn event_stream_of<const N: usize>(events: [Vec<u8>; N]) -> Response {
    (
        [(header::CONTENT_TYPE, "text/event-stream")],
        events.concat(),
    )
        .into_response()
}

trait IntoJson {
    fn into_json(self) -> Response;
}

impl IntoJson for (StatusCode, Value) {
    fn into_json(self) -> Response {
        let content_type = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
        (self.0, content_type, self.1.to_string()).into_response()
    }
}

impl Shared {
    fn note(&self, method: Method, uri: Uri, headers: HeaderMap, body: &[u8]) -> Seen {
        let body = serde_json::from_slice(body).unwrap_or_default();
        let seen = Seen {
            method,
            uri,
            headers,
            body,
        };
        self.seen.lock().unwrap().push(seen.clone());
        seen
    }

    fn last_message(&self, method: &str) -> Value {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .rev()
            .find(|seen| seen.body["method"] == method)
            .unwrap()
            .body
            .clone()
    }
}
