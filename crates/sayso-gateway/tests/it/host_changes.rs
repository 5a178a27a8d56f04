//! What changes by itself, and which hosts hear of it.

use std::sync::Arc;

use sayso_gateway::server::Event;
use serde_json::json;

use crate::host_support::{Gate, Lenient, Scripted, ready, result, script};

const HELLO: &str =
    r#"{"capabilities":{"tools":{},"prompts":{},"resources":{"subscribe":true},"logging":{}}}"#;

fn gate() -> (Gate<Scripted>, Arc<Scripted>) {
    let state = ready(HELLO, r#"{"name":"a"}"#, r#"{"uri":"file:///a"}"#, "");
    let server = Scripted::new("files", state, script(|_, _| result("{}")));
    (Gate::new(Lenient::new(vec![Arc::clone(&server)])), server)
}

fn updated(session: Option<u64>) -> Event {
    Event::ResourceUpdated {
        session,
        uri: "file:///a".to_owned(),
        params: r#"{"uri":"file:///a"}"#.to_owned(),
    }
}

#[tokio::test]
async fn whoever_listed_hears_of_a_change_once() {
    let (gate, _) = gate();
    let mut one = gate.legacy(json!({})).await;
    let mut other = gate.legacy(json!({})).await;
    one.ask("tools/list", "{}").await;
    // Nothing that this host can see has changed.
    gate.judge.change();
    tokio::task::yield_now().await;
    gate.judge.set_tools(r#"{"tools":[]}"#);
    gate.judge.change();
    insta::assert_snapshot!(one.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    // The other has never listed, so nothing it knows is wrong; nothing else came before.
    other.ask("ping", "{}").await;
    one.ask("ping", "{}").await;
}

#[tokio::test]
async fn prompts_and_resources_change_for_whoever_sees_them() {
    let (gate, server) = gate();
    let mut host = gate.legacy(json!({})).await;
    host.ask("prompts/list", "{}").await;
    host.ask("resources/list", "{}").await;
    server.set(ready(
        HELLO,
        r#"{"name":"b"}"#,
        r#"{"uri":"file:///a"}"#,
        "",
    ));
    gate.judge.change();
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}"#);
    gate.judge.hide("file:///a");
    gate.judge.change();
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}"#);
}

#[tokio::test]
async fn a_modern_host_hears_of_what_it_listens_to() {
    let (gate, server) = gate();
    let mut host = gate.modern(json!({}));
    let filter = r#"{"notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["file:///a"]}}"#;
    host.request("subscriptions/listen", filter).await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]},"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#);
    server.say(updated(None));
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#);
    gate.judge.set_tools(r#"{"tools":[]}"#);
    gate.judge.change();
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#);
    // Its end is the end of the subscription at the server.
    server.seen();
    host.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    loop {
        let seen = server.seen();
        if let Some(line) = seen.first() {
            insta::assert_snapshot!(line, @r#"resources/unsubscribe {"uri":"file:///a"}"#);
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn updates_go_to_subscribers_only() {
    let (gate, server) = gate();
    let mut one = gate.legacy(json!({})).await;
    let mut other = gate.legacy(json!({})).await;
    one.ask("resources/subscribe", r#"{"uri":"file:///a"}"#)
        .await;
    server.say(updated(None));
    insta::assert_snapshot!(one.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}"#);
    one.ask("resources/unsubscribe", r#"{"uri":"file:///a"}"#)
        .await;
    server.say(updated(None));
    tokio::task::yield_now().await;
    one.ask("ping", "{}").await;
    other.ask("ping", "{}").await;
}

#[tokio::test]
async fn log_messages_are_as_severe_as_wanted() {
    let (gate, server) = gate();
    let mut host = gate.legacy(json!({})).await;
    let log = |level: &str| Event::Log {
        session: None,
        params: format!(r#"{{"level":"{level}","data":1}}"#),
    };
    server.say(log("debug"));
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":1}}"#);
    host.ask("logging/setLevel", r#"{"level":"error"}"#).await;
    server.say(log("warning"));
    server.say(log("alert"));
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"alert","data":1}}"#);
}

#[tokio::test]
async fn the_end_of_an_elicitation_is_told_to_whom_it_was_shown() {
    let script: crate::host_support::Script = Box::new(|_, _, exchange| {
        Box::pin(async move {
            let params = r#"{"mode":"url","elicitationId":"e-1","url":"https://localhost/","message":"Go there"}"#;
            let timeout = std::time::Duration::from_secs(30);
            let answer = exchange
                .ask("elicitation/create", Some(params), timeout)
                .await;
            result(&answer.unwrap())
        })
    });
    let server = Scripted::new("files", ready(HELLO, "", "", ""), script);
    let gate = Gate::new(Lenient::new(vec![Arc::clone(&server)]));
    let mut one = gate.legacy(json!({ "elicitation": { "url": {} } })).await;
    let mut other = gate.legacy(json!({ "elicitation": { "url": {} } })).await;
    let id = one.request("tools/call", r#"{"name":"read"}"#).await;
    insta::assert_snapshot!(one.next().await, @r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","elicitationId":"e-1","url":"https://localhost/","message":"Go there"}}"#);
    one.send(r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#)
        .await;
    one.answer(id).await;
    server.say(Event::ElicitationComplete {
        session: None,
        params: r#"{"elicitationId":"e-1"}"#.to_owned(),
    });
    insta::assert_snapshot!(one.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}}"#);
    other.ask("ping", "{}").await;
}

#[tokio::test]
async fn what_belongs_to_a_session_ends_with_it() {
    let (gate, server) = gate();
    let mut host = gate.legacy(json!({})).await;
    host.ask("resources/subscribe", r#"{"uri":"file:///a"}"#)
        .await;
    assert_eq!(gate.hosts.sessions(), 1);
    host.leave().await;
    server.left(1).await;
    assert_eq!(gate.hosts.sessions(), 0);
}

#[tokio::test]
async fn what_cannot_be_read_in_one_way_is_in_the_journal() {
    let (gate, server) = gate();
    let mut host = gate.legacy(json!({})).await;
    host.send(r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","name":"b"}}"#)
        .await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"the key `name` stands more than once"}}"#);
    host.send(r#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#)
        .await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of messages, which MCP had in version 2025-03-26 only"}}"#);
    let refused = gate.judge.refused.lock().unwrap().join("\n");
    insta::assert_snapshot!(refused, @"
    local: the key `name` stands more than once
    local: a batch of messages, which MCP had in version 2025-03-26 only
    ");
    assert_eq!(server.seen(), Vec::<String>::new());
}
