//! What people read when a rule fires.

use crate::support::{found, found_by, judged, listing, pages, shown};

/// The usual rest of a tool.
const REST: &str =
    r#""title": "Thing", "description": "A thing.", "inputSchema": {"type": "object"}"#;

fn tool(name: &str, annotations: &str) -> String {
    format!(r#"{{"name": "{name}", {REST}, "annotations": {annotations}}}"#)
}

fn tools(tools: &[String]) -> String {
    format!(r#"{{"tools": [{}]}}"#, tools.join(","))
}

#[test]
fn a_hint_in_the_wrong_place() {
    let text = format!(
        r#"{{"name": "a", {REST}, "readOnlyHint": true, "annotations": {{"destructiveHint": false}},
            "_meta": {{"destructiveHint": true, "annotations": {{"idempotentHint": true}}}},
            "execution": {{"openWorldHint": null}}}}"#
    );
    insta::assert_snapshot!(found(&text), @r#"
    a: error misplaced-hint: readOnlyHint stands at the top level of the tool, where no client reads it
      at /0/readOnlyHint
      | "readOnlyHint": true <- not read here ["readOnlyHint"]
      help: move it into `annotations`
      suggests readOnlyHint: true
    a: error misplaced-hint: destructiveHint in `_meta` is true, and false in annotations: clients read false
      at /0/_meta/destructiveHint
      | "destructiveHint": true <- not read here ["destructiveHint"]
      help: move it into `annotations`
    a: error misplaced-hint: idempotentHint stands in `_meta.annotations`, where no client reads it
      at /0/_meta/annotations/idempotentHint
      | "idempotentHint": true <- not read here ["idempotentHint"]
      help: move it into `annotations`
      suggests idempotentHint: true
    a: error misplaced-hint: openWorldHint stands in `execution`, where no client reads it
      at /0/execution/openWorldHint
      | "openWorldHint": null <- not read here ["openWorldHint"]
      help: move it into `annotations`
    "#);
}

#[test]
fn a_copy_that_agrees_is_let_be() {
    let text = format!(
        r#"{{"name": "a", {REST}, "readOnlyHint": true, "annotations": {{"readOnlyHint": true}},
            "inputSchema": {{"type": "object", "properties": {{"readOnlyHint": {{"type": "boolean"}}}}}}}}"#
    );
    assert!(!found(&text).contains("misplaced-hint"), "{}", found(&text));
}

