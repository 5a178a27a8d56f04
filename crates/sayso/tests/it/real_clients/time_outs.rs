//! Calls that are not answered, and calls that are answered late.

use serde_json::{Value, json};

use super::drive::{Client, Driven, Over, Scratch};
use super::{
    ALL, INSPECTOR, LANGCHAIN, MCP_USE, OPENAI_AGENTS, PYDANTIC_AI, PYTHON_SDK_1, PYTHON_SDK_2,
    TYPESCRIPT_SDK_1, append, counts, each, list, reindex,
};

/// Two calls that are never answered, one of a tool that claims to be idempotent.
fn unanswered(client: Client, over: Over, options: Value) -> (Value, Driven) {
    let scratch = Scratch::new(&[
        "reindex_document.answer=never:1",
        "append_note.answer=never:1",
    ]);
    let calls = json!({ "calls": [reindex(), append()] });
    let steps = json!([list(), calls, { "wait_seconds": 1 }]);
    let script = json!({ "timeout_seconds": 4, "options": options, "steps": steps });
    let driven = scratch.drive(client, over, script);
    (scratch.report(), driven)
}

/// How often each of the two was sent and called off; there is no difference between them.
fn sent(client: Client, over: Over) -> String {
    let (report, _) = unanswered(client, over, json!({}));
    let sent = ["reindex_document", "append_note"].map(|tool| {
        let counted = counts(&report, tool);
        assert_eq!(counted["done"], 1, "{counted}");
        let (calls, cancelled) = (&counted["calls"], &counted["cancelled"]);
        format!("sent {calls}, cancelled {cancelled}")
    });
    assert_eq!(sent[0], sent[1]);
    sent[0].clone()
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn after_a_time_out_no_client_repeats_a_call_by_itself() {
    // The others have no setting for how long to wait.
    let clients: Vec<Client> = ALL
        .into_iter()
        .filter(|client| ![INSPECTOR, MCP_USE].contains(client))
        .collect();
    let done = each(&clients, |client| sent(client, Over::Stdio));
    insta::assert_snapshot!(done, @"
    typescript-sdk-1        sent 1, cancelled 1
    typescript-sdk-2        sent 1, cancelled 1
    python-sdk-1            sent 1, cancelled 0
    python-sdk-2            sent 1, cancelled 1
    langchain-mcp-adapters  sent 1, cancelled 0
    pydantic-ai             sent 1, cancelled 1
    openai-agents           sent 1, cancelled 1
    ");
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn over_http_a_client_calls_off_what_it_no_longer_waits_for() {
    // The last closes the response, as the protocol of 2026-07-28 has it.
    let clients = [TYPESCRIPT_SDK_1, PYTHON_SDK_1, PYTHON_SDK_2];
    let done = each(&clients, |client| sent(client, Over::Http));
    insta::assert_snapshot!(done, @"
    typescript-sdk-1        sent 1, cancelled 1
    python-sdk-1            sent 1, cancelled 0
    python-sdk-2            sent 1, cancelled 1
    ");
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn openai_agents_told_to_retry_asks_no_hint_whether_it_may() {
    let (report, driven) = unanswered(
        OPENAI_AGENTS,
        Over::Stdio,
        json!({ "max_retry_attempts": 1 }),
    );
    for tool in ["reindex_document", "append_note"] {
        let counted = counts(&report, tool);
        assert_eq!(
            (&counted["calls"], &counted["repeats"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(counted["repeats_with_same_id"], 0);
    }
    // The same note stands there twice, and the model hears of one.
    let [before, after] = ["before", "after"].map(|when| &report["store"][when]["notes"]);
    assert_eq!(after.as_u64().unwrap(), before.as_u64().unwrap() + 2);
    assert_eq!(driven.answers(1).len(), 2);
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn agents_send_the_calls_of_one_turn_at_the_same_time() {
    let sent = each(
        &[LANGCHAIN, MCP_USE, PYDANTIC_AI, OPENAI_AGENTS],
        |client| {
            let scratch = Scratch::new(&[
                "reindex_document.answer=late:3s",
                "append_note.answer=late:3s",
            ]);
            let calls = json!({ "calls": [reindex(), append()] });
            let driven = scratch.drive(client, Over::Stdio, json!({ "steps": [list(), calls] }));
            assert_eq!(driven.answers(1).len(), 2);
            let report = scratch.report();
            // The one that came second came while the other was under way.
            let [one, other] = ["reindex_document", "append_note"]
                .map(|tool| counts(&report, tool)["at_the_same_time"].as_u64().unwrap());
            format!("{} at the same time as another", one + other)
        },
    );
    insta::assert_snapshot!(sent, @"
    langchain-mcp-adapters  1 at the same time as another
    mcp-use                 1 at the same time as another
    pydantic-ai             1 at the same time as another
    openai-agents           1 at the same time as another
    ");
}
