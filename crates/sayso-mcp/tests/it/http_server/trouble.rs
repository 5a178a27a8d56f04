//! Everything a server should not do.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fixture may panic"
)]

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{IntoJson, Seen, event, event_stream, event_stream_of, fed, legacy, plain, tools};

const JSON: &str = "application/json";

/// The response of an ill-behaved path; `None` where this message is answered well.
pub(super) async fn trouble(behaviour: &str, seen: &Seen) -> Option<Response> {
    match behaviour {
        "silent" => std::future::pending().await,
        "deaf" if seen.body.get("id").is_none() => std::future::pending().await,
        _ if behaviour.starts_with("redirect-") => Some(redirect(behaviour, seen)),
        _ if seen.body["method"] == "tools/list" => {
            list(behaviour, seen).or_else(|| any(behaviour, seen))
        }
        _ => any(behaviour, seen),
    }
}

fn redirect(behaviour: &str, seen: &Seen) -> Response {
    let to = |status: StatusCode, target: &str| {
        (status, [(header::LOCATION, target.to_owned())]).into_response()
    };
    match behaviour {
        "redirect-307" => to(StatusCode::TEMPORARY_REDIRECT, "/json?token=hush"),
        "redirect-302" => to(StatusCode::FOUND, "/json?token=hush"),
        "redirect-away" => {
            let (_, port) = seen.header("host").unwrap().rsplit_once(':').unwrap();
            to(
                StatusCode::PERMANENT_REDIRECT,
                &format!("http://localhost:{port}/json?token=hush"),
            )
        }
        "redirect-loop" => to(StatusCode::TEMPORARY_REDIRECT, "/redirect-loop"),
        other => panic!("no such redirect: {other}"),
    }
}

/// What goes wrong with every message.
fn any(behaviour: &str, seen: &Seen) -> Option<Response> {
    Some(match behaviour {
        "html" => typed(
            "text/html; charset=utf-8",
            "<!doctype html>\n<title>Sign in</title>",
        ),
        "untyped" => Response::new(Body::from("hello")),
        "empty" => typed(JSON, ""),
        "picky" if seen.body.get("id").is_none() => refusal(400),
        "accepted" => StatusCode::ACCEPTED.into_response(),
        "compressed" => ([(header::CONTENT_ENCODING, "gzip")], "\u{1f}").into_response(),
        "older" if seen.body["params"]["protocolVersion"] == "2025-11-25" => {
            let data = json!({ "supported": ["2025-03-26"] });
            let error =
                json!({ "code": -32022, "message": "Unsupported protocol version", "data": data });
            let answer = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error });
            (StatusCode::BAD_REQUEST, answer).into_json()
        }
        "echo" => {
            let authorization = seen.header("authorization").unwrap_or_default();
            let told = format!(
                "Traceback:\n  authorization = {authorization}\n  uri = {}",
                seen.uri
            );
            (StatusCode::INTERNAL_SERVER_ERROR, told).into_response()
        }
        "secured" if seen.header("authorization") != Some("Bearer hush-hush") => refusal(401),
        _ => return None,
    })
}

/// What goes wrong with the listing.
fn list(behaviour: &str, seen: &Seen) -> Option<Response> {
    let id = &seen.body["id"];
    Some(match behaviour {
        "never-ends" => {
            let (sender, response) = event_stream();
            sender
                .try_send(Bytes::from_static(b": working\n\n"))
                .unwrap();
            // Kept, so that the stream stays open.
            tokio::spawn(async move { sender.closed().await });
            response
        }
        "never-finishes" => {
            let (sender, body) = fed();
            sender.try_send(Bytes::from_static(b"{")).unwrap();
            tokio::spawn(async move { sender.closed().await });
            typed(JSON, body)
        }
        "cut" => broken_off(JSON, r#"{"jsonrpc":"2.0","#),
        "cut-stream" => broken_off("text/event-stream", "data: {\"jsonrpc\"\n"),
        "closed" => event_stream_of([b": nothing to say\n\n".to_vec()]),
        "lost-session" => StatusCode::NOT_FOUND.into_response(),
        "big" | "big-stream" => big(id, behaviour == "big-stream"),
        "half" if seen.body["params"]["cursor"] == "2" => refusal(503),
        "pages" | "half" => plain(seen, page),
        "other-id" => (
            StatusCode::OK,
            json!({ "jsonrpc": "2.0", "id": 4711, "result": {} }),
        )
            .into_json(),
        "batch" => (StatusCode::OK, json!([legacy(&seen.body)])).into_json(),
        "no-json" => typed(JSON, "{,}"),
        "no-message" => typed(JSON, r#"{"status":"down"}"#),
        "bad-request" => {
            let error = json!({ "code": -32000, "message": "Bad Request: no valid session" });
            (
                StatusCode::BAD_REQUEST,
                json!({ "jsonrpc": "2.0", "id": null, "error": error }),
            )
                .into_json()
        }
        _ => return None,
    })
}

fn typed(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, content_type)], body.into()).into_response()
}

/// A status that refuses, with the headers and the body that go with it.
pub(super) fn refusal(status: u16) -> Response {
    let code = StatusCode::from_u16(status).unwrap();
    let name = |name: &'static str| HeaderName::from_static(name);
    match status {
        401 => {
            let challenge = r#"Bearer realm="x, y", resource_metadata="https://auth.test/.well-known/oauth-protected-resource""#;
            (code, [(name("www-authenticate"), challenge)]).into_response()
        }
        403 => {
            let challenge = r#"Bearer error="insufficient_scope", scope="tools.read""#;
            (code, [(name("www-authenticate"), challenge)], "Forbidden").into_response()
        }
        429 => (code, [(name("retry-after"), "17")], "slow down").into_response(),
        _ => (
            code,
            format!("<h1>Error\n{status}</h1> {}", "really ".repeat(100)),
        )
            .into_response(),
    }
}

fn page(message: &Value) -> Option<Value> {
    let mut answer = legacy(message)?;
    let mut tools = tools().as_array().unwrap().clone();
    match message.pointer("/params/cursor").and_then(Value::as_str) {
        None => {
            tools.truncate(1);
            answer["result"] = json!({ "tools": tools, "nextCursor": "2" });
        }
        Some("2") => {
            tools.remove(0);
            answer["result"] = json!({ "tools": tools });
        }
        Some(other) => panic!("no such page: {other}"),
    }
    Some(answer)
}

/// About 10 MB of tools.
fn big(id: &Value, stream: bool) -> Response {
    let text = "x".repeat(1000);
    let tools: Vec<Value> = (0..10_000)
        .map(|number| json!({ "name": format!("tool_{number}"), "description": text, "inputSchema": { "type": "object" } }))
        .collect();
    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": tools } });
    if stream {
        event_stream_of([event(&answer)])
    } else {
        (StatusCode::OK, answer).into_json()
    }
}

/// A body that breaks off: the connection is closed in its middle.
pub(super) fn broken_off(content_type: &'static str, start: &'static str) -> Response {
    let chunks = [
        Ok(Bytes::from_static(start.as_bytes())),
        Err(std::io::Error::other("cut")),
    ];
    let body = Body::from_stream(futures_util::stream::iter(chunks));
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}
