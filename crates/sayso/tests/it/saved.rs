//! Saved listings in all their forms, and what is no listing.

use crate::sayso::Sayso;

const TOOLS: &str = r#"[{"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}, {"name": "b", "inputSchema": {"type": "object"}}]"#;

fn names(file: &str, content: &str) -> String {
    Sayso::new("audit --names")
        .argument(file)
        .file(file, content)
        .shown()
}

#[test]
fn every_form_is_read() {
    let result = format!(r#"{{"tools": {TOOLS}}}"#);
    let response = format!(r#"{{"jsonrpc": "2.0", "id": 7, "result": {result}}}"#);
    let transcript = format!(
        "{}\n{response}\n{}\n",
        r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/list"}"#,
        r#"{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}"#
    );
    for form in [TOOLS, &result, &response, &transcript] {
        assert_eq!(
            names("tools.json", form),
            "exit code: 0\n----- stdout\na\nb"
        );
        assert_eq!(
            names("tools.json", &format!("\u{feff}{form}")),
            "exit code: 0\n----- stdout\na\nb"
        );
    }
}

#[test]
fn standard_input_is_a_file_too() {
    let ran = Sayso::new("audit --names -").input(TOOLS).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "a\nb\n"));
}

#[test]
fn the_counts_come_first_and_have_their_shape() {
    let ran = Sayso::new("audit tools.json")
        .file("tools.json", TOOLS)
        .run();
    assert_eq!(ran.code, Some(0));
    let counts = "tools returned: 2

  with annotations.readOnlyHint    1 / 2
  with annotations.destructiveHint 0 / 2
  with annotations.idempotentHint  0 / 2
  with annotations.openWorldHint   0 / 2

tools with any annotations object at all: 1 / 2
";
    assert!(ran.stdout.contains(counts), "{ran}");
}

#[test]
fn what_is_no_listing_is_told_with_a_way_out() {
    let shown = |content: &str| {
        let ran = Sayso::new("audit --names tools.json")
            .file("tools.json", content)
            .run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
        ran.stderr
    };
    insta::assert_snapshot!(shown(""), @r"
    error: tools.json: the file is empty
    hint: save the server's answer to tools/list there
    ");
    insta::assert_snapshot!(shown("[{\"name\": \"a\",}]"), @r#"
    error: tools.json:1:15: not JSON: expected a key in double quotes
    hint: a listing is a tools/list result {"tools": […]}, a whole JSON-RPC answer, a transcript with one message a line, or an array of tools
    "#);
    insta::assert_snapshot!(shown("{\"hello\": 1}"), @r#"
    error: tools.json: no tools/list result: the file holds an object with `hello`
    hint: a listing is a tools/list result {"tools": […]}, a whole JSON-RPC answer, a transcript with one message a line, or an array of tools
    "#);
    insta::assert_snapshot!(shown(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#), @r#"
    error: tools.json: no tools/list result: the file holds an error answer: Method not found
    hint: a listing is a tools/list result {"tools": […]}, a whole JSON-RPC answer, a transcript with one message a line, or an array of tools
    "#);
    insta::assert_snapshot!(shown(r#"{"mcpServers": {"files": {"command": "files"}}}"#), @r"
    error: tools.json: no tools/list result: the file holds an object with `mcpServers`
    hint: this is a host's configuration; read its servers with `--config tools.json`
    ");
}

#[test]
fn what_is_no_file_is_told_with_a_way_out() {
    let shown = |target: &str| Sayso::new("audit --names").argument(target).shown();
    insta::assert_snapshot!(shown("none.json"), @r"
    exit code: 3
    ----- stderr
    error: cannot read `none.json`: No such file or directory (os error 2)
    hint: a target is a URL, a saved listing, or a command behind `--`
    ");
    insta::assert_snapshot!(shown("npx"), @r"
    exit code: 3
    ----- stderr
    error: cannot read `npx`: No such file or directory (os error 2)
    hint: to start a server put its command behind `--`, as in `-- npx`
    ");
    insta::assert_snapshot!(shown("localhost:3000/mcp"), @r"
    exit code: 3
    ----- stderr
    error: cannot read `localhost:3000/mcp`: No such file or directory (os error 2)
    hint: to reach a server write its whole address: `http://localhost:3000/mcp`
    ");
    insta::assert_snapshot!(shown("."), @r"
    exit code: 3
    ----- stderr
    error: cannot read `.`: Is a directory (os error 21)
    hint: this is a directory; name a saved listing in it
    ");
}

#[cfg(unix)]
#[test]
fn a_file_without_end_is_not_read_for_ever() {
    insta::assert_snapshot!(Sayso::new("audit --names /dev/zero").shown(), @"
    exit code: 3
    ----- stderr
    error: cannot read `/dev/zero`: it is longer than 64 MiB, the most that is read
    ");
}

#[test]
fn an_incomplete_listing_is_not_saved_and_reported_all_the_same() {
    let sayso = Sayso::new("audit tools.json --save saved.json").file(
        "tools.json",
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": "2"}"#,
    );
    let ran = sayso.run();
    assert_eq!(ran.code, Some(3), "{ran}");
    assert!(ran.stdout.contains("tools returned: 1"), "{ran}");
    insta::assert_snapshot!(ran.stderr, @r#"error: the listing was not saved, for it is incomplete: the file ends before the page at cursor "2""#);
    assert!(!sayso.directory().join("saved.json").exists());
}
