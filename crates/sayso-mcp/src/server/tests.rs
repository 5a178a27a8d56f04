use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use super::{Answer, Call, CallResult, Changes, Identity, Peer, Service, serve};

struct Demo;

impl Service for Demo {
    fn identity(&self) -> Identity {
        Identity {
            name: "demo".to_owned(),
            version: "1".to_owned(),
            instructions: Some("be kind".to_owned()),
        }
    }

    async fn list(&self, _: &Peer) -> Vec<String> {
        vec![r#"{"name":"a","inputSchema":{},"x":1.0}"#.to_owned()]
    }

    async fn call(&self, _: &Peer, call: Call) -> Answer {
        let arguments = call.arguments.as_ref().map(|arguments| arguments.root());
        Answer::Result(CallResult::failure(format!(
            "{} called with {arguments:?}",
            call.name
        )))
    }
}

/// Says everything at once, closes the input, and shows what came back in the order of the ids:
/// answers may overtake each other.
fn talk(lines: &[&str]) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let input = std::io::Cursor::new(lines.join("\n").into_bytes());
    let (output, mut heard) = tokio::io::duplex(1 << 20);
    runtime.block_on(async {
        serve(Arc::new(Demo), Changes::new(), input, output)
            .await
            .unwrap();
        let mut text = String::new();
        heard.read_to_string(&mut text).await.unwrap();
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_by_key(|line| line.split(',').nth(1).map(str::to_owned));
        lines.join("\n")
    })
}

#[test]
fn the_handshake_era() {
    insta::assert_snapshot!(talk(&[
        r#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"two","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a","arguments":{"b":1}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"b"}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"prompts/list"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}"#,
        "not json",
        r#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#,
    ]), @r#"
    {"jsonrpc":"2.0","id":"two","result":{"tools":[{"name":"a","inputSchema":{},"x":1.0}]}}
    {"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"send `initialize` first"}}
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1"},"instructions":"be kind"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"this cursor was never given out: there is one page"}}
    {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"a called with Some({\"b\":1})"}],"isError":true}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"there is no such tool"}}
    {"jsonrpc":"2.0","id":6,"result":{}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"there is no method `prompts/list` here"}}
    {"jsonrpc":"2.0","id":8,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1"},"instructions":"be kind"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: expected a value at byte 0"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of messages, which MCP had in version 2025-03-26 only"}}
    "#);
}

#[test]
fn the_modern_era() {
    let meta = |version: &str| {
        format!(
            r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}}}"#
        )
    };
    let ask = |id: u32, method: &str, version: &str, more: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{}{more}}}}}"#,
            meta(version)
        )
    };
    let lines = [
        ask(1, "server/discover", "2026-07-28", ""),
        ask(2, "tools/list", "2026-07-28", ""),
        ask(3, "tools/call", "2026-07-28", r#","name":"a""#),
        ask(4, "tools/list", "2099-01-01", ""),
        ask(5, "ping", "2026-07-28", ""),
        r#"{"jsonrpc":"2.0","id":6,"method":"server/discover"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#.to_owned(),
    ];
    insta::assert_snapshot!(talk(&lines.each_ref().map(String::as_str)), @r#"
    {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1"}},"instructions":"be kind"}}
    {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[{"name":"a","inputSchema":{},"x":1.0}],"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1"}}}}
    {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a called with None"}],"isError":true,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1"}}}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32022,"message":"this protocol version is not supported","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"2099-01-01"}}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"there is no method `ping` here"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"`_meta` lacks `io.modelcontextprotocol/protocolVersion`"}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"`_meta` lacks `io.modelcontextprotocol/clientCapabilities`"}}
    "#);
}

/// Pieces that lines are put together from: words of the protocol, and what breaks it.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            r#"{"jsonrpc":"2.0","#,
            r#""id":1,"#,
            r#""id":null,"#,
            r#""method":"tools/call","#,
            r#""method":"initialize","#,
            r#""method":"notifications/cancelled","#,
            r#""params":{"name":"a","arguments":{}}"#,
            r#""params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            r#""params":[]"#,
            r#""result":{}"#,
            "}",
            "[",
            "]",
            "\u{FEFF}",
            "\r",
            "\n",
        ])
        .prop_map(str::to_owned),
        ".{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever comes in, only messages go out, and the next request is answered.
    #[test]
    fn whatever_comes_in_messages_go_out(pieces in prop::collection::vec(piece(), 0..24)) {
        let junk = pieces.concat();
        let out = talk(&[&junk, r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#]);
        for line in out.lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!(&message["jsonrpc"], "2.0");
            prop_assert!(message.get("result").is_some() != message.get("error").is_some());
        }
        let last = r#"{"jsonrpc":"2.0","id":"last","result":{}}"#;
        prop_assert!(out.lines().any(|line| line == last));
    }
}
