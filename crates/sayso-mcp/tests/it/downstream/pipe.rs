//! Over pipes.

use std::collections::HashSet;
use std::sync::Arc;

use sayso_mcp::downstream::{Ending, Limits, Stop, serve_pipe};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::pipe::{Receiver, Sender, pipe};

use super::{Actor, assert_over};
use crate::serve_support::{INITIALIZED, hello, modern, patiently, request};

struct Host {
    actor: Arc<Actor>,
    stop: Stop,
    output: Sender,
    input: Lines<BufReader<Receiver>>,
    server: tokio::task::JoinHandle<Ending>,
}

impl Host {
    fn start(limits: Limits) -> Self {
        let (output, theirs) = pipe().unwrap();
        let (their_output, input) = pipe().unwrap();
        let actor = Actor::new();
        let stop = limits.stop.clone();
        let server = serve_pipe(Arc::clone(&actor), theirs, their_output, limits);
        Self {
            actor,
            stop,
            output,
            input: BufReader::new(input).lines(),
            server: tokio::spawn(server),
        }
    }

    /// One that has shaken hands.
    async fn legacy() -> Self {
        let mut host = Self::start(Limits::default());
        host.ask(&hello("{}")).await;
        host.say(INITIALIZED).await;
        host
    }

    async fn say(&mut self, line: &str) {
        let line = format!("{line}\n");
        let write = self.output.write_all(line.as_bytes());
        patiently("room in the pipe", write).await.unwrap();
    }

    async fn hear(&mut self) -> String {
        let line = patiently("a message", self.input.next_line()).await;
        line.unwrap().expect("the output is closed")
    }

    async fn ask(&mut self, line: &str) -> String {
        self.say(line).await;
        self.hear().await
    }

    /// Closes the input; what is still heard, and how it ends.
    async fn close(self) -> (Vec<String>, Ending) {
        drop(self.output);
        let mut input = self.input;
        let mut rest = Vec::new();
        while let Some(line) = patiently("the end", input.next_line()).await.unwrap() {
            rest.push(line);
        }
        (rest, patiently("the end", self.server).await.unwrap())
    }
}

