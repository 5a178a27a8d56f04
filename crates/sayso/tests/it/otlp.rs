//! Traces of calls, as a collector gets them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use serde_json::Value;

use crate::gate::support::{PATIENCE, Place, reason, tool_with};

/// A collector on a loopback port.
struct Collector {
    url: String,
    bodies: mpsc::Receiver<Vec<u8>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, bodies) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let sender = sender.clone();
                std::thread::spawn(move || collect(stream.unwrap(), &sender));
            }
        });
        Self { url, bodies }
    }

    /// Every span, once there are so many.
    fn spans(&self, at_least: usize) -> Vec<Span> {
        let mut spans = Vec::new();
        while spans.len() < at_least {
            let body = self.bodies.recv_timeout(PATIENCE).unwrap();
            for resource in Fields::of(&body).all(1) {
                for scope in resource.all(2) {
                    spans.extend(scope.all(2).iter().map(Span::read));
                }
            }
        }
        spans
    }
}

/// Answers one request after another.
fn collect(stream: TcpStream, bodies: &mpsc::Sender<Vec<u8>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let start = head.len();
            if stream.read_line(&mut head).unwrap_or_default() == 0 {
                return;
            }
            let line = head[start..].to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
        assert!(head.contains("application/x-protobuf"), "{head}");
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let _ = bodies.send(body);
        let answer =
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        stream.get_mut().write_all(answer.as_bytes()).unwrap();
    }
}

/// The fields of a protobuf message, by their numbers.
struct Fields(Vec<(u64, Field)>);

enum Field {
    Number(u64),
    Bytes(Vec<u8>),
}

impl Fields {
    fn of(mut bytes: &[u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let field = match key & 7 {
                0 => Field::Number(varint(&mut bytes)),
                2 => {
                    let length = usize::try_from(varint(&mut bytes)).unwrap();
                    let (value, rest) = bytes.split_at(length);
                    bytes = rest;
                    Field::Bytes(value.to_vec())
                }
                wire @ (1 | 5) => {
                    bytes = &bytes[if wire == 1 { 8 } else { 4 }..];
                    continue;
                }
                wire => panic!("no protobuf: {wire}"),
            };
            fields.push((key >> 3, field));
        }
        Self(fields)
    }

    fn bytes(&self, number: u64) -> Vec<&[u8]> {
        let fields = self.0.iter().filter(|(it, _)| *it == number);
        fields
            .filter_map(|(_, field)| match field {
                Field::Bytes(bytes) => Some(bytes.as_slice()),
                Field::Number(_) => None,
            })
            .collect()
    }

    fn all(&self, number: u64) -> Vec<Self> {
        let bytes = self.bytes(number).into_iter();
        bytes.map(Self::of).collect()
    }

    fn text(&self, number: u64) -> Option<String> {
        let bytes = self.bytes(number);
        bytes
            .first()
            .map(|it| String::from_utf8(it.to_vec()).unwrap())
    }

    fn number(&self, number: u64) -> Option<u64> {
        self.0.iter().find_map(|(it, field)| match field {
            Field::Number(value) if *it == number => Some(*value),
            _ => None,
        })
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
        shift += 7;
    }
}

/// A span (opentelemetry-proto, `trace.proto`).
#[derive(Debug)]
struct Span {
    trace: String,
    id: String,
    parent: String,
    name: String,
    /// 2 server, 3 client.
    kind: u64,
    /// Its status code: 2 for an error.
    status: u64,
    attributes: BTreeMap<String, String>,
}

impl Span {
    fn read(fields: &Fields) -> Self {
        let hex = |number| {
            let bytes = fields.bytes(number);
            let bytes = bytes.first().copied().unwrap_or_default();
            bytes.iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            })
        };
        let mut attributes = BTreeMap::new();
        for attribute in fields.all(9) {
            let value = attribute.all(2).remove(0);
            let text = value.text(1);
            let text = text.unwrap_or_else(|| value.number(3).unwrap_or_default().to_string());
            let key = attribute.text(1).unwrap();
            assert!(
                attributes.insert(key.clone(), text).is_none(),
                "{key} twice"
            );
        }
        Self {
            trace: hex(1),
            id: hex(2),
            parent: hex(4),
            name: fields.text(5).unwrap(),
            kind: fields.number(6).unwrap(),
            status: fields
                .all(15)
                .first()
                .and_then(|it| it.number(3))
                .unwrap_or_default(),
            attributes,
        }
    }

    /// Everything of it that is the same each time.
    fn told(&self) -> String {
        let mut told = format!("{} kind {} status {}\n", self.name, self.kind, self.status);
        for (key, value) in &self.attributes {
            let value = match key.as_str() {
                "sayso.call" | "sayso.approval" => "…",
                _ => value,
            };
            writeln!(told, "  {key}: {value}").unwrap();
        }
        told
    }
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn params(tool: &str) -> String {
    format!(
        r#"{{"name":"{tool}","arguments":{{"secret":"hush"}},"_meta":{{"traceparent":"00-{TRACE}-{PARENT}-01","tracestate":"vendor=1","own":1.0}}}}"#
    )
}

