//! A conversation that is kept open with a server behind a URL.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use sayso_core::listing::{Listing, ObservationKind};
use sayso_mcp::{Client, HttpTarget, Target, ToolCall};

use crate::calls::{LONG, SHORT, impatient, told, tool};
use crate::http_server::HttpServer;
use crate::support::options;

/// Streamable HTTP in both eras.
const ERAS: [&str; 2] = ["calls", "calls-modern"];

async fn connect(server: &HttpServer, path: &str) -> Client {
    let target = HttpTarget::new(&server.url(path)).unwrap();
    Client::connect(Target::Http(target), options())
        .await
        .unwrap()
}

async fn told_of(client: &mut Client, call: ToolCall<'_>) -> String {
    told(&client.call(call).await)
}

/// A call that is not waited for, and the server not told.
fn quiet(name: &str) -> ToolCall<'_> {
    ToolCall {
        cancel: false,
        ..impatient(name)
    }
}

#[tokio::test]
async fn every_kind_of_answer() {
    for path in ERAS {
        let server = HttpServer::start().await;
        let mut client = connect(&server, path).await;
        let mut lines = Vec::new();
        for name in ["fail", "refuse", "forbid", "page", "down"] {
            lines.push(told_of(&mut client, tool(name)).await);
        }
        let broken = told_of(&mut client, tool("die")).await;
        // Where it broke is chance.
        lines.extend(broken.rsplit_once(':').map(|(what, _)| what.to_owned()));
        insta::allow_duplicates! {
            insta::assert_snapshot!(lines.join("\n"), @"
            failed: no such index
            refused: unknown tool: refuse (-32602)
            rejected: the server does not allow this request (403): Forbidden
            malformed: the server answered with text/plain instead of JSON or an event stream
            lost: the server answered 503 Service Unavailable: Error 503 really really really really really really really really really really really really really really really really really really really really really rea…
            lost: the connection broke
            ");
        }
        // HTTP has no connection to lose: the next call is one of its own.
        assert!(
            told_of(&mut client, tool("echo"))
                .await
                .starts_with("answered")
        );
    }
}

#[tokio::test]
async fn a_modern_call_names_its_tool_in_a_header() {
    let server = HttpServer::start().await;
    let mut client = connect(&server, "calls-modern").await;
    let mut lines = Vec::new();
    for name in ["read_note", "größe", " padded", "=?base64?eA==?="] {
        lines.push(told_of(&mut client, tool(name)).await);
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    answered: read_note
    answered: =?base64?Z3LDtsOfZQ==?=
    answered: =?base64?IHBhZGRlZA==?=
    answered: =?base64?PT9iYXNlNjQ/ZUE9PT89?=
    ");
    let mut client = connect(&server, "calls").await;
    assert_eq!(
        told_of(&mut client, tool("read_note")).await,
        "answered: none"
    );
}

#[tokio::test]
async fn a_modern_call_repeats_arguments_in_headers() {
    let server = HttpServer::start().await;
    for (path, header) in [("calls-modern", Some("eu north")), ("calls", None)] {
        let mut client = connect(&server, path).await;
        client.list().await.unwrap();
        let call = ToolCall {
            arguments: r#"{"region":"eu north"}"#,
            ..tool("echo")
        };
        client.call(call).await;
        let seen = server.seen();
        let seen = seen.last().unwrap();
        assert_eq!(seen.header("mcp-param-region"), header, "{path}");
        assert_eq!(seen.body["params"]["arguments"]["region"], "eu north");
    }
}

#[tokio::test]
async fn a_modern_call_is_cancelled_by_closing_its_stream() {
    let server = HttpServer::start().await;
    let mut client = connect(&server, "calls-modern").await;
    assert_eq!(told_of(&mut client, impatient("hold")).await, "timed out");
    server.calls().one_hung_up().await;
    assert_eq!(told_of(&mut client, tool("echo")).await, "answered: echo");
    assert_eq!(server.calls().cancelled(), [0; 0]);
    assert_eq!(client.close().await.late_answers, 0);
}

#[tokio::test]
async fn a_legacy_call_is_cancelled_by_a_notification() {
    for path in ["calls", "calls-old"] {
        let server = HttpServer::start().await;
        let mut client = connect(&server, path).await;
        assert_eq!(told_of(&mut client, impatient("hold")).await, "timed out");
        assert_eq!(server.calls().one_cancelled().await, [2], "{path}");
        assert_eq!(
            told_of(&mut client, tool("release")).await,
            "answered: released"
        );
        // Whether or not the late answer is there already.
        assert_eq!(told_of(&mut client, tool("echo")).await, "answered: none");
        assert_eq!(server.calls().hung_up(), 0);
    }
}

#[tokio::test]
async fn a_late_answer_is_known_for_what_it_is() {
    for path in ["calls-no-stream", "calls-modern-unsubscribed", "calls-old"] {
        let server = HttpServer::start().await;
        let mut client = connect(&server, path).await;
        assert_eq!(told_of(&mut client, quiet("hold")).await, "timed out");
        assert_eq!(
            told_of(&mut client, tool("release")).await,
            "answered: released"
        );
        // Over one stream it comes before the next answer; otherwise this waits for it.
        assert_eq!(
            told_of(&mut client, tool("echo")).await.split(':').next(),
            Some("answered")
        );
        let patience = if path == "calls-old" { SHORT } else { LONG };
        assert!(!client.list_changed(patience).await);
        assert_eq!(
            (server.calls().hung_up(), server.calls().cancelled()),
            (0, vec![])
        );
        let closed = client.close().await;
        assert_eq!(closed.late_answers, 1, "{path}");
        let mut odd = closed.observations.iter();
        assert!(
            !odd.any(|odd| odd.kind == ObservationKind::UnknownId),
            "{path}"
        );
    }
}

#[tokio::test]
async fn changes_of_the_list_are_heard() {
    for path in ["calls", "calls-modern", "calls-old", "calls-polling"] {
        let server = HttpServer::start().await;
        let mut client = connect(&server, path).await;
        assert!(!client.list_changed(Duration::ZERO).await, "{path}");
        let before = client.list().await.unwrap();
        assert_eq!(
            told_of(&mut client, tool("change")).await,
            "answered: changed"
        );
        assert!(client.list_changed(LONG).await, "{path}");
        assert!(!client.list_changed(Duration::ZERO).await, "{path}");
        let after = client.list().await.unwrap();
        let raw = |listing: &Listing| {
            let hint = listing.tool(0).unwrap().value();
            hint.at(&["annotations"]).unwrap().raw().to_owned()
        };
        assert_eq!(raw(&before), r#"{"readOnlyHint":true}"#, "{path}");
        assert_eq!(raw(&after), r#"{"readOnlyHint":false}"#, "{path}");
        assert_eq!(client.notes(), [""; 0], "{path}");
    }
}

#[tokio::test]
async fn a_stream_that_ended_is_opened_again() {
    for path in ERAS {
        let server = HttpServer::start().await;
        let mut client = connect(&server, path).await;
        assert!(!client.list_changed(Duration::ZERO).await);
        assert_eq!(
            told_of(&mut client, tool("hang-up")).await,
            "answered: over"
        );
        // Finds the stream ended, and opens it then or the next time.
        assert!(!client.list_changed(Duration::from_secs(2)).await);
        assert!(!client.list_changed(Duration::ZERO).await);
        assert_eq!(
            told_of(&mut client, tool("change")).await,
            "answered: changed"
        );
        assert!(client.list_changed(LONG).await, "{path}");
    }
}

#[tokio::test]
async fn a_server_without_a_stream_tells_beside_its_answers_only() {
    let server = HttpServer::start().await;
    let mut client = connect(&server, "calls-no-stream").await;
    assert_eq!(
        told_of(&mut client, tool("change")).await,
        "answered: changed"
    );
    assert!(!client.list_changed(LONG).await);
    assert_eq!(
        told_of(&mut client, tool("change-beside")).await,
        "answered: changed"
    );
    assert!(client.list_changed(Duration::ZERO).await);
    insta::assert_snapshot!(client.notes().join("\n"), @"changes of the list are heard beside answers only, if at all: the server answered 405 Method Not Allowed");

    let mut client = connect(&server, "calls-modern-unsubscribed").await;
    assert!(!client.list_changed(LONG).await);
    insta::assert_snapshot!(client.notes().join("\n"), @"changes of the list are heard beside answers only, if at all: the server refused `subscriptions/listen`: Method not found (-32601)");
}

#[tokio::test]
async fn a_question_of_the_server_is_answered_while_a_call_waits() {
    let server = HttpServer::start().await;
    let mut client = connect(&server, "calls").await;
    let beside = told_of(&mut client, tool("ask")).await;
    insta::assert_snapshot!(beside, @r#"answered: "elicitation/create is not available: this client declares no such capability""#);
    // Over its own stream, once that is open.
    let server = HttpServer::start().await;
    let mut client = connect(&server, "calls").await;
    assert!(!client.list_changed(Duration::ZERO).await);
    assert_eq!(told_of(&mut client, tool("ask")).await, beside);
}

#[tokio::test]
async fn a_call_whose_future_is_dropped_leaves_the_conversation_open() {
    for path in ["calls-no-stream", "calls-modern-unsubscribed", "calls-old"] {
        let server = HttpServer::start().await;
        let mut client = connect(&server, path).await;
        let dropped = tokio::time::timeout(SHORT, client.call(tool("hold"))).await;
        assert!(dropped.is_err());
        assert_eq!(
            told_of(&mut client, tool("release")).await,
            "answered: released"
        );
        assert_eq!(
            told_of(&mut client, tool("echo")).await.split(':').next(),
            Some("answered")
        );
    }
}
