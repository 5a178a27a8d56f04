//! A conversation that is kept open, with a server that is a process: calls, time-outs, deaths
//! and changes of the list.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use sayso_mcp::{CallOutcome, Client, EraChoice, ReadOptions, Target, ToolCall};

use crate::support::{options, server};

/// Long enough for an answer that comes at once.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Too short for an answer that never comes.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

const ERAS: [&str; 2] = ["calls", "calls-modern"];

async fn connect(behaviour: &str) -> Client {
    connect_with(behaviour, options()).await
}

async fn connect_with(behaviour: &str, options: ReadOptions) -> Client {
    let target = Target::Stdio(server(&[behaviour]));
    Client::connect(target, options).await.unwrap()
}

pub(crate) fn tool(name: &str) -> ToolCall<'_> {
    ToolCall {
        name,
        arguments: "{}",
        timeout: LONG,
        cancel: true,
    }
}

/// A call that is not waited for.
pub(crate) fn impatient(name: &str) -> ToolCall<'_> {
    ToolCall {
        timeout: SHORT,
        ..tool(name)
    }
}

/// An outcome on one line.
pub(crate) fn told(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Answered { text, is_error, .. } if *is_error => format!("failed: {text}"),
        CallOutcome::Answered { text, .. } => format!("answered: {text}"),
        CallOutcome::Refused(error) => format!("refused: {error}"),
        CallOutcome::InputRequired { methods, .. } => format!("asked: {}", methods.join(" ")),
        CallOutcome::TimedOut => "timed out".to_owned(),
        CallOutcome::ConnectionLost(why) => format!("lost: {why}"),
        CallOutcome::Rejected(why) => format!("rejected: {why}"),
        CallOutcome::Malformed(why) => format!("malformed: {why}"),
        CallOutcome::NotSent(why) => format!("not sent: {why}"),
        other => format!("{other:?}"),
    }
}

async fn told_of(client: &mut Client, call: ToolCall<'_>) -> String {
    told(&client.call(call).await)
}

