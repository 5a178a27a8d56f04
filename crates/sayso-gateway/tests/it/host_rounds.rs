//! Requests that need more than one round, across the eras.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::listing::Era;
use sayso_gateway::host::{AskError, HostOptions};
use sayso_gateway::server::{Answer, State};
use serde_json::{Value, json};

use crate::host_support::{
    Gate, Lenient, Player, Script, Scripted, document, ready, result, script,
};

const HELLO: &str = r#"{"capabilities":{"tools":{},"prompts":{}}}"#;

const FORM: &str = r#"{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}"#;

fn gate(script: Script) -> (Gate<Scripted>, Arc<Scripted>) {
    gate_with(script, Era::Legacy)
}

fn gate_with(script: Script, era: Era) -> (Gate<Scripted>, Arc<Scripted>) {
    let state = State {
        era: Some(era),
        ..ready(HELLO, "", "", "")
    };
    let server = Scripted::new("files", state, script);
    let judge = Lenient::new(vec![Arc::clone(&server)]).with_note("approved");
    (Gate::new(judge), server)
}

/// A legacy server that asks its host, and says what it heard.
fn asking() -> Script {
    Box::new(|_, _, exchange| {
        Box::pin(async move {
            exchange
                .notify("notifications/progress", Some(r#"{"progress":1}"#))
                .await
                .unwrap();
            let answered = exchange
                .ask("elicitation/create", Some(FORM), Duration::from_secs(30))
                .await;
            exchange
                .notify("notifications/progress", Some(r#"{"progress":2}"#))
                .await
                .unwrap();
            let text = match answered {
                Ok(answer) => answer,
                Err(error) => format!("no answer: {error}"),
            };
            result(&json!({ "content": [{ "type": "text", "text": text }] }).to_string())
        })
    })
}

/// A modern server that needs an answer first.
fn stateful() -> Script {
    script(|_, params| {
        let params: Value = serde_json::from_str(params).unwrap();
        if params["requestState"] == "mine" && params["inputResponses"]["k"].is_object() {
            let heard = params["inputResponses"]["k"].to_string();
            let text = json!({ "resultType": "complete", "content": [heard] }).to_string();
            return result(&text);
        }
        let asks = json!({
            "resultType": "input_required",
            "inputRequests": { "k": { "method": "elicitation/create", "params": document(FORM).root().to_serde() } },
            "requestState": "mine",
        });
        Ok(Answer::InputRequired(document(&asks.to_string())))
    })
}

fn state(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!(answer["resultType"], "input_required", "{answer}");
    answer["requestState"].as_str().unwrap().to_owned()
}

/// The answer without the state, which is another every time.
fn shown(answer: &str) -> String {
    answer.replace(&state(answer), "…")
}

fn retry(arguments: &str, state: &str, key: &str) -> String {
    format!(
        r#"{{"name":"read","arguments":{arguments},"inputResponses":{{"{key}":{{"action":"accept"}}}},"requestState":"{state}"}}"#
    )
}

async fn call(host: &mut Player) -> String {
    host.ask("tools/call", r#"{"name":"read","arguments":{"a":1}}"#)
        .await
}

fn can_elicit() -> Value {
    json!({ "elicitation": {} })
}

#[tokio::test]
async fn a_legacy_server_asks_a_legacy_host() {
    let (gate, _) = gate(asking());
    let mut host = gate.legacy(can_elicit()).await;
    let id = host.request("tools/call", r#"{"name":"read"}"#).await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#);
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}"#);
    host.send(r#"{"jsonrpc":"2.0","id":1,"result":{"action" : "decline"}}"#)
        .await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2}}"#);
    insta::assert_snapshot!(host.answer(id).await, @r#"{"content":[{"type":"text","text":"{\"action\" : \"decline\"}"}]}"#);
}

#[tokio::test]
async fn who_cannot_be_asked_is_not_asked() {
    let (gate, _) = gate(asking());
    for mut host in [
        gate.legacy(json!({})).await,
        gate.modern(json!({ "roots": {} })),
    ] {
        let id = host.request("tools/call", r#"{"name":"read"}"#).await;
        host.next().await;
        host.next().await;
        let answer = host.answer(id).await;
        assert!(
            answer.contains("no answer: the host cannot be asked this"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_legacy_server_asks_a_modern_host_by_parking_the_call() {
    let (gate, server) = gate(asking());
    let mut host = gate.modern(can_elicit());
    let id = host
        .request("tools/call", r#"{"name":"read","arguments":{"a":1}}"#)
        .await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#);
    let asked = host.answer(id).await;
    insta::assert_snapshot!(shown(&asked), @r#"{"resultType":"input_required","inputRequests":{"1":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"…","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sayso","version":"0.1.0"}}}"#);
    assert_eq!(gate.hosts.parked(), 1);
    let again = retry(r#"{ "a" : 1.0 }"#, &state(&asked), "1");
    let id = host.request("tools/call", &again).await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2}}"#);
    insta::assert_snapshot!(host.answer(id).await, @r#"{"content":[{"type":"text","text":"{\"action\":\"accept\"}"}],"resultType":"complete"}"#);
    assert_eq!(gate.hosts.parked(), 0);
    // It was one call.
    assert_eq!(server.seen().len(), 1);
    insta::assert_snapshot!(host.ask("tools/call", &again).await, @r#"error: {"code":-32602,"message":"the call this `requestState` belongs to is over"}"#);
}

#[tokio::test]
async fn a_parked_call_is_nobody_elses() {
    let (gate, server) = gate(asking());
    let mut host = gate.modern(can_elicit());
    let id = host
        .request("tools/call", r#"{"name":"read","arguments":{"a":1}}"#)
        .await;
    host.next().await;
    let state = state(&host.answer(id).await);
    let changed = retry(r#"{"a":2}"#, &state, "1");
    insta::assert_snapshot!(host.ask("tools/call", &changed).await, @r#"error: {"code":-32602,"message":"`requestState` does not belong to this request"}"#);
    let other_tool = retry(r#"{"a":1}"#, &state, "1").replace("read", "wipe");
    insta::assert_snapshot!(host.ask("tools/call", &other_tool).await, @r#"error: {"code":-32602,"message":"`requestState` does not belong to this request"}"#);
    let bent = retry(r#"{"a":1}"#, &format!("x{state}"), "1");
    insta::assert_snapshot!(host.ask("tools/call", &bent).await, @r#"error: {"code":-32602,"message":"`requestState` does not belong to this request"}"#);
    assert_eq!(server.seen().len(), 1);
    assert_eq!(gate.hosts.parked(), 1);
}

#[tokio::test]
async fn what_was_not_answered_is_asked_again() {
    let (gate, _) = gate(asking());
    let mut host = gate.modern(can_elicit());
    let id = host
        .request("tools/call", r#"{"name":"read","arguments":{"a":1}}"#)
        .await;
    host.next().await;
    let first = host.answer(id).await;
    let none = retry(r#"{"a":1}"#, &state(&first), "another");
    let again = host.ask("tools/call", &none).await;
    assert_eq!(shown(&first), shown(&again));
}

#[tokio::test]
async fn a_call_that_waits_too_long_goes_on_without_the_answer() {
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let script: Script = Box::new(move |_, _, exchange| {
        let told = told.clone();
        Box::pin(async move {
            let answer = exchange
                .ask("roots/list", None, Duration::from_secs(600))
                .await;
            told.send(answer).unwrap();
            result("{}")
        })
    });
    let server = Scripted::new("files", ready(HELLO, "", "", ""), script);
    let options = HostOptions {
        patience: Duration::from_millis(20),
        ..HostOptions::default()
    };
    let gate = Gate::with(Lenient::new(vec![server]), options);
    let mut host = gate.modern(json!({ "roots": {} }));
    call(&mut host).await;
    assert_eq!(heard.recv().await, Some(Err(AskError::TimedOut)));
    assert_eq!(gate.hosts.parked(), 0);
}

#[tokio::test]
async fn a_modern_server_asks_a_modern_host_with_its_state_sealed() {
    let (gate, server) = gate_with(stateful(), Era::Modern);
    let mut host = gate.modern(can_elicit());
    let asked = call(&mut host).await;
    insta::assert_snapshot!(shown(&asked), @r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"…"}"#);
    assert!(!asked.contains("mine"));
    let again = retry(r#"{"a":1}"#, &state(&asked), "k");
    insta::assert_snapshot!(host.ask("tools/call", &again).await, @r#"{"resultType":"complete","content":["{\"action\":\"accept\"}"]}"#);
    let seen = server.seen();
    insta::assert_snapshot!(seen.last().unwrap().split_once(r#""name""#).unwrap().1, @r#":"player","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"read","arguments":{"a":1},"inputResponses":{"k":{"action":"accept"}},"requestState":"mine"}"#);
    // The state may be used again, as its server likes; the note is spent.
    host.ask("tools/call", &again).await;
    let notes = gate.judge.notes.lock().unwrap().clone();
    assert_eq!(notes, [None, Some("approved".to_owned()), None]);
}

#[tokio::test]
async fn a_state_of_the_servers_own_words_is_refused() {
    let (gate, server) = gate_with(stateful(), Era::Modern);
    let mut host = gate.modern(can_elicit());
    let forged = retry(r#"{"a":1}"#, "mine", "k");
    insta::assert_snapshot!(host.ask("tools/call", &forged).await, @r#"error: {"code":-32602,"message":"`requestState` does not belong to this request"}"#);
    assert_eq!(server.seen(), Vec::<String>::new());
}

#[tokio::test]
async fn a_modern_server_asks_only_what_the_host_declares() {
    let (gate, _) = gate_with(stateful(), Era::Modern);
    let mut host = gate.modern(json!({ "roots": {} }));
    insta::assert_snapshot!(call(&mut host).await, @r#"error: {"code":-32021,"message":"the server asks for `elicitation/create`, which the request does not declare","data":{"requiredCapabilities":{"elicitation":{}}}}"#);
}

#[tokio::test]
async fn a_modern_server_asks_a_legacy_host_with_requests() {
    let (gate, server) = gate_with(stateful(), Era::Modern);
    let mut host = gate.legacy(can_elicit()).await;
    let id = host
        .request("tools/call", r#"{"name":"read", "arguments":{"a":1.0}}"#)
        .await;
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}"#);
    host.send(r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}}"#)
        .await;
    insta::assert_snapshot!(host.answer(id).await, @r#"{"content":["{\"action\":\"accept\",\"content\":{}}"]}"#);
    insta::assert_snapshot!(server.seen().join("\n"), @r#"
    tools/call {"name":"read", "arguments":{"a":1.0}}
    tools/call {"name":"read", "arguments":{"a":1.0},"inputResponses":{"k":{"action":"accept","content":{}}},"requestState":"mine"}
    "#);
    let notes = gate.judge.notes.lock().unwrap().clone();
    assert_eq!(notes, [None, Some("approved".to_owned())]);
}

#[tokio::test]
async fn a_server_that_asks_for_ever_is_stopped() {
    let (gate, server) = gate(script(|_, _| {
        Ok(Answer::InputRequired(document(
            r#"{"resultType":"input_required","requestState":"s"}"#,
        )))
    }));
    let mut host = gate.legacy(can_elicit()).await;
    insta::assert_snapshot!(call(&mut host).await, @r#"error: {"code":-32603,"message":"the server asked for input 10 times and gave no answer"}"#);
    assert_eq!(server.seen().len(), 10);
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_while_it_runs() {
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel::<()>();
    let script: Script = Box::new(move |_, _, exchange| {
        let told = told.clone();
        Box::pin(async move {
            exchange
                .notify("notifications/progress", None)
                .await
                .unwrap();
            let _told = told;
            std::future::pending().await
        })
    });
    let (gate, _) = gate(script);
    for mut host in [gate.legacy(can_elicit()).await, gate.modern(can_elicit())] {
        let id = host.request("tools/call", r#"{"name":"read"}"#).await;
        host.next().await;
        host.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ))
        .await;
        // The pipe goes on.
        host.ask("tools/list", "{}").await;
    }
    drop(gate);
    // The last sender is gone: both calls were dropped.
    tokio::time::timeout(crate::server_support::PATIENCE, heard.recv())
        .await
        .unwrap();
}
