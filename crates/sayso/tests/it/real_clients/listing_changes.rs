//! A listing that changes while a client is connected.

use serde_json::{Value, json};

use super::drive::{Client, Over, Scratch};
use super::{
    LANGCHAIN, MCP_USE, OPENAI_AGENTS, PYDANTIC_AI, PYTHON_SDK_1, PYTHON_SDK_2, TYPESCRIPT_SDK_1,
    TYPESCRIPT_SDK_2, append, change, counts, each, list, reindex, wipe,
};

/// How far a client reacts to a change before it is let go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reacts {
    Not,
    IsTold,
    Fetches,
}

/// `wipe_index` stops being declared destructive while a client is connected, and then is called
/// twice, in an agent one turn after the other.
fn after_a_change(client: Client, over: Over, reacts: Reacts, options: Value) -> String {
    let scratch = Scratch::new(&[]);
    let steps = json!([list(), change(), wipe(), wipe(), list()]);
    let script = json!({ "options": options, "steps": steps });
    let driven = scratch.drive_while(client, over, script, |scratch| {
        scratch.set(&["wipe_index.destructiveHint=false"]);
        scratch.until("the change was not reacted to", |report| {
            let change = &report["listing_changes"][0];
            let reaction = |key: &str| change["reactions"][0][key].is_number();
            change.is_object()
                && (reacts == Reacts::Not || reaction("told_after_ms"))
                && (reacts != Reacts::Fetches || reaction("fetched_after_ms"))
        });
    });
    let report = scratch.report();
    let told = report["listing_changes"][0]["reactions"][0]["told_after_ms"].is_number();
    assert_eq!(told, reacts != Reacts::Not);
    let told = if told { "told" } else { "not told" };
    let era = report["clients"][0]["era"].as_str().unwrap();
    let stale = &counts(&report, "wipe_index")["on_old_listing"];
    let last = driven.hint(4, "wipe_index", "destructiveHint");
    format!("{era}, {told}, {stale} of 2 calls on the old listing; in the end destructive={last}")
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn a_change_of_the_listing_reaches_few_clients_by_itself() {
    let clients = [
        TYPESCRIPT_SDK_1,
        TYPESCRIPT_SDK_2,
        PYTHON_SDK_1,
        PYTHON_SDK_2,
        LANGCHAIN,
        MCP_USE,
        PYDANTIC_AI,
        OPENAI_AGENTS,
    ];
    let by_default = each(&clients, |client| {
        let modern = [PYTHON_SDK_2, PYDANTIC_AI, OPENAI_AGENTS].contains(&client);
        let reacts = if modern { Reacts::Not } else { Reacts::IsTold };
        after_a_change(client, Over::Stdio, reacts, json!({}))
    });
    insta::assert_snapshot!(by_default, @"
    typescript-sdk-1        legacy, told, 2 of 2 calls on the old listing; in the end destructive=false
    typescript-sdk-2        legacy, told, 2 of 2 calls on the old listing; in the end destructive=false
    python-sdk-1            legacy, told, 2 of 2 calls on the old listing; in the end destructive=false
    python-sdk-2            modern, not told, 2 of 2 calls on the old listing; in the end destructive=false
    langchain-mcp-adapters  legacy, told, 2 of 2 calls on the old listing; in the end destructive=false
    mcp-use                 legacy, told, 2 of 2 calls on the old listing; in the end destructive=None
    pydantic-ai             modern, not told, 2 of 2 calls on the old listing; in the end destructive=true
    openai-agents           modern, not told, 1 of 2 calls on the old listing; in the end destructive=false
    ");
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn a_program_may_choose_to_follow_a_change_or_not() {
    let refreshed = each(&[TYPESCRIPT_SDK_1, TYPESCRIPT_SDK_2], |client| {
        let options = json!({ "refresh": true, "mode": "auto" });
        let [stdio, http] = [Over::Stdio, Over::Http]
            .map(|over| after_a_change(client, over, Reacts::Fetches, options.clone()));
        assert_eq!(stdio, http);
        stdio
    });
    insta::assert_snapshot!(refreshed, @"
    typescript-sdk-1        legacy, told, 0 of 2 calls on the old listing; in the end destructive=false
    typescript-sdk-2        modern, told, 0 of 2 calls on the old listing; in the end destructive=false
    ");
    let cached = each(&[OPENAI_AGENTS], |client| {
        after_a_change(
            client,
            Over::Stdio,
            Reacts::Not,
            json!({ "cache_tools_list": true }),
        )
    });
    insta::assert_snapshot!(cached, @"openai-agents           modern, not told, 2 of 2 calls on the old listing; in the end destructive=true");
}

/// What a host's profile says, held against what the host did with a change, with two calls at the
/// same time and, where it can be set how long to wait, with a call that is never answered.
fn held_against(client: Client, profile: &str) -> String {
    let slow = if client == MCP_USE {
        "late:3s"
    } else {
        "never"
    };
    let reindexes = format!("reindex_document.answer={slow}");
    let scratch = Scratch::new(&["append_note.answer=late:3s", &reindexes]);
    let calls = json!({ "calls": [append(), reindex()] });
    let steps = json!([list(), change(), wipe(), calls, { "wait_seconds": 1 }]);
    let script = json!({ "timeout_seconds": 5, "steps": steps });
    scratch.drive_while(client, Over::Stdio, script, |scratch| {
        scratch.set(&["wipe_index.destructiveHint=false"]);
        scratch.until("the listing did not change", |report| {
            report["listing_changes"][0].is_object()
        });
    });
    let report = scratch.report_with(&["--host", profile]);
    let facts = report["profiles"][0]["facts"].as_array().unwrap();
    let verdicts = facts.iter().map(|fact| {
        let [about, verdict] = ["about", "verdict"].map(|key| fact[key].as_str().unwrap());
        assert_ne!(verdict, "differs", "{fact}");
        format!("{about}: {verdict}")
    });
    verdicts.collect::<Vec<_>>().join(", ")
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn no_profile_is_contradicted_by_its_host() {
    let profiles = [
        (LANGCHAIN, "langchain-mcp-adapters"),
        (MCP_USE, "mcp-use"),
        (PYDANTIC_AI, "pydantic-ai"),
        (OPENAI_AGENTS, "openai-agents-python"),
    ];
    let held = each(&profiles.map(|(client, _)| client), |client| {
        let mut profiles = profiles.iter();
        let (_, profile) = profiles.find(|(of, _)| *of == client).unwrap();
        held_against(client, profile)
    });
    insta::assert_snapshot!(held, @"
    langchain-mcp-adapters  told that the listing changed: agrees, no answer to `reindex_document`: agrees, calls while others run: agrees
    mcp-use                 told that the listing changed: agrees, calls while others run: agrees
    pydantic-ai             no answer to `reindex_document`: agrees, calls while others run: agrees, told that the listing changed: not-seen
    openai-agents           no answer to `reindex_document`: agrees, calls while others run: agrees, told that the listing changed: not-seen
    ");
}
