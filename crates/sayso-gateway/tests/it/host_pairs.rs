//! Real servers of both eras before hosts of both eras.

use std::fmt::Write as _;

use sayso_gateway::server::{HostChoice, Server};
use serde_json::{Value, json};

use crate::host_support::{Gate, Lenient, Player};
use crate::server_support::{ready, settings};

const CALLS: [(&str, &str); 6] = [
    (
        "tools/call",
        r#"{"name":"progress","arguments":{},"_meta":{"progressToken":"mine", "own":1}}"#,
    ),
    (
        "tools/call",
        r#"{"name" : "ask","arguments":{"method":"roots/list"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"ask","arguments":{"method":"sampling/createMessage"}}"#,
    ),
    ("tools/call", r#"{"name":"input","arguments":{}}"#),
    ("prompts/list", "{}"),
    ("vendor/own", "{}"),
];

/// What a host hears, request by request. It has roots, and answers when it is asked for them.
async fn transcript(gate: &Gate<Server>, host: &mut Player) -> String {
    let mut heard = String::new();
    for (method, params) in CALLS {
        writeln!(heard, "> {method} {params}").unwrap();
        let mut params: Value = serde_json::from_str(params).unwrap();
        let mut id = host.request_with_meta(method, &params).await;
        loop {
            let line = host.next().await;
            let message: Value = serde_json::from_str(&line).unwrap();
            let state = message["result"]["requestState"].as_str();
            let quoted = state.map(|state| format!(r#""requestState":"{state}""#));
            let shown = quoted.map_or(line.clone(), |quoted| {
                line.replace(&quoted, r#""requestState":"…""#)
            });
            writeln!(heard, "{shown}").unwrap();
            if message["method"] == "roots/list" {
                let answer =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": [] } });
                host.send(&answer.to_string()).await;
            } else if let Some(state) = state {
                let asked = message["result"]["inputRequests"].as_object().unwrap();
                let answers: serde_json::Map<_, _> = asked
                    .keys()
                    .map(|key| (key.clone(), json!({ "roots": [] })))
                    .collect();
                params["inputResponses"] = answers.into();
                params["requestState"] = state.into();
                id = host.request_with_meta(method, &params).await;
            } else if message["id"] == id {
                break;
            }
        }
    }
    assert_eq!(gate.hosts.parked(), 0);
    heard
}

async fn gate(era: &str) -> Gate<Server> {
    let server = ready(&settings(&[era]), HostChoice::Many).await;
    Gate::new(Lenient::new(vec![server]))
}

fn roots() -> Value {
    json!({ "roots": {} })
}

#[tokio::test]
async fn legacy_host_and_legacy_server() {
    let gate = gate("--legacy").await;
    let mut host = gate.legacy(roots()).await;
    insta::assert_snapshot!(transcript(&gate, &mut host).await, @r#"
    > tools/call {"name":"progress","arguments":{},"_meta":{"progressToken":"mine", "own":1}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":2.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":3.0}}
    {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"almost"}}
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}
    > tools/call {"name" : "ask","arguments":{"method":"roots/list"}}
    {"jsonrpc":"2.0","id":1,"method":"roots/list"}
    {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}"}]}}
    > tools/call {"name":"ask","arguments":{"method":"sampling/createMessage"}}
    {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"sampling/createMessage is not available: the host declares no such capability\"}}"}]}}
    > tools/call {"name":"input","arguments":{}}
    {"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"…"}}
    {"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","content":[{"type":"text","text":"\"s\""}]}}
    > prompts/list {}
    {"jsonrpc":"2.0","id":7,"result":{"prompts":[{"name":"p", "y":1.0}]}}
    > vendor/own {}
    {"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no such method here"}}
    "#);
}

