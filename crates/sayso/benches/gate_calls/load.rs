//! Callers: each with a connection and a session of its own, each checking every answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::net::TcpStream;

use crate::Result;
use crate::upstream::{BLOB, PROTOCOL};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is asked for, again and again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ask {
    /// 200 bytes, to be given back.
    Echo,
    /// 64 KiB.
    Blob,
    /// The listing of so many tools.
    List(usize),
}

/// A load: what, by how many at once, how long, how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) ask: Ask,
    pub(crate) callers: usize,
    pub(crate) seconds: f64,
    /// Calls a second of all callers together; without it, each calls again at once.
    pub(crate) rate: Option<f64>,
}

/// What came of a load.
#[derive(Debug, Default)]
pub(crate) struct Took {
    /// How long each measured call took, in microseconds.
    pub(crate) micros: Vec<f64>,
    /// How many calls were made, those before the measured time included.
    pub(crate) all: usize,
}

impl Load {
    /// The time before the measured time, for everything to warm up.
    fn warm(&self) -> Duration {
        Duration::from_secs_f64((self.seconds / 4.0).min(0.5))
    }
}

#[derive(Deserialize)]
struct Answer<'a> {
    id: u64,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// A request, as text.
fn request(id: u64, ask: Ask, echo: &str, blob: &str) -> String {
    match ask {
        Ask::Echo => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{echo}","arguments":{{"text":"{id:0>200}"}}}}}}"#
        ),
        Ask::Blob => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{blob}","arguments":{{}}}}}}"#
        ),
        Ask::List(_) => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#),
    }
}

fn initialize() -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{PROTOCOL}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"1"}}}}}}"#
    )
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Fails unless the answer is the one that was asked for.
fn check(id: u64, ask: Ask, body: &[u8]) -> Result<()> {
    let wrong = |why: &str| {
        let text = String::from_utf8_lossy(body);
        let start: String = text.chars().take(300).collect();
        format!("a wrong answer to request {id} ({ask:?}): {why}: {start}")
    };
    let answer: Answer<'_> =
        serde_json::from_slice(body).map_err(|error| wrong(&error.to_string()))?;
    let result = answer.result.ok_or_else(|| wrong("no result"))?.get();
    let right = match ask {
        _ if answer.id != id => false,
        Ask::Echo => {
            memmem::find(result.as_bytes(), format!("\"{id:0>200}\"").as_bytes()).is_some()
        }
        Ask::Blob => memmem::find_iter(result.as_bytes(), &b"x".repeat(BLOB)).count() == 1,
        Ask::List(tools) => {
            // A peer may add tools of its own.
            memmem::find_iter(result.as_bytes(), b"\"inputSchema\"").count() >= tools
        }
    };
    if right {
        Ok(())
    } else {
        Err(wrong("not what was asked for").into())
    }
}

/// The names `echo` and `blob` are listed by.
fn names(listing: &[u8]) -> Result<(String, String)> {
    let listing: serde_json::Value = serde_json::from_slice(listing)?;
    let tools = listing
        .pointer("/result/tools")
        .and_then(|all| all.as_array());
    let name = |wanted: &str| {
        tools
            .into_iter()
            .flatten()
            .filter_map(|tool| tool.get("name")?.as_str())
            .find(|name| name.ends_with(wanted))
            .map(str::to_owned)
            .ok_or_else(|| format!("no tool `{wanted}` is listed"))
    };
    Ok((name("echo")?, name("blob")?))
}

/// One connection with its session.
pub(crate) struct Caller {
    url: String,
    send: SendRequest<Full<Bytes>>,
    session: Option<hyper::header::HeaderValue>,
    echo: String,
    blob: String,
    next: u64,
}

impl Caller {
    /// Connects, greets and lists.
    pub(crate) async fn connect(port: u16, path: &str) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let (send, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut caller = Self {
            url: format!("http://127.0.0.1:{port}{path}"),
            send,
            session: None,
            echo: String::new(),
            blob: String::new(),
            next: 3,
        };
        caller.post(initialize()).await?;
        caller.post(INITIALIZED.to_owned()).await?;
        let listing = caller.post(request(2, Ask::List(0), "", "")).await?;
        (caller.echo, caller.blob) = names(&listing)?;
        Ok(caller)
    }

