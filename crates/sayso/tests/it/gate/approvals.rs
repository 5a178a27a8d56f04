//! An approval is for one call, given once, by whoever may give it.

use std::time::Duration;

use sayso_core::journal::{Record, Stopped, Timestamp};
use sayso_store::Store as _;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};
use serde_json::Value;

use super::support::{Behind, Host, Place, eventually, reason, tool_with};

const WIPES: &str = r#","annotations":{"readOnlyHint":false,"destructiveHint":true}"#;

/// A gate that asks about `wipe` and `drop`.
fn asking(gate: &str) -> (Place, Behind) {
    let mut place = Place::new(gate);
    let server = place.server("s", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
    server.lists(&format!(
        "{},{}",
        tool_with("wipe", WIPES),
        tool_with("drop", WIPES)
    ));
    (place, server)
}

const SHORT: &str = "wait = 1";

/// Calls, and the id of the approval that is waited for.
#[track_caller]
fn pending(host: &mut Host, tool: &str, arguments: &str) -> String {
    let answer = host.call(tool, arguments);
    assert_eq!(reason(&answer), "approval-pending", "{answer}");
    let approval = &answer["result"]["_meta"]["dev.sayso/refusal"]["approval"];
    approval.as_str().unwrap().to_owned()
}

fn approve(place: &Place, id: &str) {
    place.run(&format!("approvals approve {id} --yes"));
}

#[track_caller]
fn ran(answer: &Value) {
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn an_approved_call_runs_once_and_the_same_call_has_to_be_approved_again() {
    let (place, server) = asking(SHORT);
    let mut host = place.host();
    let id = pending(&mut host, "wipe", r#"{"index":"a"}"#);
    assert_eq!(
        place.only_refusal(),
        ("approval-pending".into(), "local".into(), "wipe".into())
    );
    server.saw_nothing();
    approve(&place, &id);
    ran(&host.call("wipe", r#"{"index":"a"}"#));
    let again = pending(&mut host, "wipe", r#"{"index":"a"}"#);
    assert_ne!(again, id);
    assert_eq!(server.calls().len(), 1);
    assert_eq!(place.records("approval-spent", 1).len(), 1);
    assert_eq!(place.records("intent", 1)[0]["approval"], id.as_str());
    place.verify();
}

/// As far as the journal tells it is days later; the machine says that it is not.
#[test]
fn a_clock_that_was_set_back_lengthens_no_approval() {
    const DAYS: i64 = 10 * 24 * 60 * 60 * 1000;
    let (place, server) = asking(SHORT);
    let mut host = place.host();
    let id = pending(&mut host, "wipe", "{}");
    approve(&place, &id);
    host.leave();
    let store = SqliteStore::open(&Options {
        path: place.directory().join("sayso.db"),
        role: Role::Gate,
        durability: Durability::Process,
    })
    .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let later = Timestamp(jiff::Timestamp::now().as_millisecond() + DAYS);
    let stopped = Record::Stopped(Stopped {
        reason: "later".to_owned(),
        running: 0,
    });
    runtime.block_on(store.append(later, stopped)).unwrap();
    runtime.block_on(store.close()).unwrap();
    let mut host = place.host();
    assert_ne!(pending(&mut host, "wipe", "{}"), id);
    server.saw_nothing();
}

#[test]
fn other_arguments_or_another_tool_never_use_an_approval_up() {
    let (place, server) = asking(SHORT);
    let mut host = place.host();
    let id = pending(&mut host, "wipe", r#"{"index":"a"}"#);
    approve(&place, &id);
    for (tool, arguments) in [
        ("wipe", r#"{"index":"b"}"#),
        ("wipe", r#"{"index":"a","all":true}"#),
        ("wipe", "{}"),
        ("drop", r#"{"index":"a"}"#),
    ] {
        assert_ne!(pending(&mut host, tool, arguments), id);
    }
    server.saw_nothing();
    // Other spacing and other order are the same arguments.
    ran(&host.call("wipe", r#"{ "index" : "a" }"#));
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn an_approval_that_has_expired_is_none() {
    let (place, server) = asking("wait = 1\napproval-expires = 3");
    let mut host = place.host();
    let id = pending(&mut host, "wipe", "{}");
    approve(&place, &id);
    std::thread::sleep(Duration::from_millis(3200));
    assert_ne!(pending(&mut host, "wipe", "{}"), id);
    server.saw_nothing();
}

#[test]
fn an_approval_of_one_definition_is_none_of_another() {
    let (place, server) = asking(SHORT);
    let mut host = place.host();
    let id = pending(&mut host, "wipe", "{}");
    approve(&place, &id);
    // Tightening: it takes effect at once, and is another definition.
    let tighter =
        r#","annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false}"#;
    server.changes_to(&format!(
        "{},{}",
        tool_with("wipe", tighter),
        tool_with("drop", WIPES)
    ));
    place.records("drift", 1);
    host.tools_once(|tools| tools[0]["_meta"]["dev.sayso/claimed"]["idempotentHint"] == false);
    assert_ne!(pending(&mut host, "wipe", "{}"), id);
    server.saw_nothing();
}

#[test]
fn an_approval_under_one_policy_is_none_under_another() {
    let (mut place, server) = asking(SHORT);
    let mut host = place.host();
    let id = pending(&mut host, "wipe", "{}");
    approve(&place, &id);
    place.write(
        "more.cedar",
        "forbid (principal, action == Action::\"call\", resource) unless { context.confirmed };",
    );
    place.set("wait = 1\npolicy = [\"spec-default\", \"more.cedar\"]");
    place.records("settings", 1);
    assert_ne!(pending(&mut host, "wipe", "{}"), id);
    server.saw_nothing();
}

#[test]
fn a_person_in_another_process_answers_while_the_call_waits() {
    let (place, server) = asking("wait = 25");
    let mut host = place.host();
    let call = host.begin_call("wipe", "{}");
    let id = waiting(&place);
    approve(&place, &id);
    ran(&host.answer(call));
    assert_eq!(server.calls().len(), 1);
}

/// The id of the approval that is waited for.
fn waiting(place: &Place) -> String {
    let mut id = None;
    eventually("an approval", || {
        let opened = place.records("approval-opened", 0).pop();
        id = opened.and_then(|opened| Some(opened["approval"].as_str()?.to_owned()));
        id.is_some()
    });
    id.unwrap()
}

#[test]
fn what_a_person_denies_is_not_done() {
    let (place, server) = asking("wait = 25");
    let mut host = place.host();
    let call = host.begin_call("wipe", "{}");
    let id = waiting(&place);
    place.run(&format!("approvals deny {id}"));
    assert_eq!(reason(&host.answer(call)), "approval-denied");
    assert_eq!(
        place.only_refusal(),
        ("approval-denied".into(), "local".into(), "wipe".into())
    );
    server.saw_nothing();
}

#[test]
fn a_waiting_call_holds_up_nothing_else() {
    let (place, _server) = asking("wait = 25");
    let mut host = place.host();
    host.begin_call("wipe", "{}");
    waiting(&place);
    let ping = host.request("ping", "{}");
    assert_eq!(ping["result"], serde_json::json!({}));
    assert_eq!(host.names(), ["wipe", "drop"]);
}

#[test]
fn a_host_cannot_approve_its_own_call_unless_the_operator_says_so() {
    let (place, server) = asking("wait = 1\napproval = \"terminal\"");
    let mut host = place.bare_host();
    host.hello(r#"{"elicitation":{"form":{}}}"#);
    for arguments in [
        "{}",
        r#"{"confirm":true}"#,
        r#"{"confirmed":true,"approve":true}"#,
    ] {
        pending(&mut host, "wipe", arguments);
    }
    let params = r#"{"name":"wipe","arguments":{},"_meta":{"dev.sayso/approved":true,"confirmed":true},"confirmed":true}"#;
    let answer = host.request("tools/call", params);
    assert_eq!(reason(&answer), "approval-pending");
    let rest = host.rest(Duration::from_millis(200));
    assert!(
        rest.iter()
            .all(|message| message["method"] != "elicitation/create"),
        "{rest:?}"
    );
    server.saw_nothing();
}

#[test]
fn a_call_nobody_can_be_asked_about_is_refused_at_once() {
    let (place, server) = asking("approval = \"none\"");
    let mut host = place.host();
    assert_eq!(reason(&host.call("wipe", "{}")), "nobody-to-ask");
    assert_eq!(
        place.only_refusal(),
        ("nobody-to-ask".into(), "local".into(), "wipe".into())
    );
    assert!(place.records("approval-opened", 0).is_empty());
    server.saw_nothing();
}

/// A host that is asked, and what the gate asks.
fn asked(place: &Place) -> (Host, u64, Value) {
    let mut host = place.bare_host();
    host.hello(r#"{"elicitation":{"form":{}}}"#);
    let call = host.begin_call("wipe", r#"{"index":"a\u202eb"}"#);
    let form = host.told("elicitation/create");
    (host, call, form)
}

#[test]
fn the_person_at_the_host_sees_what_will_run_and_it_runs_when_they_say_so() {
    let (place, server) = asking("wait = 25\napproval = \"host\"");
    let (mut host, call, form) = asked(&place);
    let message = form["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("wipe") && !message.contains('\u{202e}'),
        "{message}"
    );
    server.saw_nothing();
    let yes = r#"{"action":"accept","content":{"approve":true}}"#;
    host.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{yes}}}"#,
        form["id"]
    ));
    ran(&host.answer(call));
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn the_person_at_the_host_declines_and_nothing_runs() {
    let (place, server) = asking("wait = 25\napproval = \"host\"");
    let (mut host, call, form) = asked(&place);
    host.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"action":"decline"}}}}"#,
        form["id"]
    ));
    assert_eq!(reason(&host.answer(call)), "approval-denied");
    server.saw_nothing();
}

#[test]
fn a_host_that_drops_the_question_gets_pending_and_no_hang() {
    let (place, server) = asking("wait = 1\napproval = \"host\"");
    let (mut host, call, _) = asked(&place);
    assert_eq!(reason(&host.answer(call)), "approval-pending");
    server.saw_nothing();
}

#[test]
fn arguments_that_do_not_fit_are_never_put_before_a_person() {
    let mut place = Place::new(SHORT);
    let server = place.server("s", "first-use = \"trust-once\"");
    server.lists(r#"{"name":"wipe","inputSchema":{"type":"object","properties":{"index":{"type":"string"}},"required":["index"]}}"#);
    let mut host = place.host();
    assert_eq!(reason(&host.call("wipe", "{}")), "invalid-arguments");
    assert!(place.records("approval-opened", 0).is_empty());
    server.saw_nothing();
}
