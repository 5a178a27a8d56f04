//! What stands on standard output and standard error, and in files.

use serde_json::json;

use crate::fixtures::{Report, Script, page, tool};
use crate::sayso::Sayso;

/// A banner or a log line on standard output made clients hang up, some again and again.
#[test]
fn stdout_logs() {
    let server = Script::new()
        .then("start", json!(["\u{2705} started"]))
        .then(
            "tools/list",
            json!([
                "\u{2502} listing \u{2502}",
                r#"{"level":"info","msg":"two tools"}"#,
                {"stdout": "loading... "},
                page(&format!("{},{}", tool("a"), tool("b"))),
            ]),
        )
        .then("end", json!(["bye"]));
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.names(), ["a", "b"]);
    insta::assert_snapshot!(report.observations(), @r#"
    not-json x3: ✅ started
    not-json-rpc x1: {"level":"info","msg":"two tools"}
    glued-message x1: loading...
    "#);
    insta::assert_snapshot!(report.found_by("stdout-noise"), @r#"
    -: warning[stdout-noise]: 3 lines on standard output are no JSON, such as: ✅ started
    -: warning[stdout-noise]: 1 line on standard output is JSON and no message, such as: {"level":"info","msg":"two tools"}
    -: warning[stdout-noise]: 1 line on standard output has a message behind other text, such as: loading...
    "#);
    // The noise is counted and told; it is in no listing.
    let sayso = server.audit("--names --save saved.json");
    assert_eq!(sayso.run().stdout, "a\nb\n");
    let saved = std::fs::read_to_string(sayso.directory().join("saved.json")).unwrap();
    assert!(
        !saved.contains("info") && !saved.contains("loading"),
        "{saved}"
    );
}

/// Nobody read standard error: after 64 KiB the server stopped for good, without an error.
#[test]
fn stderr_full_pipe() {
    let lines =
        json!([{"stderr": "a line of the log\n", "times": 16_000}, {"stderr": "the last line\n"}]);
    let endless = json!([{"stderr": "x", "times": 1 << 20}]);
    for flood in [lines, endless] {
        let server = Script::tools(&tool("a"))
            .then("start", flood.clone())
            .then("notifications/initialized", flood);
        let report = Report::of(&server.audit("--format json").run());
        assert_eq!(report.names(), ["a"]);
        let tail = report.listing()["stderr_tail"].as_array().unwrap();
        let kept: usize = tail.iter().map(|line| line.as_str().unwrap().len()).sum();
        assert!((1..200_000).contains(&kept), "{kept} bytes");
    }
    // The end of it is what explains a failure.
    let server = Script::new().then(
        "start",
        json!([{"stderr": "a line of the log\n", "times": 16_000}, {"stderr": "ACME_KEY is not set\n"}, {"exit": 3}]),
    );
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.code, Some(3));
    insta::assert_snapshot!(report.error(), @"the server ended with exit status 3 before it answered `initialize`");
    let details = report.target()["error"]["details"].as_array().unwrap();
    assert_eq!(details.last().unwrap(), "ACME_KEY is not set");
}

/// Readers that took one read for one line, or a line for short, cut answers in two; readers
/// without a limit ran out of memory.
#[test]
fn huge_line() {
    let big = |bytes: usize| {
        let schema = r#""inputSchema":{"type":"object"}"#;
        let before = format!(
            r#"{{"jsonrpc":"2.0","id":$id,"result":{{"tools":[{{"name":"big",{schema},"description":""#
        );
        let end = format!(r#""}},{}]}}}}"#, tool("small"));
        let pieces = json!([{"stdout": before}, {"stdout": "d", "times": bytes}, end]);
        Script::new().then("tools/list", pieces)
    };
    for bytes in [2_100_000, 12 << 20] {
        let server = big(bytes);
        assert_eq!(server.audit("--names").run().stdout, "big\nsmall\n");
        let shown = server.audit("--raw --show big").run().stdout;
        assert!(shown.len() > bytes && shown.ends_with("ddd\"}\n"));
    }
    // In pieces of a byte more than a pipe's buffer holds.
    let pieces = page(&tool(&"n".repeat(65_000)));
    let server = Script::new().then(
        "tools/list",
        json!([{"stdout": pieces}, {"sleep_ms": 50}, "  "]),
    );
    assert_eq!(server.audit("--names").run().stdout.len(), 65_001);

    let endless = json!([{"stdout": "x".repeat(1 << 16), "times": 1 << 14}]);
    let server = Script::new().then("tools/list", endless);
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.code, Some(3));
    insta::assert_snapshot!(report.error(), @"the server sent a message of more than the allowed 16777216 bytes when asked `tools/list`");
}

/// Servers on Windows end their lines with two characters.
#[test]
fn crlf() {
    let with_escape =
        r#"{"name":"a","description":"first\r\nsecond","inputSchema":{"type":"object"}}"#;
    let server = Script::new().then(
        "tools/list",
        json!([{"stdout": "\r\n\n"}, {"stdout": page(with_escape) + "\r\n"}, {"stdout": "\r\n"}]),
    );
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.names(), ["a"]);
    assert_eq!(report.observations(), "");
    assert_eq!(report.found_by("stdout-noise"), "");
    let shown = server.audit("--raw --show a").run().stdout;
    assert_eq!(shown, format!("{with_escape}\n"));
}

/// A byte order mark that an editor put before a configuration made a host forget its servers.
#[test]
fn bom() {
    const MARK: &str = "\u{feff}";
    let listing = format!("{MARK}[{}]", tool("a"));
    let configuration = json!({"mcpServers": {"example": {"command": env!("CARGO_BIN_EXE_sayso"), "args": ["example-server"]}}});
    let ran = Sayso::new("audit --names saved.json --config .mcp.json")
        .file("saved.json", &listing)
        .file(".mcp.json", format!("{MARK}{configuration}"))
        .run();
    assert_eq!(
        (ran.code, ran.stdout.lines().count()),
        (Some(0), 41),
        "{ran}"
    );
    let settings = "[audit.rules]\nmissing-annotations = \"off\"\n";
    let sayso = Sayso::new("audit --format json saved.json --baseline baseline.json")
        .file("saved.json", &listing)
        .file("baseline.json", &listing)
        .file("sayso.toml", format!("{MARK}{settings}"));
    let report = Report::of(&sayso.run());
    assert_eq!(report.code, Some(0));
    assert_eq!(report.grave(), "");
    assert_eq!(report.listing()["hidden"]["off"], 1);

    let server = Script::tools(&tool("a")).then("start", json!([{"stdout": MARK}]));
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.names(), ["a"]);
    insta::assert_snapshot!(report.found_by("stdout-noise"), @"-: info[stdout-noise]: a byte order mark before the first message");
    let sayso = server.audit("--names --save saved.json");
    sayso.run();
    assert!(
        std::fs::read(sayso.directory().join("saved.json"))
            .unwrap()
            .starts_with(b"{")
    );
}