#[tokio::test]
async fn both_eras_on_one_pipe() {
    let mut host = Host::start(Limits::default());
    insta::assert_snapshot!(host.ask(&request(1, "echo", "")).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"send `initialize` first"}}"#);
    insta::assert_snapshot!(host.ask(&modern(2, "echo", "{}", r#","a":1.0"#)).await, @r#"{"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"2"},"io.modelcontextprotocol/clientCapabilities":{}},"a":1.0}}"#);
    insta::assert_snapshot!(host.ask(&hello("{}")).await, @r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#);
    insta::assert_snapshot!(host.ask(&request(3, "echo", r#""a":  1e2"#)).await, @r#"{"jsonrpc":"2.0","id":3,"result":{"a":  1e2}}"#);
    insta::assert_snapshot!(host.ask(&request(4, "lines", "")).await, @r#"{"jsonrpc":"2.0","id":4,"result":{   "a":    "b\n" }}"#);
    insta::assert_snapshot!(host.ask(&request(5, "raw", "")).await, @r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"no","x":1.0}}"#);
    assert_eq!(host.actor.peer().protocol_version(), Some("2025-06-18"));
    insta::assert_snapshot!(host.ask(&modern(6, "never/mind", "{}", "")).await, @r#"{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"no never/mind"}}"#);
    assert_eq!(host.actor.peer().protocol_version(), Some("2026-07-28"));
    let kept = host.actor.kept();
    assert_over(&kept).await;
    let actor = Arc::clone(&host.actor);
    let (rest, ending) = host.close().await;
    assert_eq!((rest.len(), ending), (0, Ending::InputEnded));
    assert!(!actor.peer().notify("notifications/message", None));
    insta::assert_snapshot!(actor.seen(), @r#"
    1 ?: connected
    Some(1) refused Some("1"): send `initialize` first
    1 modern: echo 2
    1 legacy: initialize 0
    1 legacy: echo 3
    1 legacy: lines 4
    1 legacy: raw 5
    1 modern: never/mind 6
    1 modern: disconnected: the client closed its end
    "#);
}

#[tokio::test]
async fn what_two_readers_could_read_in_two_ways_is_refused() {
    let limits = Limits {
        message_bytes: 1000,
        depth: 8,
        ..Limits::default()
    };
    let mut host = Host::start(limits);
    host.ask(&hello("{}")).await;
    let mut told = String::new();
    for line in [
        request(1, "echo", r#""a":{"b":[{"c":1,"\u0063":2}]}"#),
        request(2, "echo", r#""_meta":{"x":1},"_meta":{"x":2}"#),
        r#"{"jsonrpc":"2.0","id":3,"method":"echo","method":"break"}"#.to_owned(),
        format!("[{}]", request(4, "echo", "")),
        request(5, "echo", r#""a":[[[[[[[[1]]]]]]]]"#),
        request(6, "echo", &format!(r#""a":"{}""#, "x".repeat(1000))),
        format!("log: {}", request(7, "break", "")),
        format!("{} {}", request(8, "break", ""), request(9, "break", "")),
        r#"{"jsonrpc":"1.0","id":10,"method":"echo"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":null,"method":"echo"}"#.to_owned(),
        modern(11, "echo", "[]", ""),
        modern(12, "echo", "{}", "").replace("2026-07-28", "2026-07-29"),
        request(13, "server/discover", ""),
    ] {
        told += &host.ask(&line).await;
        told += "\n";
    }
    insta::assert_snapshot!(told, @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the key `c` stands more than once"}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"the key `_meta` stands more than once"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"the key `method` stands more than once, so two readers may read two different messages"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of messages, which MCP had in version 2025-03-26 only"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"more than the allowed 8 levels of nesting at byte 60"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 1000 bytes"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: expected a value at byte 0"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: more text after the value at byte 54"}}
    {"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"`jsonrpc` is not \"2.0\""}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` is neither a string nor a number"}}
    {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"`_meta` lacks `io.modelcontextprotocol/clientCapabilities`"}}
    {"jsonrpc":"2.0","id":12,"error":{"code":-32022,"message":"this protocol version is not supported","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"2026-07-29"}}}
    {"jsonrpc":"2.0","id":13,"error":{"code":-32602,"message":"`_meta` lacks `io.modelcontextprotocol/protocolVersion`"}}
    "#);
    // Nothing answers these, and they are not heard.
    host.say(r#"{"jsonrpc":"2.0","method":"notifications/a","params":{"x":1,"x":2}}"#)
        .await;
    host.say(r#"{"jsonrpc":"2.0","id":77,"result":{}}"#).await;
    insta::assert_snapshot!(host.ask(&request(14, "echo", "")).await, @r#"{"jsonrpc":"2.0","id":14,"result":{}}"#);
    assert!(
        host.actor
            .seen()
            .contains("refused None: the key `x` stands more than once")
    );
    assert!(!host.actor.seen().contains("notifications/a"));
    let requests = host
        .actor
        .seen()
        .lines()
        .filter(|line| line.contains("legacy: "))
        .count();
    assert_eq!(requests, 2, "{}", host.actor.seen());
}

#[tokio::test]
async fn a_host_is_asked_and_its_answers_are_matched() {
    let mut host = Host::legacy().await;
    insta::assert_snapshot!(host.ask(&request(1, "ask", "")).await, @r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#);
    insta::assert_snapshot!(host.ask(&request(2, "ask-aside", "")).await, @r#"{"jsonrpc":"2.0","id":2,"method":"roots/list"}"#);
    // In another order, with an id of another spelling.
    insta::assert_snapshot!(host.ask(r#"{"jsonrpc":"2.0","id":2.0,"result":{"roots":[]}}"#).await, @r#"{"jsonrpc":"2.0","id":2,"result":{"answer":{"jsonrpc":"2.0","id":2.0,"result":{"roots":[]}}}}"#);
    insta::assert_snapshot!(host.ask(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#).await, @r#"{"jsonrpc":"2.0","id":1,"result":{"answer":{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}}}"#);
    // Too late, and never asked.
    let late = host.ask(&request(3, "ask-briefly", "")).await;
    insta::assert_snapshot!(late, @r#"{"jsonrpc":"2.0","id":3,"method":"roots/list"}"#);
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#);
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"the host did not answer in time"}}"#);
    host.say(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#).await;
    host.say(r#"{"jsonrpc":"2.0","id":"3","result":{}}"#).await;
    // What can be read in two ways is no answer.
    host.ask(&request(4, "ask", "")).await;
    insta::assert_snapshot!(host.ask(r#"{"jsonrpc":"2.0","id":4,"result":{"a":1,"a":2}}"#).await, @r#"{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"the host's answer can be read in two ways: a key stands more than once"}}"#);
    // A cancelled request takes its question back.
    host.ask(&request(5, "ask", "")).await;
    insta::assert_snapshot!(host.ask(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"enough"}}"#).await, @r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#);
    // The modern era has no such requests.
    insta::assert_snapshot!(host.ask(&modern(6, "ask", "{}", "")).await, @r#"{"jsonrpc":"2.0","id":6,"error":{"code":-1,"message":"the host cannot be asked here"}}"#);
    insta::assert_snapshot!(host.ask(&modern(7, "ask-aside", "{}", "")).await, @r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"the host cannot be asked here"}}"#);
    // Notifications, of a request and of none.
    insta::assert_snapshot!(host.ask(&request(8, "tell", r#""a": 1.0"#)).await, @r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"a": 1.0}}"#);
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","id":8,"result":{"told":true}}"#);
    assert!(
        host.actor
            .peer()
            .notify("notifications/message", Some("{}"))
    );
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#);
}

#[tokio::test]
async fn a_cancelled_request_is_dropped_and_not_answered() {
    let mut host = Host::legacy().await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    host.say(&request(1, "never", "")).await;
    host.actor.sees("never 1").await;
    let kept = host.actor.kept();
    host.say(cancel).await;
    host.actor.sees("dropped 1").await;
    assert_over(&kept).await;
    // Nothing is left to cancel, and the id is free.
    host.say(cancel).await;
    host.actor.sees("requestId").await;
    insta::assert_snapshot!(host.ask(&request(1, "echo", "")).await, @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    // The same in the modern era.
    host.say(&modern(1, "never", "{}", "")).await;
    host.actor.sees("modern: never 1").await;
    host.say(cancel).await;
    insta::assert_snapshot!(host.ask(&request(2, "echo", "")).await, @r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    let (rest, _) = host.close().await;
    assert_eq!(rest, Vec::<String>::new());
}

#[tokio::test]
async fn a_thousand_requests_run_at_once() {
    let mut host = Host::legacy().await;
    for id in 1..=1000 {
        host.say(&request(id, "wait", "")).await;
    }
    host.actor.sees("wait 1000").await;
    for id in 1001..=1024 {
        host.say(&request(id, "never", "")).await;
    }
    insta::assert_snapshot!(host.ask(&request(1025, "echo", "")).await, @r#"{"jsonrpc":"2.0","id":1025,"error":{"code":-32603,"message":"1024 requests run already, which is as many as may"}}"#);
    host.actor.gate.notify_waiters();
    let mut answered = HashSet::new();
    for _ in 0..1000 {
        let answer = host.hear().await;
        assert!(answer.ends_with(r#","result":{}}"#), "{answer}");
        answered.insert(answer);
    }
    assert_eq!(answered.len(), 1000);
    let actor = Arc::clone(&host.actor);
    let (rest, ending) = host.close().await;
    assert_eq!((rest.len(), ending), (0, Ending::InputEnded));
    actor.sees("dropped 1024").await;
}

#[tokio::test]
async fn what_was_sent_before_the_end_is_answered() {
    let mut host = Host::legacy().await;
    for id in 1..=20 {
        host.say(&request(id, "echo", "")).await;
    }
    // Without a line end.
    let last = request(21, "echo", "");
    host.output.write_all(last.as_bytes()).await.unwrap();
    let (rest, _) = host.close().await;
    assert_eq!(rest.len(), 21);
}

#[tokio::test]
async fn what_follows_a_slow_handshake_waits_for_it() {
    let mut host = Host::start(Limits::default());
    let hello = hello("{}").replace("2025-06-18", "slow");
    for line in [&hello, INITIALIZED, &request(1, "echo", "")] {
        host.say(line).await;
    }
    host.actor.sees("initialize 0").await;
    host.actor.gate.notify_waiters();
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#);
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(host.actor.peer().protocol_version(), Some("2025-11-25"));
}

#[tokio::test]
async fn told_to_stop_it_lets_what_runs_end_and_takes_nothing_more() {
    let mut host = Host::legacy().await;
    host.say(&request(1, "wait", "")).await;
    host.say(&modern(2, "subscriptions/listen", "{}", "")).await;
    host.actor.sees("listen 2").await;
    host.stop.stop();
    host.actor.sees("dropped 2").await;
    insta::assert_snapshot!(host.ask(&request(3, "echo", "")).await, @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"stopping: no more requests are taken"}}"#);
    host.actor.gate.notify_waiters();
    insta::assert_snapshot!(host.hear().await, @r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let ending = patiently("the end", host.server).await.unwrap();
    assert_eq!(ending, Ending::Stopped);
}

#[tokio::test]
async fn a_handler_can_break_off() {
    let mut host = Host::legacy().await;
    host.say(&request(1, "never", "")).await;
    host.say(&request(2, "break", "")).await;
    let ending = patiently("the end", host.server).await.unwrap();
    assert_eq!(ending, Ending::Disconnect);
    host.actor.sees("dropped 1").await;
    assert_eq!(host.input.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn a_host_that_reads_nothing_is_gone_when_it_closes() {
    let mut host = Host::legacy().await;
    let big = format!(r#""a":"{}""#, "x".repeat(1 << 20));
    host.say(&request(1, "never", "")).await;
    host.say(&request(2, "echo", &big)).await;
    host.actor.sees("echo 2").await;
    drop(host.input);
    let ending = patiently("the end", host.server).await.unwrap();
    assert_eq!(ending, Ending::OutputBroken);
    host.actor.sees("dropped 1").await;
}
