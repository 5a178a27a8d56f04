//! Hosts that are played by the test over a pipe, a judge that lets everything pass, and servers
//! that answer by a script.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_core::json::{Document, Limits};
use sayso_gateway::caller::Caller;
use sayso_gateway::host::{
    Access, Begun, Behind, CallReply, Exchange, HostOptions, Hosts, Item, Judge,
};
use sayso_gateway::names;
use sayso_gateway::policy::Action;
use sayso_gateway::refusal::ReasonCode;
use sayso_gateway::server::{Answer, Asked, Event, Items, Lost, Phase, State};
use sayso_mcp::downstream::{Reply, serve_pipe};
use sayso_mcp::jsonrpc::Message;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::{broadcast, watch};
use tokio::time::timeout;

use crate::server_support::PATIENCE;

/// What a script is asked: method, raw parameters and the exchange.
pub(crate) type Script = Box<
    dyn Fn(String, String, Exchange) -> Pin<Box<dyn Future<Output = Result<Answer, Lost>> + Send>>
        + Send
        + Sync,
>;

/// A server that answers by a script, and writes down what it is asked.
pub(crate) struct Scripted {
    name: &'static str,
    state: Mutex<Arc<State>>,
    changes: watch::Sender<u64>,
    events: broadcast::Sender<Event>,
    script: Script,
    seen: Mutex<Vec<String>>,
    left: watch::Sender<BTreeSet<u64>>,
}

pub(crate) fn document(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).unwrap()
}

pub(crate) fn result(text: &str) -> Result<Answer, Lost> {
    Ok(Answer::Result(document(text)))
}

pub(crate) fn error(code: i64, message: &str) -> Result<Answer, Lost> {
    let text =
        format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{message}"}}}}"#);
    Ok(Answer::Error(Message::classify(document(&text)).unwrap()))
}

/// Answers everything at once, by method and parameters.
pub(crate) fn script(
    answer: impl Fn(&str, &str) -> Result<Answer, Lost> + Send + Sync + 'static,
) -> Script {
    Box::new(move |method, params, _| {
        let answer = answer(&method, &params);
        Box::pin(async move { answer })
    })
}

/// A state that is ready: `hello` and lists are raw.
pub(crate) fn ready(hello: &str, prompts: &str, resources: &str, templates: &str) -> State {
    let items = |key, list: &str| {
        let page = document(&format!(r#"{{"{key}":[{list}]}}"#));
        Some(Arc::new(Items::complete(key, vec![page])))
    };
    State {
        phase: Phase::Ready,
        hello: Some(document(hello)),
        era: Some(sayso_core::listing::Era::Legacy),
        prompts: items("prompts", prompts),
        resources: items("resources", resources),
        templates: items("resourceTemplates", templates),
        ..State::default()
    }
}

impl Scripted {
    pub(crate) fn new(name: &'static str, state: State, script: Script) -> Arc<Self> {
        Arc::new(Self {
            name,
            state: Mutex::new(Arc::new(state)),
            changes: watch::Sender::new(0),
            events: broadcast::Sender::new(64),
            script,
            seen: Mutex::default(),
            left: watch::Sender::default(),
        })
    }

    pub(crate) fn set(&self, state: State) {
        *self.state.lock().unwrap() = Arc::new(state);
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) fn say(&self, event: Event) {
        self.events.send(event).unwrap();
    }

    /// What it was asked since this was called last.
    pub(crate) fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }

    /// Waits until a session has left.
    pub(crate) async fn left(&self, session: u64) {
        let mut left = self.left.subscribe();
        let waiting = left.wait_for(|left| left.contains(&session));
        timeout(PATIENCE, waiting).await.unwrap().unwrap();
    }
}

impl Behind for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.lock().unwrap())
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    fn introduce(&self, _: &str) {}

    async fn request(&self, asked: Asked<'_>, exchange: &Exchange) -> Result<Answer, Lost> {
        let params = asked.params.unwrap_or_default();
        let line = format!("{} {params}", asked.method);
        let line = line.trim_end().to_owned();
        self.seen.lock().unwrap().push(line);
        (self.script)(asked.method.to_owned(), params.to_owned(), exchange.clone()).await
    }

    async fn notify(&self, session: u64, method: &str, params: Option<&str>) {
        let line = format!("{method} {} of {session}", params.unwrap_or_default());
        self.seen.lock().unwrap().push(line);
    }

    fn leave(&self, session: u64) {
        self.left.send_modify(|left| {
            left.insert(session);
        });
    }
}

