//! A gate over HTTP, and hosts that send bytes as a test writes them.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{PATIENCE, lines};

/// What is sent with every message.
const TYPES: [(&str, &str); 2] = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
];

/// A gate that listens.
pub(crate) struct Web {
    gate: Child,
    address: SocketAddr,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl HttpAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The messages in it: the body, or each event of the stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if !self
            .header("content-type")
            .unwrap_or_default()
            .contains("event-stream")
        {
            return serde_json::from_str(&self.body).into_iter().collect();
        }
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok())
            .collect()
    }

    /// The answer to the request: the last message.
    pub(crate) fn answer(&self) -> Value {
        let last = self.messages().pop();
        last.unwrap_or_else(|| panic!("no message: {self:?}"))
    }
}

impl Web {
    #[expect(clippy::zombie_processes, reason = "dropping it waits for the process")]
    pub(super) fn start(mut command: Command) -> Self {
        let mut gate = command.stderr(Stdio::piped()).spawn().unwrap();
        let told = lines(gate.stderr.take().unwrap());
        loop {
            let line = told.recv_timeout(PATIENCE).unwrap();
            if let Some(address) = line.strip_prefix("the gate is at http://") {
                let address = address.strip_suffix("/mcp").unwrap().parse().unwrap();
                // Whatever else it tells is let go by.
                std::thread::spawn(move || while told.recv().is_ok() {});
                return Self { gate, address };
            }
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The process of the gate.
    pub(crate) fn gate(&mut self) -> &mut Child {
        &mut self.gate
    }

    /// Sends a request to `/mcp` as it stands, but for `Host` and `Content-Length`.
    pub(crate) fn send(&self, verb: &str, headers: &[(&str, &str)], body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{verb} /mcp HTTP/1.1\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            write!(head, "Host: {}\r\n", self.address).unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        write!(
            head,
            "Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        )
        .unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // Whoever is refused may not be heard to the end.
        let _ = stream.write_all(body);
        stream
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn exchange(&self, verb: &str, headers: &[(&str, &str)], body: &[u8]) -> HttpAnswer {
        read(self.send(verb, headers, body))
    }

    /// Posts a message with the usual types and more headers.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
        let headers: Vec<_> = TYPES.iter().chain(headers).copied().collect();
        self.exchange("POST", &headers, body.as_bytes())
    }

    /// Begins a session of the legacy era; its id.
    pub(crate) fn session(&self, capabilities: &str) -> String {
        let hello = self.post(
            &[],
            &format!(
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"host","version":"1"}}}}}}"#
            ),
        );
        let session = hello.header("mcp-session-id").unwrap().to_owned();
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        self.post(&legacy(&session), initialized);
        session
    }

    /// A request of the legacy era.
    pub(crate) fn legacy(&self, session: &str, method: &str, params: &str) -> HttpAnswer {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        self.post(&legacy(session), &body)
    }

    /// A request of the modern era. `params` is an object without `_meta`.
    pub(crate) fn modern(&self, method: &str, params: &str) -> HttpAnswer {
        let name: Value = serde_json::from_str(params).unwrap();
        let name = name["name"].as_str().unwrap_or_default().to_owned();
        let body = modern(1, method, params);
        let mut headers = vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.post(&headers, &body)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.gate.kill();
        let _ = self.gate.wait();
    }
}

/// The headers of a request in a session.
pub(crate) fn legacy(session: &str) -> [(&str, &str); 2] {
    [
        ("Mcp-Session-Id", session),
        ("MCP-Protocol-Version", "2025-11-25"),
    ]
}

/// A request of the modern era, from a host that can do nothing. `params` is an object without
/// `_meta`.
pub(crate) fn modern(id: u64, method: &str, params: &str) -> String {
    let members = params.trim().strip_prefix('{').unwrap();
    let members = members.strip_suffix('}').unwrap();
    let comma = if members.trim().is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{members}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"host","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// Reads an answer to its end.
pub(crate) fn read(stream: TcpStream) -> HttpAnswer {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let mut body = Vec::new();
    if is_chunked {
        loop {
            line.clear();
            stream.read_line(&mut line).unwrap();
            let size = usize::from_str_radix(line.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk).unwrap();
            if size == 0 {
                break;
            }
            body.extend_from_slice(chunk.get(..size).unwrap());
        }
    } else {
        // A server that has refused a long body may reset the connection behind its answer.
        let _ = stream.read_to_end(&mut body);
    }
    HttpAnswer {
        status,
        headers,
        body: String::from_utf8(body).unwrap(),
    }
}
