//! Starting, agreeing on a version, listing, stopping.

use serde_json::json;

use crate::fixtures::{Report, Script, page, refusal, result, tool};
#[cfg(target_os = "linux")]
use crate::sayso::Sayso;

/// A package is downloaded before the server starts: clients with short patience had no tools.
#[test]
fn slow_start() {
    // Longer than an answer may take, and the start may take longer.
    let server = Script::tools(&tool("a")).then(
        "start",
        json!([{"stderr": "downloading\n"}, {"sleep_ms": 1500}]),
    );
    let ran = server.audit("--names --timeout 1s").run();
    assert_eq!(ran.stdout, "a\n", "{ran}");

    let server = Script::new().then(
        "start",
        json!([{"stderr": "downloading 1 of 9\n"}, {"sleep_ms": 600_000}]),
    );
    let report = Report::of(&server.audit("--format json --start-timeout 1s").run());
    assert_eq!(report.code, Some(3));
    let error = report.error();
    assert!(
        error.contains("did not answer `initialize` within 1"),
        "{error}"
    );
    assert!(error.contains("may still be starting"), "{error}");
    let target = report.target();
    assert_eq!(target["error"]["details"], json!(["downloading 1 of 9"]));
    let hint = target["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("more time"), "{hint}");
}

/// A server told again and again that its tools changed, though they had not, and clients
/// listed them again each time.
#[test]
fn list_changed_storm() {
    let changed = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
    let burst = json!({"stdout": changed, "times": 200});
    let server = Script::new()
        .then("notifications/initialized", json!([burst]))
        .then("tools/list", json!([page(&tool("a")), burst]));
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.names(), ["a"]);
    assert_eq!(
        server
            .methods()
            .iter()
            .filter(|method| *method == "tools/list")
            .count(),
        1
    );
    insta::assert_snapshot!(report.found_by("list-changed-storm"), @"-: warning[list-changed-storm]: 400 notifications that the list changed while it was only being read");
}

/// Clients asked before the handshake was finished, and strict servers refused them.
#[test]
fn pre_init_requests() {
    let server = Script::tools(&tool("a"));
    assert_eq!(server.audit("--names").run().stdout, "a\n");
    assert_eq!(
        server.methods(),
        ["initialize", "notifications/initialized", "tools/list"]
    );
    // Nothing is sent on before the answer has come, however long it takes.
    let hello = result(
        r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
    );
    let server = Script::tools(&tool("a")).then("initialize", json!([{"sleep_ms": 300}, hello]));
    let ran = server.audit("--names --read-twice").run();
    assert_eq!(ran.stdout, "a\n", "{ran}");
    assert_eq!(
        server.methods(),
        [
            "initialize",
            "notifications/initialized",
            "tools/list",
            "tools/list"
        ]
    );
}

/// A server whose answer to `initialize` names this version.
fn of_version(version: &str) -> Script {
    let hello = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#
    );
    Script::tools(&tool("a")).then("initialize", json!([result(&hello)]))
}

/// Clients hung up on servers that answered with an older version than they were asked with;
/// servers refused a version they did not know instead of naming one.
#[test]
fn version_exact_match() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let report = Report::of(&of_version(version).audit("--format json").run());
        assert_eq!(report.names(), ["a"]);
        assert_eq!(report.listing()["server"]["protocol_version"], version);
    }
    let older = r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
    let supported = refusal(
        -32602,
        r#","data":{"supported":["2024-11-05","2023-01-01"]}"#,
    );
    let server = Script::tools(&tool("a"))
        .then("initialize", json!([supported]))
        .then("initialize", json!([result(older)]));
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.listing()["server"]["protocol_version"], "2024-11-05");
    let asked: Vec<_> = server
        .received()
        .into_iter()
        .filter(|message| message["method"] == "initialize")
        .map(|message| message["params"]["protocolVersion"].clone())
        .collect();
    assert_eq!(asked, ["2025-11-25", "2024-11-05"]);

    let report = Report::of(&of_version("2099-01-01").audit("--format json").run());
    assert_eq!(report.code, Some(3));
    insta::assert_snapshot!(report.error(), @"the server wants to speak protocol version `2099-01-01`, which is not known");
}

/// Asked in the modern way first, servers of the other era ended, said nothing for ever, or
/// refused with one of several codes.
#[test]
fn modern_probe_legacy_server() {
    for answer in [
        json!([{"exit": 1}]),
        json!([]),
        json!([refusal(-32602, "")]),
        json!([refusal(-32601, "")]),
    ] {
        let server = Script::tools(&tool("a")).then("server/discover", answer.clone());
        // Nobody asks them so unless told to.
        let report = Report::of(&server.audit("--format json").run());
        assert_eq!(report.names(), ["a"]);
        assert!(!server.methods().contains(&"server/discover".to_owned()));
        // Told to, in a process of its own: whatever becomes of it, the listing is there.
        let server = Script::tools(&tool("a")).then("server/discover", answer.clone());
        let report = Report::of(
            &server
                .audit("--format json --era both --start-timeout 5s")
                .run(),
        );
        assert_eq!(report.names(), ["a"], "{answer}");
        assert_eq!(report.listing()["server"]["era"], "legacy");
        assert_eq!(report.listing()["complete"], true);
        assert_eq!(report.found_by("eras-differ"), "");
        assert_eq!(
            server.methods(),
            [
                "initialize",
                "notifications/initialized",
                "tools/list",
                "server/discover"
            ]
        );
    }
}

/// Servers outlived their clients, a wrapper ended and its child did not, daemons piled up.
#[cfg(target_os = "linux")]
#[test]
fn orphans() {
    use crate::fixtures::example;
    use crate::stopping::processes_with;

    let server = Script::tools(&tool("a"));
    let daemon = "setsid sleep 1000 </dev/null >/dev/null 2>&1 & ";
    let wrapped = r#""$0" "$1""#;
    for (kind, script, noticed) in [
        ("wrapper", format!("{wrapped}; true"), false),
        (
            "end-of-input",
            format!("{wrapped}; sleep 1000; true"),
            false,
        ),
        (
            "deaf",
            format!("trap '' TERM; {wrapped}; sleep 1000; true"),
            false,
        ),
        ("daemon", format!("{daemon}exec {wrapped}"), true),
        ("failing", format!("{daemon}exit 4"), false),
    ] {
        let marker = format!("orphans-{kind}-{}", std::process::id());
        let ran = Sayso::new("audit --format json -- sh -c")
            .argument(&script)
            .argument(example("scripted_server"))
            .argument(server.file())
            .env("SAYSO_TEST_MARKER", &marker)
            .run();
        assert_eq!(processes_with(&marker), [""; 0], "{kind}");
        let report = Report::of(&ran);
        if kind == "failing" {
            assert_eq!(report.code, Some(3));
            continue;
        }
        assert_eq!(report.names(), ["a"], "{kind}");
        let leftover = report.found_by("leftover-process");
        assert_eq!(!leftover.is_empty(), noticed, "{kind}: {leftover}");
        let deaf = report.found_by("ignores-end-of-input");
        assert_eq!(
            !deaf.is_empty(),
            script.contains("sleep 1000; true"),
            "{kind}: {deaf}"
        );
    }
}