#[tokio::test]
async fn legacy_host_and_modern_server() {
    let gate = gate("--modern").await;
    let mut host = gate.legacy(roots()).await;
    insta::assert_snapshot!(transcript(&gate, &mut host).await, @r#"
    > tools/call {"name":"progress","arguments":{},"_meta":{"progressToken":"mine", "own":1}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":2.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":3.0}}
    {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"almost"}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}
    > tools/call {"name" : "ask","arguments":{"method":"roots/list"}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"the host cannot be asked here"}]}}
    > tools/call {"name":"ask","arguments":{"method":"sampling/createMessage"}}
    {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"the host cannot be asked here"}]}}
    > tools/call {"name":"input","arguments":{}}
    {"jsonrpc":"2.0","id":1,"method":"roots/list"}
    {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"\"s\""}]}}
    > prompts/list {}
    {"jsonrpc":"2.0","id":6,"result":{"prompts":[{"name":"p", "y":1.0}]}}
    > vendor/own {}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no such method here"}}
    "#);
}

#[tokio::test]
async fn modern_host_and_legacy_server() {
    let gate = gate("--legacy").await;
    let mut host = gate.modern(roots());
    insta::assert_snapshot!(transcript(&gate, &mut host).await, @r#"
    > tools/call {"name":"progress","arguments":{},"_meta":{"progressToken":"mine", "own":1}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":2.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":3.0}}
    {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}
    > tools/call {"name" : "ask","arguments":{"method":"roots/list"}}
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"1":{"method":"roots/list"}},"requestState":"…","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sayso","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}"}]}}
    > tools/call {"name":"ask","arguments":{"method":"sampling/createMessage"}}
    {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"sampling/createMessage is not available: the host declares no such capability\"}}"}]}}
    > tools/call {"name":"input","arguments":{}}
    {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","inputRequests":{"a":{"method":"roots/list"}},"requestState":"…"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"`requestState` does not belong to this request"}}
    > prompts/list {}
    {"jsonrpc":"2.0","id":7,"result":{"prompts":[{"name":"p", "y":1.0}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}
    > vendor/own {}
    {"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no such method here"}}
    "#);
}

#[tokio::test]
async fn modern_host_and_modern_server() {
    let gate = gate("--modern").await;
    let mut host = gate.modern(roots());
    insta::assert_snapshot!(transcript(&gate, &mut host).await, @r#"
    > tools/call {"name":"progress","arguments":{},"_meta":{"progressToken":"mine", "own":1}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":2.0}}
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":3.0}}
    {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}
    > tools/call {"name" : "ask","arguments":{"method":"roots/list"}}
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"the host cannot be asked here"}]}}
    > tools/call {"name":"ask","arguments":{"method":"sampling/createMessage"}}
    {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"the host cannot be asked here"}]}}
    > tools/call {"name":"input","arguments":{}}
    {"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"…"}}
    {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","content":[{"type":"text","text":"\"s\""}]}}
    > prompts/list {}
    {"jsonrpc":"2.0","id":6,"result":{"prompts":[{"name":"p", "y":1.0}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}
    > vendor/own {}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no such method here"}}
    "#);
}

#[tokio::test]
async fn a_resource_is_watched_across_all_pairs() {
    for era in ["--legacy", "--modern"] {
        let gate = gate(era).await;
        let update = r#"{"name":"update","arguments":{"uri":"file:///a"}}"#;

        let mut host = gate.legacy(json!({})).await;
        host.ask("resources/subscribe", r#"{"uri":"file:///a"}"#)
            .await;
        let mut heard = [String::new(), String::new()];
        host.request("tools/call", update).await;
        for line in &mut heard {
            *line = host.next().await;
        }
        let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}"#;
        assert!(heard.iter().any(|line| line == updated), "{era}: {heard:?}");

        let mut host = gate.modern(json!({}));
        let filter = r#"{"notifications":{"resourceSubscriptions":["file:///a"]}}"#;
        host.request("subscriptions/listen", filter).await;
        host.next().await;
        host.request("tools/call", update).await;
        for line in &mut heard {
            *line = host.next().await;
        }
        let updated = r#""method":"notifications/resources/updated""#;
        let line = heard.iter().find(|line| line.contains(updated));
        let line: Value = serde_json::from_str(line.unwrap()).unwrap();
        let id = &line["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*id, 1, "{era}");
    }
}
