//! How a gate that is told to end does so.

use std::process::Command;

use serde_json::{Value, json};

use super::support::{Behind, Host, Place, eventually, reason, text_result, tool_with};
use crate::stopping::processes_with;

const WIPES: &str = r#","annotations":{"readOnlyHint":false,"destructiveHint":true}"#;

/// The question of a server while a call runs.
const QUESTION: &str =
    r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Sure?"}}"#;

/// A gate with these settings that asks about `wipe`.
fn asking(settings: &str) -> (Place, Behind) {
    let mut place = Place::new(settings);
    let server = place.server("s", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
    server.lists(&tool_with("wipe", WIPES));
    (place, server)
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// That the gate ends in order, and nothing is left of it.
#[track_caller]
fn ends_in_order(place: &Place, host: &mut Host) {
    assert!(host.is_closed());
    assert_eq!(host.gate().wait().unwrap().code(), Some(0));
    leaves_nothing(place);
    let stopped = place.records("stopped", 1);
    assert_eq!(
        stopped[0],
        json!({ "reason": "terminated", "running": 0 }),
        "{stopped:?}"
    );
}

#[track_caller]
fn leaves_nothing(place: &Place) {
    let marker = place.directory().parent().unwrap().display().to_string();
    eventually("the end of all processes", || {
        processes_with(&marker).is_empty()
    });
    place.verify();
}

#[test]
fn a_call_that_waits_for_the_operator_is_not_waited_for() {
    let (place, server) = asking("wait = 600\napproval = \"terminal\"");
    let mut host = place.host();
    let call = host.begin_call("wipe", "{}");
    place.records("approval-opened", 1);
    signal("-TERM", host.gate().id());
    let answer = host.answer(call);
    assert_eq!(reason(&answer), "approval-pending", "{answer}");
    ends_in_order(&place, &mut host);
    server.saw_nothing();
    // It can still be approved, and counts for the next gate.
    let approval = &answer["result"]["_meta"]["dev.sayso/refusal"]["approval"];
    let approval = approval.as_str().unwrap();
    place.run(&format!("approvals approve {approval} --yes"));
    let answer = place.host().call("wipe", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn a_call_that_waits_for_the_person_at_the_host_is_not_waited_for() {
    let (place, server) = asking("wait = 600\napproval = \"host\"");
    let mut host = place.bare_host();
    host.hello(r#"{"elicitation":{"form":{}}}"#);
    let call = host.begin_call("wipe", "{}");
    host.told("elicitation/create");
    signal("-TERM", host.gate().id());
    assert_eq!(reason(&host.answer(call)), "approval-pending");
    ends_in_order(&place, &mut host);
    server.saw_nothing();
}

#[test]
fn a_call_that_waits_for_its_host_to_come_back_goes_on_without_it() {
    let (place, server) = Place::open(&tool_with("act", ""));
    server.does("tools/call", &[QUESTION.to_owned()]);
    let mut host = place.bare_host();
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;
    let params = format!(r#"{{"name":"act","arguments":{{}},"_meta":{meta}}}"#);
    let answer = host.request("tools/call", &params);
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    signal("-TERM", host.gate().id());
    let reply = || {
        let seen = server.seen().into_iter();
        let mut messages = seen.map(|line| serde_json::from_str::<Value>(&line).unwrap());
        messages.find(|message| message["id"] == "q")
    };
    eventually("what the server is told instead of an answer", || {
        reply().is_some()
    });
    assert!(reply().unwrap().get("error").is_some(), "{:?}", reply());
    let call: Value = serde_json::from_str(&server.calls()[0]).unwrap();
    let result: Value = serde_json::from_str(&text_result("done")).unwrap();
    server.says(&json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }).to_string());
    ends_in_order(&place, &mut host);
    assert_eq!(place.records("outcome", 1)[0]["outcome"], "result");
}

#[test]
fn a_second_signal_ends_everything_at_once() {
    for (first, second, code) in [("-TERM", "-TERM", 143), ("-TERM", "-INT", 130)] {
        let (place, server) = Place::open(&tool_with("act", ""));
        server.steps("tools/call", json!([{ "sleep_ms": 600_000 }]));
        let mut host = place.host();
        host.begin_call("act", "{}");
        server.wait_for("tools/call", 1);
        signal(first, host.gate().id());
        // It is heard, and the gate waits for the call.
        let refused = loop {
            let late = host.request("ping", "{}");
            if late.get("error").is_some() {
                break late;
            }
        };
        assert_eq!(
            reason(&refused),
            "-32603 stopping: no more requests are taken"
        );
        assert_eq!(host.gate().try_wait().unwrap(), None);
        signal(second, host.gate().id());
        assert!(host.is_closed());
        assert_eq!(host.gate().wait().unwrap().code(), Some(code));
        leaves_nothing(&place);
        assert_eq!(server.calls().len(), 1);
        assert_eq!(place.records("intent", 1).len(), 1);
        assert!(place.records("outcome", 0).is_empty());
        let stopped = place.records("stopped", 1);
        assert_eq!(stopped[0]["running"], 1, "{stopped:?}");
    }
}

#[test]
fn a_gate_that_listens_ends_at_once_too() {
    let (place, server) = Place::open(&tool_with("act", ""));
    server.steps("tools/call", json!([{ "sleep_ms": 600_000 }]));
    let mut gate = place.listening();
    let session = gate.session("{}");
    let address = gate.address();
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Mcp-Session-Id", &*session),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let call =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{}}}"#;
    let _call = gate.send("POST", &headers, call.as_bytes());
    server.wait_for("tools/call", 1);
    signal("-INT", gate.gate().id());
    eventually("an end of listening", || {
        std::net::TcpStream::connect(address).is_err()
    });
    assert_eq!(gate.gate().try_wait().unwrap(), None);
    signal("-INT", gate.gate().id());
    assert_eq!(gate.gate().wait().unwrap().code(), Some(130));
    leaves_nothing(&place);
}