#[tokio::test]
async fn every_kind_of_answer() {
    for era in ERAS {
        let mut client = connect(era).await;
        let mut lines = Vec::new();
        for name in [
            "fail",
            "refuse",
            "no-object",
            "no-content",
            "odd-flag",
            "odd-type",
            "no-json",
        ] {
            lines.push(told_of(&mut client, tool(name)).await);
        }
        insta::allow_duplicates! {
            insta::assert_snapshot!(lines.join("\n"), @r#"
            failed: no such index
            refused: unknown tool: refuse (-32602)
            malformed: the answer has a number as its result
            malformed: the answer has no `content`
            malformed: the answer has a string as `isError`, not a boolean
            malformed: the answer has the unknown result type "task"
            malformed: the answer is not JSON: expected a value at byte 45: {"jsonrpc":"2.0","id":8,"result":{"content":[}}
            "#);
        }
    }
}

#[tokio::test]
async fn arguments_are_sent_byte_for_byte() {
    let mut client = connect("calls").await;
    let arguments = "{ \"b\":1.0e2,\"a\" :[1,\r\n\n2],\"b\":\"\\u0041\\n\" }";
    let outcome = client
        .call(ToolCall {
            arguments,
            ..tool("echo")
        })
        .await;
    insta::assert_snapshot!(told(&outcome), @r#"answered: {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{ "b":1.0e2,"a" :[1,   2],"b":"\u0041\n" }}}"#);
    let outcome = client
        .call(ToolCall {
            arguments: "{} , \"name\": 1",
            ..tool("echo")
        })
        .await;
    insta::assert_snapshot!(told(&outcome), @"not sent: the arguments are not JSON: more text after the value at byte 3");

    let mut client = connect("calls-modern").await;
    insta::assert_snapshot!(told_of(&mut client, tool("echo")).await, @r#"answered: {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"sayso","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}},"name":"echo","arguments":{}}}"#);
}

#[tokio::test]
async fn the_whole_result_is_kept() {
    let mut client = connect("calls").await;
    let CallOutcome::Answered { result, .. } = client.call(tool("fail")).await else {
        panic!("no answer");
    };
    insta::assert_snapshot!(result.root().raw(), @r#"{"content":[{"type":"text","text":"no such index"}],"isError":true}"#);
}

#[tokio::test]
async fn a_late_answer_is_dropped_and_the_conversation_goes_on() {
    for era in ERAS {
        let mut client = connect(era).await;
        let mut lines = Vec::new();
        for call in [
            impatient("hold"),
            tool("fail"),
            impatient("ignore"),
            tool("cancelled"),
        ] {
            lines.push(told_of(&mut client, call).await);
        }
        let listed = client.list().await.unwrap();
        assert_eq!(listed.len(), 1);
        let closed = client.close().await;
        lines.push(format!(
            "{} late, {:?}",
            closed.late_answers, closed.observations
        ));
        insta::allow_duplicates! {
            insta::assert_snapshot!(lines.join("\n"), @"
            timed out
            failed: no such index
            timed out
            answered: [2,4]
            1 late, []
            ");
        }
    }
}

#[tokio::test]
async fn a_server_is_told_only_when_it_is_to_be_told() {
    for era in ERAS {
        let mut client = connect(era).await;
        let quiet = ToolCall {
            cancel: false,
            ..impatient("hold")
        };
        assert_eq!(told_of(&mut client, quiet).await, "timed out");
        // The late answer comes first.
        assert_eq!(
            told_of(&mut client, tool("cancelled")).await,
            "answered: []"
        );
        assert_eq!(client.close().await.late_answers, 1);
    }
}

#[tokio::test]
async fn a_call_whose_future_is_dropped_leaves_the_conversation_open() {
    for era in ERAS {
        let mut client = connect(era).await;
        let dropped = tokio::time::timeout(SHORT, client.call(tool("hold"))).await;
        assert!(dropped.is_err());
        // In a task of its own, as a client may be.
        let (answer, client) = tokio::spawn(async move {
            let answer = told_of(&mut client, tool("cancelled")).await;
            (answer, client)
        })
        .await
        .unwrap();
        assert_eq!(answer, "answered: []");
        assert_eq!(client.close().await.late_answers, 1);
    }
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_of_a_call() {
    for era in ERAS {
        let mut client = connect(era).await;
        let mut lines = vec![
            told_of(&mut client, tool("die")).await,
            told_of(&mut client, tool("echo")).await,
            client.list_changed(LONG).await.to_string(),
        ];
        let error = client.list().await.unwrap_err();
        lines.push(error.kind.to_string());
        lines.extend(error.stderr_tail);
        let closed = client.close().await;
        lines.push(format!("{:?} {:?}", closed.exit, closed.stderr_tail));
        insta::allow_duplicates! {
            insta::assert_snapshot!(lines.join("\n"), @r#"
            lost: the server ended with exit status 7
            lost: the server ended with exit status 7
            false
            the server ended with exit status 7 before it answered `tools/list`
            out of memory
            Some("ended with exit status 7") ["out of memory"]
            "#);
        }
    }
}

#[tokio::test]
async fn changes_of_the_list_are_heard() {
    for era in ERAS {
        let mut client = connect(era).await;
        assert!(!client.list_changed(Duration::ZERO).await);
        let hint = |listing: &sayso_core::listing::Listing| {
            listing
                .tool(0)
                .unwrap()
                .value()
                .at(&["annotations"])
                .unwrap()
                .raw()
                .to_owned()
        };
        let before = client.list().await.unwrap();
        assert_eq!(
            told_of(&mut client, tool("change")).await,
            "answered: changed"
        );
        assert!(client.list_changed(LONG).await, "{era}");
        assert!(!client.list_changed(Duration::ZERO).await, "{era}");
        let after = client.list().await.unwrap();
        assert_eq!(hint(&before), r#"{"readOnlyHint":true}"#);
        assert_eq!(hint(&after), r#"{"readOnlyHint":false}"#);
        assert_eq!(client.notes(), [""; 0]);
    }
}

#[tokio::test]
async fn a_change_that_is_not_told_is_not_heard() {
    for era in ERAS {
        let mut client = connect(era).await;
        assert!(!client.list_changed(Duration::ZERO).await);
        told_of(&mut client, tool("change-quietly")).await;
        assert!(!client.list_changed(SHORT).await, "{era}");
    }
}

#[tokio::test]
async fn a_modern_server_tells_whoever_subscribed() {
    let mut client = connect("calls-modern").await;
    // Nobody subscribed yet.
    told_of(&mut client, tool("change")).await;
    assert!(!client.list_changed(SHORT).await);
    told_of(&mut client, tool("change")).await;
    assert!(client.list_changed(LONG).await);
    // The server may end a subscription; asking again subscribes again.
    told_of(&mut client, tool("unsubscribe")).await;
    told_of(&mut client, tool("change")).await;
    assert!(!client.list_changed(SHORT).await);
    told_of(&mut client, tool("change")).await;
    assert!(client.list_changed(LONG).await);
    assert_eq!(client.close().await.observations.len(), 1);
}

#[tokio::test]
async fn a_modern_server_without_subscriptions() {
    let options = ReadOptions {
        era: EraChoice::Modern,
        ..options()
    };
    let mut client = connect_with("modern-only", options).await;
    assert!(!client.list_changed(LONG).await);
    insta::assert_snapshot!(client.notes().join("\n"), @"changes of the list are heard beside answers only, if at all: the server refused `subscriptions/listen`: no such method (-32601)");
}

#[tokio::test]
async fn nobody_is_there_to_be_asked() {
    let mut client = connect("calls").await;
    insta::assert_snapshot!(told_of(&mut client, tool("ask")).await, @r#"answered: {"jsonrpc":"2.0","id":"e","error":{"code":-32601,"message":"elicitation/create is not available: this client declares no such capability"}}"#);
    let mut client = connect("calls-modern").await;
    insta::assert_snapshot!(told_of(&mut client, tool("ask")).await, @"asked: elicitation/create");
}
