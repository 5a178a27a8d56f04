//! A server whose tools do what their names say, in either era and over either HTTP transport.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a fixture may panic"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::trouble::{broken_off, refusal};
use super::{IntoJson, Seen, Shared, event, event_stream, event_stream_of, legacy, modern};

/// What the tools have seen and done.
#[derive(Default)]
pub(crate) struct Calls {
    changes: watch::Sender<usize>,
    released: watch::Sender<usize>,
    /// How many held calls saw their stream closed.
    hung_up: watch::Sender<usize>,
    /// The ids of cancelled requests.
    cancelled: watch::Sender<Vec<Value>>,
    /// What the client answered to the server's own question.
    replied: watch::Sender<Option<Value>>,
    /// Where unasked messages go, and the subscription they are for.
    stream: Mutex<Option<(mpsc::Sender<Bytes>, Value)>>,
}

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(20);

impl Calls {
    /// Waits until a client has closed the stream of a held call.
    pub(crate) async fn one_hung_up(&self) {
        let mut hung_up = self.hung_up.subscribe();
        let waited = tokio::time::timeout(PATIENCE, hung_up.wait_for(|count| *count > 0));
        waited.await.unwrap().unwrap();
    }

    /// How many held calls saw their stream closed so far.
    pub(crate) fn hung_up(&self) -> usize {
        *self.hung_up.borrow()
    }

    /// Waits until a client has cancelled something, and says what.
    pub(crate) async fn one_cancelled(&self) -> Vec<Value> {
        let mut cancelled = self.cancelled.subscribe();
        let waited = tokio::time::timeout(PATIENCE, cancelled.wait_for(|ids| !ids.is_empty()));
        waited.await.unwrap().unwrap().clone()
    }

    /// What was cancelled so far.
    pub(crate) fn cancelled(&self) -> Vec<Value> {
        self.cancelled.borrow().clone()
    }

    /// Tells something unasked, if anybody listens.
    fn tell(&self, method: &str) {
        let stream = self.stream.lock().unwrap();
        let Some((sender, subscription)) = stream.as_ref() else {
            return;
        };
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !subscription.is_null() {
            message["params"] =
                json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": subscription } });
        }
        sender.try_send(event(&message).into()).unwrap();
    }

    fn listen(&self, subscription: Value) -> Response {
        let (sender, response) = event_stream();
        sender.try_send(Bytes::from_static(b": hello\n\n")).unwrap();
        *self.stream.lock().unwrap() = Some((sender, subscription));
        response
    }
}

/// One message to `/calls…`, or the GET of a stream.
pub(super) fn behave(shared: &Arc<Shared>, behaviour: &str, seen: &Seen) -> Response {
    let calls = &shared.calls;
    if seen.method == Method::GET {
        return match behaviour {
            "calls" => calls.listen(Value::Null),
            "calls-polling" => poll(calls, &seen.headers),
            "calls-old" => {
                let response = calls.listen(Value::Null);
                let stream = calls.stream.lock().unwrap();
                let endpoint = "event: endpoint\ndata: /calls-old/messages\n\n";
                stream
                    .as_ref()
                    .unwrap()
                    .0
                    .try_send(endpoint.into())
                    .unwrap();
                response
            }
            _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        };
    }
    if seen.method == Method::DELETE || behaviour == "calls-old" {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let is_modern = behaviour.starts_with("calls-modern");
    match seen.body["method"].as_str() {
        None => {
            calls.replied.send_replace(Some(seen.body.clone()));
            StatusCode::ACCEPTED.into_response()
        }
        Some("notifications/cancelled") => {
            let id = seen.body["params"]["requestId"].clone();
            calls.cancelled.send_modify(|ids| ids.push(id));
            StatusCode::ACCEPTED.into_response()
        }
        Some("tools/list") => (StatusCode::OK, listing(calls, seen, is_modern)).into_json(),
        Some("tools/call") => call(shared, seen, is_modern),
        Some("subscriptions/listen") if behaviour == "calls-modern" => {
            let response = calls.listen(seen.body["id"].clone());
            calls.acknowledge(&seen.body["params"]["notifications"]);
            response
        }
        _ if is_modern => modern(seen).into_json(),
        _ => super::plain(seen, legacy),
    }
}

impl Calls {
    fn acknowledge(&self, filter: &Value) {
        let stream = self.stream.lock().unwrap();
        let (sender, subscription) = stream.as_ref().unwrap();
        let message = json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "_meta": { "io.modelcontextprotocol/subscriptionId": subscription },
                "notifications": filter,
            },
        });
        sender.try_send(event(&message).into()).unwrap();
    }
}

