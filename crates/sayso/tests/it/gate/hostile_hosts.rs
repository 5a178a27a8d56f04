//! Hosts that send what can be read in two ways, or too much, or under another name: refused, in
//! the journal, and the server never hears of it.

use super::support::{HttpAnswer, Place, Web, modern, reason, tool_with};

/// Calls that a careless reader could take for a call of `read`, as lines.
const ODD_CALLS: [&str; 22] = [
    r#"[{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":{}}}]"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list","name":"read"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list","n\u0061me":"read"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":{"a":{"b":1,"b":2}}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":{},"arguments":{"a":1}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"ping","method":"tools/call","params":{"name":"read"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"ping","m\u0065thod":"tools/call","params":{"name":"read"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"id":10,"method":"tools/call","params":{"name":"read"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","Name":"list"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","NAME":"list"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","Arguments":{"a":1}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":["read"]}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":[]}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":null}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":"{}"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":["read"]}"#,
    r#"{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"read"}}"#,
    r#"{"jsonrpc":"1.0","id":9,"method":"tools/call","params":{"name":"read"}}"#,
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"Tools/Call","params":{"name":"read","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call ","params":{"name":"read","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools_call","params":{"name":"read","arguments":{}}}"#,
];

#[test]
fn a_call_that_reads_two_ways_never_reaches_the_server() {
    let (place, server) = Place::open(&tool_with("read", ""));
    let mut host = place.host();
    assert_eq!(host.names(), ["read"]);
    for (number, line) in ODD_CALLS.into_iter().enumerate() {
        host.send(line);
        // What is refused is journalled before, or soon after, the answer.
        let refusals = place.refusals(number + 1);
        assert_eq!(refusals.len(), number + 1, "{line}");
        let (code, caller, _) = &refusals[number];
        assert_eq!(
            (code.as_str(), caller.as_str()),
            ("malformed", "local"),
            "{line}"
        );
    }
    server.saw_nothing();
    let answer = host.call("read", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    host.leave();
    assert_eq!(server.calls().len(), 1);
    place.verify();
}

#[test]
fn a_message_that_is_too_long_or_too_deep_never_reaches_the_server() {
    let (mut place, server) = Place::open(&tool_with("read", ""));
    place.set("policy = [\"open.cedar\"]\nlimits.message-bytes = 65536\nlimits.depth = 32");
    let mut host = place.host();
    let deep = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    for (number, arguments) in [format!(r#"{{"a":"{}"}}"#, "x".repeat(70_000)), deep]
        .iter()
        .enumerate()
    {
        host.begin_call("read", arguments);
        let refusals = place.refusals(number + 1);
        assert_eq!(refusals[number].0, "malformed");
    }
    server.saw_nothing();
    let answer = host.call("read", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn bytes_that_are_no_text_never_reach_the_server() {
    let (place, server) = Place::open(&tool_with("read", ""));
    let gate = place.listening();
    let session = gate.session("{}");
    let mut body =
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read","arguments":{"a":"#.to_vec();
    body.extend(b"\"\xff\xfe\"}}}");
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Mcp-Session-Id", session.as_str()),
    ];
    let answer = gate.exchange("POST", &headers, &body);
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(place.only_refusal().0, "malformed");
    server.saw_nothing();
}

/// Posts a call as a modern host, with these headers instead of the usual ones.
fn posted(gate: &Web, headers: &[(&str, &str)]) -> HttpAnswer {
    let body = modern(1, "tools/call", r#"{"name":"read","arguments":{}}"#);
    gate.exchange("POST", headers, body.as_bytes())
}

#[test]
#[expect(clippy::too_many_lines, reason = "most of it is one table")]
fn headers_that_disagree_with_the_body_never_reach_the_server() {
    const TYPE: (&str, &str) = ("Content-Type", "application/json");
    const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
    const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
    const METHOD: (&str, &str) = ("Mcp-Method", "tools/call");
    const NAME: (&str, &str) = ("Mcp-Name", "read");
    let (place, server) = Place::open(&tool_with("read", ""));
    let gate = place.listening();
    let odd: [&[(&str, &str)]; 14] = [
        &[ACCEPT, VERSION, METHOD, NAME],
        &[
            ("Content-Type", "text/plain"),
            ACCEPT,
            VERSION,
            METHOD,
            NAME,
        ],
        &[
            ("Content-Type", "application/jsonx"),
            ACCEPT,
            VERSION,
            METHOD,
            NAME,
        ],
        &[
            ("Content-Type", "application/json; charset=utf-16"),
            ACCEPT,
            VERSION,
            METHOD,
            NAME,
        ],
        &[TYPE, TYPE, ACCEPT, VERSION, METHOD, NAME],
        &[TYPE, ACCEPT, VERSION, ("Mcp-Method", "tools/list"), NAME],
        &[TYPE, ACCEPT, VERSION, ("Mcp-Method", "Tools/Call"), NAME],
        &[TYPE, ACCEPT, VERSION, METHOD, ("Mcp-Name", "list")],
        &[TYPE, ACCEPT, VERSION, METHOD, ("Mcp-Name", "Read")],
        &[TYPE, ACCEPT, VERSION, METHOD, NAME, ("Mcp-Name", "list")],
        &[TYPE, ACCEPT, VERSION, METHOD],
        &[TYPE, ACCEPT, VERSION, NAME],
        &[
            TYPE,
            ACCEPT,
            ("MCP-Protocol-Version", "2025-11-25"),
            METHOD,
            NAME,
        ],
        &[
            TYPE,
            ACCEPT,
            VERSION,
            METHOD,
            NAME,
            ("Origin", "https://elsewhere.example"),
        ],
    ];
    for (number, headers) in odd.into_iter().enumerate() {
        let answer = posted(&gate, headers);
        assert!(
            (400..500).contains(&answer.status),
            "{headers:?}: {answer:?}"
        );
        let refusals = place.refusals(number + 1);
        assert_eq!(refusals[number].0, "malformed", "{headers:?}");
    }
    server.saw_nothing();
    // Media types are told apart without regard to case (RFC 9110, section 8.3.1).
    let answer = posted(
        &gate,
        &[
            ("Content-Type", "Application/JSON; charset=UTF-8"),
            ACCEPT,
            VERSION,
            METHOD,
            NAME,
        ],
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn another_host_name_is_refused_whatever_the_body() {
    let (place, server) = Place::open(&tool_with("read", ""));
    let gate = place.listening();
    let answer = gate.post(
        &[("Host", "gate.elsewhere.example")],
        &modern(1, "tools/call", r#"{"name":"read","arguments":{}}"#),
    );
    assert!((400..500).contains(&answer.status), "{answer:?}");
    server.saw_nothing();
}

/// Hidden from everybody by a policy, new since the pin, and not there: all the same.
#[test]
fn a_hidden_tool_called_by_name_is_as_unknown_as_one_that_is_not_there() {
    let mut place = Place::new("policy = [\"rules.cedar\"]");
    place.write(
        "rules.cedar",
        r#"@id("open") permit (principal, action, resource);
           @id("hidden") forbid (principal, action, resource == Tool::"s/hide");"#,
    );
    let server = place.server("s", "trust = \"trusted\"");
    let pinned = [tool_with("read", ""), tool_with("hide", "")].join(",");
    server.lists(&pinned);
    place.pin();
    server.lists(&format!("{pinned},{}", tool_with("newt", "")));
    let mut host = place.host();
    assert_eq!(host.names(), ["read"]);
    let mut answers = Vec::new();
    for name in ["hide", "newt", "none"] {
        let id = host.begin_call(name, "{}");
        let line = host.answer_line(id);
        answers.push(
            line.replace(&format!("\"id\":{id}"), "\"id\":0")
                .replace(name, "NAME"),
        );
    }
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[1], answers[2]);
    let refusals = place.refusals(3);
    let of = |tool: &str| {
        (
            "unknown-tool".to_owned(),
            "local".to_owned(),
            tool.to_owned(),
        )
    };
    assert_eq!(refusals, [of("hide"), of("newt"), of("none")]);
    server.saw_nothing();
}

#[test]
fn names_are_told_apart_letter_by_letter() {
    let (place, server) = Place::open(&tool_with("read", ""));
    let mut host = place.host();
    for name in [
        "Read",
        "READ",
        "read ",
        " read",
        "re\\u0430d",
        "read\\u0000",
        "s_read",
        "s/read",
        "",
    ] {
        let answer = host.call(name, "{}");
        assert!(
            reason(&answer).starts_with("-32602 unknown tool"),
            "{name}: {answer}"
        );
    }
    assert!(
        place
            .refusals(9)
            .iter()
            .all(|(code, ..)| code == "unknown-tool")
    );
    server.saw_nothing();
    // An escaped spelling is the same name, and goes out as it was judged.
    let answer = host.call("r\\u0065ad", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn an_argument_that_differs_from_a_known_one_in_case_only_is_refused() {
    let schema = r#"{"name":"wipe","inputSchema":{"type":"object","properties":{"index":{"type":"string"}}}}"#;
    let mut place = Place::new("policy = [\"open.cedar\"]");
    place.write("open.cedar", "permit (principal, action, resource);");
    let server = place.server(
        "s",
        "trust = \"trusted\"\nfirst-use = \"trust-once\"\n[gate.servers.s.tools.wipe.arguments.index]\none-of = [\"scratch\"]",
    );
    server.lists(schema);
    let mut host = place.host();
    for arguments in [
        r#"{"index":"scratch","Index":"live"}"#,
        r#"{"INDEX":"live"}"#,
        r#"{"index":"live"}"#,
    ] {
        let answer = host.call("wipe", arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    let codes: Vec<_> = place
        .refusals(3)
        .into_iter()
        .map(|(code, ..)| code)
        .collect();
    assert_eq!(
        codes,
        [
            "invalid-arguments",
            "invalid-arguments",
            "argument-not-allowed"
        ]
    );
    server.saw_nothing();
}

#[test]
fn a_call_before_any_listing_is_judged_all_the_same() {
    let mut place = Place::new("approval = \"none\"");
    let server = place.server("s", "trust = \"trusted\"");
    let wipe = tool_with("wipe", r#","annotations":{"destructiveHint":true}"#);
    server.lists(&format!(
        "{},{wipe}",
        tool_with("read", r#","annotations":{"readOnlyHint":true}"#)
    ));
    place.pin();
    let mut host = place.host();
    assert_eq!(reason(&host.call("wipe", "{}")), "nobody-to-ask");
    let answer = host.call("read", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    assert_eq!(
        place.only_refusal(),
        ("nobody-to-ask".into(), "local".into(), "wipe".into())
    );
    assert_eq!(server.calls().len(), 1);
}
