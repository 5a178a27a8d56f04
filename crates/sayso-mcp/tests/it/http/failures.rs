//! What a person is told when reading over HTTP fails.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use sayso_core::listing::Completeness;
use sayso_mcp::{HttpTarget, ReadOptions};

use super::{listing, names, read, target, told};
use crate::http_server::HttpServer;

/// Reads from a path that does something wrong.
async fn failure(path: &str) -> String {
    let server = HttpServer::start().await;
    told(
        &read(target(&server, path), &ReadOptions::default())
            .await
            .unwrap_err(),
    )
}

/// Several failures, each under its path.
async fn failures(paths: &[&str]) -> String {
    let mut told = String::new();
    for path in paths {
        told += &format!("{path}\n  {}\n", failure(path).await.replace('\n', "\n  "));
    }
    told
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let statuses =
        [400, 401, 403, 404, 405, 406, 429, 500, 503].map(|status| format!("status-{status}"));
    let paths: Vec<&str> = statuses.iter().map(String::as_str).collect();
    insta::assert_snapshot!(failures(&paths).await, @r#"
    status-400
      http://127.0.0.1/status-400: the server answered 400 Bad Request to the POST of Streamable HTTP, and 400 Bad Request to the GET of HTTP+SSE
      hint: check the path: many servers have their MCP endpoint at /mcp or /sse
    status-401
      http://127.0.0.1/status-401: the server does not accept the credentials (401); it says how to get them at https://auth.test/.well-known/oauth-protected-resource
      hint: the token may have expired, or be for another server
    status-403
      http://127.0.0.1/status-403: the server does not allow this request (403): Forbidden
      hint: the token needs the scope `tools.read`
    status-404
      http://127.0.0.1/status-404: the server answered 404 Not Found to the POST of Streamable HTTP, and 404 Not Found to the GET of HTTP+SSE
      hint: check the path: many servers have their MCP endpoint at /mcp or /sse
    status-405
      http://127.0.0.1/status-405: the server answered 405 Method Not Allowed to the POST of Streamable HTTP, and 405 Method Not Allowed to the GET of HTTP+SSE
      hint: this URL takes no messages: check that it is the server's MCP endpoint
    status-406
      http://127.0.0.1/status-406: the server answered 406 Not Acceptable: Error 406 really really really really really really really really really really really really really really really really really really really really really rea…
      hint: the server takes neither JSON nor event streams as answers: check that this URL is its MCP endpoint
    status-429
      http://127.0.0.1/status-429: the server has had too many requests (429): slow down
      hint: try again in 17 s
    status-500
      http://127.0.0.1/status-500: the server answered 500 Internal Server Error: Error 500 really really really really really really really really really really really really really really really really really really really really really rea…
      hint: the server failed: its own log says more
    status-503
      http://127.0.0.1/status-503: the server answered 503 Service Unavailable: Error 503 really really really really really really really really really really really really really really really really really really really really really rea…
      hint: the server behind this address is down or still starting: try again
    "#);
}

#[tokio::test]
async fn without_credentials_the_way_to_give_them_is_told() {
    let server = HttpServer::start().await;
    let target = HttpTarget::new(&server.url("secured")).unwrap();
    let error = read(target, &ReadOptions::default()).await.unwrap_err();
    insta::assert_snapshot!(told(&error), @r#"
    http://127.0.0.1/secured: the server wants credentials (401); it says how to get them at https://auth.test/.well-known/oauth-protected-resource
    hint: give credentials with `--bearer-env VARIABLE` or `--header 'NAME: VALUE'`
    "#);
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_origin_and_nowhere_else() {
    insta::assert_snapshot!(failures(&["redirect-302", "redirect-away", "redirect-loop"]).await, @r#"
    redirect-302
      http://127.0.0.1/redirect-302: the server redirects to http://127.0.0.1/json?… (302): such a redirect loses the message
      hint: if that is the server you mean, give http://127.0.0.1/json?… as its URL
    redirect-away
      http://127.0.0.1/redirect-away: the server redirects to http://localhost/json?… (308): that is another origin, which must not see this one's credentials
      hint: if that is the server you mean, give http://localhost/json?… as its URL
    redirect-loop
      http://127.0.0.1/redirect-loop: the server redirects to http://127.0.0.1/redirect-loop (307): that is one redirect too many
    "#);
    let server = HttpServer::start().await;
    read(target(&server, "redirect-away"), &ReadOptions::default())
        .await
        .unwrap_err();
    assert_eq!(
        server.log(),
        "POST /redirect-away initialize",
        "nothing went to the other origin"
    );
}

#[tokio::test]
async fn an_endpoint_of_another_origin_is_refused() {
    insta::assert_snapshot!(failures(&["old-foreign", "old-silent"]).await, @r#"
    old-foreign
      http://127.0.0.1/old-foreign: the server wants messages sent to http://127.0.0.1/messages?…, which is another origin (asked as an HTTP+SSE server, as it answered 405 Method Not Allowed to the POST of Streamable HTTP)
      hint: if that origin is to be trusted, give a URL there
    old-silent
      http://127.0.0.1/old-silent: the server did not send the `endpoint` event of HTTP+SSE (asked as an HTTP+SSE server, as it answered 405 Method Not Allowed to the POST of Streamable HTTP)
      hint: this URL takes no messages: check that it is the server's MCP endpoint
    "#);
}

#[tokio::test]
async fn what_is_no_answer_is_named() {
    let paths = [
        "html",
        "untyped",
        "empty",
        "accepted",
        "compressed",
        "no-json",
        "no-message",
        "other-id",
        "batch",
        "bad-request",
        "lost-session",
        "echo?key=hush%2Dhush",
    ];
    insta::assert_snapshot!(failures(&paths).await, @r#"
    html
      http://127.0.0.1/html: the server answered with text/html instead of JSON or an event stream: Sign in
      hint: this may be a web page or another service: check that the URL is the server's MCP endpoint
    untyped
      http://127.0.0.1/untyped: the server answered with no content type instead of JSON or an event stream: hello
      hint: this may be a web page or another service: check that the URL is the server's MCP endpoint
    empty
      http://127.0.0.1/empty: the server answered a request with an empty body (200)
    accepted
      http://127.0.0.1/accepted: the server answered a request with an empty body (202)
    compressed
      http://127.0.0.1/compressed: the server answered with the content encoding `gzip`, which was not asked for
    no-json
      http://127.0.0.1/no-json: the server answered with what is no JSON: expected a key in double quotes at byte 1: {,}
    no-message
      http://127.0.0.1/no-message: the server answered with JSON that is no JSON-RPC message: {"status":"down"}
      hint: this may be a web page or another service: check that the URL is the server's MCP endpoint
    other-id
      http://127.0.0.1/other-id: the server answered with another message than the answer to request 2: {"jsonrpc":"2.0","id":4711,"result":{}}
    batch
      http://127.0.0.1/batch: the answer to `tools/list` is no valid JSON-RPC message: a batch of messages, which MCP had in version 2025-03-26 only
      hint: the server has to be mended: other clients fail on this too, or misread it
    bad-request
      http://127.0.0.1/bad-request: the server refused `tools/list`: Bad Request: no valid session (-32000)
      hint: the server's own log may say more
    lost-session
      http://127.0.0.1/lost-session: the server has ended the session (404)
      hint: try again
    echo?key=hush%2Dhush
      http://127.0.0.1/echo?…: the server answered 500 Internal Server Error: Traceback: authorization = Bearer *** uri = /echo?key=***
      hint: the server failed: its own log says more
    "#);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_none() {
    insta::assert_snapshot!(failures(&["cut", "cut-stream", "closed"]).await, @r#"
    cut
      http://127.0.0.1/cut: the connection broke: connection closed before message completed
    cut-stream
      http://127.0.0.1/cut-stream: the connection broke: connection closed before message completed
    closed
      http://127.0.0.1/closed: the server closed the event stream before it answered
    "#);
}

#[tokio::test]
async fn a_page_that_fails_leaves_the_listing_incomplete() {
    let server = HttpServer::start().await;
    let listing = listing(&server, "half").await;
    assert_eq!(names(&listing), ["read_note"]);
    let Completeness::Incomplete(why) = &listing.completeness else {
        panic!("complete");
    };
    insta::assert_snapshot!(why, @"page 2 is missing: the server answered 503 Service Unavailable: Error 503 really really really really really really really really really really really really really really really really really really really really really rea…");
}

#[tokio::test]
async fn who_does_not_answer_is_told() {
    let server = HttpServer::start().await;
    let soon = Duration::from_secs(1);
    let options = ReadOptions {
        start_timeout: Some(soon),
        request_timeout: soon,
        ..ReadOptions::default()
    };
    let mut said = String::new();
    for path in ["silent", "never-ends", "never-finishes"] {
        said += &format!(
            "{path}\n  {}\n",
            told(&read(target(&server, path), &options).await.unwrap_err()).replace('\n', "\n  ")
        );
    }
    insta::assert_snapshot!(said, @r#"
    silent
      http://127.0.0.1/silent: the server did not answer `initialize` within 1.0 s
      hint: check that this URL is the server's MCP endpoint and that the server is not busy
    never-ends
      http://127.0.0.1/never-ends: the server opened an event stream and sent no answer to `tools/list` within 1.0 s
    never-finishes
      http://127.0.0.1/never-finishes: the server did not finish its answer to `tools/list` within 1.0 s
    "#);
}

#[tokio::test]
async fn a_port_nobody_listens_on_refuses() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let error = read(HttpTarget::new(&url).unwrap(), &ReadOptions::default())
        .await
        .unwrap_err();
    insta::assert_snapshot!(told(&error), @r#"
    http://127.0.0.1/mcp: the connection was refused
    hint: check the port, and that the server is running
    "#);
}
