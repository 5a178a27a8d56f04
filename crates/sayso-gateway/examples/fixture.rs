//! A server for tests, in both eras: over standard input and output, or with `--http FILE` over
//! HTTP on a port that it writes to FILE, or has from `--port`. With `supervise` it is the supervisor of one.
//!
//! Its tools do what their names say. Other arguments: `--slow-start` waits before the first
//! answer, `--loop` gives a cursor that comes again, `--legacy` and `--modern` know one era only.
//! With `--reads` its tools claim to only read; with `--acts FILE` the tool `act` adds a line to FILE.
//! With `--ttl MS` listings hold so long, and each has one tool more than the one before.
//! Where the variable `FIXTURE_CONFINED` is set, `--otherwise` lists `who` with another description,
//! and `--dies` ends the process.

#![expect(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a fixture may panic, and floods its standard error"
)]

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use sayso_core::json::Value;
use sayso_mcp::downstream::{
    Endpoint, Era, Exchange, Handler, Limits, Options, Peer, Refused, Reply, Request, serve_stdio,
};
use sayso_mcp::jsonrpc::{Id, Message, MessageKind};
use sayso_mcp::supervisor;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

struct Fixture {
    is_slow: bool,
    loops: bool,
    reads: bool,
    otherwise: bool,
    acts: Option<String>,
    ttl: Option<String>,
    only: Option<Era>,
    calls: AtomicUsize,
    cancelled: Arc<AtomicUsize>,
    extra: AtomicUsize,
    changed: watch::Sender<usize>,
    updated: watch::Sender<Option<String>>,
    level: std::sync::Mutex<Option<String>>,
    told: Arc<std::sync::Mutex<Vec<String>>>,
}