    /// Sends a message and gives the message that came back.
    async fn post(&mut self, body: String) -> Result<Bytes> {
        let uri: hyper::Uri = self.url.parse()?;
        let mut request = Request::post(uri.path())
            .header("host", uri.authority().map_or("", |host| host.as_str()))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(session) = &self.session {
            request = request
                .header("mcp-session-id", session)
                .header("mcp-protocol-version", PROTOCOL);
        }
        let sent = self.send.send_request(request.body(Full::from(body))?);
        let response = tokio::time::timeout(PATIENCE, sent).await??;
        let status = response.status();
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session = Some(session.clone());
        }
        let kind = response.headers().get("content-type");
        let stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let body = tokio::time::timeout(PATIENCE, response.into_body().collect()).await??;
        let body = body.to_bytes();
        if !status.is_success() {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&body)).into());
        }
        Ok(if stream { last_event(&body) } else { body })
    }

    /// Asks once and says how long it took until the last byte.
    async fn ask(&mut self, ask: Ask, due: Option<Instant>) -> Result<Duration> {
        let id = self.next;
        self.next += 1;
        let request = request(id, ask, &self.echo, &self.blob);
        let start = due.unwrap_or_else(Instant::now);
        let body = self.post(request).await?;
        let took = start.elapsed();
        check(id, ask, &body)?;
        Ok(took)
    }

    async fn work(mut self, load: Load, number: usize, start: Instant) -> Result<Took> {
        let measured = start + load.warm();
        let end = measured + Duration::from_secs_f64(load.seconds);
        let callers = f64::from(u32::try_from(load.callers)?);
        let every = load
            .rate
            .map(|rate| Duration::from_secs_f64(callers / rate));
        let offset = f64::from(u32::try_from(number)?) / callers;
        let mut due = every.map(|every| start + every.mul_f64(offset));
        let mut took = Took::default();
        loop {
            let mut since = None;
            if let (Some(due), Some(every)) = (&mut due, every) {
                if Instant::now() < *due {
                    tokio::time::sleep_until((*due).into()).await;
                } else {
                    // Late, for the last answer was: that wait is this call's.
                    since = Some(*due);
                }
                *due += every;
            }
            let now = Instant::now();
            if now >= end {
                return Ok(took);
            }
            let one = self.ask(load.ask, since).await?;
            took.all += 1;
            if now >= measured {
                took.micros.push(one.as_secs_f64() * 1e6);
            }
        }
    }
}

/// The data of the last event in a stream of events.
fn last_event(body: &[u8]) -> Bytes {
    let lines = body.split(|byte| *byte == b'\n');
    let data = lines
        .filter_map(|line| line.strip_prefix(b"data:"))
        .next_back();
    Bytes::copy_from_slice(data.unwrap_or_default().trim_ascii())
}

/// Lets all callers of a load call a server over HTTP.
pub(crate) async fn http(port: u16, path: &str, load: Load) -> Result<Took> {
    let mut callers = Vec::new();
    for _ in 0..load.callers {
        callers.push(Caller::connect(port, path).await?);
    }
    let start = Instant::now();
    let work = callers.into_iter().enumerate();
    let work: Vec<_> = work
        .map(|(number, caller)| tokio::spawn(caller.work(load, number, start)))
        .collect();
    let mut took = Took::default();
    for one in work {
        let one = one.await??;
        took.all += one.all;
        took.micros.extend(one.micros);
    }
    Ok(took)
}

/// Lets one caller call a server over standard input and output.
pub(crate) fn stdio(input: &mut ChildStdin, output: ChildStdout, load: Load) -> Result<Took> {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let mut exchange = |message: String, id: u64| -> Result<Vec<u8>> {
        input.write_all(message.as_bytes())?;
        input.write_all(b"\n")?;
        loop {
            line.clear();
            if output.read_until(b'\n', &mut line)? == 0 {
                return Err("the server ended".into());
            }
            // Whatever else a server sends unasked is passed over.
            if serde_json::from_slice::<Answer<'_>>(&line).is_ok_and(|answer| answer.id == id) {
                return Ok(std::mem::take(&mut line));
            }
        }
    };
    exchange(initialize(), 1)?;
    let listing = exchange(
        format!("{INITIALIZED}\n{}", request(2, Ask::List(0), "", "")),
        2,
    )?;
    let (echo, blob) = names(&listing)?;
    let measured = Instant::now() + load.warm();
    let end = measured + Duration::from_secs_f64(load.seconds);
    let mut took = Took::default();
    for id in 3.. {
        let message = request(id, load.ask, &echo, &blob);
        let now = Instant::now();
        if now >= end {
            break;
        }
        let answer = exchange(message, id)?;
        let one = now.elapsed();
        check(id, load.ask, &answer)?;
        took.all += 1;
        if now >= measured {
            took.micros.push(one.as_secs_f64() * 1e6);
        }
    }
    Ok(took)
}
