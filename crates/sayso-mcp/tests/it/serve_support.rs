//! A service that behaves as its tools are named, and clients that say exactly what a test has them say.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fixture may panic"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;
use sayso_mcp::server::{
    Answer, Call, CallResult, Changes, Event, HttpEndpoint, HttpOptions, Identity, Peer,
    PersonAnswer, Service, serve,
};
use serde_json::json;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf,
    WriteHalf,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

/// Hints of every malformed kind, a key that stands twice, odd white space and numbers.
pub(crate) const ODD: &str = r#"{"name":"echo",  "inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true","destructiveHint":null,"destructiveHint":false,"idempotentHint":1.0},"x":[1,2e0]}"#;

const OTHERS: [&str; 6] = ["wait", "never", "ask", "break", "again", "fail"];

/// Is told what to list, and remembers what it saw.
pub(crate) struct Rehearsal {
    pub(crate) changes: Changes,
    /// Lets every `wait` end.
    pub(crate) gate: Notify,
    seen: Mutex<Vec<String>>,
    news: watch::Sender<usize>,
}

/// Says so when a call is dropped before its end.
struct Unfinished<'a>(&'a Rehearsal, String);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.note(format!("dropped {}", self.1));
    }
}

impl Rehearsal {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            changes: Changes::new(),
            gate: Notify::new(),
            seen: Mutex::default(),
            news: watch::Sender::new(0),
        })
    }

    fn note(&self, what: String) {
        self.seen.lock().unwrap().push(what);
        self.news.send_modify(|count| *count += 1);
    }

    /// What was witnessed so far, a line each.
    pub(crate) fn seen(&self) -> String {
        self.seen.lock().unwrap().join("\n")
    }

    /// Waits until something was witnessed that contains this.
    pub(crate) async fn sees(&self, what: &str) {
        let mut news = self.news.subscribe();
        let seen = news.wait_for(|_| self.seen().contains(what));
        patiently(what, seen).await.unwrap();
    }
}

/// Waits, but not for ever.
pub(crate) async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(20), future).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain for: {what}"),
    }
}

impl Service for Rehearsal {
    fn identity(&self) -> Identity {
        Identity {
            name: "rehearsal".to_owned(),
            version: "1".to_owned(),
            instructions: None,
        }
    }

    async fn list(&self, _: &Peer) -> Vec<String> {
        let others = OTHERS.map(|name| json!({ "name": name, "inputSchema": { "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } } } }).to_string());
        std::iter::once(ODD.to_owned()).chain(others).collect()
    }

    async fn call(&self, _: &Peer, call: Call) -> Answer {
        match call.name.as_str() {
            "wait" => {
                let gate = self.gate.notified();
                self.note(format!("begun {}", call.request_id));
                gate.await;
            }
            "never" => {
                self.note(format!("begun {}", call.request_id));
                let _unfinished = Unfinished(self, call.request_id);
                std::future::pending::<()>().await;
            }
            "break" => return Answer::Disconnect,
            "fail" => return Answer::Result(CallResult::failure("no")),
            // Asks twice.
            "again" if call.request_state.as_deref() != Some("2") => {
                let next = if call.request_state.is_some() {
                    "2"
                } else {
                    "1"
                };
                return ask(next);
            }
            "ask" if call.person.is_none() => return ask("sealed"),
            _ => {}
        }
        let arguments = call.arguments.as_ref();
        let arguments = arguments.map_or("nothing", |arguments| arguments.root().raw());
        let person = match &call.person {
            None => String::new(),
            Some(PersonAnswer::Accepted(content)) => {
                let content = content.as_ref().map(|content| content.root().raw());
                format!(", accepted {content:?}")
            }
            Some(answer) => format!(", {answer:?}"),
        };
        let state = call.request_state.map(|state| format!(", state {state}"));
        Answer::Result(CallResult::success(format!(
            "{} {arguments}{person}{}",
            call.name,
            state.unwrap_or_default()
        )))
    }

    fn witness(&self, peer: &Peer, event: Event<'_>) {
        let client = peer.client().map(|client| client.name.as_str());
        self.note(format!(
            "{} {} {}: {event:?}",
            peer.connection(),
            peer.era()
                .map_or_else(|| "?".to_owned(), |era| era.to_string()),
            client.unwrap_or("?"),
        ));
    }
}

fn ask(state: &str) -> Answer {
    Answer::Ask {
        message: "Really?".to_owned(),
        schema: json!({ "type": "object", "properties": { "sure": { "type": "boolean" } } }),
        state: state.to_owned(),
    }
}

/// A legacy client's first words.
pub(crate) fn hello(capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"clientInfo":{{"name":"old","version":"1"}}}}}}"#
    )
}

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

pub(crate) fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

/// A request of the modern era; `params` are what follows `_meta`, with a comma.
pub(crate) fn modern(id: u32, method: &str, capabilities: &str, params: &str) -> String {
    request(
        id,
        method,
        &format!(
            r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"new","version":"2"}},"io.modelcontextprotocol/clientCapabilities":{capabilities}}}{params}"#
        ),
    )
}