#[test]
fn a_call_is_traced_from_its_host_to_its_server() {
    let collector = Collector::start();
    let (place, server) = Place::open(&tool_with("act", ""));
    let mut command = place.command("gate --settings sayso.toml --otlp");
    command.arg(&collector.url);
    let mut host = place.host_of(command);
    host.hello("{}");
    let answer = host.request("tools/call", &params("act"));
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    // Sent at the end at the latest.
    host.leave();
    let spans = collector.spans(2);
    let of = |kind| spans.iter().find(|span: &&Span| span.kind == kind).unwrap();
    let (call, attempt) = (of(2), of(3));
    assert_eq!((&*call.trace, &*call.parent), (TRACE, PARENT));
    assert_eq!((&attempt.trace, &attempt.parent), (&call.trace, &call.id));
    insta::assert_snapshot!(format!("{}{}", call.told(), attempt.told()), @"
    tools/call act kind 2 status 0
      gen_ai.operation.name: execute_tool
      gen_ai.tool.name: act
      jsonrpc.request.id: 2
      mcp.method.name: tools/call
      mcp.protocol.version: 2025-11-25
      network.transport: pipe
      sayso.call: …
      sayso.caller: local
      sayso.decision: allow
      sayso.outcome: result
      sayso.pin: trusted-once
      sayso.reasons: open
      sayso.server: s
      sayso.session: 1
      sayso.tool: act
    tools/call act kind 3 status 0
      gen_ai.operation.name: execute_tool
      gen_ai.tool.name: act
      mcp.method.name: tools/call
      sayso.attempt: 1
      sayso.outcome: result
      sayso.server: s
    ");
    let journalled = &place.records("intent", 1)[0]["call"];
    assert_eq!(journalled, call.attributes["sayso.call"].as_str());
    // The server is called in the span of the attempt, and with everything else as it came.
    let seen: Value = serde_json::from_str(&server.calls()[0]).unwrap();
    let meta = &seen["params"]["_meta"];
    let traceparent = format!("00-{TRACE}-{}-01", attempt.id);
    assert_eq!(meta["traceparent"], traceparent.as_str());
    assert_eq!(
        (&meta["tracestate"], &meta["own"]),
        (&"vendor=1".into(), &1.0.into())
    );
    assert!(!format!("{spans:?}").contains("hush"));
}

#[test]
fn a_refused_call_is_traced_with_its_reason() {
    let collector = Collector::start();
    let mut place = Place::new("wait = 1");
    let server = place.server("s", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
    let wipes = r#","annotations":{"readOnlyHint":false,"destructiveHint":true}"#;
    server.lists(&tool_with("wipe", wipes));
    let mut command = place.command("gate --settings sayso.toml");
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url);
    let mut host = place.host_of(command);
    host.hello("{}");
    assert_eq!(reason(&host.call("wipe", "{}")), "approval-pending");
    host.call("no such tool", "{}");
    host.leave();
    let spans = collector.spans(3);
    let told: Vec<_> = spans.iter().map(Span::told).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    approval kind 1 status 0
      sayso.approval: …

    tools/call wipe kind 2 status 2
      error.type: approval-pending
      gen_ai.operation.name: execute_tool
      gen_ai.tool.name: wipe
      jsonrpc.request.id: 2
      mcp.method.name: tools/call
      mcp.protocol.version: 2025-11-25
      network.transport: pipe
      sayso.approval: …
      sayso.call: …
      sayso.caller: local
      sayso.decision: ask
      sayso.pin: trusted-once
      sayso.reasons: spec-default.confirmed
      sayso.server: s
      sayso.session: 1
      sayso.tool: wipe

    tools/call kind 2 status 2
      error.type: unknown-tool
      gen_ai.operation.name: execute_tool
      jsonrpc.request.id: 3
      mcp.method.name: tools/call
      mcp.protocol.version: 2025-11-25
      network.transport: pipe
      sayso.call: …
      sayso.caller: local
      sayso.session: 1
    ");
}

#[test]
fn a_collector_that_is_not_there_costs_no_call() {
    let (place, _server) = Place::open(&tool_with("act", ""));
    let mut host =
        place.host_of(place.command("gate --settings sayso.toml --otlp http://127.0.0.1:9"));
    host.hello("{}");
    let answer = host.request("tools/call", &params("act"));
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    host.leave();
    place.verify();
}
