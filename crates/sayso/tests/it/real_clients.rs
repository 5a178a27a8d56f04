//! Clients that people use, at the versions pinned in `fixtures/clients/`, driven against the
//! scratch server. What is expected of each is what it was seen to do, not what it should.

pub(crate) mod drive;
mod listing_changes;
mod time_outs;

use std::fmt::Write as _;

use serde_json::{Value, json};

use drive::{Client, Over, Scratch};

pub(crate) const TYPESCRIPT_SDK_1: Client = Client::npm("typescript-sdk-1");
pub(crate) const TYPESCRIPT_SDK_2: Client = Client::npm("typescript-sdk-2");
pub(crate) const INSPECTOR: Client = Client::npm("inspector");
pub(crate) const PYTHON_SDK_1: Client = Client::python("python-sdk-1", "python-sdk-1");
pub(crate) const PYTHON_SDK_2: Client = Client::python("python-sdk-2", "python-sdk-2");
pub(crate) const LANGCHAIN: Client = Client::python("langchain-mcp-adapters", "python-sdk-1");
pub(crate) const MCP_USE: Client = Client::python("mcp-use", "python-sdk-1");
pub(crate) const PYDANTIC_AI: Client = Client::python("pydantic-ai", "python-sdk-2");
pub(crate) const OPENAI_AGENTS: Client = Client::python("openai-agents", "python-sdk-2");

pub(crate) const ALL: [Client; 9] = [
    TYPESCRIPT_SDK_1,
    TYPESCRIPT_SDK_2,
    INSPECTOR,
    PYTHON_SDK_1,
    PYTHON_SDK_2,
    LANGCHAIN,
    MCP_USE,
    PYDANTIC_AI,
    OPENAI_AGENTS,
];

/// The step at which the client waits for the test.
pub(crate) fn change() -> Value {
    json!({ "signal": "reached", "wait_for": "changed" })
}

pub(crate) fn list() -> Value {
    json!({ "list": true })
}

pub(crate) fn wipe() -> Value {
    json!({ "call": "wipe_index", "arguments": { "index": "runbooks-v3" } })
}

fn reindex() -> Value {
    json!({ "call": "reindex_document", "arguments": { "index": "runbooks-v3", "document": "rb-restore" } })
}

pub(crate) fn append() -> Value {
    json!({ "call": "append_note", "arguments": { "page": "on-call", "text": "Swapped." } })
}

/// What the report counts for a tool.
pub(crate) fn counts<'a>(report: &'a Value, tool: &str) -> &'a Value {
    let mut tools = report["tools"].as_array().unwrap().iter();
    &tools.find(|counted| counted["name"] == tool).unwrap()["counts"]
}

/// A client lists and wipes an index over both transports. No one is asked: the call is sent as
/// soon as it is wanted, once, and the index is gone.
fn sees_and_wipes(client: Client) -> String {
    let [stdio, http] = [Over::Stdio, Over::Http].map(|over| {
        let scratch = Scratch::new(&[]);
        let driven = scratch.drive(client, over, json!({ "steps": [list(), wipe()] }));
        let answer = &driven.answers(1)[0];
        assert_eq!(answer["error"], Value::Null, "{over:?}");
        assert_ne!(answer["is_error"], true, "{over:?}: {answer}");
        let report = scratch.report();
        let counted = counts(&report, "wipe_index");
        assert_eq!(
            (&counted["calls"], &counted["asked"]),
            (&json!(1), &json!(0))
        );
        let [before, after] = ["before", "after"].map(|when| &report["store"][when]);
        assert_eq!((&before["wipes"], &after["wipes"]), (&json!(0), &json!(1)));
        assert_eq!(
            (&before["index_entries"], &after["index_entries"]),
            (&json!(10), &json!(5))
        );
        driven.hints(0)
    });
    assert_eq!(stdio, http);
    stdio
}

