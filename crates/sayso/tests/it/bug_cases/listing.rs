//! Pages, schemas, names.

use serde_json::json;

use crate::fixtures::{Report, Script, page, page_before, tool};
use crate::sayso::Sayso;

fn named(names: &[&str]) -> String {
    let tools: Vec<String> = names.iter().map(|name| tool(name)).collect();
    tools.join(",")
}

/// A server gave the same page and the same cursor for every request: clients asked for ever,
/// and eight tools became a hundred and sixty.
#[test]
fn page_loop_same_cursor() {
    let server = Script::new().then(
        "tools/list",
        json!([page_before(&named(&["a", "b", "c"]), "p2")]),
    );
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.names(), ["a", "b", "c"]);
    assert_eq!(
        server
            .methods()
            .iter()
            .filter(|method| *method == "tools/list")
            .count(),
        2
    );
    assert_eq!(report.listing()["complete"], false);
    // Not read to its end, which comes before any finding.
    assert_eq!(report.code, Some(3));
    insta::assert_snapshot!(report.found_by("cursor-repeated"), @r#"-: error[cursor-repeated]: cursor "p2" came a second time: a client that follows it never ends"#);
    insta::assert_snapshot!(report.found_by("incomplete-listing"), @r#"-: error[incomplete-listing]: the listing is not complete: the server repeats itself from the cursor "p2" on, so there may be more tools"#);
}

/// Clients that ask once never see what stands behind the first page: the tools that write.
#[test]
fn page_ignored_by_client() {
    let names: Vec<String> = (0..54).map(|number| format!("tool_{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let server = Script::new()
        .then(
            "tools/list",
            json!([page_before(&named(&names[..50]), "next")]),
        )
        .then("tools/list", json!([page(&named(&names[50..]))]));
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(report.names(), names);
    assert_eq!(
        (&report.listing()["pages"], &report.listing()["complete"]),
        (&json!(2), &json!(true))
    );
    let last = &report.tools()[53]["location"];
    assert_eq!(
        (&last["page"], &last["pointer"]),
        (&json!(1), &json!("/result/tools/3"))
    );
    let asked = server.received();
    assert_eq!(asked.last().unwrap()["params"]["cursor"], "next");
}

/// One tool with an odd schema made clients lose every tool of the server, without a word.
#[test]
fn schema_one_bad_tool_kills_all() {
    let schemas = [
        ("empty", r#","inputSchema":{}"#),
        ("string", r#","inputSchema":{"type":"string"}"#),
        (
            "any_of",
            r#","inputSchema":{"anyOf":[{"type":"object"},{"type":"object"}]}"#,
        ),
        (
            "required",
            r#","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"required":["a"]}}"#,
        ),
        ("null", r#","inputSchema":null"#),
        ("missing", ""),
    ];
    let mut tools = vec![named(&["good_1", "good_2", "good_3"])];
    for (name, schema) in schemas {
        tools.push(format!(r#"{{"name":"{name}"{schema}}}"#));
    }
    tools.push(named(&["good_4", "good_5"]));
    let report = Report::of(&Script::tools(&tools.join(",")).audit("--format json").run());
    assert_eq!(report.tools().len(), 11);
    assert_eq!(report.listing()["complete"], true);
    let places: Vec<String> = report
        .findings()
        .into_iter()
        .filter(|(_, finding)| finding["rule"] == "invalid-input-schema")
        .map(|(name, finding)| {
            let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            let place = word(&finding["location"]["pointer"]);
            format!(
                "{} {name} {place}: {}",
                word(&finding["severity"]),
                word(&finding["message"])
            )
        })
        .collect();
    insta::assert_snapshot!(places.join("\n"), @r#"
    error empty /result/tools/3/inputSchema: the root of the schema has no `type: "object"`
    error string /result/tools/4/inputSchema/type: the root's `type` is the string "string", not "object"
    error any_of /result/tools/5/inputSchema: the root of the schema has `anyOf` but no `type: "object"`
    error required /result/tools/6/inputSchema/properties/required: `required` stands inside `properties`, where it declares an argument called "required"
    error null /result/tools/7/inputSchema: `inputSchema` is null, not an object
    error missing /result/tools/8/name: the tool has no inputSchema: clients that validate refuse the whole list
    "#);
}

/// Two tools had one name: the last one won, and calls went where nobody meant them to go.
#[test]
fn dup_names() {
    let tools = [
        r#"{"name":"send_email","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
        r#"{"name":"send_email","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}"#,
        r#"{"name":"a.b","inputSchema":{"type":"object"}}"#,
        r#"{"name":"a_b","inputSchema":{"type":"object"}}"#,
    ];
    let report = Report::of(&Script::tools(&tools.join(",")).audit("--format json").run());
    assert_eq!(report.names(), ["send_email", "send_email", "a.b", "a_b"]);
    assert_eq!(report.code, Some(1));
    insta::assert_snapshot!(report.found_by("duplicate-name"), @r"
    send_email: error[duplicate-name]: an earlier tool is called `send_email` too: clients keep only one of them
    a_b: warning[duplicate-name]: `a_b` and `a.b` are both `a_b` for clients that rewrite names
    ");
    // The hints of both are told, none is lost to the other.
    let claims = |position: usize, hint: &str| report.tools()[position]["claims"][hint].clone();
    assert_eq!(claims(0, "readOnlyHint"), "true");
    assert_eq!(claims(1, "readOnlyHint"), "absent");
    // Two servers may well have a tool of the same name: each is reported by itself.
    let two = Sayso::new("audit --format json one.json two.json")
        .file("one.json", format!("[{}]", tool("send_email")))
        .file("two.json", format!("[{}]", tool("send_email")));
    let all: serde_json::Value = serde_json::from_str(&two.run().stdout).unwrap();
    let tools = all["targets"].as_array().unwrap().iter();
    let names: Vec<_> = tools
        .map(|target| &target["listing"]["tools"][0]["name"])
        .collect();
    assert_eq!(names, ["send_email", "send_email"]);
    assert!(!all.to_string().contains("duplicate-name"));
}

/// A prefix made a legal name longer than model interfaces take, and every request failed.
#[test]
fn name_length_64() {
    // `scripted` is the name the server gives itself, so the prefix is 15 characters long.
    let (fits, too_long) = ("f".repeat(49), "l".repeat(50));
    let raw = "r".repeat(65);
    let server = Script::tools(&named(&[&fits, &too_long, &raw]));
    let report = Report::of(&server.audit("--format json").run());
    let found = report
        .found_by("long-name")
        .replace(&too_long, "LONG")
        .replace(&raw, "RAW");
    insta::assert_snapshot!(found, @r"
    LONG: info[long-name]: as `mcp__scripted__LONG` the name has 65 characters: several model interfaces accept 64
    RAW: warning[long-name]: the name has 65 characters: several model interfaces accept 64
    ");
}

/// Names with full stops, slashes, spaces or emoji broke every request of clients that pass
/// them on; names with control characters deceived whoever read them.
#[test]
fn name_charset() {
    let names = [
        "a.b",
        "a/b",
        "Query all",
        "\u{1f525}go",
        "two\\nlines",
        "\\u202egnp",
        "\u{202e}gnp",
        "",
    ];
    let server = Script::tools(&named(&names));
    let report = Report::of(&server.audit("--format json").run());
    assert_eq!(
        report.names(),
        [
            "a.b",
            "a/b",
            "Query all",
            "\u{1f525}go",
            "two\nlines",
            "\u{202e}gnp",
            "\u{202e}gnp",
            ""
        ]
    );
    let rules = ["invalid-name", "unportable-name", "hidden-characters"];
    let found: String = rules.map(|rule| report.found_by(rule)).concat();
    insta::assert_snapshot!(found, @r"
    a/b: warning[invalid-name]: `/` in the name is a character clients may refuse
    Query all: warning[invalid-name]: ` ` in the name is a character clients may refuse
    🔥go: warning[invalid-name]: `🔥` in the name is a character clients may refuse
    two\nlines: warning[invalid-name]: `\n` in the name is a character clients may refuse
    : error[invalid-name]: the name is empty, so nothing can call the tool
    a.b: info[unportable-name]: the name has a full stop: some model interfaces refuse it
    \u{202e}gnp: error[hidden-characters]: one character in this text turns the direction of the text
    \u{202e}gnp: error[hidden-characters]: one character in this text turns the direction of the text
    ");
    // Whatever is shown to people has the characters written out.
    for format in ["human", "markdown", "html", "github", "junit"] {
        let ran = server.audit(&format!("--verbose --format {format}")).run();
        assert!(!ran.stdout.contains('\u{202e}'), "{format}");
        assert!(!ran.stdout.contains("two\nlines"), "{format}");
        assert!(ran.stdout.contains("gnp"), "{format}");
    }
    let ran = server.audit("--names").run();
    assert_eq!(ran.stdout.lines().count(), names.len(), "{ran}");
    assert!(!ran.stdout.contains('\u{202e}'));
}
