//! What becomes of calls when the gate, a server, the store or the disk fails under them.

use std::collections::{HashMap, HashSet};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::support::{Behind, Place, answer, eventually, reason, text_result, tool_with};
use crate::stopping::processes_with;

/// How often the gate is killed.
const KILLS: usize = 30;

/// How many calls a host has running at once.
const CALLS: usize = 40;

const READ_ONLY: &str = r#","annotations":{"readOnlyHint":true}"#;
const IDEMPOTENT: &str = r#","annotations":{"idempotentHint":true}"#;

fn signal(name: &str, process: u32) {
    let status = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// That no process is left that was started in this place.
fn all_gone(place: &Place) {
    let marker = place.directory().parent().unwrap().display().to_string();
    eventually("the end of all processes", || {
        processes_with(&marker).is_empty()
    });
}

/// The name each call has been given as its argument `n`.
fn name(arguments: &Value) -> String {
    arguments["n"].as_str().unwrap_or_default().to_owned()
}

/// Which calls the server has seen, and how often each.
fn seen(server: &Behind) -> HashMap<String, usize> {
    let mut seen = HashMap::new();
    for call in server.calls() {
        let call: Value = serde_json::from_str(&call).unwrap();
        *seen.entry(name(&call["params"]["arguments"])).or_default() += 1;
    }
    seen
}

/// The calls that have an intent in the journal, and those that have an outcome as well.
fn journalled(place: &Place) -> (HashSet<String>, HashSet<String>) {
    let (mut names, mut outcomes) = (HashMap::new(), HashSet::new());
    for entry in place.journal() {
        let record = &entry["record"];
        match entry["kind"].as_str().unwrap() {
            "intent" => {
                let name = name(&record["arguments"]["value"]);
                names.insert(record["call"].to_string(), name);
            }
            "outcome" => {
                let call = record["call"].to_string();
                // Its intent came before it.
                outcomes.insert(names[&call].clone());
            }
            _ => {}
        }
    }
    (names.into_values().collect(), outcomes)
}

#[test]
fn killed_at_any_moment_the_gate_has_lost_nothing_and_done_nothing_twice() {
    let (place, server) = Place::open(&tool_with("act", ""));
    let mut answered = HashSet::new();
    for round in 0..KILLS {
        let mut host = place.host();
        let calls: HashMap<u64, String> = (0..CALLS)
            .map(|call| {
                let name = format!("{round}-{call}");
                let id = host.begin_call("act", &json!({ "n": name }).to_string());
                (id, name)
            })
            .collect();
        // Now before anything was answered, now behind the first, now in the midst of them.
        if round % 3 > 0 {
            let first = calls.keys().min().unwrap();
            let id = first + (round as u64 * 7 % CALLS as u64) * (round as u64 % 3 - 1);
            let text = host.answer(id)["result"]["content"][0]["text"].clone();
            assert_eq!(text, "done");
            answered.insert(calls[&id].clone());
        }
        host.gate().kill().unwrap();
        host.gate().wait().unwrap();
        assert!(host.is_closed());
        for message in host.rest(Duration::ZERO) {
            let name = message["id"].as_u64().and_then(|id| calls.get(&id));
            answered.extend(name.cloned());
        }
        all_gone(&place);
        place.verify();
    }
    let (intents, outcomes) = journalled(&place);
    for (call, times) in seen(&server) {
        assert_eq!(times, 1, "{call} ran more than once");
        assert!(intents.contains(&call), "{call} went out unjournalled");
    }
    let untold: Vec<_> = answered.difference(&outcomes).collect();
    assert!(untold.is_empty(), "answered without an outcome: {untold:?}");
    assert!(answered.len() >= KILLS / 3 * 2);
}

#[test]
fn a_server_that_dies_under_a_call_is_asked_again_only_where_that_changes_nothing() {
    let tools = [("act", ""), ("put", IDEMPOTENT), ("read", READ_ONLY)];
    let tools = tools.map(|(name, hints)| tool_with(name, hints)).join(",");
    let mut place = Place::new("policy = [\"open.cedar\"]");
    place.write("open.cedar", "permit (principal, action, resource);");
    let settings = "trust = \"trusted\"\nfirst-use = \"trust-once\"\nretries = 3";
    let server = place.server("s", settings);
    server.lists(&tools);
    for tool in ["act", "put", "read"] {
        server.steps(&format!("tools/call {tool}"), json!([{ "exit": 3 }]));
    }
    let mut host = place.host();
    let answer_of_act = host.call("act", r#"{"n":"act"}"#);
    assert_eq!(reason(&answer_of_act), "outcome-unknown", "{answer_of_act}");

    let id = host.begin_call("read", r#"{"n":"read"}"#);
    server.wait_for("tools/call", 2);
    server.does("tools/call read", &[answer(&text_result("read"))]);
    let answer_of_read = host.answer(id);
    assert_eq!(
        answer_of_read["result"]["content"][0]["text"], "read",
        "{answer_of_read}"
    );

    // The last attempt may not even have been sent. The first was.
    let answer_of_put = host.call("put", r#"{"n":"put"}"#);
    assert_eq!(reason(&answer_of_put), "outcome-unknown", "{answer_of_put}");
    host.leave();
    let seen = seen(&server);
    assert_eq!(seen["act"], 1);
    assert!(seen["read"] >= 2, "{seen:?}");
    let attempts = place.records("intent", 1).len();
    assert_eq!(place.records("outcome", attempts).len(), attempts);
    place.verify();
    all_gone(&place);
}

#[test]
fn nothing_goes_out_while_the_store_is_held_and_what_was_out_is_written_later() {
    let (place, server) = Place::open(&tool_with("act", ""));
    let slow = json!([{ "sleep_ms": 1500 }, answer(&text_result("done"))]);
    server.steps("tools/call", slow);
    let mut host = place.host();
    let out = host.begin_call("act", r#"{"n":"out"}"#);
    server.wait_for("tools/call", 1);
    let store = rusqlite::Connection::open(place.directory().join("sayso.db")).unwrap();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let held = host.begin_call("act", r#"{"n":"held"}"#);
    assert_eq!(host.request("ping", "{}")["result"], json!({}));
    assert_eq!(reason(&host.answer(held)), "store-failed");
    let answer = host.answer(out);
    assert_eq!(
        answer["result"]["content"][0]["text"], "done",
        "the answer is not kept back for ever"
    );
    assert_eq!(server.calls().len(), 1);
    store.execute_batch("ROLLBACK").unwrap();
    eventually("the outcome of what was out", || {
        journalled(&place).1.contains("out")
    });
    host.call("act", r#"{"n":"after"}"#);
    host.leave();
    assert_eq!(server.calls().len(), 2);
    let (intents, outcomes) = journalled(&place);
    assert_eq!(intents, outcomes);
    place.verify();
}

#[cfg(target_os = "linux")]
#[test]
fn without_room_calls_are_refused_and_with_room_they_run() {
    let (place, server) = Place::open(&tool_with("act", ""));
    // Files of this gate grow to half a mebibyte only; what says so is not to kill it.
    let mut command = Command::new("bash");
    command
        .args(["-c", r#"trap "" XFSZ; ulimit -S -f 512; exec "$0" "$@""#])
        .arg(env!("CARGO_BIN_EXE_sayso"))
        .args(["gate", "--settings", "sayso.toml"])
        .current_dir(place.directory())
        .env("HOME", place.directory().parent().unwrap().join("home"));
    let mut host = place.host_of(command);
    host.hello("{}");
    let mut calls = 0;
    let mut call = |host: &mut super::support::Host| {
        calls += 1;
        let arguments = json!({ "n": calls.to_string(), "padding": "x".repeat(10_000) });
        host.call("act", &arguments.to_string())
    };
    let refused = loop {
        let answer = call(&mut host);
        if answer["result"]["isError"] == true {
            break answer;
        }
    };
    assert_eq!(reason(&refused), "store-failed");
    let before = server.calls().len();
    assert_eq!(reason(&call(&mut host)), "store-failed");
    assert_eq!(server.calls().len(), before);
    let process = host.gate().id().to_string();
    let room = Command::new("prlimit")
        .args(["--pid", &process, "--fsize=unlimited:"])
        .status();
    if !room.is_ok_and(|status| status.success()) {
        return crate::fixtures::skip("without_room", "there is no `prlimit`");
    }
    eventually("calls that run again", || {
        call(&mut host)["result"]["content"][0]["text"] == "done"
    });
    host.leave();
    let (intents, _) = journalled(&place);
    for (call, times) in seen(&server) {
        assert_eq!(times, 1);
        assert!(intents.contains(&call), "{call} went out unjournalled");
    }
    // Those that were answered while there was no room have their outcome since there is.
    let (intents, outcomes) = journalled(&place);
    assert_eq!(intents, outcomes);
    place.verify();
}

#[test]
fn told_to_end_the_gate_lets_calls_end_and_takes_no_more() {
    let (place, server) = Place::open(&tool_with("act", ""));
    let slow = json!([{ "sleep_ms": 100 }, answer(&text_result("done"))]);
    server.steps("tools/call", slow);
    let mut host = place.host();
    let calls: Vec<u64> = (0..30)
        .map(|call| host.begin_call("act", &json!({ "n": call.to_string() }).to_string()))
        .collect();
    server.wait_for("tools/call", 1);
    signal("-TERM", host.gate().id());
    // It hears of that a moment later, and what comes before would be answered last of all.
    std::thread::sleep(Duration::from_millis(200));
    let refused = loop {
        let late = host.call("act", r#"{"n":"late"}"#);
        if late.get("error").is_some() {
            break late;
        }
    };
    assert_eq!(
        reason(&refused),
        "-32603 stopping: no more requests are taken"
    );
    for call in calls {
        let answer = host.answer(call);
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    }
    assert!(host.is_closed());
    assert_eq!(host.gate().wait().unwrap().code(), Some(0));
    all_gone(&place);
    assert_eq!(place.journal().last().unwrap()["kind"], "stopped");
    assert!(
        place
            .refusals(1)
            .iter()
            .all(|(code, ..)| code == "stopping")
    );
    let (intents, outcomes) = journalled(&place);
    assert_eq!(intents, outcomes);
    place.verify();
}

#[test]
fn a_server_that_is_no_longer_set_ends_once_its_calls_have() {
    let mut place = Place::new("policy = [\"open.cedar\"]\nprefix = \"never\"");
    place.write("open.cedar", "permit (principal, action, resource);");
    let settings = "trust = \"trusted\"\nfirst-use = \"trust-once\"";
    let (going, staying) = (
        place.server("going", settings),
        place.server("staying", settings),
    );
    going.lists(&tool_with("go", ""));
    staying.lists(&tool_with("stay", ""));
    going.steps(
        "tools/call",
        json!([{ "sleep_ms": 4000 }, answer(&text_result("done"))]),
    );
    let mut host = place.host();
    host.tools_once(|tools| tools.len() == 2);
    let running = host.begin_call("go", r#"{"n":"go"}"#);
    going.wait_for("tools/call", 1);
    place.change_servers(|server| match server.contains("[gate.servers.going]") {
        true => String::new(),
        false => server.to_owned(),
    });
    host.tools_once(|tools| tools.len() == 1);
    let meanwhile = host.call("stay", r#"{"n":"stay"}"#);
    assert_eq!(meanwhile["result"]["content"][0]["text"], "done");
    let refused = host.call("go", r#"{"n":"again"}"#);
    assert_eq!(reason(&refused), "-32602 unknown tool: go");
    let answer = host.answer(running);
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    let script = place.directory().join("servers/going/script.json");
    let marker = script.display().to_string();
    eventually("the end of the server", || {
        let home = place.directory().parent().unwrap().display().to_string();
        let processes = processes_with(&home);
        !processes.iter().any(|line| line.contains(&marker))
    });
    assert_eq!(going.calls().len(), 1);
    host.leave();
    place.verify();
}

#[test]
fn a_server_that_hangs_at_its_start_holds_nobody_up() {
    let (mut place, _server) = Place::open(&tool_with("act", ""));
    let hanging = place.server("hanging", "first-use = \"trust-once\"");
    hanging.steps("initialize", json!([{ "sleep_ms": 600_000 }]));
    let mut host = place.bare_host();
    host.hello("{}");
    let began = std::time::Instant::now();
    let answer = host.call("s_act", r#"{"n":"1"}"#);
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    // What a listing may wait for is ten seconds.
    assert!(began.elapsed() < Duration::from_secs(9));
    host.leave();
    all_gone(&place);
}

#[test]
fn sessions_that_are_forgotten_take_their_servers_with_them() {
    let mut place = Place::new("policy = [\"open.cedar\"]\n[gate.limits]\nsessions = 3");
    place.write("open.cedar", "permit (principal, action, resource);");
    let server = place.server("s", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
    server.lists(&tool_with("act", ""));
    let gate = place.listening();
    let home = place.directory().parent().unwrap().display().to_string();
    let program = crate::fixtures::example("scripted_server");
    let program = program.display().to_string();
    let servers = || {
        let processes = processes_with(&home);
        let servers = processes.iter().filter(|line| line.starts_with(&program));
        servers.count()
    };
    let sessions: Vec<String> = (0..8)
        .map(|session| {
            let id = gate.session("{}");
            let call = json!({ "name": "act", "arguments": { "n": session.to_string() } });
            let answer = gate.legacy(&id, "tools/call", &call.to_string()).answer();
            assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
            id
        })
        .collect();
    // One for each session that is left, and the one the lists are read from.
    eventually("the end of the servers of forgotten sessions", || {
        servers() <= 4
    });
    assert_eq!(gate.legacy(&sessions[0], "ping", "{}").status, 404);
    let last = [
        ("Mcp-Session-Id", &*sessions[7]),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    assert!(gate.exchange("DELETE", &last, b"").status < 300);
    eventually("the end of the server of a session that was ended", || {
        servers() <= 3
    });
    assert_eq!(gate.legacy(&sessions[6], "ping", "{}").status, 200);
}

#[test]
fn a_flood_of_notifications_and_of_words_on_standard_error_passes() {
    let (place, server) = Place::open(&tool_with("act", ""));
    let note = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{}"}}}}"#,
        "x".repeat(1000)
    );
    server.steps(
        "tools/call",
        json!([
            { "stderr": format!("{}\n", "e".repeat(1000)), "times": 20_000 },
            { "stdout": format!("{note}\n"), "times": 20_000 },
            { "stderr": "e".repeat(1_000_000), "times": 10 },
            answer(&text_result("done")),
        ]),
    );
    let mut host = place.host();
    let answer = host.call("act", r#"{"n":"1"}"#);
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    #[cfg(target_os = "linux")]
    assert!(memory(host.gate().id()) < 256 << 10);
    host.leave();
    place.verify();
}

/// The memory a process has had at most, in KiB.
#[cfg(target_os = "linux")]
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse().unwrap()
}
