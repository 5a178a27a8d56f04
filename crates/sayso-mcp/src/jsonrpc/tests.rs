use sayso_core::json::{Document, Limits};

use super::{Id, Message, NotAMessage};

fn sort(text: &str) -> String {
    match Message::classify(Document::parse(text.to_owned(), &Limits::default()).unwrap()) {
        Ok(message) => format!("{:?}", message.kind()),
        Err(unclassified) => match unclassified.reason {
            NotAMessage::NotJsonRpc => "not JSON-RPC".to_owned(),
            NotAMessage::Invalid { id, fault } => {
                format!(
                    "invalid, id {}: {fault}",
                    id.map_or_else(|| "none".to_owned(), |id| id.to_json())
                )
            }
        },
    }
}

#[test]
fn each_text_is_one_kind_of_message_or_none() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.0,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#,
        r#"{"level":"info","message":"started"}"#,
        "[1,2]",
        r#""started""#,
        "7",
    ];
    insta::assert_snapshot!(texts.map(|text| format!("{text}\n    {}", sort(text))).join("\n"), @r#"
    {"jsonrpc":"2.0","id":1,"method":"ping"}
        Request { id: Number("1"), method: "ping" }
    {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}
        Notification { method: "notifications/initialized" }
    {"jsonrpc":"2.0","id":"a","result":{}}
        Response { id: String("a") }
    {"jsonrpc":"2.0","id":1.0,"result":null}
        Response { id: Number("1") }
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}
        Error { id: Some(Number("1")), error: ErrorObject { code: -32601, message: "no" } }
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
        Error { id: None, error: ErrorObject { code: -32700, message: "no" } }
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}
        Error { id: None, error: ErrorObject { code: -32700, message: "no" } }
    {"level":"info","message":"started"}
        not JSON-RPC
    [1,2]
        not JSON-RPC
    "started"
        not JSON-RPC
    7
        not JSON-RPC
    "#);
}

#[test]
fn what_two_readers_could_read_differently_is_refused() {
    let texts = [
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"me\u0074hod":"a","method":"b"}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}"#,
    ];
    insta::assert_snapshot!(texts.map(|text| format!("{text}\n    {}", sort(text))).join("\n"), @r#"
    [{"jsonrpc":"2.0","id":1,"result":{}}]
        invalid, id none: a batch of messages, which MCP had in version 2025-03-26 only
    {"jsonrpc":"2.0","id":1,"id":2,"result":{}}
        invalid, id 1: the key `id` stands more than once, so two readers may read two different messages
    {"jsonrpc":"2.0","id":1,"me\u0074hod":"a","method":"b"}
        invalid, id 1: the key `method` stands more than once, so two readers may read two different messages
    {"jsonrpc":"1.0","id":1,"result":{}}
        invalid, id 1: `jsonrpc` is not "2.0"
    {"id":1,"result":{}}
        invalid, id 1: `jsonrpc` is not "2.0"
    {"jsonrpc":"2.0","id":true,"method":"a"}
        invalid, id none: `id` is neither a string nor a number
    {"jsonrpc":"2.0","id":null,"method":"a"}
        invalid, id none: `id` is neither a string nor a number
    {"jsonrpc":"2.0","id":null,"result":{}}
        invalid, id none: `id` is neither a string nor a number
    {"jsonrpc":"2.0","id":1,"method":7}
        invalid, id 1: `method` is not a string
    {"jsonrpc":"2.0","id":1,"method":"a","params":null}
        invalid, id 1: `params` is neither an object nor an array
    {"jsonrpc":"2.0","id":1,"method":"a","result":1}
        invalid, id 1: it has both `method` and `result`
    {"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}
        invalid, id 1: it has both `result` and `error`
    {"jsonrpc":"2.0","id":1}
        invalid, id 1: it has none of `method`, `result` and `error`
    {"jsonrpc":"2.0","id":1,"error":"boom"}
        invalid, id 1: `error` is not an object with an integer `code` and a string `message`
    {"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}
        invalid, id 1: `error` is not an object with an integer `code` and a string `message`
    "#);
}

#[test]
fn ids_are_equal_as_json_values() {
    let id = |text: &str| {
        let document = Document::parse(text.to_owned(), &Limits::default()).unwrap();
        Id::read(document.root())
    };
    assert_eq!(id("1"), Some(Id::from(1)));
    assert_eq!(id("1.0"), id("1"));
    assert_eq!(id("10e-1"), id("1"));
    assert_ne!(id("\"1\""), id("1"));
    assert_ne!(id("1.5"), id("1"));
    assert_ne!(
        id("9007199254740993"),
        id("9007199254740992"),
        "no rounding of large ids"
    );
    assert_eq!(id("\"\\u0061\""), id("\"a\""));
    assert_eq!(id("null"), None);
}
