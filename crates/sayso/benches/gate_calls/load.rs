//! Callers: each has a connection and a session of its own, and calls as soon as it has its answer. Every
//! answer is checked.

use std::fmt;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::proxies::Proxy;
use super::server::{BLOB, message};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Echo,
    Blob,
    List,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Echo => "echo of 200 bytes",
            Self::Blob => "64 KiB of text",
            Self::List => "listing",
        })
    }
}

/// What was measured, in microseconds, calls a second, microseconds a call and mebibytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) rate: f64,
    pub(crate) processor: f64,
    pub(crate) memory: f64,
}

/// Lets so many call for a while.
pub(crate) fn measure(
    proxy: &Proxy,
    what: What,
    callers: usize,
    tools: usize,
    time: Duration,
) -> Measured {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut all = Vec::new();
        for _ in 0..callers {
            let mut caller = Caller::begin(proxy).await;
            caller.list(tools).await;
            all.push(caller);
        }
        // What is slow only the first time is not what is measured.
        let warm = Instant::now() + time / 5;
        let mut tasks = tokio::task::JoinSet::new();
        for caller in all {
            tasks.spawn(caller.call_until(what, tools, warm));
        }
        let warmed = tasks.join_all().await;
        let (before, _) = proxy.costs();
        let begun = Instant::now();
        let mut tasks = tokio::task::JoinSet::new();
        for (caller, _) in warmed {
            tasks.spawn(caller.call_until(what, tools, begun + time));
        }
        let mut times: Vec<f64> = Vec::new();
        for (_, measured) in tasks.join_all().await {
            times.extend(measured);
        }
        let (elapsed, (after, memory)) = (begun.elapsed().as_secs_f64(), proxy.costs());
        times.sort_by(f64::total_cmp);
        let calls = times.len() as f64;
        Measured {
            p50: times[times.len() / 2],
            p99: times[times.len() * 99 / 100],
            rate: calls / elapsed,
            processor: (after - before) * 1e6 / calls,
            memory,
        }
    })
}

/// Waits for a whole listing.
pub(crate) fn first_listing(proxy: &Proxy, tools: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let begun = Instant::now();
        let mut caller = Caller::begin(proxy).await;
        while caller.count().await < tools {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "there is no listing"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
}

struct Caller {
    stream: TcpStream,
    buffer: Vec<u8>,
    head: String,
    next: u64,
    /// The name that `echo` and `blob` have here, which a proxy may put something in front of.
    prefix: String,
}

impl Caller {
    async fn begin(proxy: &Proxy) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", proxy.port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut caller = Self {
            stream,
            buffer: Vec::new(),
            head: format!(
                "POST {} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n",
                proxy.path, proxy.port
            ),
            next: 1,
            prefix: String::new(),
        };
        let client = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#;
        let (head, _) = caller.ask("initialize", client).await;
        let session = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id")
                .then(|| value.trim().to_owned())
        });
        if let Some(session) = session {
            caller
                .head
                .push_str(&format!("mcp-session-id: {session}\r\n"));
        }
        caller.head.push_str("mcp-protocol-version: 2025-06-18\r\n");
        caller
            .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        message(&mut caller.stream, &mut caller.buffer)
            .await
            .unwrap();
        caller
    }

    async fn send(&mut self, body: &str) {
        let text = format!("{}content-length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Asks, and checks that the answer is one to this request.
    async fn ask(&mut self, method: &str, params: &str) -> (String, Vec<u8>) {
        let id = self.next;
        self.next += 1;
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ))
        .await;
        let (head, body) = message(&mut self.stream, &mut self.buffer).await.unwrap();
        let start = String::from_utf8_lossy(&body[..body.len().min(400)]).into_owned();
        assert!(head.starts_with("HTTP/1.1 200"), "{head} {start}");
        let has = |text: &[u8]| body.windows(text.len()).any(|part| part == text);
        let is_answer =
            has(b"\"result\"") && (body.len() > 4096 || has(format!("\"id\":{id}").as_bytes()));
        assert!(is_answer, "{method}: {start}");
        (head, body)
    }

    async fn count(&mut self) -> usize {
        let (_, body) = self.ask("tools/list", "{}").await;
        let text = String::from_utf8_lossy(&body);
        if let Some((before, _)) = text.split_once("echo\"") {
            self.prefix = before.rsplit('"').next().unwrap_or_default().to_owned();
        }
        text.matches("\"inputSchema\"").count()
    }

    async fn list(&mut self, tools: usize) {
        assert_eq!(self.count().await, tools);
    }

    async fn call_until(mut self, what: What, tools: usize, end: Instant) -> (Self, Vec<f64>) {
        let echo = "e".repeat(200);
        let (name, length) = match what {
            What::Echo => ("echo", echo.len()),
            What::Blob => ("blob", BLOB),
            What::List => ("", tools),
        };
        let params = format!(
            r#"{{"name":"{}{name}","arguments":{{"text":"{echo}"}}}}"#,
            self.prefix
        );
        let mut times = Vec::new();
        while Instant::now() < end {
            let begun = Instant::now();
            match what {
                What::List => {
                    let (_, body) = self.ask("tools/list", "{}").await;
                    assert!(body.len() > tools * 1000, "{}", body.len());
                }
                What::Echo | What::Blob => {
                    let (_, body) = self.ask("tools/call", &params).await;
                    let is_whole = body.len() > length && body.len() < length + 600;
                    assert!(
                        is_whole,
                        "{}",
                        String::from_utf8_lossy(&body[..body.len().min(600)])
                    );
                }
            }
            times.push(begun.elapsed().as_secs_f64() * 1e6);
        }
        (self, times)
    }
}
