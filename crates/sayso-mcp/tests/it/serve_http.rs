//! The server behind a URL, in both eras on one endpoint.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use sayso_mcp::{
    Client, EraChoice, HttpTarget, ReadOptions, StdioCommand, Target, ToolCall, read_listing,
};
use tokio::io::AsyncReadExt;

use crate::serve_support::{HttpFixture, ODD, call, hello, modern, request};
use crate::support::{example, options, show};

#[tokio::test]
async fn a_legacy_session_lists_byte_for_byte_and_calls() {
    let server = HttpFixture::start().await;
    let session = server.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let listed = server.post(&headers, &request(1, "tools/list", "")).await;
    assert!(
        listed
            .whole()
            .await
            .contains(&format!(r#"{{"tools":[{ODD},"#))
    );
    // What takes a while comes on a stream.
    let mut called = server.post(&headers, &call(2, "wait")).await;
    server.service.gate.notify_waiters();
    insta::assert_snapshot!(called.header("content-type").unwrap(), @"text/event-stream");
    insta::assert_snapshot!(called.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"wait nothing"}],"isError":false}}"#);
    assert_eq!(called.next().await, None);
    // What comes at once, or goes to a client that will have no stream, does not.
    let echo = server.post(&headers, &call(3, "echo")).await;
    insta::assert_snapshot!(echo.header("content-type").unwrap(), @"application/json");
    let headers = [headers[0], ("Accept", "application/json")];
    insta::assert_snapshot!(server.post(&headers, &call(3, "echo")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"echo nothing"}],"isError":false}}
    "#);
    insta::assert_snapshot!(server.post(&headers, &call(4, "nothing")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"there is no such tool"}}
    "#);
    insta::assert_snapshot!(server.post(&headers, &request(5, "prompts/list", "")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"there is no method `prompts/list` here"}}
    "#);
}

