use std::fmt::Write as _;

use super::listing_from_saved;

const TOOL_A: &str = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
const TOOL_B: &str = r#"{"name":"b","annotations":{"readOnlyHint":true}}"#;

/// The listing in a few lines: where each tool stands, then everything odd.
fn read(file: &str) -> String {
    read_bytes(file.as_bytes())
}

fn read_bytes(file: &[u8]) -> String {
    let listing = match listing_from_saved(file, "list.json") {
        Ok(listing) => listing,
        Err(error) => return format!("{error}\nhint: {}", error.hint()),
    };
    let mut out = String::new();
    for tool in listing.tools() {
        let page = &listing.pages()[tool.page()];
        let location = listing.location(tool.page(), tool.value());
        let at = page.document.line_column(location.span.start);
        let line = at.line + page.lines_before;
        writeln!(
            out,
            "{} {}:{} {}",
            tool.label(),
            line,
            at.column,
            location.pointer
        )
        .unwrap();
    }
    writeln!(out, "{:?}", listing.completeness).unwrap();
    for observation in &listing.observations {
        writeln!(
            out,
            "{:?} x{}: {}",
            observation.kind, observation.count, observation.detail
        )
        .unwrap();
    }
    if let Some(name) = &listing.server.name {
        writeln!(out, "server {name}").unwrap();
    }
    out
}

fn answer(id: u32, tools: &str, next: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{tools}]{next}}}}}"#)
}

