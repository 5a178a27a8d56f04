//! Tasks go by the rules of the calls that began them, and reading is in the journal.

use serde_json::Value;

use super::support::{Behind, Host, Place, answer, eventually, reason, tool_with};

const SETTINGS: &str = "policy = [\"rules.cedar\"]";
const OPEN: &str = "@id(\"open\") permit (principal, action, resource);";

/// A gate before a server whose tools begin tasks.
fn before() -> (Place, Behind) {
    let mut place = Place::new(SETTINGS);
    place.write("rules.cedar", OPEN);
    let server = place.server("s", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
    server.hello(r#"{"tools":{},"tasks":{"list":{}},"resources":{}}"#, "");
    server.lists(&format!(
        "{},{}",
        tool_with("build", ""),
        tool_with("other", "")
    ));
    let task = r#"{"taskId":"t-1","status":"working"}"#;
    server.does("tools/call", &[answer(&format!(r#"{{"task":{task}}}"#))]);
    for method in ["tasks/get", "tasks/cancel"] {
        server.does(method, &[answer(task)]);
    }
    server.does("tasks/list", &[answer(&format!(r#"{{"tasks":[{task}]}}"#))]);
    (place, server)
}

fn begin(host: &mut Host) {
    let begun = host.request("tools/call", r#"{"name":"build","arguments":{},"task":{}}"#);
    assert_eq!(begun["result"]["task"]["taskId"], "t-1", "{begun}");
}

fn get(host: &mut Host) -> Value {
    host.request("tasks/get", r#"{"taskId":"t-1"}"#)
}

#[test]
fn a_task_goes_by_the_policy_of_its_tool() {
    let (place, server) = before();
    let mut host = place.host();
    begin(&mut host);
    assert_eq!(get(&mut host)["result"]["status"], "working");
    let permitted = &place.records("permitted", 1)[0];
    assert_eq!(
        (&permitted["method"], &permitted["tool"]),
        (&"tasks/get".into(), &"build".into())
    );
    place.write(
        "rules.cedar",
        &format!("{OPEN} forbid (principal, action, resource) when {{ resource has name && resource.name == \"build\" }};"),
    );
    eventually("the rule is taken up", || host.names() == ["other"]);
    let seen = server.seen_of("tasks/get").len();
    let refused = get(&mut host);
    assert_eq!(reason(&refused), "-32602 there is no such task");
    assert_eq!(refused["error"]["data"]["reason"], "unknown-task");
    assert_eq!(
        host.request("tasks/list", "{}")["result"]["tasks"],
        serde_json::json!([])
    );
    assert_eq!(server.seen_of("tasks/get").len(), seen);
    assert_eq!(
        place.only_refusal(),
        ("unknown-task".into(), "local".into(), "build".into())
    );
    // What was begun may be ended.
    host.request("tasks/cancel", r#"{"taskId":"t-1"}"#);
    assert_eq!(server.seen_of("tasks/cancel").len(), 1);
    place.verify();
}

#[test]
fn a_gate_that_was_started_anew_knows_no_task_and_asks_no_server() {
    let (place, server) = before();
    let mut host = place.host();
    begin(&mut host);
    host.leave();
    let mut host = place.host();
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let refused = host.request(method, r#"{"taskId":"t-1"}"#);
        assert_eq!(reason(&refused), "-32602 there is no such task");
        assert_eq!(refused["error"]["data"]["reason"], "unknown-task");
        assert_eq!(server.seen_of(method).len(), 0);
    }
    assert_eq!(place.refusals(3).len(), 3);
}

#[test]
fn what_is_read_is_in_the_journal_unless_only_denials_are_wanted() {
    for (reads, permitted) in [("all", 1), ("denied", 0)] {
        let (mut place, server) = before();
        place.set(&format!("{SETTINGS}\njournal.reads = \"{reads}\""));
        server.does("resources/read", &[answer(r#"{"contents":[]}"#)]);
        let mut host = place.host();
        host.request("resources/read", r#"{"uri":"file:///a"}"#);
        host.leave();
        let records = place.records("permitted", permitted);
        assert_eq!(records.len(), permitted, "{records:?}");
        for record in records {
            assert_eq!(
                (&record["method"], &record["served_as"], &record["decision"]),
                (&"read".into(), &"file:///a".into(), &"allow".into())
            );
        }
        place.verify();
    }
}
