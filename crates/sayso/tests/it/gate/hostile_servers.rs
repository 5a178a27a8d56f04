//! Servers that lie, hang, die, flood and answer what nobody asked.

use std::time::Duration;

use serde_json::json;

use super::support::{Behind, Place, answer, eventually, reason, text_result, tool_with};

const OPEN: &str = "policy = [\"open.cedar\"]";

/// A gate that lets everything pass, before one server with these settings.
fn before(settings: &str) -> (Place, Behind) {
    let mut place = Place::new(OPEN);
    place.write("open.cedar", "permit (principal, action, resource);");
    let server = place.server(
        "s",
        &format!("trust = \"trusted\"\nfirst-use = \"trust-once\"\n{settings}"),
    );
    server.lists(&format!(
        "{},{}",
        tool_with("write", ""),
        tool_with("again", r#","annotations":{"idempotentHint":true}"#)
    ));
    (place, server)
}

#[test]
fn a_lost_call_that_may_have_had_its_effect_is_not_made_again() {
    let (place, server) = before("retries = 3");
    server.steps("tools/call", json!([{"exit": 1}]));
    let mut host = place.host();
    let answer = host.call("write", "{}");
    assert_eq!(reason(&answer), "outcome-unknown");
    let outcome = &place.records("outcome", 1)[0];
    assert_eq!(outcome["outcome"], "connection-lost");
    let said = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains(outcome["call"].as_str().unwrap()), "{said}");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(server.calls().len(), 1);
    assert_eq!(
        place.only_refusal(),
        ("outcome-unknown".into(), "local".into(), "write".into())
    );
    place.verify();
}

#[test]
fn a_lost_call_that_changes_nothing_further_is_made_again_as_often_as_set() {
    let (place, server) = before("retries = 1");
    server.steps("tools/call", json!([{"exit": 1}]));
    let mut host = place.host();
    let answer = host.call("again", "{}");
    assert!(
        ["outcome-unknown", "server-down"].contains(&reason(&answer).as_str()),
        "{answer}"
    );
    assert!(server.calls().len() <= 2);
    let attempts: Vec<_> = place.records("intent", 2);
    assert_eq!(attempts[0]["call"], attempts[1]["call"]);
    assert_eq!(
        (&attempts[0]["attempt"], &attempts[1]["attempt"]),
        (&1.into(), &2.into())
    );
}