/// Lets everything pass that is not hidden; tools are the first server's, or those of the one
/// whose name they begin with.
pub(crate) struct Lenient<S> {
    servers: Vec<Arc<S>>,
    views: watch::Sender<u64>,
    /// `tools/list` by caller.
    tools: Mutex<String>,
    hidden: Mutex<BTreeSet<String>>,
    pub(crate) refused: Mutex<Vec<String>>,
    /// Who everybody is from now on, where that is somebody else.
    pub(crate) everybody: Mutex<Option<&'static str>>,
    /// The note that a call gets which has to come again, and those that came back.
    note: Option<&'static str>,
    pub(crate) notes: Mutex<Vec<Option<String>>>,
}

impl<S: Behind> Lenient<S> {
    pub(crate) fn new(servers: Vec<Arc<S>>) -> Self {
        Self {
            servers,
            views: watch::Sender::new(0),
            tools: Mutex::new(r#"{"tools":[{"name":"read"}]}"#.to_owned()),
            hidden: Mutex::default(),
            refused: Mutex::default(),
            everybody: Mutex::default(),
            note: None,
            notes: Mutex::default(),
        }
    }

    pub(crate) fn with_note(self, note: &'static str) -> Self {
        Self {
            note: Some(note),
            ..self
        }
    }

    pub(crate) fn set_tools(&self, tools: &str) {
        *self.tools.lock().unwrap() = tools.to_owned();
    }

    pub(crate) fn hide(&self, what: &str) {
        self.hidden.lock().unwrap().insert(what.to_owned());
    }

    pub(crate) fn change(&self) {
        self.views.send_modify(|count| *count += 1);
    }
}

fn what(access: Access<'_>) -> &str {
    match access.item {
        Item::Prompt { name, .. } => name,
        Item::Resource { uri, .. } => uri,
        Item::Method { method, .. } => method,
    }
}

impl<S: Behind> Judge for Lenient<S> {
    type Server = S;

    fn servers(&self) -> Vec<Arc<S>> {
        self.servers.clone()
    }

    fn caller(&self, principal: &str) -> Caller {
        Caller {
            name: self
                .everybody
                .lock()
                .unwrap()
                .unwrap_or(principal)
                .to_owned(),
            groups: Vec::new(),
        }
    }

    fn served_as(&self, server: &str, name: &str) -> String {
        let prefix = (self.servers.len() > 1).then_some(server);
        names::served(prefix, name, 64)
    }

    async fn list(&self, _: &Exchange) -> Reply {
        Reply::Result(self.tools.lock().unwrap().clone())
    }

    async fn call(
        &self,
        exchange: &Exchange,
        message: &Message,
        _: &[(String, String)],
    ) -> CallReply {
        self.notes
            .lock()
            .unwrap()
            .push(exchange.note().map(str::to_owned));
        let server = self.servers.first().unwrap();
        let params = message.params().unwrap();
        let name = params.get("name").unwrap().as_str().unwrap();
        let asked = Asked {
            method: "tools/call",
            params: Some(params.raw()),
            name: Some(&name),
            input_schema: None,
            kept: None,
            timeout: None,
        };
        let server_name = server.name().to_owned();
        match server.request(asked, exchange).await {
            Ok(Answer::Result(result)) => CallReply::Result {
                tool: name.into_owned(),
                server: server_name,
                result,
            },
            Ok(Answer::InputRequired(result)) => CallReply::InputRequired {
                server: server_name,
                result,
                note: self.note.map(str::to_owned),
            },
            Ok(Answer::Error(message)) => {
                let error = message.document().root().get("error").unwrap();
                CallReply::Reply(Reply::Raw(error.raw().to_owned()))
            }
            Err(lost) => CallReply::Reply(Reply::error(1, lost.to_string())),
        }
    }

    async fn resolve(&self, _: &Exchange, _: &Message) -> Reply {
        Reply::Result(r#"{"name":"read"}"#.to_owned())
    }

    async fn admit(&self, exchange: &Exchange, access: Access<'_>) -> Result<(), Reply> {
        if self.shows(exchange, access) {
            return Ok(());
        }
        Err(Reply::error(-1, format!("not for you: {}", what(access))))
    }

    fn shows(&self, _: &Exchange, access: Access<'_>) -> bool {
        access.action == Action::Call || !self.hidden.lock().unwrap().contains(what(access))
    }

    async fn admit_task(&self, _: &Exchange, task: &Begun, method: &str) -> Result<(), Reply> {
        if self.hidden.lock().unwrap().contains(&task.tool) {
            return Err(Reply::error(-1, format!("not for you: {method}")));
        }
        Ok(())
    }

    fn shows_task(&self, _: &Exchange, task: &Begun) -> bool {
        !self.hidden.lock().unwrap().contains(&task.tool)
    }

    fn views(&self) -> watch::Receiver<u64> {
        self.views.subscribe()
    }

    fn refused(&self, caller: &Caller, _: Option<u64>, _: ReasonCode, what: &str) {
        let line = format!("{}: {what}", caller.name);
        self.refused.lock().unwrap().push(line);
    }
}

/// A gate with these servers.
pub(crate) struct Gate<S: Behind> {
    pub(crate) judge: Arc<Lenient<S>>,
    pub(crate) hosts: Hosts<Lenient<S>>,
    numbers: sayso_mcp::downstream::Numbers,
}

impl<S: Behind> Gate<S> {
    pub(crate) fn new(judge: Lenient<S>) -> Self {
        let options = HostOptions {
            start_patience: Duration::from_millis(200),
            ..HostOptions::default()
        };
        Self::with(judge, options)
    }