/// Does the same with several clients, two at a time, and tells what came of each, a line each.
pub(crate) fn each(clients: &[Client], told: impl Fn(Client) -> String + Sync) -> String {
    let mut lines = String::new();
    for pair in clients.chunks(2) {
        std::thread::scope(|scope| {
            let at_work = pair.iter().map(|client| scope.spawn(|| told(*client)));
            let at_work: Vec<_> = at_work.collect();
            for (client, done) in pair.iter().zip(at_work) {
                writeln!(lines, "{:<24}{}", client.name, done.join().unwrap()).unwrap();
            }
        });
    }
    lines
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn every_client_sees_the_hints_and_wipes_an_index_unasked() {
    let seen = each(&ALL, |client| {
        // It makes tools that hold no hint at all.
        let hints = sees_and_wipes(client);
        if client == MCP_USE {
            assert!(
                !hints.contains("true") && !hints.contains("false"),
                "{hints}"
            );
            return "no hints".to_owned();
        }
        insta::allow_duplicates! {
            insta::assert_snapshot!(hints, @"
            list_indexes       readOnly=true destructive=None idempotent=None openWorld=None
            wipe_index         readOnly=false destructive=true idempotent=false openWorld=false
            reindex_document   readOnly=false destructive=false idempotent=true openWorld=None
            purge_tenant       readOnly=None destructive=None idempotent=None openWorld=None
            append_note        readOnly=false destructive=false idempotent=false openWorld=false
            send_invoice_email readOnly=false destructive=false idempotent=false openWorld=true
            ");
        }
        "as declared".to_owned()
    });
    insta::assert_snapshot!(seen, @"
    typescript-sdk-1        as declared
    typescript-sdk-2        as declared
    inspector               as declared
    python-sdk-1            as declared
    python-sdk-2            as declared
    langchain-mcp-adapters  as declared
    mcp-use                 no hints
    pydantic-ai             as declared
    openai-agents           as declared
    ");
}

/// What a client makes of a listing in which the hint `readOnlyHint` of `wipe_index` is written so.
fn made_of(client: Client, written: &str) -> String {
    let scratch = Scratch::new(&[&format!("wipe_index.readOnlyHint={written}")]);
    let driven = scratch.drive(client, Over::Stdio, json!({ "steps": [list()] }));
    if let Some(error) = driven.error(0) {
        assert!(error.contains("readOnlyHint"), "{error}");
        return "listing lost".to_owned();
    }
    match driven.tools(0).len() {
        6 => driven.hint(0, "wipe_index", "readOnlyHint"),
        5 => "tool lost".to_owned(),
        other => panic!("{other} tools"),
    }
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn a_malformed_hint_is_read_in_different_ways() {
    // The last sends the key twice.
    let written = ["null", "\"true\"", "2", "false,true"];
    let clients: Vec<Client> = ALL
        .into_iter()
        .filter(|client| *client != MCP_USE)
        .collect();
    let made = each(&clients, |client| {
        let made = written.map(|written| format!("{:<14}", made_of(client, written)));
        made.concat().trim_end().to_owned()
    });
    let heads = written.map(|written| format!("{written:<14}")).concat();
    insta::assert_snapshot!(format!("{:<24}{}\n{made}", "", heads.trim_end()), @r#"
                            null          "true"        2             false,true
    typescript-sdk-1        listing lost  listing lost  listing lost  true
    typescript-sdk-2        listing lost  listing lost  listing lost  true
    inspector               tool lost     tool lost     tool lost     true
    python-sdk-1            None          true          listing lost  true
    python-sdk-2            None          true          listing lost  true
    langchain-mcp-adapters  None          true          listing lost  true
    pydantic-ai             None          true          listing lost  true
    openai-agents           None          true          listing lost  true
    "#);
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn a_call_has_run_though_its_caller_is_told_of_a_bad_listing() {
    // These fetch the listing after the first call of a tool they have not listed.
    for client in [PYTHON_SDK_1, PYTHON_SDK_2] {
        let scratch = Scratch::new(&["append_note.readOnlyHint=2"]);
        let driven = scratch.drive(client, Over::Stdio, json!({ "steps": [wipe()] }));
        let error = driven.answers(0)[0]["error"].as_str().unwrap();
        assert!(error.contains("ListToolsResult"), "{error}");
        let report = scratch.report();
        assert_eq!(report["store"]["after"]["wipes"], 1);
        assert_eq!(counts(&report, "wipe_index")["results"], 1);
    }
}