#[test]
fn a_server_that_hangs_is_given_up_and_told_so() {
    let (place, server) = before("timeout = 1");
    server.steps("tools/call write", json!([]));
    let mut host = place.host();
    assert_eq!(reason(&host.call("write", "{}")), "outcome-unknown");
    assert_eq!(place.records("outcome", 1)[0]["outcome"], "timed-out");
    let cancelled = server.wait_for("notifications/cancelled", 1);
    let call = server.wait_for("tools/call", 1);
    assert_eq!(cancelled[0]["params"]["requestId"], call[0]["id"]);
    // The others go on with the same server.
    let answer = host.call("again", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    assert_eq!(server.calls().len(), 2);
}

#[test]
fn a_call_the_host_cancels_is_cancelled_at_the_server() {
    let (place, server) = before("");
    server.steps("tools/call write", json!([]));
    let mut host = place.host();
    let id = host.begin_call("write", "{}");
    let call = server.wait_for("tools/call", 1);
    host.send(&format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    ));
    let cancelled = server.wait_for("notifications/cancelled", 1);
    assert_eq!(cancelled[0]["params"]["requestId"], call[0]["id"]);
    assert_eq!(place.records("outcome", 1)[0]["outcome"], "cancelled");
    let answer = host.call("again", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn a_server_that_asks_what_the_host_cannot_do_is_answered_at_once() {
    for method in ["sampling/createMessage", "elicitation/create", "roots/list"] {
        let (place, server) = before("");
        server.steps(
            "tools/call write",
            json!([format!(r#"{{"jsonrpc":"2.0","id":"{method}","method":"{method}","params":{{"message":"?","requestedSchema":{{"type":"object","properties":{{}}}},"messages":[],"maxTokens":1}}}}"#)]),
        );
        let mut host = place.host();
        let id = host.begin_call("write", "{}");
        eventually(&format!("an answer to {method}"), || {
            server
                .seen()
                .iter()
                .any(|line| line.contains("-32601") && line.contains(method))
        });
        let call = server.wait_for("tools/call", 1).pop().unwrap();
        server.says(&answer(&text_result("late")).replace("$id", &call["id"].to_string()));
        assert_eq!(host.answer(id)["result"]["content"][0]["text"], "late");
        let rest = host.rest(Duration::from_millis(50));
        assert!(
            rest.iter().all(|message| message["method"] != method),
            "{rest:?}"
        );
    }
}

/// Who is asked has time beyond that of the call, and may cancel it.
#[test]
fn a_question_the_host_does_not_answer_holds_up_no_other_call_and_ends_with_its_own() {
    let (place, server) = before("timeout = 2");
    server.does(
        "tools/call write",
        &[r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}"#.to_owned()],
    );
    let mut host = place.bare_host();
    host.hello(r#"{"elicitation":{"form":{}}}"#);
    let id = host.begin_call("write", "{}");
    host.told("elicitation/create");
    let other = host.call("again", "{}");
    assert_eq!(other["result"]["content"][0]["text"], "done", "{other}");
    host.send(&format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    ));
    host.told("notifications/cancelled");
    server.wait_for("notifications/cancelled", 1);
    assert_eq!(place.records("outcome", 2).len(), 2);
}

#[test]
fn garbage_strange_ids_and_second_answers_do_not_disturb_the_right_one() {
    let (place, server) = before("");
    server.does(
        "tools/call",
        &[
            "not JSON at all".to_owned(),
            "[]".to_owned(),
            "{\"jsonrpc\":\"2.0\"}".to_owned(),
            r#"{"jsonrpc":"2.0","id":99999,"result":{"content":[{"type":"text","text":"wrong id"}]}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":"$id","result":{"content":[{"type":"text","text":"wrong kind of id"}]}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#.to_owned(),
            answer(&text_result("right")),
            answer(&text_result("second")),
        ],
    );
    let mut host = place.host();
    for _ in 0..3 {
        let answer = host.call("write", "{}");
        assert_eq!(answer["result"]["content"][0]["text"], "right", "{answer}");
    }
    assert_eq!(server.calls().len(), 3);
}

#[test]
fn an_answer_that_reads_two_ways_is_not_passed_on() {
    let (place, server) = before("");
    server.does(
        "tools/call",
        &[answer(r#"{"content":[],"isError":true,"isError":false}"#)],
    );
    let mut host = place.host();
    let id = host.begin_call("write", "{}");
    let line = host.answer_line(id);
    assert!(line.matches("\"isError\"").count() <= 1, "{line}");
}

#[test]
fn an_answer_of_seventeen_mebibytes_takes_nobody_down() {
    let (mut place, server) = before("timeout = 20");
    let other = place.server("t", "first-use = \"trust-once\"\ntrust = \"trusted\"");
    other.lists(&tool_with("read", ""));
    server.steps(
        "tools/call",
        json!([{"stdout": "x", "times": 17 << 20}, {"stdout": "\n"}]),
    );
    let mut host = place.host();
    let id = host.begin_call("s_write", "{}");
    let answer = host.call("t_read", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    assert_eq!(reason(&host.answer(id)), "outcome-unknown");
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn a_result_of_no_shape_a_client_could_read_is_an_error_and_not_passed_on_as_a_result() {
    let (place, server) = before("");
    let mut host = place.host();
    for odd in ["null", "[]", "\"done\"", "1", "true"] {
        server.does("tools/call", &[answer(odd)]);
        let answer = host.call("write", "{}");
        assert!(
            answer["result"].is_object() || answer["error"].is_object(),
            "{odd}: {answer}"
        );
        assert_eq!(reason(&answer), "outcome-unknown", "{odd}");
    }
}

#[test]
fn a_result_that_does_not_fit_its_schema_is_withheld_where_set() {
    let (place, server) = before("results = \"strict\"");
    server.lists(r#"{"name":"count","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}"#);
    server.does(
        "tools/call",
        &[answer(
            r#"{"content":[],"structuredContent":{"n":"SECRET-7"}}"#,
        )],
    );
    let mut host = place.host();
    let refused = host.call("count", "{}");
    assert_eq!(reason(&refused), "result-invalid");
    assert!(
        refused["result"].get("structuredContent").is_none(),
        "{refused}"
    );
    assert_eq!(place.only_refusal().0, "result-invalid");
    server.does(
        "tools/call",
        &[answer(r#"{"content":[],"structuredContent":{"n":7}}"#)],
    );
    assert_eq!(
        host.call("count", "{}")["result"]["structuredContent"]["n"],
        7
    );
}

#[test]
fn keys_of_the_specification_in_a_result_are_not_the_servers_to_set() {
    let (place, server) = before("");
    server.does(
        "tools/call",
        &[answer(r#"{"content":[],"_meta":{"io.modelcontextprotocol/subscriptionId":"1","x.example/own":1}}"#)],
    );
    let gate = place.listening();
    let result = gate
        .modern("tools/call", r#"{"name":"write","arguments":{}}"#)
        .answer();
    let meta = &result["result"]["_meta"];
    assert!(
        meta.get("io.modelcontextprotocol/subscriptionId").is_none(),
        "{result}"
    );
    assert_eq!(meta["x.example/own"], 1, "{result}");
}

#[test]
fn one_call_at_a_time_where_set() {
    let (place, server) = before("tools.write.exclusive = [\"index\"]");
    server.steps("tools/call", json!([]));
    let mut host = place.host();
    let first = host.begin_call("write", r#"{"index":"a"}"#);
    server.wait_for("tools/call", 1);
    assert_eq!(
        reason(&host.call("write", r#"{"index":"a","more":1}"#)),
        "busy"
    );
    assert_eq!(
        place.only_refusal(),
        ("busy".into(), "local".into(), "write".into())
    );
    assert_eq!(server.calls().len(), 1);
    // Another key is another turn.
    host.begin_call("write", r#"{"index":"b"}"#);
    let calls = server.wait_for("tools/call", 2);
    server.says(&answer(&text_result("first")).replace("$id", &calls[0]["id"].to_string()));
    assert_eq!(host.answer(first)["result"]["content"][0]["text"], "first");
    host.begin_call("write", r#"{"index":"a"}"#);
    server.wait_for("tools/call", 3);
}

/// A host that cancels a call has not ended it: the server may be in the middle of it.
#[test]
fn a_cancelled_call_keeps_its_turn_until_the_server_answers() {
    let (place, server) = before("tools.write.exclusive = [\"index\"]");
    server.steps("tools/call write", json!([]));
    let mut host = place.host();
    let id = host.begin_call("write", r#"{"index":"a"}"#);
    let first = server.wait_for("tools/call", 1).pop().unwrap();
    host.send(&cancelled(id));
    server.wait_for("notifications/cancelled", 1);
    place.records("outcome", 1);
    let again = host.call("write", r#"{"index":"a"}"#);
    assert_eq!(reason(&again), "busy");
    assert_eq!(server.calls().len(), 1);
    server.says(&answer(&text_result("late")).replace("$id", &first["id"].to_string()));
    server.does("tools/call write", &[answer(&text_result("done"))]);
    eventually("the turn is free", || {
        host.call("write", r#"{"index":"a"}"#)["result"]["isError"] != true
    });
    assert_eq!(server.calls().len(), 2);
}

#[test]
fn a_cancelled_call_keeps_its_turn_until_its_time_is_over() {
    let (place, server) = before("timeout = 3\ntools.write.exclusive = [\"index\"]");
    server.steps("tools/call write", json!([]));
    let mut host = place.host();
    let id = host.begin_call("write", r#"{"index":"a"}"#);
    server.wait_for("tools/call", 1);
    host.send(&cancelled(id));
    server.wait_for("notifications/cancelled", 1);
    let again = host.call("write", r#"{"index":"a"}"#);
    assert_eq!(reason(&again), "busy");
    server.does("tools/call write", &[answer(&text_result("done"))]);
    eventually("the turn is free", || {
        host.call("write", r#"{"index":"a"}"#)["result"]["isError"] != true
    });
}

#[test]
fn a_cancelled_call_keeps_its_turn_until_its_process_ends() {
    let (place, server) = before("tools.write.exclusive = [\"index\"]");
    server.steps("tools/call write", json!([]));
    server.steps("tools/call again", json!([{"exit": 1}]));
    let mut host = place.host();
    let id = host.begin_call("write", r#"{"index":"a"}"#);
    server.wait_for("tools/call", 1);
    host.send(&cancelled(id));
    server.wait_for("notifications/cancelled", 1);
    let again = host.call("write", r#"{"index":"a"}"#);
    assert_eq!(reason(&again), "busy");
    server.does("tools/call write", &[answer(&text_result("done"))]);
    host.call("again", "{}");
    eventually("the turn is free", || {
        host.call("write", r#"{"index":"a"}"#)["result"]["isError"] != true
    });
}

fn cancelled(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

#[test]
fn a_call_sent_again_with_its_idempotency_key_runs_once() {
    let (place, server) = before("");
    let mut host = place.host();
    let call = |arguments: &str| {
        format!(r#"{{"name":"write","arguments":{arguments},"idempotencyKey":"k-1"}}"#)
    };
    let first = host.request("tools/call", &call(r#"{"a":1}"#));
    server.does("tools/call", &[answer(&text_result("another"))]);
    let second = host.request("tools/call", &call(r#"{"a":1}"#));
    assert_eq!(first["result"], second["result"]);
    assert_eq!(
        reason(&host.request("tools/call", &call(r#"{"a":2}"#))),
        "malformed"
    );
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn a_server_that_cannot_be_started_hides_no_other() {
    let (mut place, server) = before("");
    place.any_server("gone", "command = \"./there-is-no-such-program\"");
    place.any_server("dies", "command = \"false\"");
    place.any_server("nowhere", "url = \"http://127.0.0.1:9/mcp\"");
    let mut host = place.host();
    assert_eq!(host.names(), ["s_write", "s_again"]);
    let answer = host.call("s_write", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    assert_eq!(server.calls().len(), 1);
    assert_eq!(place.records("server-down", 3).len(), 3);
}

#[test]
fn a_server_that_died_comes_back_and_its_tools_stay_listed_meanwhile() {
    let (place, server) = before("");
    server.steps("tools/call write", json!([{"exit": 1}]));
    let mut host = place.host();
    assert_eq!(reason(&host.call("write", "{}")), "outcome-unknown");
    assert_eq!(host.names(), ["write", "again"]);
    eventually("it is back", || {
        host.call("again", "{}")["result"]["content"][0]["text"] == "done"
    });
}
