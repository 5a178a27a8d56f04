//! What hosts see of several servers together, and how what they ask finds its server.

use std::sync::Arc;

use sayso_gateway::server::{Event, Phase, State};
use serde_json::json;

use crate::host_support::{Gate, Lenient, Scripted, error, ready, result, script};

const FILES: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{}},"serverInfo":{"name":"files","version":"1"},"instructions":"Reads files."}"#;
const MAIL: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"completions":{},"tasks":{"list":{}}},"serverInfo":{"name":"mail","version":"1"},"instructions":"Sends mail."}"#;

fn files() -> Arc<Scripted> {
    let state = ready(
        FILES,
        r#"{"name": "summary", "description":"é"}"#,
        r#"{"uri":"file:///a", "name":"a"}"#,
        r#"{"uriTemplate":"file:///by/{name}","name":"any"}"#,
    );
    Scripted::new("files", state, script(answer))
}

fn mail() -> Arc<Scripted> {
    let state = ready(
        MAIL,
        r#"{"name":"summary","x":[1.0]},{"name":"draft"}"#,
        r#"{"uri":"mail://inbox","name":"inbox"}"#,
        "",
    );
    Scripted::new("mail", state, script(answer))
}

fn answer(
    method: &str,
    _: &str,
) -> Result<sayso_gateway::server::Answer, sayso_gateway::server::Lost> {
    match method {
        "vendor/only" => error(-32601, "unknown"),
        "tools/call" => result(r#"{"content":[],"task":{"taskId":"t-1","status":"working"}}"#),
        "tasks/list" => result(r#"{"tasks":[{"taskId":"t-1", "x":1},{"taskId":"of-another"}]}"#),
        _ => result(r#"{"ok" : 1.0, "_meta":{"io.modelcontextprotocol/clientInfo":{},"own":1}}"#),
    }
}

fn both() -> (Gate<Scripted>, Arc<Scripted>, Arc<Scripted>) {
    let (files, mail) = (files(), mail());
    let servers = vec![Arc::clone(&files), Arc::clone(&mail)];
    (Gate::new(Lenient::new(servers)), files, mail)
}

#[tokio::test]
async fn one_server_keeps_its_own_words() {
    let gate = Gate::new(Lenient::new(vec![files()]));
    let mut host = gate.connect();
    insta::assert_snapshot!(host.hello(json!({})).await, @r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{}},"serverInfo":{"name":"sayso","version":"0.1.0"},"instructions":"Reads files."}"#);
    let mut host = gate.modern(json!({}));
    insta::assert_snapshot!(host.ask("server/discover", "{}").await, @r#"{"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{}},"instructions":"Reads files.","resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sayso","version":"0.1.0"}}}"#);
}

#[tokio::test]
async fn several_servers_offer_what_all_of_them_do() {
    let (gate, ..) = both();
    let mut host = gate.connect();
    insta::assert_snapshot!(host.hello(json!({})).await, @r#"{"protocolVersion":"2025-11-25","serverInfo":{"name":"sayso","version":"0.1.0"},"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{},"tasks":{"list":{}}},"instructions":"files:\nReads files.\n\nmail:\nSends mail."}"#);
    let mut host = gate.modern(json!({}));
    insta::assert_snapshot!(host.ask("server/discover", "{}").await, @r#"{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"ttlMs":0,"cacheScope":"private","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}},"instructions":"files:\nReads files.\n\nmail:\nSends mail.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sayso","version":"0.1.0"}}}"#);
}

#[tokio::test]
async fn a_slow_server_holds_nobody_up() {
    let state = State {
        phase: Phase::Starting,
        ..State::default()
    };
    let slow = Scripted::new("slow", state, script(answer));
    let gate = Gate::new(Lenient::new(vec![files(), slow]));
    let mut host = gate.connect();
    let hello = host.hello(json!({})).await;
    insta::assert_snapshot!(hello, @r#"{"protocolVersion":"2025-11-25","serverInfo":{"name":"sayso","version":"0.1.0"},"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{}},"instructions":"files:\nReads files."}"#);
}

#[tokio::test]
async fn lists_are_put_together_and_names_kept_apart() {
    let (gate, ..) = both();
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("prompts/list", "{}").await, @r#"{"prompts":[{"name": "files_summary", "description":"é"},{"name":"mail_summary","x":[1.0]},{"name":"mail_draft"}]}"#);
    insta::assert_snapshot!(host.ask("resources/list", "{}").await, @r#"{"resources":[{"uri":"file:///a", "name":"a"},{"uri":"mail://inbox","name":"inbox"}]}"#);
    insta::assert_snapshot!(host.ask("resources/templates/list", "{}").await, @r#"{"resourceTemplates":[{"uriTemplate":"file:///by/{name}","name":"any"}]}"#);
    insta::assert_snapshot!(host.ask("resources/list", r#"{"cursor":"2"}"#).await, @r#"error: {"code":-32602,"message":"this cursor was never given out: there is one page"}"#);
    let mut host = gate.modern(json!({}));
    insta::assert_snapshot!(host.ask("prompts/list", "{}").await, @r#"{"prompts":[{"name": "files_summary", "description":"é"},{"name":"mail_summary","x":[1.0]},{"name":"mail_draft"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#);
}

#[tokio::test]
async fn what_a_caller_may_not_see_is_not_listed_and_not_got() {
    let (gate, _, mail) = both();
    gate.judge.hide("draft");
    gate.judge.hide("mail://inbox");
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("prompts/list", "{}").await, @r#"{"prompts":[{"name": "files_summary", "description":"é"},{"name":"mail_summary","x":[1.0]}]}"#);
    insta::assert_snapshot!(host.ask("prompts/get", r#"{"name":"mail_draft"}"#).await, @r#"error: {"code":-1,"message":"not for you: draft"}"#);
    insta::assert_snapshot!(host.ask("resources/read", r#"{"uri":"mail://inbox"}"#).await, @r#"error: {"code":-1,"message":"not for you: mail://inbox"}"#);
    assert_eq!(mail.seen(), Vec::<String>::new());
}

#[tokio::test]
async fn requests_find_their_server_with_their_bytes() {
    let (gate, files, mail) = both();
    let mut host = gate.legacy(json!({})).await;
    let got = host
        .ask(
            "prompts/get",
            r#"{"name" : "mail_summary", "arguments":{"n":1.0}, "own":[ ]}"#,
        )
        .await;
    insta::assert_snapshot!(got, @r#"{"ok" : 1.0, "_meta":{"own":1}}"#);
    host.ask("resources/read", r#"{"uri":"file:///a"}"#).await;
    host.ask("resources/read", r#"{"uri":"file:///by/me"}"#)
        .await;
    host.ask(
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"mail_draft"},"argument":{"name":"a","value":""}}"#,
    )
    .await;
    host.ask(
        "completion/complete",
        r#"{"ref":{"type":"ref/resource","uri":"file:///by/{name}"},"argument":{"name":"a","value":""}}"#,
    )
    .await;
    insta::assert_snapshot!(files.seen().join("\n"), @r#"
    resources/read {"uri":"file:///a"}
    resources/read {"uri":"file:///by/me"}
    completion/complete {"ref":{"type":"ref/resource","uri":"file:///by/{name}"},"argument":{"name":"a","value":""}}
    "#);
    insta::assert_snapshot!(mail.seen().join("\n"), @r#"
    prompts/get {"name" : "summary", "arguments":{"n":1.0}, "own":[ ]}
    completion/complete {"ref":{"type":"ref/prompt","name":"draft"},"argument":{"name":"a","value":""}}
    "#);
}

#[tokio::test]
async fn a_prompt_that_is_not_listed_is_asked_of_whose_name_it_has() {
    let (gate, files, mail) = both();
    let mut host = gate.legacy(json!({})).await;
    host.ask("prompts/get", r#"{"name":"mail_new_one"}"#).await;
    assert_eq!(mail.seen(), [r#"prompts/get {"name":"new_one"}"#]);
    assert_eq!(files.seen(), Vec::<String>::new());
}

#[tokio::test]
async fn what_nobody_has_is_an_error() {
    let (gate, files, _) = both();
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("prompts/get", r#"{"name":"summary"}"#).await, @r#"error: {"code":-32602,"message":"Unknown prompt: summary"}"#);
    insta::assert_snapshot!(host.ask("prompts/get", r#"{"name":1}"#).await, @r#"error: {"code":-32602,"message":"`name` is missing or no string"}"#);
    insta::assert_snapshot!(host.ask("resources/read", r#"{"uri":"file:///b"}"#).await, @r#"error: {"code":-32002,"message":"Resource not found","data":{"uri":"file:///b"}}"#);
    insta::assert_snapshot!(host.ask("tasks/get", r#"{"taskId":"t-9"}"#).await, @r#"error: {"code":-32602,"message":"there is no such task","data":{"reason":"unknown-task","remedy":"find out whether the call that began it had its effect"}}"#);
    insta::assert_snapshot!(host.ask("server/discover", "{}").await, @r#"error: {"code":-32602,"message":"`_meta` lacks `io.modelcontextprotocol/protocolVersion`"}"#);
    insta::assert_snapshot!(host.ask("logging/setLevel", r#"{"level":"loud"}"#).await, @r#"error: {"code":-32602,"message":"`level` is none of debug, info, notice, warning, error, critical, alert, emergency"}"#);
    assert_eq!(files.seen(), Vec::<String>::new());
    let mut host = gate.modern(json!({}));
    insta::assert_snapshot!(host.ask("resources/read", r#"{"uri":"file:///b"}"#).await, @r#"error: {"code":-32602,"message":"Resource not found","data":{"uri":"file:///b"}}"#);
    insta::assert_snapshot!(host.ask("ping", "{}").await, @r#"error: {"code":-32601,"message":"there is no method `ping` here"}"#);
}

#[tokio::test]
async fn one_server_pages_as_it_likes() {
    let pages = script(|_, params| {
        if params.contains("cursor") {
            result(r#"{"prompts":[{"name":"b"},{"name":"secret"}],"own":1}"#)
        } else {
            result(r#"{"prompts":[{"name":"secret"},{"name":"a"}], "nextCursor":"2"}"#)
        }
    });
    let server = Scripted::new("files", ready(FILES, "", "", ""), pages);
    let gate = Gate::new(Lenient::new(vec![server]));
    gate.judge.hide("secret");
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("prompts/list", "{}").await, @r#"{"prompts":[{"name":"a"}], "nextCursor":"2"}"#);
    insta::assert_snapshot!(host.ask("prompts/list", r#"{"cursor":"2"}"#).await, @r#"{"prompts":[{"name":"b"}],"own":1}"#);
}

#[tokio::test]
async fn unknown_methods_go_to_whoever_knows_them() {
    let (gate, files, _) = both();
    let only = Scripted::new(
        "other",
        ready(MAIL, "", "", ""),
        script(|_, _| result(r#"{"mine":true}"#)),
    );
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("vendor/only", r#"{"a":1}"#).await, @r#"error: {"code":-32601,"message":"unknown"}"#);
    insta::assert_snapshot!(files.seen().join("\n"), @r#"vendor/only {"a":1}"#);
    let gate = Gate::new(Lenient::new(vec![files, only]));
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("vendor/only", r#"{"a":1}"#).await, @r#"{"mine":true}"#);
}

#[tokio::test]
async fn tasks_belong_to_whoever_began_them() {
    let (mail, files) = (mail(), files());
    let gate = Gate::new(Lenient::new(vec![Arc::clone(&mail), files]));
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("tasks/list", "{}").await, @r#"{"tasks":[]}"#);
    host.ask("tools/call", r#"{"name":"read","task":{}}"#).await;
    host.ask("tasks/get", r#"{"taskId":"t-1"}"#).await;
    host.ask("tasks/result", r#"{"taskId":"t-1"}"#).await;
    insta::assert_snapshot!(host.ask("tasks/list", "{}").await, @r#"{"tasks":[{"taskId":"t-1", "x":1}]}"#);
    insta::assert_snapshot!(mail.seen().join("\n"), @r#"
    tasks/list
    tools/call {"name":"read","task":{}}
    tasks/get {"taskId":"t-1"}
    tasks/result {"taskId":"t-1"}
    tasks/list
    "#);
}

#[tokio::test]
async fn nobody_else_sees_or_touches_a_task() {
    let mail = mail();
    let gate = Gate::new(Lenient::new(vec![Arc::clone(&mail), files()]));
    let mut owner = gate.legacy(json!({})).await;
    owner
        .ask("tools/call", r#"{"name":"read","task":{}}"#)
        .await;
    *gate.judge.everybody.lock().unwrap() = Some("another");
    let mut host = gate.legacy(json!({})).await;
    mail.seen();
    let never = host.ask("tasks/get", r#"{"taskId":"never"}"#).await;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        assert_eq!(host.ask(method, r#"{"taskId":"t-1"}"#).await, never);
    }
    insta::assert_snapshot!(host.ask("tasks/list", "{}").await, @r#"{"tasks":[]}"#);
    mail.say(Event::Other {
        session: None,
        method: "notifications/tasks/status".to_owned(),
        params: Some(r#"{"taskId":"t-1","status":"completed"}"#.to_owned()),
    });
    mail.say(Event::Other {
        session: None,
        method: "notifications/tasks/status".to_owned(),
        params: None,
    });
    mail.say(Event::Other {
        session: None,
        method: "notifications/x".to_owned(),
        params: None,
    });
    insta::assert_snapshot!(host.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
    insta::assert_snapshot!(owner.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t-1","status":"completed"}}"#);
    insta::assert_snapshot!(owner.next().await, @r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
    insta::assert_snapshot!(mail.seen().join("\n"), @"tasks/list");
    insta::assert_snapshot!(gate.judge.refused.lock().unwrap().join("\n"), @"
    another: tasks/get of `never`: no task of this caller
    another: tasks/get of `t-1`: no task of this caller
    another: tasks/result of `t-1`: no task of this caller
    another: tasks/cancel of `t-1`: no task of this caller
    ");
}

#[tokio::test]
async fn what_holds_of_a_tool_holds_of_its_tasks() {
    let mail = mail();
    let gate = Gate::new(Lenient::new(vec![Arc::clone(&mail), files()]));
    let mut host = gate.legacy(json!({})).await;
    host.ask("tools/call", r#"{"name":"read","task":{}}"#).await;
    mail.seen();
    gate.judge.hide("read");
    insta::assert_snapshot!(host.ask("tasks/result", r#"{"taskId":"t-1"}"#).await, @r#"error: {"code":-1,"message":"not for you: tasks/result"}"#);
    insta::assert_snapshot!(host.ask("tasks/list", "{}").await, @r#"{"tasks":[]}"#);
    insta::assert_snapshot!(mail.seen().join("\n"), @"tasks/list");
}

#[tokio::test]
async fn a_server_that_does_not_say_when_its_list_changes_is_asked() {
    let hello = r#"{"capabilities":{"resources":{}}}"#;
    let pages = script(|method, params| match method {
        "resources/list" if params.contains("cursor") => {
            result(r#"{"resources":[{"uri":"new://2"}], "nextCursor":"2"}"#)
        }
        "resources/list" => result(r#"{"resources":[{"uri":"new://1"}],"nextCursor":"2"}"#),
        "tools/call" => result(r#"{"content":[{"type":"resource_link","uri":"new://3"}]}"#),
        _ => result(r#"{"contents":[]}"#),
    });
    let changing = Scripted::new(
        "changing",
        ready(hello, "", r#"{"uri":"old://1"}"#, ""),
        pages,
    );
    let gate = Gate::new(Lenient::new(vec![Arc::clone(&changing), files()]));
    let mut host = gate.legacy(json!({})).await;
    insta::assert_snapshot!(host.ask("resources/list", "{}").await, @r#"{"resources":[{"uri":"new://1"},{"uri":"new://2"},{"uri":"file:///a", "name":"a"}]}"#);
    host.ask("resources/read", r#"{"uri":"new://2"}"#).await;
    insta::assert_snapshot!(host.ask("resources/read", r#"{"uri":"new://3"}"#).await, @r#"error: {"code":-32002,"message":"Resource not found","data":{"uri":"new://3"}}"#);
    host.ask("tools/call", r#"{"name":"read"}"#).await;
    host.ask("resources/read", r#"{"uri":"new://3"}"#).await;
    insta::assert_snapshot!(changing.seen().join("\n"), @r#"
    resources/list
    resources/list {"cursor":"2"}
    resources/read {"uri":"new://2"}
    tools/call {"name":"read"}
    resources/read {"uri":"new://3"}
    "#);
}

#[tokio::test]
async fn notifications_reach_every_server() {
    let (gate, files, mail) = both();
    let mut host = gate.legacy(json!({})).await;
    host.send(r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#)
        .await;
    host.ask("vendor/any", "{}").await;
    // What goes to servers goes its own way.
    while !mail.seen().iter().any(|line| line.contains("roots")) {
        tokio::task::yield_now().await;
    }
    assert!(files.seen().iter().any(|line| line.contains("roots")));
}
