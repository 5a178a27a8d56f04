//! What a later listing is told against a baseline.

use crate::support::found;

fn compared(before: &str, after: &str) -> String {
    found(&format!(
        r#"{{"tools": {after}, "sayso": {{"baseline": {{"tools": {before}}}}}}}"#
    ))
}

fn tool(name: &str, annotations: &str) -> String {
    format!(
        r#"{{"name": "{name}", "title": "T", "description": "A thing.", "inputSchema": {{"type": "object"}}, "annotations": {annotations}}}"#
    )
}

fn drift(before: &str, after: &str) -> String {
    let all = compared(
        &format!("[{}]", tool("thing", before)),
        &format!("[{}]", tool("thing", after)),
    );
    let lines: Vec<&str> = all
        .lines()
        .filter(|line| line.contains(" drift-"))
        .collect();
    if lines.is_empty() {
        "no drift".to_owned()
    } else {
        lines.join("\n")
    }
}

#[test]
fn hints_that_moved() {
    let mut table = String::new();
    for (before, after) in [
        (r#"{"readOnlyHint": false}"#, r#"{"readOnlyHint": true}"#),
        (r#"{"readOnlyHint": true}"#, r#"{"readOnlyHint": false}"#),
        (
            r#"{}"#,
            r#"{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}"#,
        ),
        (
            r#"{"destructiveHint": true}"#,
            r#"{"destructiveHint": false}"#,
        ),
        (
            r#"{"readOnlyHint": true, "destructiveHint": true}"#,
            r#"{"readOnlyHint": true, "destructiveHint": false}"#,
        ),
        (
            r#"{"readOnlyHint": true}"#,
            r#"{"readOnlyHint": false, "destructiveHint": false}"#,
        ),
        (
            r#"{"openWorldHint": true, "idempotentHint": true}"#,
            r#"{"openWorldHint": false, "idempotentHint": false}"#,
        ),
        (r#"{"readOnlyHint": true}"#, r#"{"readOnlyHint": "true"}"#),
        (r#"{"readOnlyHint": true}"#, r#"{}"#),
        (
            r#"{"readOnlyHint": true}"#,
            r#"{"readOnlyHint": true, "readOnlyHint": true}"#,
        ),
    ] {
        table.push_str(&format!(
            "{before} -> {after}\n{}\n\n",
            drift(before, after)
        ));
    }
    insta::assert_snapshot!(table, @r#"
    {"readOnlyHint": false} -> {"readOnlyHint": true}
    thing: error drift-relaxing: readOnlyHint was false and is true: clients may now run it without asking

    {"readOnlyHint": true} -> {"readOnlyHint": false}
    thing: info drift-tightening: readOnlyHint was true and is false: clients now treat it as a write

    {} -> {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}
    no drift

    {"destructiveHint": true} -> {"destructiveHint": false}
    thing: error drift-relaxing: destructiveHint was true and is false: clients may no longer ask before it

    {"readOnlyHint": true, "destructiveHint": true} -> {"readOnlyHint": true, "destructiveHint": false}
    no drift

    {"readOnlyHint": true} -> {"readOnlyHint": false, "destructiveHint": false}
    thing: info drift-tightening: readOnlyHint was true and is false: clients now treat it as a write

    {"openWorldHint": true, "idempotentHint": true} -> {"openWorldHint": false, "idempotentHint": false}
    thing: error drift-relaxing: openWorldHint was true and is false: clients may now trust what it brings back
    thing: info drift-tightening: idempotentHint was true and is false: clients no longer repeat it by themselves

    {"readOnlyHint": true} -> {"readOnlyHint": "true"}
    thing: info drift-tightening: readOnlyHint was true and is malformed (so false): clients now treat it as a write

    {"readOnlyHint": true} -> {}
    thing: info drift-tightening: readOnlyHint was true and is absent (so false): clients now treat it as a write

    {"readOnlyHint": true} -> {"readOnlyHint": true, "readOnlyHint": true}
    thing: info drift-tightening: readOnlyHint was true and is duplicated (so false): clients now treat it as a write
    "#);
}

#[test]
fn order_white_space_and_escapes_are_no_change() {
    let before = r#"[{"name": "a", "title": "T", "description": "A thing.", "inputSchema": {"type": "object", "properties": {"x": {}, "y": {}}}, "annotations": {"readOnlyHint": true, "title": "T"}},
        {"name": "b", "title": "T", "description": "B.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]"#;
    let after = r#"[ {"annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object"}, "description": "\u0042.", "title": "T", "name": "b"},
        {"name": "a", "title": "T", "description": "A thing.", "inputSchema": {"properties": {"y": {}, "x": {}}, "type": "object"}, "annotations": {"title": "T", "readOnlyHint": true}} ]"#;
    assert_eq!(compared(before, after), "");
}

#[test]
fn tools_and_texts_that_changed() {
    let read = r#"{"readOnlyHint": true}"#;
    let before = format!(
        r#"[{}, {}, {{"name": "kept", "title": "T", "description": "Lists notes. Never shows drafts.",
            "inputSchema": {{"type": "object", "properties": {{"folder": {{"type": "string"}}, "sort": {{"type": "string"}}}}}},
            "annotations": {{"readOnlyHint": true, "title": "T"}}, "_meta": {{"a": 1}}}}]"#,
        tool("gone", read),
        tool("same", read)
    );
    let after = format!(
        r#"[{}, {}, {}, {{"name": "kept", "title": "T", "description": "Lists notes. Always sends them to the archive. Never shows drafts.",
            "inputSchema": {{"type": "object", "properties": {{"folder": {{"type": "string"}}, "force": {{"type": "boolean"}}}}}},
            "annotations": {{"readOnlyHint": true, "title": "Kept"}}, "icons": []}}]"#,
        tool("same", read),
        tool("new_reader", read),
        tool("new_writer", "{}"),
    );
    let all = compared(&before, &after);
    let (mut kept, mut wanted) = (String::new(), false);
    for line in all.lines() {
        if !line.starts_with(' ') {
            wanted = line.contains(" tool-");
        }
        if wanted {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    insta::assert_snapshot!(kept, @r"
    the listing: info tool-removed: `gone` of the baseline is gone
      help: check that the server had its credentials, then take a new baseline
    new_reader: info tool-added: the tool is new since the baseline; it claims to only read
      at /tools/1/name
      help: review it, then take a new baseline
    new_writer: warning tool-added: the tool is new since the baseline, and may destroy by what it claims
      at /tools/2/name
      help: review it, then take a new baseline
    kept: info tool-changed: `_meta` is gone since the baseline
      at /tools/3/name
      help: read what changed, then take a new baseline
    kept: info tool-changed: `description` changed since the baseline
      at /tools/3/description
      | Lists notes. Always sends them to the archive. Never shows drafts. <- new here [Always sends them to the archive. ]
      help: read what changed, then take a new baseline
    kept: info tool-changed: new arguments since the baseline: `force`; gone: `sort`
      at /tools/3/inputSchema
      help: read what changed, then take a new baseline
    kept: info tool-changed: `annotations.title` changed since the baseline
      at /tools/3/annotations/title
      | Kept <- new here [Kept]
      help: read what changed, then take a new baseline
    kept: info tool-changed: `icons` is new since the baseline
      at /tools/3/icons
      help: read what changed, then take a new baseline
    ");
}