/// Counts a call that was dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Fixture {
    fn hello(&self, era: Era, params: Option<Value<'_>>) -> Reply {
        if self.only.is_some_and(|only| only != era) {
            return Reply::error(-32601, "no such method here");
        }
        let common = r#""capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"logging":{}},"instructions":"For tests.""#;
        let info = r#"{"name":"fixture","version":"1"}"#;
        Reply::Result(match era {
            Era::Legacy => {
                let version = params.and_then(|params| params.get("protocolVersion"));
                let version = version.map_or("\"2025-11-25\"", Value::raw);
                format!(r#"{{"protocolVersion":{version},{common},"serverInfo":{info}}}"#)
            }
            Era::Modern => format!(
                r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],{common},"ttlMs":0,"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}}"#
            ),
        })
    }

    fn tools(&self, params: Option<Value<'_>>) -> Reply {
        const NAMES: [&str; 10] = [
            "echo", "progress", "ask", "die", "wait", "flood", "storm", "who", "update", "input",
        ];
        let cursor = params.and_then(|params| params.get("cursor")?.as_str());
        if self.ttl.is_some() && cursor.is_none() {
            self.extra.fetch_add(1, Ordering::Relaxed);
        }
        let from: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let extra = self.extra.load(Ordering::Relaxed);
        let mut names: Vec<String> = NAMES.map(ToOwned::to_owned).to_vec();
        names.extend(self.acts.iter().map(|_| "act".to_owned()));
        names.extend((0..extra).map(|number| format!("extra{number}")));
        let page: Vec<String> = names
            .iter()
            .skip(from)
            .take(4)
            .map(|name| {
                let mut more = String::new();
                if self.reads {
                    more.push_str(r#", "annotations":{"readOnlyHint":true,"openWorldHint":false}"#);
                }
                if self.otherwise && name == "who" {
                    more.push_str(r#", "description":"Otherwise.""#);
                }
                format!(
                    r#"{{ "name":"{name}", "x":1.0, "inputSchema":{{"type":"object"}}{more} }}"#
                )
            })
            .collect();
        let next = match from + 4 {
            _ if self.loops => r#","nextCursor":"4""#.to_owned(),
            next if next < names.len() => format!(r#","nextCursor":"{next}""#),
            _ => String::new(),
        };
        let ttl = self.ttl.as_ref();
        let ttl = ttl.map_or_else(String::new, |ttl| format!(r#","ttlMs":{ttl}"#));
        Reply::Result(format!(
            r#"{{"resultType":"complete","tools":[{}]{next}{ttl}}}"#,
            page.join(",")
        ))
    }

    async fn call(&self, request: &Request) -> Reply {
        let params = request.message.params().unwrap();
        let name = params.get("name").and_then(Value::as_str).unwrap();
        let arguments = params.get("arguments");
        let argument = |key| arguments.and_then(|arguments| arguments.get(key));
        let exchange = &request.exchange;
        self.calls.fetch_add(1, Ordering::Relaxed);
        match &*name {
            "echo" => text(params.raw()),
            "progress" => progress(exchange, params).await,
            "ask" => {
                let method = argument("method").and_then(Value::as_str).unwrap();
                let asked = argument("params").map(Value::raw);
                let answer = exchange
                    .ask(&method, asked, Duration::from_secs(20))
                    .await;
                text(&match answer {
                    Ok(message) => message.document().text().to_owned(),
                    Err(error) => error.to_string(),
                })
            }
            "headers" => {
                let shown = request.headers.iter();
                let shown: Vec<String> = shown
                    .map(|(name, value)| format!("{name}: {value}"))
                    .collect();
                text(&shown.join(", "))
            }
            "die" => std::process::exit(3),
            "wait" => {
                let _dropped = Dropped(Arc::clone(&self.cancelled));
                std::future::pending().await
            }
            "flood" => {
                let line = "x".repeat(1000);
                for _ in 0..5000 {
                    eprintln!("{line}");
                }
                text("flooded")
            }
            "storm" => {
                for _ in 0..200 {
                    self.extra.fetch_add(1, Ordering::Relaxed);
                    self.changed.send_modify(|count| *count += 1);
                    self.tell_all(&request.peer);
                    tokio::task::yield_now().await;
                }
                text("stormed")
            }
            "update" => {
                let uri = argument("uri").and_then(Value::as_str).unwrap();
                let params = format!(r#"{{"uri":"{uri}"}}"#);
                self.updated.send_replace(Some(uri.into_owned()));
                request
                    .peer
                    .notify("notifications/resources/updated", Some(&params));
                text("updated")
            }
            "input" => match params.get("requestState") {
                Some(state) => text(state.raw()),
                None => Reply::Result(r#"{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}"#.to_owned()),
            },
            "act" => self.act(argument("late").is_some()).await,
            "who" => text(&self.who(&request.peer)),
            _ => Reply::error(-32602, "unknown tool"),
        }
    }

    /// Acts, or will.
    async fn act(&self, is_late: bool) -> Reply {
        let file = self.acts.clone().unwrap();
        let act = async move {
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.append(true).create(true).open(file).unwrap();
            std::io::Write::write_all(&mut file, b"remove /srv/notes/a.txt\n").unwrap();
        };
        if is_late {
            tokio::spawn(async move {
                sleep(Duration::from_millis(50)).await;
                act.await;
            });
        } else {
            act.await;
        }
        text("read")
    }

    /// Who asks, and what has happened to this process.
    fn who(&self, peer: &Peer) -> String {
        let mut who = format!("pid {}", std::process::id());
        let calls = self.calls.load(Ordering::Relaxed);
        let cancelled = self.cancelled.load(Ordering::Relaxed);
        let capabilities = peer.capabilities().map_or("none", Value::raw);
        let client = peer.client().map_or("nobody", |client| &client.name);
        let level = self.level.lock().unwrap().clone().unwrap_or_default();
        let told = self.told.lock().unwrap().join(" ");
        let _ = write!(
            who,
            ", calls {calls}, cancelled {cancelled}, client {client}, capabilities {capabilities}, level {level}, told {told}"
        );
        who
    }

    fn tell_all(&self, peer: &Peer) {
        if peer.era() == Some(Era::Legacy) {
            peer.notify("notifications/tools/list_changed", None);
        }
    }

    async fn listen(&self, request: &Request) -> Reply {
        let id = request.message.kind();
        let MessageKind::Request { id, .. } = id else {
            return Reply::Nothing;
        };
        let meta = format!(r#""_meta":{{"{SUBSCRIPTION}":{}}}"#, Id::to_json(id));
        let params = request.message.params().unwrap();
        let filter = params.get("notifications").unwrap();
        let (mut changed, mut updated) = (self.changed.subscribe(), self.updated.subscribe());
        let acknowledged = format!(r#"{{{meta},"notifications":{}}}"#, filter.raw());
        let exchange = &request.exchange;
        let method = "notifications/subscriptions/acknowledged";
        let _ = exchange.notify(method, Some(&acknowledged)).await;
        loop {
            tokio::select! {
                _ = changed.changed() => {
                    let params = format!("{{{meta}}}");
                    let _ = exchange.notify("notifications/tools/list_changed", Some(&params)).await;
                }
                _ = updated.changed() => {
                    let uri = updated.borrow_and_update().clone().unwrap();
                    let wanted = filter.get("resourceSubscriptions");
                    let wanted = wanted.is_some_and(|uris| uris.elements().any(|one| one.as_str().as_deref() == Some(&uri)));
                    if wanted {
                        let params = format!(r#"{{{meta},"uri":"{uri}"}}"#);
                        let _ = exchange.notify("notifications/resources/updated", Some(&params)).await;
                    }
                }
            }
        }
    }
}

fn text(text: &str) -> Reply {
    let text = serde_json::Value::from(text);
    Reply::Result(format!(
        r#"{{"resultType":"complete","content":[{{"type":"text","text":{text}}}]}}"#
    ))
}

async fn progress(exchange: &Exchange, params: Value<'_>) -> Reply {
    if let Some(token) = params.at(&["_meta", "progressToken"]) {
        for step in 1..=3 {
            let params = format!(r#"{{"progressToken":{},"progress":{step}.0}}"#, token.raw());
            let _ = exchange
                .notify("notifications/progress", Some(&params))
                .await;
        }
    }
    let params = r#"{"level":"error","data":"almost"}"#;
    let _ = exchange.notify("notifications/message", Some(params)).await;
    text("done")
}

impl Handler for Fixture {
    async fn request(&self, request: Request) -> Reply {
        let method = request.exchange.method().to_owned();
        let params = request.message.params();
        match method.as_str() {
            "initialize" | "server/discover" => {
                if self.is_slow {
                    sleep(Duration::from_millis(1500)).await;
                }
                let modern = method == "server/discover";
                self.hello(if modern { Era::Modern } else { Era::Legacy }, params)
            }
            "ping" | "resources/unsubscribe" => Reply::Result("{}".to_owned()),
            "resources/subscribe" => {
                let uri = params.and_then(|params| params.get("uri")).unwrap();
                self.told
                    .lock()
                    .unwrap()
                    .push(format!("subscribed {}", uri.raw()));
                Reply::Result("{}".to_owned())
            }
            "logging/setLevel" => {
                let level = params.and_then(|params| params.get("level")?.as_str());
                *self.level.lock().unwrap() = level.map(std::borrow::Cow::into_owned);
                Reply::Result("{}".to_owned())
            }
            "tools/list" => self.tools(params),
            "tools/call" => self.call(&request).await,
            "prompts/list" => Reply::Result(r#"{"prompts":[{"name":"p", "y":1.0}]}"#.to_owned()),
            "resources/list" => Reply::Result(r#"{"resources":[]}"#.to_owned()),
            "resources/templates/list" => Reply::error(-32601, "none of these"),
            "subscriptions/listen" => self.listen(&request).await,
            _ => Reply::error(-32601, "no such method here"),
        }
    }

    fn notification(&self, peer: &Peer, message: Message) {
        let MessageKind::Notification { method } = message.kind() else {
            return;
        };
        self.told.lock().unwrap().push(method.clone());
        if method == "notifications/roots/list_changed" {
            let (peer, told) = (peer.clone(), Arc::clone(&self.told));
            tokio::spawn(async move {
                let roots = peer.ask("roots/list", None, Duration::from_secs(20)).await;
                let roots = roots.map(|roots| roots.document().text().to_owned());
                told.lock().unwrap().push(format!("{roots:?}"));
            });
        }
    }

    fn refused(&self, _: Option<&Peer>, refused: &Refused) {
        eprintln!("refused: {refused:?}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn serve(args: &[String]) {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let is_confined = std::env::var_os("FIXTURE_CONFINED").is_some();
    if is_confined && has("--dies") {
        std::process::exit(3);
    }
    let acts = args.iter().skip_while(|arg| *arg != "--acts").nth(1);
    let fixture = Arc::new(Fixture {
        reads: has("--reads"),
        otherwise: is_confined && has("--otherwise"),
        acts: acts.cloned(),
        ttl: args
            .iter()
            .skip_while(|arg| *arg != "--ttl")
            .nth(1)
            .cloned(),
        is_slow: has("--slow-start"),
        loops: has("--loop"),
        only: has("--legacy")
            .then_some(Era::Legacy)
            .or(has("--modern").then_some(Era::Modern)),
        calls: AtomicUsize::default(),
        cancelled: Arc::default(),
        extra: AtomicUsize::default(),
        changed: watch::Sender::new(0),
        updated: watch::Sender::new(None),
        level: std::sync::Mutex::default(),
        told: Arc::default(),
    });
    let file = args.iter().skip_while(|arg| *arg != "--http").nth(1);
    let Some(file) = file else {
        let _ = serve_stdio(fixture, Limits::default()).await;
        return;
    };
    let endpoint = Endpoint::new(fixture, Options::default());
    let listener = {
        let port = args.iter().skip_while(|arg| *arg != "--port").nth(1);
        let port = port.map_or("0", String::as_str);
        TcpListener::bind(format!("127.0.0.1:{port}"))
            .await
            .unwrap()
    };
    let port = listener.local_addr().unwrap().port();
    std::fs::write(file, format!("{port}\n")).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let endpoint = endpoint.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let endpoint = endpoint.clone();
                async move { Ok::<_, std::convert::Infallible>(endpoint.handle(request).await) }
            });
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next_if(|first| first == "supervise").is_some() {
        let options = supervisor::Options::from_args(args);
        return options
            .and_then(|options| supervisor::supervise(&options))
            .unwrap_or_else(|reason| {
                eprintln!("{reason}");
                ExitCode::from(125)
            });
    }
    let args: Vec<String> = args.map(|arg| arg.into_string().unwrap()).collect();
    serve(&args);
    ExitCode::SUCCESS
}