#[test]
fn the_four_forms() {
    insta::assert_snapshot!(read(&format!("{{\n  \"tools\": [\n    {TOOL_A},\n    {TOOL_B}\n  ]\n}}\n")), @r"
    a 3:5 /tools/0
    b 4:5 /tools/1
    Complete
    ");
    insta::assert_snapshot!(read(&answer(2, TOOL_A, "")), @r"
    a 1:44 /result/tools/0
    Complete
    ");
    insta::assert_snapshot!(read(&format!("[{TOOL_A}, {TOOL_B}]")), @r"
    a 1:2 /0
    b 1:48 /1
    Complete
    ");
    insta::assert_snapshot!(read("[]"), @"Complete");
}

#[test]
fn a_transcript_of_both_directions() {
    let transcript = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"demo","version":"1"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
        answer(1, TOOL_A, r#","nextCursor":"p2""#),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p2"}}"#.to_owned(),
        String::new(),
        answer(2, TOOL_B, ""),
        r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#.to_owned(),
    ];
    insta::assert_snapshot!(read(&transcript.join("\r\n")), @r"
    a 5:44 /result/tools/0
    b 8:44 /result/tools/0
    Complete
    server demo
    ");
}

#[test]
fn a_long_transcript_as_one_array_is_read_whole() {
    // So many pages, each taken for as long as the whole file, would go past the cap.
    let description = "d".repeat(1500);
    let pages: Vec<String> = (0..300)
        .map(|page| {
            let tool = format!(r#"{{"name":"t{page}","description":"{description}"}}"#);
            let next = format!(r#","nextCursor":"{page}""#);
            answer(page, &tool, if page < 299 { &next } else { "" })
        })
        .collect();
    let file = format!("[\n{}\n]", pages.join(",\n"));
    assert!(file.len() * pages.len() > crate::ReadLimits::default().total_bytes);
    let seen = read(&file);
    let lines: Vec<&str> = seen.lines().collect();
    assert_eq!(lines.len(), 301);
    assert_eq!(
        (lines[0], lines[299], lines[300]),
        (
            "t0 2:44 /result/tools/0",
            "t299 301:46 /result/tools/0",
            "Complete"
        )
    );
}

#[test]
fn a_log_around_messages() {
    let wrapped = format!(
        "{{\"level\":30,\"msg\":\"started\"}}\n{{\"at\":1,\"dir\":\"in\",\"message\":{}}}\n",
        answer(1, TOOL_A, "")
    );
    insta::assert_snapshot!(read(&wrapped), @r#"
    a 2:73 /message/result/tools/0
    Complete
    NotJson x1: {"level":30,"msg":"started"}
    "#);
    let prefixed = format!(
        "10:00 \u{2190} started\n10:00 \u{2190} {} {{ more: 1 }}\n",
        answer(1, TOOL_A, "")
    );
    insta::assert_snapshot!(read(&prefixed), @r"
    a 2:52 /result/tools/0
    Complete
    NotJson x1: 10:00 ← started
    ");
    insta::assert_snapshot!(read(&format!("event: message\ndata: {}\n\n", answer(1, TOOL_A, ""))), @r"
    a 2:50 /result/tools/0
    Complete
    NotJson x1: event: message
    ");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends() {
    insta::assert_snapshot!(read(&format!("\u{FEFF}{{\"tools\":[\r\n{TOOL_A}]}}\r\n")), @r"
    a 2:1 /tools/0
    Complete
    ByteOrderMark x1: at the start of the file
    ");
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("{}".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    insta::assert_snapshot!(read_bytes(&utf16), @r"
    list.json: the file is UTF-16, not UTF-8
    hint: save it as UTF-8; in PowerShell with `| Out-File -Encoding utf8`
    ");
}

#[test]
fn pages_that_are_missing_or_repeated_are_told() {
    let cut = answer(1, TOOL_A, r#","nextCursor":"p2""#);
    insta::assert_snapshot!(read(&cut), @r#"
    a 1:44 /result/tools/0
    Incomplete("the file ends before the page at cursor \"p2\"")
    "#);
    let looping = format!("{cut}\n{cut}\n{cut}\n");
    insta::assert_snapshot!(read(&looping), @r#"
    a 1:44 /result/tools/0
    Incomplete("the server repeats itself from the cursor \"p2\" on, so there may be more tools")
    CursorRepeated x1: cursor "p2"
    "#);
    let broken = format!(
        "{}\n{}\n",
        answer(1, TOOL_A, ""),
        r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"#
    );
    insta::assert_snapshot!(read(&broken), @r#"
    a 1:44 /result/tools/0
    Incomplete("line 2 seems to hold a page and cannot be read (column 45)")
    NotJson x1: {"jsonrpc":"2.0","id":2,"result":{"tools":[{
    "#);
}

#[test]
fn the_last_of_several_listings_counts() {
    let twice = format!(
        "{}\n{}\n",
        answer(1, TOOL_A, ""),
        answer(2, &format!("{TOOL_A},{TOOL_B}"), "")
    );
    insta::assert_snapshot!(read(&twice), @r"
    a 2:44 /result/tools/0
    b 2:89 /result/tools/1
    Complete
    ListingDiffers x1: b is new
    ");
    let same = format!(
        "{}\n{}\n",
        answer(1, &format!("{TOOL_B},{TOOL_A}"), ""),
        answer(2, &format!("{TOOL_A},{TOOL_B}"), "")
    );
    assert!(
        !read(&same).contains("ListingDiffers"),
        "the order does not count"
    );
}

#[test]
fn repeated_keys_outside_the_tools_are_told() {
    insta::assert_snapshot!(read(&format!(r#"{{"tools":[],"tools":[{TOOL_A}]}}"#)), @r"
    a 1:22 /tools/0
    Complete
    DuplicateKey x1: /tools; the last one was read, as most readers do
    ");
    assert!(
        !read(r#"[{"name":"a","name":"b"}]"#).contains("DuplicateKey"),
        "a rule tells those inside a tool"
    );
}

#[test]
fn a_listing_past_a_limit_is_not_called_no_json() {
    let deep = format!(r#"{{"tools":[{}]}}"#, "[".repeat(200));
    insta::assert_snapshot!(read(&deep), @"
    list.json:1:137: more than the allowed 128 levels of nesting
    hint: no client has to read so much: keep the listing within these bounds
    ");
}

#[test]
fn what_is_no_listing_is_told_with_its_place() {
    let files = [
        "",
        " \n",
        "{\n  \"tools\": [\n    {\"name\": a}\n  ]\n}",
        "{\"tools\": []} trailing",
        "{\"tools\": {}}",
        "{\"mcpServers\": {}}",
        "{}",
        "7",
        r#"{"name":"a","inputSchema":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no\u001b[2J"}}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}",
    ];
    let told: Vec<String> = files
        .iter()
        .map(|file| {
            listing_from_saved(file.as_bytes(), "list.json")
                .unwrap_err()
                .to_string()
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    list.json: the file is empty
    list.json: the file is empty
    list.json:3:14: not JSON: expected a value
    list.json:1:15: not JSON: more text after the value
    list.json: no tools/list result: the answer has an object as `tools`, not an array
    list.json: no tools/list result: the file holds an object with `mcpServers`
    list.json: no tools/list result: the file holds an empty object
    list.json: no tools/list result: the file holds a number
    list.json: no tools/list result: the file holds a single tool, not an array of tools
    list.json: no tools/list result: the file holds a `tools/list` message, not an answer
    list.json: no tools/list result: the file holds an error answer: no\u{1b}[2J
    list.json:1:1: no tools/list result: there is no answer to tools/list among its messages
    ");
    insta::assert_snapshot!(read_bytes(b"{\"tools\":\n[\"\xE9\"]}"), @r"
    list.json:2:3: not JSON: bytes that are not UTF-8
    hint: save it as UTF-8
    ");
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = listing_from_saved(&bytes, "list.json");
    }

    #[test]
    fn no_text_of_braces_makes_it_panic(text in r#"([{}\[\],:"\n ]|"tools"|"result"|"jsonrpc":"2.0"|"id":1|"nextCursor":"p"){0,40}"#) {
        let _ = listing_from_saved(text.as_bytes(), "list.json");
    }
}
