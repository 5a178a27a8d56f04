//! Hints to put over a listing, as files have them.

use sayso_audit::hosts::Overlay;

use crate::support::{listing, pages};

fn error(text: &str, file: &str) -> String {
    let error = Overlay::parse(text, file).unwrap_err();
    match &error.hint {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}

#[test]
fn three_forms_say_the_same() {
    let by_tool = r#"{"wipe_index":{"title":"Wipe","destructiveHint":true},"list_indexes":{"readOnlyHint":true}}"#;
    let tools = r#"[{"name":"wipe_index","annotations":{"title":"Wipe","destructiveHint":true}},{"name":"other"},{"name":"list_indexes","annotations":{"readOnlyHint":true}}]"#;
    let toml = "[wipe_index]\ntitle = \"Wipe\"\ndestructiveHint = true\n\n[list_indexes]\nreadOnlyHint = true\n";
    let expected = Overlay::parse(by_tool, "hints.json").unwrap();
    let same = [
        (tools.to_owned(), "tools.json"),
        (format!(r#"{{"tools":{tools}}}"#), "list.json"),
        (
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{tools}}}}}"#),
            "answer.json",
        ),
        (toml.to_owned(), "hints.toml"),
        (toml.to_owned(), "HINTS.TOML"),
    ];
    for (text, file) in same {
        let overlay = Overlay::parse(&text, file).unwrap();
        for tool in &expected.tools {
            assert_eq!(overlay.get(&tool.name), Some(tool), "{file}");
        }
        assert_eq!(overlay.tools.len(), 2, "{file}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_tool() {
    insta::assert_snapshot!(error("{", "hints.json"), @"hints.json: line 1, column 2: not JSON: the text ends in the middle of an object");
    insta::assert_snapshot!(error("[wipe\n", "hints.toml"), @"
    hints.toml: TOML parse error at line 1, column 6
      |
    1 | [wipe
      |      ^
    unclosed table, expected `]`
    ");
    insta::assert_snapshot!(error("7", "hints.json"), @"hints.json: neither tools by name nor a listing");
    insta::assert_snapshot!(error("{}", "hints.json"), @r#"
    hints.json: it has no hints for any tool
    hint: write `{ "TOOL": { "readOnlyHint": true } }`, or name a saved listing with annotations
    "#);
    insta::assert_snapshot!(error(r#"[{"name":"wipe_index"}]"#, "tools.json"), @r#"
    tools.json: it has no hints for any tool
    hint: write `{ "TOOL": { "readOnlyHint": true } }`, or name a saved listing with annotations
    "#);
    insta::assert_snapshot!(error(r#"{"wipe_index":true}"#, "hints.json"), @"hints.json: tool `wipe_index` has true instead of hints");
    insta::assert_snapshot!(
        error(r#"{"wipe_index":{"readOnlyHint":"true"}}"#, "hints.json"), @r#"hints.json: tool `wipe_index`: `readOnlyHint` is "true", not true or false"#);
    insta::assert_snapshot!(error(r#"{"wipe_index":{"readOnlyHint":null}}"#, "hints.json"), @"hints.json: tool `wipe_index`: `readOnlyHint` is null, not true or false");
    insta::assert_snapshot!(error(r#"{"wipe_index":{"readonlyHint":true}}"#, "hints.json"), @"
    hints.json: tool `wipe_index`: `readonlyHint` is no hint
    hint: did you mean `readOnlyHint`?
    ");
    insta::assert_snapshot!(error(r#"{"wipe_index":{"title":7}}"#, "hints.json"), @"hints.json: tool `wipe_index`: `title` is 7, not text");
    insta::assert_snapshot!(
        error(r#"[{"name":"a","annotations":{"readOnlyHint":true}},{"name":"a","annotations":{"readOnlyHint":true}}]"#, "tools.json"), @"tools.json: tool `a` stands twice");
}

#[test]
fn a_tool_twice_by_name_is_told_too() {
    // The last of two members would win silently.
    insta::assert_snapshot!(
        error(r#"{"a":{"readOnlyHint":true},"a":{"readOnlyHint":false}}"#, "hints.json"), @"hints.json: line 1, column 28: `a` stands twice");
    insta::assert_snapshot!(
        error(r#"{"a":{"readOnlyHint":true,"readOnlyHint":false}}"#, "hints.json"), @"hints.json: line 1, column 27: `readOnlyHint` stands twice");
    insta::assert_snapshot!(
        error(r#"[{"name":"a","annotations":{"readOnlyHint":true},"annotations":{}}]"#, "tools.json"), @"tools.json: line 1, column 50: `annotations` stands twice");
    // What stands twice in a schema is no business of an overlay.
    let elsewhere = r#"[{"name":"a","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","type":"object"}}]"#;
    assert_eq!(
        Overlay::parse(elsewhere, "tools.json").unwrap().tools.len(),
        1
    );
}

#[test]
fn hints_are_put_over_those_that_are_there() {
    let before = listing(
        r#"[
        {"name":"a", "annotations":{"title":"A","readOnlyHint":false,"example.com/x":1.50,"openWorldHint":null},"input\u0053chema":{"b":1, "a":1.0}},
        {"name":"b",   "annotations": {"readOnlyHint" : null}, "x": 1.50},
        {"name":"c"},
        {"name":"d","annotations":null,"annotations":{"idempotentHint":true},"x":1},
        7
    ]"#,
    );
    let overlay = Overlay::parse(
        r#"{"a":{"readOnlyHint":true},"c":{"title":"C","openWorldHint":false},"d":{"destructiveHint":true}}"#,
        "hints.json",
    )
    .unwrap();
    let after = overlay.over(&before).unwrap();
    let texts: Vec<&str> = after.tools().map(|tool| tool.value().raw()).collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    {"name":"a","annotations":{"title":"A","readOnlyHint":true,"example.com/x":1.50,"openWorldHint":null},"input\u0053chema":{"b":1, "a":1.0}}
    {"name":"b",   "annotations": {"readOnlyHint" : null}, "x": 1.50}
    {"name":"c","annotations":{"title":"C","openWorldHint":false}}
    {"name":"d","annotations":{"idempotentHint":true,"destructiveHint":true},"x":1}
    7
    "#);
}

#[test]
fn several_pages_become_one() {
    let before = pages(&[r#"[{"name":"a"}]"#, r#"[{"name":"b"}]"#]);
    let overlay = Overlay::parse(r#"{"b":{"readOnlyHint":true}}"#, "hints.json").unwrap();
    let after = overlay.over(&before).unwrap();
    let names: Vec<String> = after
        .tools()
        .map(|tool| tool.label().into_owned())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(after.server, before.server);
}

#[test]
fn names_that_no_tool_has_are_told_with_the_nearest() {
    let listing = listing(r#"[{"name":"wipe_index"},{"name":"list_indexes"}]"#);
    let overlay = Overlay::parse(
        r#"{"wipe_indx":{"readOnlyHint":true},"zzz":{"readOnlyHint":true},"list_indexes":{"readOnlyHint":true}}"#,
        "hints.json",
    )
    .unwrap();
    let mut unmatched = overlay.unmatched(&listing);
    unmatched.sort();
    assert_eq!(
        unmatched,
        [("wipe_indx", Some("wipe_index".to_owned())), ("zzz", None)]
    );
}