    pub(crate) fn with(judge: Lenient<S>, options: HostOptions) -> Self {
        let judge = Arc::new(judge);
        let hosts = Hosts::start(Arc::clone(&judge), &[7; 32], options);
        Self {
            judge,
            hosts,
            numbers: sayso_mcp::downstream::Numbers::default(),
        }
    }

    /// Another host over a pipe.
    pub(crate) fn connect(&self) -> Player {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let limits = sayso_mcp::downstream::Limits {
            numbers: self.numbers.clone(),
            ..sayso_mcp::downstream::Limits::default()
        };
        tokio::spawn(serve_pipe(
            Arc::new(self.hosts.clone()),
            reader,
            writer,
            limits,
        ));
        let (reader, writer) = tokio::io::split(ours);
        Player {
            lines: BufReader::new(reader),
            writer,
            last_id: 0,
            capabilities: json!({}),
            is_modern: false,
        }
    }

    /// A legacy host that has shaken hands, and its number.
    pub(crate) async fn legacy(&self, capabilities: Value) -> Player {
        let mut player = self.connect();
        player.hello(capabilities).await;
        player
    }

    /// A modern host.
    pub(crate) fn modern(&self, capabilities: Value) -> Player {
        Player {
            capabilities,
            is_modern: true,
            ..self.connect()
        }
    }
}

/// A host.
pub(crate) struct Player {
    lines: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
    last_id: u64,
    capabilities: Value,
    is_modern: bool,
}

impl Player {
    /// `initialize`; the result.
    pub(crate) async fn hello(&mut self, capabilities: Value) -> String {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "player", "version": "1" },
        });
        let answer = self.ask("initialize", &params.to_string()).await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        answer
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    /// Sends a request with raw parameters; its id.
    pub(crate) async fn request(&mut self, method: &str, params: &str) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let params = if self.is_modern {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "player", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
            let members = params.trim().trim_start_matches('{');
            let comma = if members.starts_with('}') { "" } else { "," };
            format!(r#"{{"_meta":{meta}{comma}{members}"#)
        } else {
            params.to_owned()
        };
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ))
        .await;
        id
    }

    /// Sends a request whose parameters may have a `_meta`.
    pub(crate) async fn request_with_meta(&mut self, method: &str, params: &Value) -> u64 {
        if !self.is_modern {
            return self.request(method, &params.to_string()).await;
        }
        self.last_id += 1;
        let id = self.last_id;
        let mut params = params.clone();
        let own = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        match params["_meta"].as_object_mut() {
            Some(meta) => meta.extend(own.as_object().unwrap().clone()),
            None => params["_meta"] = own,
        }
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string()).await;
        id
    }

    /// The next line that comes.
    pub(crate) async fn next(&mut self) -> String {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.lines.read_line(&mut line)).await;
        read.expect("nothing comes").unwrap();
        line.trim_end().to_owned()
    }

    /// Asks, and gives the `result` or `error` of the answer, raw. Nothing else may come before.
    pub(crate) async fn ask(&mut self, method: &str, params: &str) -> String {
        let id = self.request(method, params).await;
        self.answer(id).await
    }

    pub(crate) async fn answer(&mut self, id: u64) -> String {
        let line = self.next().await;
        let start = format!(r#"{{"jsonrpc":"2.0","id":{id},""#);
        let Some(answer) = line.strip_prefix(&start) else {
            panic!("not the answer to {id}: {line}");
        };
        let answer = answer.strip_suffix('}').unwrap();
        match answer.strip_prefix("result\":") {
            Some(result) => result.to_owned(),
            None => answer.replacen("error\":", "error: ", 1),
        }
    }

    /// Closes the connection.
    pub(crate) async fn leave(mut self) {
        self.writer.shutdown().await.unwrap();
    }
}
