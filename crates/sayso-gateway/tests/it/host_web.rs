//! Listening: the endpoint and the pages beside it, as they are on the wire.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use sayso_gateway::web::{self, WebOptions};
use sayso_mcp::downstream::Stop;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::host_support::{Gate, Lenient, Script, Scripted, ready, result, script};
use crate::server_support::PATIENCE;

const HELLO: &str = r#"{"capabilities":{"tools":{}}}"#;

struct Listening {
    address: SocketAddr,
    serving: JoinHandle<()>,
    stop: Stop,
}

async fn listen(answer: Script, connections: usize) -> Listening {
    let server = Scripted::new("files", ready(HELLO, "", "", ""), answer);
    let gate = Gate::new(Lenient::new(vec![server]));
    let listener = web::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut registry = Registry::default();
    let counter: Counter = Counter::default();
    registry.register("things", "Things", counter.clone());
    counter.inc();
    let stop = Stop::new();
    let options = WebOptions {
        connections,
        stop: stop.clone(),
        ..WebOptions::default()
    };
    let serving = web::serve(listener, gate.hosts.clone(), Arc::new(registry), options);
    Listening {
        address,
        serving: tokio::spawn(serving),
        stop,
    }
}

async fn simple() -> Listening {
    listen(script(|_, _| result("{}")), 16).await
}

impl Listening {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a whole request on a connection of its own; all that comes back.
    async fn send(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        all(stream).await
    }

    async fn get(&self, path: &str, host: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        self.send(&request).await
    }

    async fn post(&self, headers: &str, body: &str) -> String {
        self.send(&request(headers, body)).await
    }
}

fn request(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn all(mut stream: TcpStream) -> String {
    let mut text = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut text)).await;
    read.expect("the response takes too long").unwrap();
    text
}

/// The status line and the body.
fn shown(response: &str) -> String {
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    format!("{}\n{body}", head.lines().next().unwrap())
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}"#;

#[tokio::test]
async fn health_and_metrics_are_there_for_this_machine() {
    let web = simple().await;
    insta::assert_snapshot!(shown(&web.get("/healthz", "localhost").await), @r#"
    HTTP/1.1 200 OK
    {"status":"ok","sessions":0,"servers":{"files":"ready"}}
    "#);
    insta::assert_snapshot!(shown(&web.get("/metrics", "127.0.0.1").await), @"
    HTTP/1.1 200 OK
    # HELP things Things.
    # TYPE things counter
    things_total 1
    # EOF
    ");
    insta::assert_snapshot!(shown(&web.get("/.well-known/oauth-protected-resource", "localhost").await), @"
    HTTP/1.1 404 Not Found
    not found
    ");
}

#[tokio::test]
async fn another_name_or_origin_is_refused_on_every_path() {
    let web = simple().await;
    for path in ["/healthz", "/metrics", "/mcp", "/"] {
        let response = web.get(path, "example.com").await;
        assert!(response.starts_with("HTTP/1.1 403"), "{path}: {response}");
    }
    let response = web
        .post("origin: https://example.com\r\n", INITIALIZE)
        .await;
    assert!(response.starts_with("HTTP/1.1 403"), "{response}");
}

#[tokio::test]
async fn a_session_begins_and_ends() {
    let web = simple().await;
    let response = web.post("", INITIALIZE).await;
    insta::assert_snapshot!(shown(&response), @r#"
    HTTP/1.1 200 OK
    {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true}},"protocolVersion":"2025-11-25","serverInfo":{"name":"sayso","version":"0.1.0"}}}
    "#);
    let session = response
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .unwrap();
    let headers = format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n");
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    insta::assert_snapshot!(shown(&web.post(&headers, list).await), @r#"
    HTTP/1.1 200 OK
    {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"read"}]}}
    "#);
    let delete =
        format!("DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    web.send(&delete).await;
    let response = web.post(&headers, list).await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
    let response = web.get("/healthz", "localhost").await;
    assert!(response.contains(r#""sessions":0"#), "{response}");
}

#[tokio::test]
async fn other_machines_are_not_listened_to() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let error = web::bind(address).await.unwrap_err();
        assert!(error.to_string().contains("other machines"), "{error}");
    }
    let error = web::bind("nowhere").await.unwrap_err();
    insta::assert_snapshot!(error.to_string().lines().last().unwrap(), @"hint: an address and a port, such as `127.0.0.1:8931`");
}

#[tokio::test]
async fn too_many_connections_are_turned_away() {
    let web = listen(script(|_, _| result("{}")), 1).await;
    let first = web.connect().await;
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut first = first;
    first.write_all(request.as_bytes()).await.unwrap();
    let mut start = [0; 15];
    first.read_exact(&mut start).await.unwrap();
    insta::assert_snapshot!(shown(&all(web.connect().await).await), @"HTTP/1.1 503 Service Unavailable");
    // A place becomes free with the connection.
    drop(first);
    let free = async {
        loop {
            let mut stream = web.connect().await;
            // The other end may be closed already.
            let _ = stream
                .write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                .await;
            let mut text = String::new();
            let read = stream.read_to_string(&mut text).await;
            if read.is_ok() && text.starts_with("HTTP/1.1 200") {
                return;
            }
        }
    };
    timeout(PATIENCE, free).await.unwrap();
}

#[tokio::test]
async fn a_head_is_only_so_long() {
    let web = simple().await;
    let many = "x: 1\r\n".repeat(200);
    let response = web.post(&many, INITIALIZE).await;
    assert!(response.starts_with("HTTP/1.1 431"), "{response}");
}

#[tokio::test]
async fn what_runs_ends_before_it_stops() {
    let (told, mut begun) = mpsc::unbounded_channel();
    let (go, gone) = tokio::sync::watch::channel(false);
    let script: Script = Box::new(move |_, _, _| {
        let (told, mut gone) = (told.clone(), gone.clone());
        Box::pin(async move {
            told.send(()).unwrap();
            gone.wait_for(|gone| *gone).await.unwrap();
            result(r#"{"content":[]}"#)
        })
    });
    let web = listen(script, 16).await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let headers =
        "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: read\r\n";
    let mut running = web.connect().await;
    running
        .write_all(request(headers, call).as_bytes())
        .await
        .unwrap();
    begun.recv().await.unwrap();
    // An unused connection holds nothing up.
    let idle = web.connect().await;
    web.stop.stop();
    let refused = async { while TcpStream::connect(web.address).await.is_ok() {} };
    timeout(PATIENCE, refused).await.unwrap();
    assert!(!web.serving.is_finished());
    go.send(true).unwrap();
    let response = all(running).await;
    assert!(response.contains(r#""content":[]"#), "{response}");
    timeout(Duration::from_secs(20), web.serving)
        .await
        .unwrap()
        .unwrap();
    drop(idle);
}
