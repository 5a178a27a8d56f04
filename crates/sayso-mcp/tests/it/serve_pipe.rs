//! The server over a pair of pipes, in both eras.

use crate::serve_support::{INITIALIZED, ODD, PipeClient, call, hello, modern, patiently, request};

#[tokio::test]
async fn the_listing_arrives_byte_for_byte_in_both_eras() {
    let mut client = PipeClient::start();
    client.ask(&hello("{}")).await;
    let legacy = client.ask(&request(1, "tools/list", "")).await;
    let modern = client.ask(&modern(2, "tools/list", "{}", "")).await;
    assert!(legacy.contains(&format!(r#"{{"tools":[{ODD},{{"name":"wait","#)));
    assert!(modern.contains(&format!(r#""tools":[{ODD},{{"name":"wait","#)));
}

#[tokio::test]
async fn calls_are_answered_as_they_end() {
    let mut client = PipeClient::legacy("{}").await;
    client.say(&call(1, "never")).await;
    client.say(&call(2, "wait")).await;
    insta::assert_snapshot!(client.ask(&call(3, "echo")).await, @r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"echo nothing"}],"isError":false}}"#);
    insta::assert_snapshot!(client.ask(&call(3, "fail")).await, @r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}"#);
    client.service.sees("begun 2").await;
    client.service.gate.notify_waiters();
    insta::assert_snapshot!(client.hear().await, @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"wait nothing"}],"isError":false}}"#);
    insta::assert_snapshot!(client.ask(&call(1, "echo")).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with the id 1 runs already"}}"#);

    // What never ends does not keep the connection from ending.
    let service = std::sync::Arc::clone(&client.service);
    let (rest, ended) = client.close().await;
    assert_eq!(rest, Vec::<String>::new());
    ended.unwrap();
    service.sees("dropped 1").await;
    insta::assert_snapshot!(service.seen(), @r#"
    1 ? ?: Connected
    1 legacy old: Initialized { asked: Some("2025-06-18"), agreed: "2025-06-18" }
    1 legacy old: Received { method: "notifications/initialized" }
    1 legacy old: Called { request_id: "1", name: "never", arguments: None }
    begun 1
    1 legacy old: Called { request_id: "2", name: "wait", arguments: None }
    begun 2
    1 legacy old: Called { request_id: "3", name: "echo", arguments: None }
    1 legacy old: Answered { request_id: "3", how: Result }
    1 legacy old: Called { request_id: "3", name: "fail", arguments: None }
    1 legacy old: Answered { request_id: "3", how: Failure }
    1 legacy old: Answered { request_id: "2", how: Result }
    1 legacy old: Refused { request_id: Some("1"), code: -32600, message: "a request with the id 1 runs already" }
    1 legacy old: Disconnected { reason: InputEnded }
    dropped 1
    "#);
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_without_an_answer() {
    let mut client = PipeClient::legacy("{}").await;
    client.say(&call(1, "never")).await;
    client.service.sees("begun 1").await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"too slow"}}"#;
    client.say(cancel).await;
    client.service.sees("dropped 1").await;
    // A second time there is nothing to cancel.
    client.say(cancel).await;
    insta::assert_snapshot!(client.ask(&request(2, "ping", "")).await, @r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    insta::assert_snapshot!(client.service.seen(), @r#"
    1 ? ?: Connected
    1 legacy old: Initialized { asked: Some("2025-06-18"), agreed: "2025-06-18" }
    1 legacy old: Received { method: "notifications/initialized" }
    1 legacy old: Called { request_id: "1", name: "never", arguments: None }
    begun 1
    1 legacy old: Cancelled { request_id: "1", reason: Some("too slow") }
    dropped 1
    1 legacy old: Received { method: "notifications/cancelled" }
    1 legacy old: Received { method: "ping" }
    "#);
}

#[tokio::test]
async fn changes_are_told_once_the_client_has_shaken_hands() {
    let mut client = PipeClient::start();
    client.service.sees("Connected").await;
    client.service.changes.tools_changed();
    client.ask(&hello("{}")).await;
    client.service.changes.tools_changed();
    client.say(INITIALIZED).await;
    client.service.sees("notifications/initialized").await;
    client.service.changes.tools_changed();
    insta::assert_snapshot!(client.hear().await, @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    insta::assert_snapshot!(client.ask(&request(1, "ping", "")).await, @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[tokio::test]
async fn a_subscription_hears_of_changes_until_it_is_cancelled() {
    let mut client = PipeClient::start();
    let filter = r#","notifications":{"toolsListChanged":true,"promptsListChanged":true}"#;
    let listen = modern(7, "subscriptions/listen", "{}", filter);
    insta::assert_snapshot!(client.ask(&listen).await, @r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{"toolsListChanged":true}}}"#);
    let deaf = modern(8, "subscriptions/listen", "{}", r#","notifications":{}"#);
    insta::assert_snapshot!(client.ask(&deaf).await, @r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":8},"notifications":{}}}"#);
    client.service.changes.tools_changed();
    insta::assert_snapshot!(client.hear().await, @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#);
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#)
        .await;
    client.service.sees("StreamClosed").await;
    client.service.changes.tools_changed();
    insta::assert_snapshot!(client.ask(&modern(9, "tools/none", "{}", "")).await, @r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"there is no method `tools/none` here"}}"#);
    let (rest, _) = client.close().await;
    assert_eq!(rest, Vec::<String>::new());
}

#[tokio::test]
async fn a_service_can_break_the_connection() {
    let mut client = PipeClient::legacy("{}").await;
    client.say(&call(1, "never")).await;
    client.service.sees("begun 1").await;
    client.say(&call(2, "break")).await;
    client.service.sees("Disconnected").await;
    client.service.sees("dropped 1").await;
    assert!(
        client
            .service
            .seen()
            .contains("Disconnected { reason: Disconnect }")
    );
    patiently("the server's end", &mut client.server)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_legacy_client_is_asked_by_a_request() {
    let mut client = PipeClient::legacy(r#"{"elicitation":{}}"#).await;
    insta::assert_snapshot!(client.ask(&call(1, "ask")).await, @r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Really?","requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean"}}}}}"#);
    let yes = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"sure":true}}}"#;
    insta::assert_snapshot!(client.ask(yes).await, @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ask nothing, accepted Some(\"{\\\"sure\\\":true}\"), state sealed"}],"isError":false}}"#);
    // Twice in one call, in two ways that are no yes.
    client.ask(&call(2, "again")).await;
    insta::assert_snapshot!(
        client.ask(r#"{"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}"#).await, @r#"{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"Really?","requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean"}}}}}"#);
    insta::assert_snapshot!(
        client.ask(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no person here"}}"#).await, @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"again nothing, Failed(\"no person here (-32603)\"), state 2"}],"isError":false}}"#);
    // A cancelled call takes its question back.
    client.ask(&call(3, "ask")).await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
    insta::assert_snapshot!(client.ask(cancel).await, @r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#);
}

#[tokio::test]
async fn a_modern_client_is_asked_by_a_result() {
    let mut client = PipeClient::start();
    let able = r#"{"elicitation":{"form":{}}}"#;
    insta::assert_snapshot!(client.ask(&modern(1, "tools/call", able, r#","name":"ask""#)).await, @r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"person":{"method":"elicitation/create","params":{"mode":"form","message":"Really?","requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean"}}}}}},"requestState":"sealed","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}"#);
    let answer = r#","name":"ask","inputResponses":{"person":{"action":"accept","content":{"sure":true}}},"requestState":"sealed""#;
    insta::assert_snapshot!(client.ask(&modern(2, "tools/call", able, answer)).await, @r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ask nothing, accepted Some(\"{\\\"sure\\\":true}\"), state sealed"}],"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}"#);
    let odd = r#","name":"ask","inputResponses":{"person":{"action":"shrug"}}"#;
    insta::assert_snapshot!(client.ask(&modern(3, "tools/call", able, odd)).await, @r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"ask nothing, Failed(\"the answer has no known `action`\")"}],"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rehearsal","version":"1"}}}}"#);
    insta::assert_snapshot!(client.service.seen(), @r#"
    1 ? ?: Connected
    1 modern new: Called { request_id: "1", name: "ask", arguments: None }
    1 modern new: Asked { request_id: "1", message: "Really?" }
    1 modern new: Answered { request_id: "1", how: InputRequired }
    1 modern new: Called { request_id: "2", name: "ask", arguments: None }
    1 modern new: PersonAnswered { request_id: "2", answer: Accepted(Some({"sure":true})) }
    1 modern new: Answered { request_id: "2", how: Result }
    1 modern new: Called { request_id: "3", name: "ask", arguments: None }
    1 modern new: PersonAnswered { request_id: "3", answer: Failed("the answer has no known `action`") }
    1 modern new: Answered { request_id: "3", how: Result }
    "#);
}

#[tokio::test]
async fn nobody_is_asked_who_cannot_be() {
    let mut client = PipeClient::legacy(r#"{"elicitation":{"url":{}}}"#).await;
    insta::assert_snapshot!(client.ask(&call(1, "ask")).await, @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"this call has to ask a person, and the client offers no way to (`elicitation`)"}],"isError":true}}"#);
    insta::assert_snapshot!(client.ask(&modern(2, "tools/call", "{}", r#","name":"ask""#)).await, @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32021,"message":"this call has to ask a person, and the request does not declare `elicitation`","data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}}"#);
}

#[tokio::test]
async fn what_can_be_read_in_two_ways_is_refused() {
    let mut client = PipeClient::legacy("{}").await;
    let twice = request(1, "tools/call", r#""name":"echo","name":"break""#);
    insta::assert_snapshot!(client.ask(&twice).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the key `name` stands more than once"}}"#);
    insta::assert_snapshot!(client.ask(r#"{"jsonrpc":"2.0","id":2,"id":3,"method":"ping"}"#).await, @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the key `id` stands more than once, so two readers may read two different messages"}}"#);
    let list = request(3, "tools/call", r#""name":"echo","arguments":[1]"#);
    insta::assert_snapshot!(client.ask(&list).await, @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"`arguments` is no object"}}"#);
    insta::assert_snapshot!(client.ask(&request(4, "tools/call", r#""name":5"#)).await, @r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"`name` is missing or no string"}}"#);
    insta::assert_snapshot!(client.ask(&call(5, "nothing")).await, @r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"there is no such tool"}}"#);
    client.say(&call(6, "never")).await;
    insta::assert_snapshot!(client.ask(&call(6, "echo")).await, @r#"{"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"a request with the id 6 runs already"}}"#);
}

#[tokio::test]
async fn only_so_many_calls_run_at_once() {
    let mut client = PipeClient::legacy("{}").await;
    for id in 1..=256 {
        client.say(&call(id, "never")).await;
    }
    insta::assert_snapshot!(client.ask(&call(257, "echo")).await, @r#"{"jsonrpc":"2.0","id":257,"error":{"code":-32603,"message":"256 requests run already, which is as many as may"}}"#);
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#)
        .await;
    insta::assert_snapshot!(client.ask(&call(258, "echo")).await, @r#"{"jsonrpc":"2.0","id":258,"result":{"content":[{"type":"text","text":"echo nothing"}],"isError":false}}"#);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_and_the_next_one_read() {
    let mut client = PipeClient::legacy("{}").await;
    let long = "x".repeat((16 << 20) + 1);
    insta::assert_snapshot!(client.ask(&long).await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 16777216 bytes"}}"#);
    insta::assert_snapshot!(client.ask(&request(1, "ping", "")).await, @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}