/// A stream that ends at once and wants to be asked for again (MCP 2025-11-25).
fn poll(calls: &Calls, headers: &HeaderMap) -> Response {
    let changes = *calls.changes.borrow();
    let last = headers
        .get("last-event-id")
        .and_then(|id| id.to_str().unwrap().parse().ok())
        .unwrap_or(changes);
    let news = if changes > last {
        event(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
    } else {
        Vec::new()
    };
    event_stream_of([
        format!("id: {changes}\nretry: 1\ndata:\n\n").into_bytes(),
        news,
    ])
}

fn listing(calls: &Calls, seen: &Seen, is_modern: bool) -> Value {
    let hint = json!({ "readOnlyHint": *calls.changes.borrow() == 0 });
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    let schema = json!({ "type": "object", "properties": { "region": region } });
    let tool = json!({ "name": "echo", "inputSchema": schema, "annotations": hint });
    result(seen, json!({ "tools": [tool] }), is_modern)
}

fn result(seen: &Seen, mut result: Value, is_modern: bool) -> Value {
    if is_modern {
        result["resultType"] = "complete".into();
    }
    json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": result })
}

fn text(seen: &Seen, text: &str, is_modern: bool) -> Value {
    let content = json!({ "content": [{ "type": "text", "text": text }] });
    result(seen, content, is_modern)
}

fn call(shared: &Arc<Shared>, seen: &Seen, is_modern: bool) -> Response {
    let calls = &shared.calls;
    let json = |answer: Value| (StatusCode::OK, answer).into_json();
    match seen.body["params"]["name"].as_str().unwrap() {
        "hold" => hold(shared, text(seen, "late", is_modern)),
        "ask" => ask(shared, seen),
        "change" => {
            calls.changes.send_modify(|changes| *changes += 1);
            calls.tell("notifications/tools/list_changed");
            json(text(seen, "changed", is_modern))
        }
        "change-beside" => {
            calls.changes.send_modify(|changes| *changes += 1);
            let told = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
            event_stream_of([event(&told), event(&text(seen, "changed", is_modern))])
        }
        "hang-up" => {
            *calls.stream.lock().unwrap() = None;
            json(text(seen, "over", is_modern))
        }
        "release" => {
            calls.released.send_modify(|count| *count += 1);
            json(text(seen, "released", is_modern))
        }
        "fail" => json(result(
            seen,
            json!({ "content": [{ "type": "text", "text": "no such index" }], "isError": true }),
            is_modern,
        )),
        "refuse" => {
            let error = json!({ "code": -32602, "message": "unknown tool: refuse" });
            let answer = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error });
            let status = if is_modern {
                StatusCode::BAD_REQUEST
            } else {
                StatusCode::OK
            };
            (status, answer).into_json()
        }
        "forbid" => refusal(403),
        "down" => refusal(503),
        "page" => "<html>".into_response(),
        "die" => broken_off("text/event-stream", "data: {\"jsonrpc\"\n"),
        _ => json(text(
            seen,
            seen.header("mcp-name").unwrap_or("none"),
            is_modern,
        )),
    }
}

/// Answers when `release` is called; notes when nobody waits any more.
fn hold(shared: &Arc<Shared>, answer: Value) -> Response {
    let (sender, response) = event_stream();
    let mut released = shared.calls.released.subscribe();
    released.mark_unchanged();
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        sender
            .send(Bytes::from_static(b": working\n\n"))
            .await
            .unwrap();
        tokio::select! {
            _ = released.changed() => {
                let _ = sender.send(event(&answer).into()).await;
            }
            () = sender.closed() => shared.calls.hung_up.send_modify(|count| *count += 1),
        }
    });
    response
}

/// Asks the client over the server's own stream, and answers with what that says.
fn ask(shared: &Arc<Shared>, seen: &Seen) -> Response {
    let (sender, response) = event_stream();
    let mut replied = shared.calls.replied.subscribe();
    let question =
        json!({ "jsonrpc": "2.0", "id": "e", "method": "elicitation/create", "params": {} });
    let stream = shared.calls.stream.lock().unwrap().clone();
    let (aside, _) = stream.unwrap_or((sender.clone(), Value::Null));
    aside.try_send(event(&question).into()).unwrap();
    let seen = seen.clone();
    tokio::spawn(async move {
        let reply = replied.wait_for(Option::is_some).await.unwrap().clone();
        let answer = text(
            &seen,
            &reply.unwrap()["error"]["message"].to_string(),
            false,
        );
        let _ = sender.send(event(&answer).into()).await;
    });
    response
}

/// One message to `/calls-old/messages`: the answer goes over the stream.
pub(super) fn behave_below(shared: &Arc<Shared>, seen: &Seen) -> Response {
    let calls = &shared.calls;
    let accepted = StatusCode::ACCEPTED.into_response();
    let name = seen.body["params"]["name"].as_str();
    let answer = match (seen.body["method"].as_str(), name) {
        (Some("notifications/cancelled"), _) => {
            let id = seen.body["params"]["requestId"].clone();
            calls.cancelled.send_modify(|ids| ids.push(id));
            return accepted;
        }
        (Some("tools/list"), _) => Some(listing(calls, seen, false)),
        (Some("tools/call"), Some("hold")) => {
            let late = text(seen, "late", false);
            let mut released = calls.released.subscribe();
            let (sender, _) = calls.stream.lock().unwrap().clone().unwrap();
            tokio::spawn(async move {
                released.changed().await.unwrap();
                let _ = sender.send(event(&late).into()).await;
            });
            None
        }
        (Some("tools/call"), Some("change")) => {
            calls.changes.send_modify(|changes| *changes += 1);
            calls.tell("notifications/tools/list_changed");
            Some(text(seen, "changed", false))
        }
        (Some("tools/call"), Some("release")) => {
            calls.released.send_modify(|count| *count += 1);
            Some(text(seen, "released", false))
        }
        (Some("tools/call"), _) => Some(text(seen, "none", false)),
        _ => legacy(&seen.body),
    };
    if let Some(answer) = answer {
        let stream = calls.stream.lock().unwrap();
        let (sender, _) = stream.as_ref().unwrap();
        sender.try_send(event(&answer).into()).unwrap();
    }
    accepted
}