#[tokio::test]
async fn a_session_is_known_until_it_is_deleted() {
    let server = HttpFixture::start().await;
    let session = server.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut never = server.post(&headers, &call(1, "never")).await;
    server.service.sees("begun 1").await;
    let list = request(2, "tools/list", "");
    insta::assert_snapshot!(server.post(&[], &list).await.whole().await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the header `Mcp-Session-Id` is missing"}}
    "#);
    insta::assert_snapshot!(server.post(&[("Mcp-Session-Id", "guess")], &list).await.whole().await, @r#"
    404 Not Found
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"there is no such session (any more)"}}
    "#);
    let future = [headers[0], ("MCP-Protocol-Version", "2099-01-01")];
    insta::assert_snapshot!(server.post(&future, &list).await.whole().await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"this protocol version is not supported","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"2099-01-01"}}}
    "#);
    insta::assert_snapshot!(server.send("DELETE", &headers, "").await.status, @"204 No Content");
    server.service.sees("dropped 1").await;
    assert_eq!(never.next().await, None);
    insta::assert_snapshot!(server.post(&headers, &list).await.whole().await, @r#"
    404 Not Found
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"there is no such session (any more)"}}
    "#);
    insta::assert_snapshot!(server.send("DELETE", &headers, "").await.status, @"404 Not Found");
    insta::assert_snapshot!(server.service.seen(), @r#"
    1 ? ?: Connected
    1 legacy old: Initialized { asked: Some("2025-06-18"), agreed: "2025-06-18" }
    1 legacy old: Received { method: "notifications/initialized" }
    1 legacy old: Called { request_id: "1", name: "never", arguments: None }
    begun 1
    0 ? ?: Refused { request_id: Some("2"), code: -32600, message: "the header `Mcp-Session-Id` is missing" }
    0 ? ?: Refused { request_id: Some("2"), code: -32600, message: "there is no such session (any more)" }
    0 ? ?: Refused { request_id: Some("2"), code: -32022, message: "this protocol version is not supported" }
    1 legacy old: Disconnected { reason: Deleted }
    dropped 1
    0 ? ?: Refused { request_id: Some("2"), code: -32600, message: "there is no such session (any more)" }
    0 ? ?: Refused { request_id: None, code: -32600, message: "there is no such session (any more)" }
    "#);
}

#[tokio::test]
async fn the_session_unused_for_longest_is_forgotten() {
    let server = HttpFixture::start().await;
    let first = server.session("{}").await;
    let second = server.session("{}").await;
    let list = request(1, "tools/list", "");
    // Used once more, so that the other one is unused for longest.
    server.post(&[("Mcp-Session-Id", &first)], &list).await;
    for _ in 0..999 {
        let request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(Body::from(hello("{}")))
            .unwrap();
        assert_eq!(server.endpoint.handle(request).await.status(), 200);
    }
    server
        .service
        .sees("2 legacy old: Disconnected { reason: Forgotten }")
        .await;
    let forgotten = server.post(&[("Mcp-Session-Id", &second)], &list).await;
    assert_eq!(forgotten.status, "404 Not Found");
    let kept = server.post(&[("Mcp-Session-Id", &first)], &list).await;
    assert_eq!(kept.status, "200 OK");
}

#[tokio::test]
async fn modern_requests_stand_for_themselves() {
    let server = HttpFixture::start().await;
    let list = modern(1, "tools/list", "{}", "");
    let listed = server.modern("tools/list", None, &list).await;
    assert!(
        listed
            .whole()
            .await
            .contains(&format!(r#""tools":[{ODD},"#))
    );
    let echo = modern(
        2,
        "tools/call",
        "{}",
        r#","name":"echo","arguments":{"a":1.0}"#,
    );
    let called = server.modern("tools/call", Some("echo"), &echo).await;
    insta::assert_snapshot!(called.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"echo {\"a\":1.0}"}],"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}
    "#);
    let encoded = server
        .modern("tools/call", Some("=?base64?ZWNobw==?="), &echo)
        .await;
    assert_eq!(encoded.status, "200 OK");
    let discover = modern(3, "server/discover", "{}", "");
    insta::assert_snapshot!(server.modern("server/discover", None, &discover).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}
    "#);
    let unknown = modern(4, "ping", "{}", "");
    insta::assert_snapshot!(server.modern("ping", None, &unknown).await.whole().await, @r#"
    404 Not Found
    {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"there is no method `ping` here"}}
    "#);
    let version = [("MCP-Protocol-Version", "2026-07-28")];
    insta::assert_snapshot!(server.send("GET", &version, "").await.whole().await, @r#"
    405 Method Not Allowed
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"only POST can be used here"}}
    "#);
    insta::assert_snapshot!(server.send("DELETE", &version, "").await.status, @"405 Method Not Allowed");
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    insta::assert_snapshot!(server.post(&version, answer).await.whole().await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a client sends no answers in this version of the protocol"}}
    "#);
    insta::assert_snapshot!(server.post(&version, &request(5, "tools/list", "")).await.whole().await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"`_meta` lacks `io.modelcontextprotocol/protocolVersion`"}}
    "#);
    insta::assert_snapshot!(server.service.seen(), @r#"
    1 ? ?: Connected
    1 modern new: Listed { request_id: "1", cursor: None }
    1 modern new: Called { request_id: "2", name: "echo", arguments: Some({"a":1.0}) }
    1 modern new: Answered { request_id: "2", how: Result }
    1 modern new: Called { request_id: "2", name: "echo", arguments: Some({"a":1.0}) }
    1 modern new: Answered { request_id: "2", how: Result }
    1 modern new: Discovered
    1 modern new: Received { method: "ping" }
    1 modern new: Refused { request_id: Some("4"), code: -32601, message: "there is no method `ping` here" }
    0 ? ?: Refused { request_id: None, code: -32600, message: "only POST can be used here" }
    0 ? ?: Refused { request_id: None, code: -32600, message: "only POST can be used here" }
    0 ? ?: Refused { request_id: None, code: -32600, message: "a client sends no answers in this version of the protocol" }
    0 ? ?: Refused { request_id: Some("5"), code: -32602, message: "`_meta` lacks `io.modelcontextprotocol/protocolVersion`" }
    "#);
}

#[tokio::test]
async fn headers_have_to_say_what_the_message_says() {
    let server = HttpFixture::start().await;
    let echo = modern(1, "tools/call", "{}", r#","name":"echo""#);
    let refused = |reply: String| {
        assert!(reply.starts_with("400 Bad Request\n"), "{reply}");
        let (_, message) = reply
            .split_once(r#""id":1,"error":{"code":-32020,"message":"#)
            .unwrap();
        message.to_owned() + "\n"
    };
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "tools/call");
    let mut told = String::new();
    for headers in [
        vec![],
        vec![("MCP-Protocol-Version", "2025-06-18"), method],
        vec![version],
        vec![version, ("Mcp-Method", "tools/list")],
        vec![version, method],
        vec![version, method, ("Mcp-Name", "Echo")],
        vec![version, method, ("Mcp-Name", "echo"), ("Mcp-Name", "break")],
        vec![version, method, ("Mcp-Name", "=?base64?!?=")],
    ] {
        told += &refused(server.post(&headers, &echo).await.whole().await);
    }
    insta::assert_snapshot!(told, @r#"
    "the header `MCP-Protocol-Version` is missing"}}
    "the header `MCP-Protocol-Version` does not say what the message says"}}
    "the header `Mcp-Method` is missing"}}
    "the header `Mcp-Method` does not say what the message says"}}
    "the header `Mcp-Name` is missing"}}
    "the header `Mcp-Name` does not say what the message says"}}
    "the header `Mcp-Name` stands more than once or is unreadable"}}
    "the header `Mcp-Name` is badly encoded"}}
    "#);
    assert!(!server.service.seen().contains("Called"));

    // Arguments that the schema wants in a header.
    let wait = |region: &str| {
        modern(
            1,
            "tools/call",
            "{}",
            &format!(r#","name":"fail","arguments":{{"region":{region}}}"#),
        )
    };
    let base = [version, method, ("Mcp-Name", "fail")];
    let with = |header| [base[0], base[1], base[2], ("Mcp-Param-Region", header)];
    insta::assert_snapshot!(refused(server.post(&base, &wait(r#""here""#)).await.whole().await), @r#""the header `Mcp-Param-Region` is missing"}}"#);
    insta::assert_snapshot!(refused(server.post(&with("there"), &wait(r#""here""#)).await.whole().await), @r#""the header `Mcp-Param-Region` does not say what the message says"}}"#);
    refused(
        server
            .post(&with("here"), &wait("null"))
            .await
            .whole()
            .await,
    );
    for (reply, body) in [
        (
            server.post(&with("here"), &wait(r#""here""#)).await,
            "string",
        ),
        (server.post(&base, &wait("null")).await, "null"),
        (
            server.post(&with("=?base64?w6k=?="), &wait(r#""é""#)).await,
            "encoded",
        ),
    ] {
        assert_eq!(reply.status, "200 OK", "{body}");
    }
}

#[tokio::test]
async fn closing_the_stream_cancels_a_modern_call_only() {
    let server = HttpFixture::start().await;
    let never = modern(1, "tools/call", "{}", r#","name":"never""#);
    let reply = server.modern("tools/call", Some("never"), &never).await;
    server.service.sees("begun 1").await;
    drop(reply);
    server.service.sees("dropped 1").await;
    // The same where the answer would be no stream.
    let never = modern(3, "tools/call", "{}", r#","name":"never""#);
    let reply = server.begin_json("never", &never).await;
    server.service.sees("begun 3").await;
    drop(reply);
    server.service.sees("dropped 3").await;

    let session = server.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let reply = server.post(&headers, &call(4, "wait")).await;
    server.service.sees("begun 4").await;
    drop(reply);
    server.service.sees("Response").await;
    server.service.gate.notify_waiters();
    server.service.sees("Undelivered").await;
    let mut reply = server.post(&headers, &call(2, "never")).await;
    server.service.sees("begun 2").await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    assert_eq!(server.post(&headers, cancel).await.status, "202 Accepted");
    assert_eq!(reply.next().await, None);
    insta::assert_snapshot!(server.service.seen(), @r#"
    1 ? ?: Connected
    1 modern new: Called { request_id: "1", name: "never", arguments: None }
    begun 1
    1 modern new: Cancelled { request_id: "1", reason: Some("the client closed the response") }
    dropped 1
    1 modern new: Called { request_id: "3", name: "never", arguments: None }
    begun 3
    1 modern new: Cancelled { request_id: "3", reason: Some("the client closed the response") }
    dropped 3
    2 ? ?: Connected
    2 legacy old: Initialized { asked: Some("2025-06-18"), agreed: "2025-06-18" }
    2 legacy old: Received { method: "notifications/initialized" }
    2 legacy old: Called { request_id: "4", name: "wait", arguments: None }
    begun 4
    2 legacy old: StreamClosed { kind: Response }
    2 legacy old: Answered { request_id: "4", how: Undelivered }
    2 legacy old: Called { request_id: "2", name: "never", arguments: None }
    begun 2
    2 legacy old: Cancelled { request_id: "2", reason: None }
    dropped 2
    "#);
}

#[tokio::test]
async fn changes_go_on_the_get_stream_and_on_subscriptions() {
    let server = HttpFixture::start().await;
    let session = server.session("{}").await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut first = server.send("GET", &headers, "").await;
    insta::assert_snapshot!(first.header("content-type").unwrap(), @"text/event-stream");
    let mut second = server.send("GET", &headers, "").await;
    // A message goes on one stream, and that is the newer one.
    assert_eq!(first.next().await, None);
    let filter = r#","notifications":{"toolsListChanged":true}"#;
    let listen = modern(9, "subscriptions/listen", "{}", filter);
    let mut subscription = server.modern("subscriptions/listen", None, &listen).await;
    insta::assert_snapshot!(subscription.next().await.unwrap(), @r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9},"notifications":{"toolsListChanged":true}}}"#);
    server.service.changes.tools_changed();
    insta::assert_snapshot!(second.next().await.unwrap(), @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    insta::assert_snapshot!(subscription.next().await.unwrap(), @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}}"#);
    drop(subscription);
    server
        .service
        .sees("StreamClosed { kind: Subscription }")
        .await;
    drop(second);
    let json = [headers[0], ("Accept", "application/json")];
    insta::assert_snapshot!(server.send("GET", &json, "").await.status, @"406 Not Acceptable");
    insta::assert_snapshot!(server.service.seen(), @r#"
    1 ? ?: Connected
    1 legacy old: Initialized { asked: Some("2025-06-18"), agreed: "2025-06-18" }
    1 legacy old: Received { method: "notifications/initialized" }
    1 legacy old: StreamOpened { kind: Get }
    1 legacy old: StreamClosed { kind: Get }
    1 legacy old: StreamOpened { kind: Get }
    2 ? ?: Connected
    2 modern new: StreamOpened { kind: Subscription }
    1 legacy old: Notified { method: "notifications/tools/list_changed" }
    2 modern new: Notified { method: "notifications/tools/list_changed" }
    2 modern new: StreamClosed { kind: Subscription }
    1 legacy old: StreamClosed { kind: Get }
    0 ? ?: Refused { request_id: None, code: -32600, message: "`Accept` lacks text/event-stream" }
    "#);
}

#[tokio::test]
async fn a_person_is_asked_in_both_eras() {
    let server = HttpFixture::start().await;
    let session = server.session(r#"{"elicitation":{}}"#).await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut asked = server.post(&headers, &call(1, "ask")).await;
    insta::assert_snapshot!(asked.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Really?","requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean"}}}}}"#);
    let no = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#;
    assert_eq!(server.post(&headers, no).await.status, "202 Accepted");
    insta::assert_snapshot!(asked.next().await.unwrap(), @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ask nothing, Declined, state sealed"}],"isError":false}}"#);
    // A request cannot go on a response that is one message.
    let json = [headers[0], ("Accept", "application/json")];
    insta::assert_snapshot!(server.post(&json, &call(2, "ask")).await.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"this call has to ask a person, and the client offers no way to (`elicitation`)"}],"isError":true}}
    "#);

    let able = r#"{"elicitation":{}}"#;
    let ask = modern(1, "tools/call", able, r#","name":"ask""#);
    let asked = server.modern("tools/call", Some("ask"), &ask).await;
    insta::assert_snapshot!(asked.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"person":{"method":"elicitation/create","params":{"mode":"form","message":"Really?","requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean"}}}}}},"requestState":"sealed","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}
    "#);
    let yes = r#","name":"ask","inputResponses":{"person":{"action":"accept","content":{}}},"requestState":"sealed""#;
    let yes = modern(2, "tools/call", able, yes);
    let unable = modern(3, "tools/call", "{}", r#","name":"ask""#);
    let refused = server.modern("tools/call", Some("ask"), &unable).await;
    insta::assert_snapshot!(refused.whole().await, @r#"
    400 Bad Request
    {"jsonrpc":"2.0","id":3,"error":{"code":-32021,"message":"this call has to ask a person, and the request does not declare `elicitation`","data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}}
    "#);
    let answered = server.modern("tools/call", Some("ask"), &yes).await;
    insta::assert_snapshot!(answered.whole().await, @r#"
    200 OK
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ask nothing, accepted Some(\"{}\"), state sealed"}],"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}
    "#);
}

#[tokio::test]
async fn a_service_can_break_a_response_off() {
    let server = HttpFixture::start().await;
    let whole = modern(1, "tools/call", "{}", r#","name":"wait""#);
    let reply = server.modern("tools/call", Some("wait"), &whole).await;
    server.service.gate.notify_waiters();
    assert!(reply.ends_well().await);
    let broken = modern(2, "tools/call", "{}", r#","name":"break""#);
    let reply = server.modern("tools/call", Some("break"), &broken).await;
    assert_eq!(reply.status, "200 OK");
    assert!(!reply.ends_well().await);
    server.service.sees("how: Disconnect").await;
    // The same where the answer would be no stream.
    let mut reply = server.begin_json("break", &broken).await;
    let mut text = String::new();
    reply.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
    assert!(!text.ends_with("0\r\n\r\n"), "{text}");
}

#[tokio::test]
async fn what_should_not_come_in_stays_out() {
    let server = HttpFixture::start().await;
    let hello = hello("{}");
    let refused = [
        server.post(&[("Host", "tools.example")], &hello).await,
        server
            .post(&[("Origin", "https://pages.example")], &hello)
            .await,
        server.post(&[("Content-Type", "text/plain")], &hello).await,
        server.post(&[("Accept", "text/html")], &hello).await,
        server.post(&[], "{").await,
        server.post(&[], &format!("[{hello}]")).await,
        server
            .post(&[], r#"{"jsonrpc":"2.0","id":7,"method":1}"#)
            .await,
        server.send("PUT", &[], &hello).await,
        server.post(&[], &"x".repeat((16 << 20) + 1)).await,
    ];
    let mut told = String::new();
    for reply in refused {
        told += &reply.whole().await;
        told += "\n";
    }
    insta::assert_snapshot!(told, @r#"
    403 Forbidden
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Host` is not a name of this server"}}
    403 Forbidden
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Origin` may not call this server"}}
    415 Unsupported Media Type
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Content-Type` is not application/json"}}
    406 Not Acceptable
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`Accept` has neither application/json nor text/event-stream"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: the text ends in the middle of an object at byte 1"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of messages, which MCP had in version 2025-03-26 only"}}
    400 Bad Request
    {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"`method` is not a string"}}
    405 Method Not Allowed
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"only GET, POST, DELETE can be used here"}}
    413 Payload Too Large
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 16777216 bytes"}}
    "#);
    assert_eq!(
        server
            .post(&[("Origin", "http://localhost:3000")], &hello)
            .await
            .status,
        "200 OK"
    );
}

#[tokio::test]
async fn our_own_client_reads_it() {
    let server = HttpFixture::start().await;
    let target = HttpTarget::new(&format!("http://{}/mcp", server.address)).unwrap();
    for era in [EraChoice::Legacy, EraChoice::Modern, EraChoice::Auto] {
        let options = ReadOptions { era, ..options() };
        let reading = read_listing(&Target::Http(target.clone()), &options).await;
        let tool = reading.as_ref().unwrap().listing.tools().next().unwrap();
        assert_eq!(tool.value().raw(), ODD);
        insta::allow_duplicates! {
            insta::assert_snapshot!(show(&reading), @"
            tools: echo wait never ask break again fail
            Complete
            ");
        }
    }
}

#[tokio::test]
async fn our_own_client_calls_it_and_hears_of_changes() {
    let server = HttpFixture::start().await;
    let target = HttpTarget::new(&format!("http://{}/mcp", server.address)).unwrap();
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let options = ReadOptions { era, ..options() };
        let mut client = Client::connect(Target::Http(target.clone()), options)
            .await
            .unwrap();
        assert!(!client.list_changed(Duration::ZERO).await);
        server.service.changes.tools_changed();
        assert!(client.list_changed(Duration::from_secs(20)).await);
        let outcome = client
            .call(ToolCall {
                name: "echo",
                arguments: r#"{"a":1e0}"#,
                timeout: Duration::from_secs(20),
                cancel: true,
            })
            .await;
        assert!(
            format!("{outcome:?}").contains(r#"text: "echo {\"a\":1e0}""#),
            "{outcome:?}"
        );
        let outcome = client
            .call(ToolCall {
                name: "never",
                arguments: "{}",
                timeout: Duration::from_millis(100),
                cancel: true,
            })
            .await;
        assert!(format!("{outcome:?}").contains("TimedOut"), "{outcome:?}");
        let era = format!("{era:?}").to_lowercase();
        let cancelled = format!("{era} sayso: Cancelled");
        server.service.sees(&cancelled).await;
        client.close().await;
    }
}

#[tokio::test]
async fn our_own_client_reads_it_as_a_process() {
    let command = StdioCommand::new(example("serve"), Vec::<String>::new());
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let options = ReadOptions { era, ..options() };
        let reading = read_listing(&Target::Stdio(command.clone()), &options).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(show(&reading), @"
            tools: look touch
            Complete
            ");
        }
    }
}