#[test]
fn keys_that_are_nearly_hints() {
    let keys = [
        "readonlyHint",
        "readOnly",
        "read-only-hint",
        "isReadOnly",
        "read_only",
        "ReadOnlyHint",
        "readOnlyHints",
        "destructive",
        "destrutiveHint",
        "idempotencyHint",
        "idempotent",
        "openWorld",
        "open_world_hint",
        "openWorlHint",
        "destructive_hint",
    ];
    let mut table = String::new();
    for key in keys {
        let text = found(&tool("a", &format!(r#"{{"{key}": true}}"#)));
        let first = text
            .lines()
            .next()
            .unwrap_or("nothing")
            .trim_start_matches("a: ")
            .to_owned();
        let suggests = text
            .lines()
            .find(|line| line.contains("suggests"))
            .unwrap_or_default();
        table.push_str(&format!("{first};{suggests}\n"));
    }
    insta::assert_snapshot!(table, @r"
    error misspelt-hint: `readonlyHint` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `readOnly` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `read-only-hint` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `isReadOnly` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `read_only` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `ReadOnlyHint` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `readOnlyHints` is no hint any client reads;  suggests readOnlyHint: true
    error misspelt-hint: `destructive` is no hint any client reads;  suggests destructiveHint: true
    error misspelt-hint: `destrutiveHint` is no hint any client reads;  suggests destructiveHint: true
    error misspelt-hint: `idempotencyHint` is no hint any client reads;  suggests idempotentHint: true
    error misspelt-hint: `idempotent` is no hint any client reads;  suggests idempotentHint: true
    error misspelt-hint: `openWorld` is no hint any client reads;  suggests openWorldHint: true
    error snake-case-hint: `open_world_hint` is not read by any client;  suggests openWorldHint: true
    error misspelt-hint: `openWorlHint` is no hint any client reads;  suggests openWorldHint: true
    error snake-case-hint: `destructive_hint` is not read by any client;  suggests destructiveHint: true
    ");
}

#[test]
fn keys_that_are_something_else() {
    let keys = [
        "reversibleHint",
        "riskLevel",
        "audience",
        "category",
        "reads",
        "open",
        "ide",
        "world",
        "trustedHint",
    ];
    let mut table = String::new();
    for key in keys {
        let text = found(&tool(
            "a",
            &format!(r#"{{"readOnlyHint": true, "{key}": true}}"#),
        ));
        table.push_str(text.lines().next().unwrap_or("nothing"));
        table.push('\n');
    }
    insta::assert_snapshot!(table, @r"
    a: info unknown-annotation-key: `reversibleHint` is only proposed (SEP-1984), and every SDK drops it
    a: info unknown-annotation-key: `riskLevel` is only proposed (proposal 2793), and every SDK drops it
    a: info unknown-annotation-key: `audience` annotates content, not tools
    a: info unknown-annotation-key: `category` is not in the specification, and every SDK drops it
    a: info unknown-annotation-key: `reads` is not in the specification, and every SDK drops it
    a: info unknown-annotation-key: `open` is not in the specification, and every SDK drops it
    a: info unknown-annotation-key: `ide` is not in the specification, and every SDK drops it
    a: info unknown-annotation-key: `world` is not in the specification, and every SDK drops it
    a: info unknown-annotation-key: `trustedHint` is only proposed (issue 1487), and every SDK drops it
    ");
}

#[test]
fn a_misspelt_copy_beside_the_right_one_weighs_less() {
    insta::assert_snapshot!(found(&tool("a", r#"{"readOnlyHint": true, "read_only_hint": true, "readOnly": true}"#)), @r#"
    a: warning snake-case-hint: `read_only_hint` is not read by any client
      at /0/annotations/read_only_hint
      | "read_only_hint": true <- snake case ["read_only_hint"]
      help: write `readOnlyHint`; in the Python SDK, serialise by alias
    a: warning misspelt-hint: `readOnly` is no hint any client reads
      at /0/annotations/readOnly
      | "readOnly": true <- unknown spelling ["readOnly"]
      help: write `readOnlyHint`
    "#);
}

#[test]
fn annotations_inside_annotations() {
    insta::assert_snapshot!(
        found(&tool("a", r#"{"annotations": {"readOnlyHint": true, "openWorldHint": false, "title": "A"}}"#)), @r#"
    a: error nested-annotations: 2 hints are inside annotations.annotations, where no client reads them
      at /0/annotations/annotations
      | "annotations": {"readOnlyHint": true, "openWorldHint": false, "title": "A"} <- one level too deep ["annotations"]
      help: move its members up into the outer `annotations`
      suggests readOnlyHint: true, openWorldHint: false
    "#);
}

#[test]
fn entries_that_are_no_tools() {
    let text = r#"{"tools": [null, "list_files", {}, {"name": null}, {"name": ""},
        {"name": "a", "title": 5, "description": null, "_meta": [], "inputSchema": {"type": "object"},
         "annotations": {"title": null, "readOnlyHint": true}}]}"#;
    insta::assert_snapshot!(found(text), @r#"
    #1: error malformed-tool: the entry is null, not a tool
      at /tools/0
      | null <- not an object [null]
      help: list only objects with `name` and `inputSchema`
    #2: error malformed-tool: the entry is the string "list_files", not a tool
      at /tools/1
      | "list_files" <- not an object ["list_files"]
      help: list only objects with `name` and `inputSchema`
    #3: error invalid-input-schema: the tool has no inputSchema: clients that validate refuse the whole list
      at /tools/2
      help: write `"inputSchema": {"type": "object"}` for a tool without arguments
    #3: error malformed-tool: the tool has no name, so nothing can call it
      at /tools/2
      help: give it a `name`
    #3: warning missing-annotations: no annotations: clients assume the worst of all four hints
      at /tools/2
      help: declare what the tool does; each hint left out keeps its worst-case default
    #3: info missing-description: the tool has no description
      at /tools/2
      help: say in a sentence or two what it does and what it changes
    #4: error invalid-input-schema: the tool has no inputSchema: clients that validate refuse the whole list
      at /tools/3/name
      help: write `"inputSchema": {"type": "object"}` for a tool without arguments
    #4: error malformed-tool: `name` is null, not a string: an SDK that validates refuses the whole list
      at /tools/3/name
      | "name": null <- not a string [null]
      help: leave the key out where there is nothing to say
    #4: warning missing-annotations: no annotations: clients assume the worst of all four hints
      at /tools/3/name
      help: declare what the tool does; each hint left out keeps its worst-case default
    #4: info missing-description: the tool has no description
      at /tools/3/name
      help: say in a sentence or two what it does and what it changes
    #5: error invalid-input-schema: the tool has no inputSchema: clients that validate refuse the whole list
      at /tools/4/name
      help: write `"inputSchema": {"type": "object"}` for a tool without arguments
    #5: error invalid-name: the name is empty, so nothing can call the tool
      at /tools/4/name
      help: give it a name
    #5: warning missing-annotations: no annotations: clients assume the worst of all four hints
      at /tools/4/name
      help: declare what the tool does; each hint left out keeps its worst-case default
    #5: info missing-description: the tool has no description
      at /tools/4/name
      help: say in a sentence or two what it does and what it changes
    a: error malformed-tool: `title` is the number 5, not a string: an SDK that validates refuses the whole list
      at /tools/5/title
      | "title": 5 <- not a string [5]
      help: write the right kind
    a: error malformed-tool: `description` is null, not a string: an SDK that validates refuses the whole list
      at /tools/5/description
      | "description": null <- not a string [null]
      help: leave the key out where there is nothing to say
    a: error malformed-tool: `_meta` is an array, not an object: an SDK that validates refuses the whole list
      at /tools/5/_meta
      | "_meta": [] <- not an object [[]]
      help: write the right kind
    a: error malformed-tool: `annotations.title` is null, not a string: an SDK that validates refuses the whole list
      at /tools/5/annotations/title
      | "title": null <- not a string [null]
      help: leave the key out where there is nothing to say
    "#);
}

#[test]
fn keys_written_twice() {
    let text = r#"{"tools": [
        {"name": "a", "name": "b", "description": "A.", "description": "A.", "inputSchema": {"type": "object",
         "properties": {"x": {"type": "string", "ty\u0070e": "number"}}},
         "annotations": {"readOnlyHint": true, "readOnlyHint": false}},
        {"name": "c", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
         "annotations": {"readOnlyHint": false}}], "tools": []}"#;
    insta::assert_snapshot!(found_by("duplicated-key", text), @r#"
    the listing: error duplicated-key: `tools` stands twice, as an array and as an array: readers disagree which one counts
      | "tools": [ {"name": "a", "name": "b", "description": "A.", "description": "A.", "inputSchema": {"type": "object", "properties": {"x": {"type": "string",… <- first here ["tools"]
      | "tools": [] <- and again here ["tools"]
      help: write the key once
    a: error duplicated-key: `name` stands twice, as the string "a" and as the string "b": readers disagree which one counts
      at /tools/0/name
      | "name": "a" <- first here ["name"]
      | "name": "b" <- and again here ["name"]
      help: write the key once
    a: error duplicated-key: `type` stands twice, as the string "string" and as the string "number": readers disagree which one counts
      at /tools/0/inputSchema/properties/x/type
      | "type": "string" <- first here ["type"]
      | "ty\u0070e": "number" <- and again here ["ty\u0070e"]
      help: write the key once
    a: error duplicated-key: `readOnlyHint` stands twice, as true and as false: readers disagree which one counts
      at /tools/0/annotations/readOnlyHint
      | "readOnlyHint": true <- first here ["readOnlyHint"]
      | "readOnlyHint": false <- and again here ["readOnlyHint"]
      help: write the key once
    a: warning duplicated-key: `description` stands 2 times with the same value
      at /tools/0/description
      | "description": "A." <- first here ["description"]
      | "description": "A." <- and again here ["description"]
      help: write the key once
    c: error duplicated-key: `annotations` stands twice, as an object and as an object: readers disagree which one counts
      at /tools/1/annotations
      | "annotations": {"readOnlyHint": true} <- first here ["annotations"]
      | "annotations": {"readOnlyHint": false} <- and again here ["annotations"]
      help: write the key once
    "#);
}

#[test]
fn a_key_written_twice_names_its_tool_on_every_page() {
    let twice = r#"[{"name": "a", "x": 1}, {"name": "b", "x": 1, "x": 2}]"#;
    let listing = pages(&[twice, twice]);
    let about: Vec<Option<usize>> = judged(&listing)
        .iter()
        .filter(|finding| finding.rule == "duplicated-key")
        .map(|finding| finding.tool)
        .collect();
    assert_eq!(about, [Some(1), Some(3)]);
}

#[test]
fn names_that_clients_refuse() {
    let long = "n".repeat(129);
    let names = [
        "list files",
        "liste_dateien_größer",
        "a/b",
        "",
        "a\\u0000b",
        long.as_str(),
        "files.list",
        "FILES",
    ];
    let mut table = String::new();
    for name in names {
        for line in found(&tool(name, r#"{"readOnlyHint": true}"#))
            .lines()
            .filter(|line| !line.starts_with("  at"))
        {
            table.push_str(line.trim_start_matches(&long));
            table.push('\n');
        }
    }
    insta::assert_snapshot!(table, @r#"
    list files: warning invalid-name: ` ` in the name is a character clients may refuse
      | list files <- not accepted everywhere [ ]
      help: use only A-Z, a-z, 0-9, `_` and `-`
    liste_dateien_größer: warning invalid-name: `ö` in the name is a character clients may refuse
      | liste_dateien_größer <- not accepted everywhere [ö]
      help: use only A-Z, a-z, 0-9, `_` and `-`
    a/b: warning invalid-name: `/` in the name is a character clients may refuse
      | a/b <- not accepted everywhere [/]
      help: use only A-Z, a-z, 0-9, `_` and `-`
    #1: error invalid-name: the name is empty, so nothing can call the tool
      help: give it a name
    a\u{0}b: error hidden-characters: one character in this text controls a terminal
      | a\u{0}b <- here [\u{0}]
      help: write the text without them
    : warning invalid-name: the name has 129 characters; at most 128 are allowed for
      help: shorten the name
    files.list: info unportable-name: the name has a full stop: some model interfaces refuse it
      | files.list <- legal in MCP, not everywhere [files.list]
      help: use `_` instead
    "#);
}

#[test]
fn names_that_are_too_long_with_a_prefix() {
    let name = "summarise_all_the_messages_of_a_channel_since_yesterday";
    let with_server = |server: &str| {
        format!(
            r#"{{"tools": [{}], "sayso": {{"server": "{server}"}}}}"#,
            tool(name, r#"{"readOnlyHint": true}"#)
        )
    };
    insta::assert_snapshot!(found_by("long-name", &with_server("company-chat")), @r"
    summarise_all_the_messages_of_a_channel_since_yesterday: info long-name: as `mcp__company-chat__summarise_all_the_messages_of_a_channel_since_yesterday` the name has 74 characters: several model interfaces accept 64
      at /tools/0/name
      | summarise_all_the_messages_of_a_channel_since_yesterday <- too long with a client's prefix [summarise_all_the_messages_of_a_channel_since_yesterday]
      help: shorten the name; the client adds the server's name before it
    ");
    assert_eq!(found_by("long-name", &with_server("c")), "");
}

#[test]
fn names_that_collide() {
    let read = r#"{"readOnlyHint": true}"#;
    let text = tools(&[
        tool("a.b", read),
        tool("a_b", read),
        tool("A_B", read),
        tool("a.b", read),
        tool("a-b", read),
    ]);
    insta::assert_snapshot!(found_by("duplicate-name", &text), @r#"
    a_b: warning duplicate-name: `a_b` and `a.b` are both `a_b` for clients that rewrite names
      at /tools/1/name
      | "name": "a.b" <- first here ["a.b"]
      | "name": "a_b" <- and again here ["a_b"]
      help: give each tool a name of its own
    A_B: info duplicate-name: `A_B` and `a.b` differ only in case
      at /tools/2/name
      | "name": "a.b" <- first here ["a.b"]
      | "name": "A_B" <- and again here ["A_B"]
      help: give each tool a name of its own
    a.b: error duplicate-name: an earlier tool is called `a.b` too: clients keep only one of them
      at /tools/3/name
      | "name": "a.b" <- first here ["a.b"]
      | "name": "a.b" <- and again here ["a.b"]
      help: give each tool a name of its own
    "#);
}

#[test]
fn names_that_look_alike() {
    let read = r#"{"readOnlyHint": true}"#;
    let text = tools(&[
        tool("read_file", read),
        tool("re\\u0430d_file", read),
        tool("ｒｅａｄ_file", read),
        tool("get_v1", read),
        tool("get_vl", read),
        tool("se\\u03bfrch", read),
        tool("найти", read),
    ]);
    insta::assert_snapshot!(found_by("confusable-name", &text), @r#"
    reаd_file: error confusable-name: the name looks like `read_file` and is another one
      at /tools/1/name
      | read_file <- this name [read_file]
      | re\u{430}d_file <- and this one look the same [re\u{430}d_file]
      help: give the tools names that a person can tell apart
    ｒｅａｄ_file: error confusable-name: the name looks like `read_file` and is another one
      at /tools/2/name
      | read_file <- this name [read_file]
      | \u{ff52}\u{ff45}\u{ff41}\u{ff44}_file <- and this one look the same [\u{ff52}\u{ff45}\u{ff41}\u{ff44}_file]
      help: give the tools names that a person can tell apart
    get_vl: warning confusable-name: the name looks like `get_v1` and is another one
      at /tools/4/name
      | get_v1 <- this name [get_v1]
      | get_vl <- and this one look the same [get_vl]
      help: give the tools names that a person can tell apart
    seοrch: warning confusable-name: `ο` (U+03BF) looks like a Latin letter and is none
      at /tools/5/name
      | se\u{3bf}rch <- letters of two scripts [se\u{3bf}rch]
      help: write the name in Latin letters
    "#);
}

#[test]
fn characters_nobody_sees() {
    let text = r#"{"tools": [
        {"name": "tags", "description": "Lists.\udb40\udc72\udb40\udc6d\udb40\udc20\udb40\udc2d\udb40\udc72 Files."},
        {"name": "bidi", "description": "Lists \u202egnihton\u202c."},
        {"name": "zero\u200bwidth", "description": "Lists."},
        {"name": "escape", "description": "Lists.\u001b[2K\u001b[1A"},
        {"name": "one", "description": "Lists\u200b files."},
        {"name": "key", "inputSchema": {"type": "object", "properties": {"pa\u00adth": {"enum": ["a\u2060"]}}}},
        {"name": "variations", "description": "a\ufe01\ufe02\ufe03\ufe04"}]}"#;
    insta::assert_snapshot!(found_by("hidden-characters", text), @r#"
    tags: error hidden-characters: 5 characters in this text are invisible; to a model they read "rm -r"
      at /tools/0/description
      | Lists.\u{e0072}\u{e006d}\u{e0020}\u{e002d}\u{e0072} Files. <- here [\u{e0072}]
      help: write the text without them
    bidi: error hidden-characters: 2 characters in this text turn the direction of the text
      at /tools/1/description
      | Lists \u{202e}gnihton\u{202c}. <- here [\u{202e}]
      help: write the text without them
    zero\u{200b}width: error hidden-characters: one character in this text is invisible
      at /tools/2/name
      | zero\u{200b}width <- here [\u{200b}]
      help: write the text without them
    escape: error hidden-characters: 2 characters in this text control a terminal
      at /tools/3/description
      | Lists.\u{1b}[2K\u{1b}[1A <- here [\u{1b}]
      help: write the text without them
    one: warning hidden-characters: one character in this text is invisible
      at /tools/4/description
      | Lists\u{200b} files. <- here [\u{200b}]
      help: write the text without them
    key: warning hidden-characters: one character in this text is invisible
      at /tools/5/inputSchema/properties/pa\u{ad}th
      | pa\u{ad}th <- here [\u{ad}]
      help: write the text without them
    key: warning hidden-characters: one character in this text is invisible
      at /tools/5/inputSchema/properties/pa\u{ad}th/enum/0
      | a\u{2060} <- here [\u{2060}]
      help: write the text without them
    variations: error hidden-characters: 4 characters in this text are invisible
      at /tools/6/description
      | a\u{fe01}\u{fe02}\u{fe03}\u{fe04} <- here [\u{fe01}]
      help: write the text without them
    "#);
}

#[test]
fn characters_that_build_something_are_let_be() {
    for text in [
        r"Ends its lines\r\nlike this.",
        r"A family \ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67, a heart \u2764\ufe0f, a key 1\ufe0f\u20e3.",
        r"The flag of England \ud83c\udff4\udb40\udc67\udb40\udc62\udb40\udc65\udb40\udc6e\udb40\udc67\udb40\udc7f.",
        r"Persian \u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 and Hebrew \u05d0\u200e!",
        r"Hindi \u0915\u094d\u200d\u0937.",
        r"\u2705 A tick, and a tab\tand a backslash \\u200b.",
        "Grüße, 東京, café.",
    ] {
        let tool = format!(r#"{{"name": "a", "description": "{text}"}}"#);
        assert_eq!(found_by("hidden-characters", &tool), "", "{text}");
    }
}

#[test]
fn one_stamp_on_everything() {
    let stamp = r#"{"readOnlyHint": true, "destructiveHint": false}"#;
    let plain = |name: &str, description: &str| {
        format!(
            r#"{{"name": "{name}", "title": "T", "description": "{description}", "inputSchema": {{"type": "object"}}, "annotations": {stamp}}}"#
        )
    };
    let text = tools(&[
        plain("get_note", "Gets a note."),
        plain("list_notes", "Lists notes."),
        plain("create_note", "Creates a note."),
        plain("delete_note", "Deletes a note for good."),
        plain("search_notes", "Searches notes."),
    ]);
    insta::assert_snapshot!(found_by("stamped-hints", &text), @r"
    the listing: warning stamped-hints: 5 of 5 tools carry the same hints (readOnlyHint true, destructiveHint false), also `create_note` and `delete_note`
      | create_note <- does not fit the hints [create_note]
      | delete_note <- does not fit the hints [delete_note]
      help: declare each tool by what it does
    ");
    let readers =
        tools(&["a", "b", "c", "d", "e"].map(|name| plain(&format!("get_{name}"), "Gets it.")));
    assert_eq!(found_by("stamped-hints", &readers), "");
}

#[test]
fn zero_values() {
    let text = tools(&[
        tool(
            "get_a",
            r#"{"readOnlyHint": true, "idempotentHint": false}"#,
        ),
        tool(
            "get_b",
            r#"{"readOnlyHint": true, "idempotentHint": false}"#,
        ),
        tool(
            "get_c",
            r#"{"readOnlyHint": true, "idempotentHint": false}"#,
        ),
        tool(
            "put_a",
            r#"{"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false}"#,
        ),
        tool(
            "put_b",
            r#"{"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false}"#,
        ),
    ]);
    let zero = found_by("zero-value-hints", &text);
    insta::assert_snapshot!(zero, @r"
    the listing: info zero-value-hints: idempotentHint is false on 5 of 5 tools, 3 of them read-only (`get_a`, `get_b` and `get_c`): a zero value rather than a decision
      help: make the library leave out what nobody set, or set it tool by tool
    ");
    assert_eq!(
        found_by("read-only-not-idempotent", &text),
        "",
        "the server's finding explains the tools'"
    );
}

#[test]
fn siblings_that_disagree() {
    let no = r#"{"readOnlyHint": false, "destructiveHint": false}"#;
    let yes = r#"{"readOnlyHint": false, "destructiveHint": true}"#;
    let text = tools(&[
        tool("delete_a", yes),
        tool("delete_b", yes),
        tool("delete_c", yes),
        tool("delete_d", no),
    ]);
    insta::assert_snapshot!(found_by("sibling-disagreement", &text), @r#"
    delete_d: warning sibling-disagreement: destructiveHint is false, and true on 3 of 4 `delete` tools of this server
      at /tools/3/annotations/destructiveHint
      | "destructiveHint": false <- not as its siblings [false]
      | "destructiveHint": true <- as `delete_a` has it [true]
      help: declare both the same, or say in the description what is different
    "#);
    let split = tools(&[
        tool("delete_a", yes),
        tool("delete_b", yes),
        tool("delete_c", no),
        tool("delete_d", no),
    ]);
    assert_eq!(
        found_by("sibling-disagreement", &split),
        "",
        "two against two is no majority"
    );
}

#[test]
fn what_was_odd_while_reading() {
    let text = r#"{"tools": [], "sayso": {"incomplete": "page 2 did not come within 30 s", "observations": [
        {"kind": "not-json", "count": 3, "detail": "Listening \u001b[32mon stdio"},
        {"kind": "not-json-rpc", "count": 1, "detail": "{\"level\":\"info\"}"},
        {"kind": "glued-message", "count": 1, "detail": "ready"},
        {"kind": "byte-order-mark", "count": 1, "detail": ""},
        {"kind": "unknown-id", "count": 1, "detail": "17"},
        {"kind": "duplicate-key", "count": 1, "detail": "`method`"},
        {"kind": "cursor-repeated", "count": 1, "detail": "cursor \"p2\""},
        {"kind": "listing-differs", "count": 1, "detail": "tool `a`: the description differs"},
        {"kind": "eras-differ", "count": 1, "detail": "only in 2026-07-28: `b`"},
        {"kind": "list-changed", "count": 200, "detail": ""},
        {"kind": "version-negotiated", "count": 1, "detail": "2025-06-18"},
        {"kind": "leftover-process", "count": 2, "detail": "helper"},
        {"kind": "signalled-to-stop", "count": 1, "detail": ""}]}}"#;
    insta::assert_snapshot!(found(text), @r#"
    the listing: error cursor-repeated: cursor "p2" came a second time: a client that follows it never ends
      help: answer each cursor with the page behind it, and the last page without a cursor
    the listing: error duplicated-key: a message of the server has the same key twice (`method`)
      help: write each key once; readers disagree which value counts
    the listing: error incomplete-listing: the listing is not complete: page 2 did not come within 30 s
      help: what is missing was not judged; read the listing again
    the listing: warning eras-differ: the two protocol eras list different tools: only in 2026-07-28: `b`
      help: build both lists from the same definitions
    the listing: warning leftover-process: 2 processes of the server still ran after it had ended: helper
      help: end what the server started when its input closes
    the listing: warning list-changed-storm: 200 notifications that the list changed while it was only being read
      help: send it when the list has changed, once, and not as an answer to a reading
    the listing: warning listing-differs: a second reading gave another list: tool `a`: the description differs
      help: make the list depend on configuration alone; sort what comes from a set
    the listing: warning stdout-noise: 3 lines on standard output are no JSON, such as: Listening \u{1b}[32mon stdio
      help: write logs to standard error
    the listing: warning stdout-noise: 1 line on standard output is JSON and no message, such as: {"level":"info"}
      help: write logs to standard error
    the listing: warning stdout-noise: 1 line on standard output has a message behind other text, such as: ready
      help: write logs to standard error
    the listing: warning unknown-answer-id: an answer with an id nobody asked with: 17
      help: answer with the id of the request, of the same JSON type
    the listing: info ignores-end-of-input: the server did not end when its input closed, and had to be signalled
      help: end when standard input ends
    the listing: info stdout-noise: a byte order mark before the first message
      help: write logs to standard error
    "#);
    let few = r#"{"tools": [], "sayso": {"observations": [{"kind": "list-changed", "count": 4, "detail": ""}]}}"#;
    assert_eq!(found(few), "");
}

#[test]
fn a_listing_without_tools_is_clean() {
    assert_eq!(found(r#"{"tools": []}"#), "");
    let listing = listing("[]");
    assert_eq!(shown(&listing, &judged(&listing)), "");
}
