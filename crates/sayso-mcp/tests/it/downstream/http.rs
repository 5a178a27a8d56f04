//! Over HTTP, byte for byte.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;
use sayso_core::json::{Document, Limits};
use sayso_mcp::downstream::{Endpoint, Options, Principal, check_parameter_headers};
use tokio::net::TcpListener;

use super::{Actor, assert_over};
use crate::serve_support::{INITIALIZED, Reply, begin, hello, modern, patiently, request, send};

struct Served {
    actor: Arc<Actor>,
    endpoint: Endpoint<Actor>,
    address: SocketAddr,
}

impl Served {
    async fn start(options: Options) -> Self {
        let actor = Actor::new();
        let endpoint = Endpoint::new(Arc::clone(&actor), options);
        let served = endpoint.clone();
        let answer = any(move |mut request: Request| {
            let endpoint = served.clone();
            async move {
                let name = request.headers().get("x-name").cloned();
                if let Some(name) = name {
                    let principal = Principal(name.to_str().unwrap().into());
                    request.extensions_mut().insert(principal);
                }
                endpoint.handle(request).await.map(Body::new)
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/mcp", answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            actor,
            endpoint,
            address,
        }
    }

    async fn post(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        send(self.address, "POST", headers, body).await
    }

    async fn session(&self, capabilities: &str) -> String {
        let reply = self.post(&[], &hello(capabilities)).await;
        let session = reply.header("mcp-session-id").unwrap().to_owned();
        let headers = [("Mcp-Session-Id", session.as_str())];
        assert_eq!(
            self.post(&headers, INITIALIZED).await.status,
            "202 Accepted"
        );
        session
    }

    async fn modern(&self, id: u32, method: &str, more: &[(&str, &str)]) -> Reply {
        let mut headers = vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        headers.extend(more);
        self.post(&headers, &modern(id, method, "{}", "")).await
    }
}

#[tokio::test]
async fn both_eras_on_one_endpoint() {
    let served = Served::start(Options::default()).await;
    let session = served.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut told = String::new();
    for method in ["echo", "lines", "raw", "unknown", "incapable"] {
        let legacy = served.post(&headers, &request(1, method, "")).await;
        assert_eq!(legacy.header("content-type"), Some("application/json"));
        told += &format!("legacy {}\n", legacy.whole().await);
        let modern = served.modern(2, method, &[]).await;
        told += &format!("modern {}\n", modern.whole().await);
    }
    insta::assert_snapshot!(told, @r#"
    legacy 200 OK
    {"jsonrpc":"2.0","id":1,"result":{}}
    modern 200 OK
    {"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"2"},"io.modelcontextprotocol/clientCapabilities":{}}}}
    legacy 200 OK
    {"jsonrpc":"2.0","id":1,"result":{   "a":    "b\n" }}
    modern 200 OK
    {"jsonrpc":"2.0","id":2,"result":{   "a":    "b\n" }}
    legacy 200 OK
    {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","x":1.0}}
    modern 200 OK
    {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no","x":1.0}}
    legacy 200 OK
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no such method"}}
    modern 404 Not Found
    {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"there is no such method"}}
    legacy 200 OK
    {"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"a capability is missing"}}
    modern 400 Bad Request
    {"jsonrpc":"2.0","id":2,"error":{"code":-32021,"message":"a capability is missing"}}
    "#);
    assert_over(&served.actor.kept()).await;
    for method in ["GET", "DELETE"] {
        let version = [("MCP-Protocol-Version", "2026-07-28")];
        let reply = send(served.address, method, &version, "").await;
        assert_eq!(reply.header("allow"), Some("POST"));
        assert_eq!(reply.status, "405 Method Not Allowed");
    }
    // A handshake that fails begins no session.
    let never = hello("{}").replace("2025-06-18", "never");
    let reply = served.post(&[], &never).await;
    assert_eq!(reply.header("mcp-session-id"), None);
    insta::assert_snapshot!(served.actor.seen(), @r#"
    1 ?: connected
    1 legacy: initialize 0
    1 legacy: {"jsonrpc":"2.0","method":"notifications/initialized"}
    1 legacy: echo 1
    2 ?: connected
    2 modern: echo 2
    1 legacy: lines 1
    2 modern: lines 2
    1 legacy: raw 1
    2 modern: raw 2
    1 legacy: unknown 1
    2 modern: unknown 2
    1 legacy: incapable 1
    2 modern: incapable 2
    None refused None: only POST can be used here
    None refused None: only POST can be used here
    3 ?: connected
    3 legacy: initialize 0
    3 legacy: disconnected: broken on purpose
    "#);
}

/// Takes little, so that little is too much.
async fn narrow() -> Served {
    let options = Options {
        message_bytes: 1000,
        depth: 8,
        ..Options::default()
    };
    Served::start(options).await
}

async fn responses(served: &Served, cases: &[(&[(&str, &str)], &str)]) -> String {
    let mut told = String::new();
    for (headers, body) in cases {
        told += &served.post(headers, body).await.whole().await;
        told += "\n";
    }
    told
}

#[tokio::test]
async fn heads_that_do_not_fit_stay_out() {
    let served = narrow().await;
    let session = served.session("{}").await;
    let session = ("Mcp-Session-Id", session.as_str());
    let json = ("Content-Type", "application/json");
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "echo");
    let echo = request(1, "echo", "");
    let new = modern(2, "echo", "{}", "");
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&[session, ("Content-Type", "text/plain")], &echo),
        (&[session, ("Content-Type", "application/json-seq")], &echo),
        (&[session, json, ("Content-Type", "text/plain")], &echo),
        (&[session, ("Accept", "text/html")], &echo),
        (&[session, ("Host", "evil.example")], &echo),
        (&[session, ("Origin", "null")], &echo),
        (&[version, ("Mcp-Method", "break")], &new),
        (&[version, method, ("Mcp-Param-A", "=?base64?!?=")], &new),
    ];
    insta::assert_snapshot!(responses(&served, &cases).await, @r#"
    415 Unsupported Media Type
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Content-Type` is not application/json"}}
    415 Unsupported Media Type
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Content-Type` is not application/json"}}
    415 Unsupported Media Type
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Content-Type` is not application/json"}}
    406 Not Acceptable
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Accept` has neither application/json nor text/event-stream"}}
    403 Forbidden
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Host` is not a name of this server"}}
    403 Forbidden
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Origin` may not call this server"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":"the header `Mcp-Method` does not say what the message says"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":"the header `mcp-param-a` is unreadable or badly encoded"}}
    "#);
    assert!(!served.actor.seen().contains(": echo"));
    // The kind of content may have parameters, in any case.
    let kind = ("Content-Type", "Application/JSON; charset=utf-8");
    assert_eq!(served.post(&[session, kind], &echo).await.status, "200 OK");
}

#[tokio::test]
async fn what_two_readers_could_read_in_two_ways_stays_out() {
    let served = narrow().await;
    let session = served.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "echo");
    let batch = format!("[{}]", request(1, "echo", ""));
    let twice = request(1, "echo", r#""a":{"b":[{"c":1,"c":2}]}"#);
    let modern_twice = modern(2, "echo", "{}", r#","a":{"b":1,"b":2}"#);
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/a","params":{"x":1,"x":2}}"#;
    let deep = request(1, "echo", r#""a":[[[[[[[[1]]]]]]]]"#);
    let long = "x".repeat(1001);
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&headers, &batch),
        (&headers, &twice),
        (&headers, notice),
        (&headers, &deep),
        (&headers, &long),
        (&headers, "\u{FEFF}{}"),
        (&[version, method], &modern_twice),
    ];
    insta::assert_snapshot!(responses(&served, &cases).await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of messages, which MCP had in version 2025-03-26 only"}}
    200 OK
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the key `c` stands more than once"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"the key `x` stands more than once"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"more than the allowed 8 levels of nesting at byte 60"}}
    413 Payload Too Large
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 1000 bytes"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: expected a value at byte 0"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"the key `b` stands more than once"}}
    "#);
    assert!(!served.actor.seen().contains(": echo"));
    assert!(!served.actor.seen().contains("notifications/a"));
}

#[tokio::test]
async fn a_host_is_asked_on_the_stream_of_its_request_or_the_get_stream() {
    let served = Served::start(Options::default()).await;
    let session = served.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let answer = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"n":{id}}}}}"#);
    let mut asked = served.post(&headers, &request(1, "ask", "")).await;
    insta::assert_snapshot!(asked.header("x-accel-buffering").unwrap(), @"no");
    insta::assert_snapshot!(asked.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#);
    assert_eq!(
        served.post(&headers, &answer(1)).await.status,
        "202 Accepted"
    );
    insta::assert_snapshot!(asked.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":1,"result":{"answer":{"jsonrpc":"2.0","id":1,"result":{"n":1}}}}"#);
    assert_eq!(asked.next().await, None);
    // There is no GET stream to ask on yet, and then there is.
    insta::assert_snapshot!(served.post(&headers, &request(2, "ask-aside", "")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"the host cannot be asked here"}}
    "#);
    assert!(!served.actor.peer().notify("notifications/message", None));
    let mut stream = send(served.address, "GET", &headers, "").await;
    let mut aside = begin(
        served.address,
        "POST",
        &headers,
        &request(3, "ask-aside", ""),
    )
    .await;
    insta::assert_snapshot!(stream.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":2,"method":"roots/list"}"#);
    assert_eq!(
        served.post(&headers, &answer(2)).await.status,
        "202 Accepted"
    );
    let mut text = String::new();
    let read = tokio::io::AsyncReadExt::read_to_string(&mut aside, &mut text);
    patiently("the answer", read).await.unwrap();
    assert!(text.contains(r#""n":2"#), "{text}");
    assert!(
        served
            .actor
            .peer()
            .notify("notifications/message", Some("{}"))
    );
    insta::assert_snapshot!(stream.next().await.unwrap(), @r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#);
    drop(stream);
    served.actor.sees("get closed").await;
    assert!(!served.actor.peer().notify("notifications/message", None));
}

#[tokio::test]
async fn what_is_said_goes_on_a_stream_where_one_is_taken() {
    let served = Served::start(Options::default()).await;
    let session = served.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    // Who takes no stream can neither be asked nor told.
    let json = [headers[0], ("Accept", "application/json")];
    insta::assert_snapshot!(served.post(&json, &request(4, "ask", "")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"the host cannot be asked here"}}
    "#);
    insta::assert_snapshot!(served.post(&json, &request(5, "tell", "")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":5,"result":{"told":true}}
    "#);
    // What is said before the answer comes before it.
    let mut told = served.post(&headers, &request(6, "tell", "")).await;
    insta::assert_snapshot!(told.next().await.unwrap(), @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#);
    insta::assert_snapshot!(told.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":6,"result":{"told":true}}"#);
    // Who takes streams only gets one.
    let events = [headers[0], ("Accept", "text/event-stream")];
    let mut echo = served.post(&events, &request(7, "lines", "")).await;
    insta::assert_snapshot!(echo.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":7,"result":{   "a":    "b\n" }}"#);
    assert_eq!(echo.next().await, None);
    insta::assert_snapshot!(served.modern(8, "ask", &[]).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":8,"error":{"code":-1,"message":"the host cannot be asked here"}}
    "#);
}

#[tokio::test]
async fn closing_a_response_cancels_in_the_modern_era_only() {
    let served = Served::start(Options::default()).await;
    let session = served.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    // Before and after a stream was begun for it.
    let early = begin(served.address, "POST", &headers, &request(1, "wait", "")).await;
    served.actor.sees("wait 1").await;
    drop(early);
    served.actor.sees("response closed").await;
    let kept = served.actor.kept();
    kept.closed().await;
    let late = served.post(&headers, &request(2, "never", "")).await;
    drop(late);
    // The id is still taken.
    insta::assert_snapshot!(served.post(&headers, &request(1, "echo", "")).await.whole().await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with the id 1 runs already"}}
    "#);
    served.actor.gate.notify_waiters();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    assert_eq!(served.post(&headers, cancel).await.status, "202 Accepted");
    served.actor.sees("dropped 2").await;
    // A request that is cancelled in time has a response without an answer.
    let cancelled = begin(served.address, "POST", &headers, &request(3, "never", "")).await;
    served.actor.sees("never 3").await;
    served.post(&headers, &cancel.replace(":2}", ":3}")).await;
    served.actor.sees("dropped 3").await;
    drop(cancelled);

    let modern_headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "never"),
    ];
    let body = modern(4, "never", "{}", "");
    let early = begin(served.address, "POST", &modern_headers, &body).await;
    served.actor.sees("never 4").await;
    drop(early);
    served.actor.sees("dropped 4").await;
    let late = served.modern(5, "never", &[]).await;
    insta::assert_snapshot!(late.header("content-type").unwrap(), @"text/event-stream");
    drop(late);
    served.actor.sees("dropped 5").await;
    let cancelled: Vec<_> = served
        .actor
        .seen()
        .lines()
        .filter(|line| line.starts_with("cancelled"))
        .map(str::to_owned)
        .collect();
    insta::assert_snapshot!(cancelled.join("\n"), @r#"
    cancelled 2: None
    cancelled 3: None
    cancelled 4: Some("the client closed the response")
    cancelled 5: Some("the client closed the response")
    "#);
}

#[tokio::test]
async fn sessions_are_few_and_each_belongs_to_whoever_began_it() {
    let options = Options {
        max_sessions: 2,
        ..Options::default()
    };
    let served = Served::start(options).await;
    let mine = served.post(&[("X-Name", "ann")], &hello("{}")).await;
    let mine = mine.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(mine.len(), 32);
    let headers = |name| [("Mcp-Session-Id", mine.as_str()), ("X-Name", name)];
    let echo = request(1, "echo", "");
    assert_eq!(served.post(&headers("ann"), &echo).await.status, "200 OK");
    assert_eq!(served.actor.peer().principal(), "ann");
    assert_eq!(
        served.post(&headers("bob"), &echo).await.status,
        "404 Not Found"
    );
    let delete = send(served.address, "DELETE", &headers("bob"), "").await;
    assert_eq!(delete.status, "404 Not Found");
    let second = served.session("{}").await;
    assert_ne!(mine, second);
    served.post(&headers("ann"), &echo).await;
    let third = served.session("{}").await;
    let status = async |session: &str| {
        let headers = [("Mcp-Session-Id", session)];
        served.post(&headers, &echo).await.status.clone()
    };
    assert_eq!(status(&second).await, "404 Not Found");
    assert_eq!(status(&third).await, "200 OK");
    assert_eq!(served.post(&headers("ann"), &echo).await.status, "200 OK");
    served
        .actor
        .sees("2 legacy: disconnected: too many sessions")
        .await;
    let delete = send(served.address, "DELETE", &headers("ann"), "").await;
    assert_eq!(delete.status, "204 No Content");
    served
        .actor
        .sees("1 legacy: disconnected: the client deleted")
        .await;
}

#[tokio::test]
async fn told_to_stop_it_lets_what_runs_end_and_takes_nothing_more() {
    let served = Served::start(Options::default()).await;
    let session = served.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut stream = send(served.address, "GET", &headers, "").await;
    let mut subscription = served.modern(1, "subscriptions/listen", &[]).await;
    let mut asks = served.post(&headers, &request(2, "ask", "")).await;
    asks.next().await.unwrap();
    let endpoint = served.endpoint.clone();
    let stopping = tokio::spawn(async move { endpoint.stop().await });
    assert_eq!(stream.next().await, None);
    assert_eq!(subscription.next().await, None);
    insta::assert_snapshot!(served.post(&headers, &request(3, "echo", "")).await.whole().await, @r#"
    503 Service Unavailable
    {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"stopping: no more requests are taken"}}
    "#);
    assert_eq!(
        served.modern(4, "echo", &[]).await.status,
        "503 Service Unavailable"
    );
    assert!(!stopping.is_finished());
    // What it waits for may still come.
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(served.post(&headers, answer).await.status, "202 Accepted");
    assert!(asks.next().await.unwrap().contains(r#""answer":"#));
    patiently("the end", stopping).await.unwrap();
    served.actor.sees("disconnected: told to stop").await;
}

#[tokio::test]
async fn headers_for_parameters_are_handed_on_and_can_be_checked() {
    let served = Served::start(Options::default()).await;
    let sent = [
        ("Mcp-Param-Region", "=?base64?w6k=?="),
        ("Mcp-Param-Other", "x"),
    ];
    insta::assert_snapshot!(served.modern(1, "headers", &sent).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":1,"result":[["mcp-param-region","é"],["mcp-param-other","x"]]}
    "#);
    let parse = |text: &str| Document::parse(text.to_owned(), &Limits::default()).unwrap();
    let schema = parse(
        r#"{"properties":{"region":{"x-mcp-header":"Region"},"deep":{"properties":{"n":{"x-mcp-header":"N"}}}}}"#,
    );
    let check = |arguments: &str, headers: &[(&str, &str)]| {
        let arguments = parse(arguments);
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        match check_parameter_headers(schema.root(), Some(arguments.root()), &headers) {
            Ok(()) => "fits".to_owned(),
            Err(mismatch) => mismatch.to_string(),
        }
    };
    let region = ("mcp-param-region", "é");
    insta::assert_snapshot!([
        check(r#"{"region":"é","deep":{"n":1}}"#, &[region, ("mcp-param-n", "1.0"), ("mcp-param-x", "1")]),
        check(r#"{"region":null}"#, &[]),
        check(r#"{"region":"é"}"#, &[]),
        check("{}", &[region]),
        check(r#"{"region":"e"}"#, &[region]),
        check(r#"{"region":"é"}"#, &[region, region]),
        check(r#"{"deep":{"n":2}}"#, &[("mcp-param-n", "3")]),
    ].join("\n"), @"
    fits
    fits
    the header `Mcp-Param-Region` is missing
    the header `Mcp-Param-Region` does not say what the message says
    the header `Mcp-Param-Region` does not say what the message says
    the header `Mcp-Param-Region` stands more than once
    the header `Mcp-Param-N` does not say what the message says
    ");
}