pub(crate) fn call(id: u32, tool: &str) -> String {
    request(id, "tools/call", &format!(r#""name":"{tool}""#))
}

/// A client over pipes.
pub(crate) struct PipeClient {
    pub(crate) service: Arc<Rehearsal>,
    output: WriteHalf<DuplexStream>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(crate) server: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl PipeClient {
    pub(crate) fn start() -> Self {
        let service = Rehearsal::new();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let server = serve(Arc::clone(&service), service.changes.clone(), input, output);
        let (read, write) = tokio::io::split(ours);
        Self {
            service,
            output: write,
            input: BufReader::new(read).lines(),
            server: tokio::spawn(server),
        }
    }

    /// A legacy client that has shaken hands.
    pub(crate) async fn legacy(capabilities: &str) -> Self {
        let mut client = Self::start();
        client.say(&hello(capabilities)).await;
        client.hear().await;
        client.say(INITIALIZED).await;
        client
    }

    pub(crate) async fn say(&mut self, message: &str) {
        self.output.write_all(message.as_bytes()).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    /// The next message.
    pub(crate) async fn hear(&mut self) -> String {
        let line = patiently("a message", self.input.next_line()).await;
        line.unwrap().expect("the server has closed its output")
    }

    /// Says it and hears what comes next.
    pub(crate) async fn ask(&mut self, message: &str) -> String {
        self.say(message).await;
        self.hear().await
    }

    /// Closes the input; what is still said, and how the server ends.
    pub(crate) async fn close(mut self) -> (Vec<String>, std::io::Result<()>) {
        self.output.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = patiently("the end", self.input.next_line()).await.unwrap() {
            rest.push(line);
        }
        let ended = patiently("the server's end", self.server).await.unwrap();
        (rest, ended)
    }
}

/// An endpoint on a loopback port.
pub(crate) struct HttpFixture {
    pub(crate) service: Arc<Rehearsal>,
    pub(crate) endpoint: HttpEndpoint<Rehearsal>,
    pub(crate) address: SocketAddr,
}

impl HttpFixture {
    pub(crate) async fn start() -> Self {
        let service = Rehearsal::new();
        let endpoint = HttpEndpoint::new(
            Arc::clone(&service),
            service.changes.clone(),
            HttpOptions::default(),
        );
        let served = endpoint.clone();
        let answer = any(move |request: Request| {
            let endpoint = served.clone();
            async move { endpoint.handle(request).await.map(Body::new) }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/mcp", answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            service,
            endpoint,
            address,
        }
    }

    /// Sends a request, byte for byte but for the headers that every one needs.
    pub(crate) async fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        send(self.address, method, headers, body).await
    }

    /// Sends a modern call that is to be answered by one message, and does not wait for it.
    pub(crate) async fn begin_json(&self, tool: &str, body: &str) -> TcpStream {
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
            ("Accept", "application/json"),
        ];
        begin(self.address, "POST", &headers, body).await
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        self.send("POST", headers, body).await
    }

    /// The name of a new session.
    pub(crate) async fn session(&self, capabilities: &str) -> String {
        let reply = self.post(&[], &hello(capabilities)).await;
        let session = reply.header("mcp-session-id").unwrap().to_owned();
        let headers = [("Mcp-Session-Id", session.as_str())];
        assert_eq!(
            self.post(&headers, INITIALIZED).await.status,
            "202 Accepted"
        );
        session
    }

    /// A modern request with the headers it needs.
    pub(crate) async fn modern(&self, method: &str, tool: Option<&str>, body: &str) -> Reply {
        let mut headers = vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        headers.extend(tool.map(|tool| ("Mcp-Name", tool)));
        self.post(&headers, body).await
    }
}

/// Sends a request, byte for byte but for the headers that every one needs.
pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut reply = Reply {
        stream: BufReader::new(begin(address, method, headers, body).await),
        status: String::new(),
        headers: Vec::new(),
    };
    reply.read_head().await;
    reply
}

/// The same, without waiting for the response.
pub(crate) async fn begin(
    address: SocketAddr,
    method: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut text = format!("{method} /mcp HTTP/1.1\r\n");
    let defaults = [
        ("Host", "localhost"),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
    ];
    for (name, value) in defaults {
        if !headers.iter().any(|(given, _)| *given == name) {
            text += &format!("{name}: {value}\r\n");
        }
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += &format!(
        "Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// A response whose body is still to be read.
pub(crate) struct Reply {
    stream: BufReader<TcpStream>,
    pub(crate) status: String,
    headers: Vec<(String, String)>,
}

impl Reply {
    async fn read_head(&mut self) {
        let status = self.line().await.unwrap();
        self.status = status.split_once(' ').unwrap().1.to_owned();
        while let Some(line) = self.line().await.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(": ").unwrap();
            self.headers
                .push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = patiently("a line of HTTP", self.stream.read_line(&mut line)).await;
        (count.unwrap() > 0).then(|| line.trim_end().to_owned())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The whole of a body that is no stream.
    pub(crate) async fn whole(mut self) -> String {
        let mut text = String::new();
        let read = self.stream.read_to_string(&mut text);
        patiently("the body", read).await.unwrap();
        format!("{}\n{text}", self.status)
    }

    /// The next message of a stream; `None` at its end.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            let line = self.line().await?;
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(data.to_owned());
            }
            // The last chunk.
            if line == "0" {
                return None;
            }
        }
    }

    /// Reads to the end; whether the stream ended as it should.
    pub(crate) async fn ends_well(mut self) -> bool {
        let mut rest = Vec::new();
        let read = self.stream.read_to_end(&mut rest);
        let is_whole = patiently("the end", read).await.is_ok();
        is_whole && rest.ends_with(b"0\r\n\r\n")
    }
}
