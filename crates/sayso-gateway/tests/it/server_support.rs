//! Fixture servers, and hosts that are played by the test.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_gateway::caller::Caller;
use sayso_gateway::host::{AskError, Exchange, Gone, Introduction, Line, Pending};
use sayso_gateway::server::{Answer, Asked, HostChoice, Launcher, Lost, Phase, Server};
use sayso_gateway::settings::ServerSettings;
use sayso_mcp::downstream::{Era, Transport};
use sayso_mcp::{ClientInfo, Supervisor};
use tokio::time::timeout;

/// Nothing in these tests takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The fixture server of this crate, which `cargo test` has built.
pub(crate) fn fixture() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(2).unwrap();
    let path = target
        .join("examples")
        .join(format!("fixture{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is missing: `cargo test` builds it, `cargo test --test it` does not",
        path.display()
    );
    path
}

pub(crate) fn launcher() -> Launcher {
    Launcher {
        supervisor: cfg!(unix).then(|| Supervisor {
            program: fixture(),
            args: vec!["supervise".into()],
        }),
        client: ClientInfo {
            name: "gate".to_owned(),
            version: "1".to_owned(),
        },
        ..Launcher::default()
    }
}

/// Settings for the fixture server with these arguments.
pub(crate) fn settings(args: &[&str]) -> ServerSettings {
    ServerSettings {
        command: Some(fixture().to_str().unwrap().to_owned()),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        ..ServerSettings::default()
    }
}

pub(crate) fn start(settings: &ServerSettings, host: HostChoice) -> Arc<Server> {
    Server::start("files", settings, launcher(), host)
}

/// Waits until the state is as wanted.
pub(crate) async fn until(
    server: &Server,
    wanted: impl Fn(&sayso_gateway::server::State) -> bool,
) -> Arc<sayso_gateway::server::State> {
    let mut changes = server.changes();
    let waiting = async {
        loop {
            changes.borrow_and_update();
            let state = server.state();
            if wanted(&state) {
                return state;
            }
            changes.changed().await.unwrap();
        }
    };
    let waited = timeout(PATIENCE, waiting).await;
    waited.unwrap_or_else(|_| panic!("not as wanted: {:?}", server.state()))
}

pub(crate) async fn ready(settings: &ServerSettings, host: HostChoice) -> Arc<Server> {
    let server = start(settings, host);
    until(&server, |state| {
        state.phase == Phase::Ready && state.listing.is_some()
    })
    .await;
    server
}

/// A host that writes down what it is told, and answers what it is asked.
pub(crate) struct Host {
    heard: Mutex<Vec<String>>,
    answer: Result<String, AskError>,
}

impl Host {
    pub(crate) fn heard(&self) -> String {
        self.heard.lock().unwrap().join("\n")
    }
}

impl Line for Host {
    fn notify<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
    ) -> Pending<'a, Result<(), Gone>> {
        let text = format!("{method} {}", params.unwrap_or_default());
        self.heard.lock().unwrap().push(text);
        Box::pin(async { Ok(()) })
    }

    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
        _: Duration,
    ) -> Pending<'a, Result<String, AskError>> {
        let text = format!("asked {method} {}", params.unwrap_or_default());
        self.heard.lock().unwrap().push(text);
        Box::pin(async { self.answer.clone() })
    }

    fn closed(&self) -> Pending<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// A request of a host with these capabilities. `number` is its session.
pub(crate) fn exchange_of(
    era: Era,
    number: u64,
    capabilities: &str,
    answer: Result<String, AskError>,
) -> (Exchange, Arc<Host>) {
    exchange_by(Caller::default(), era, number, capabilities, answer)
}

/// The same of this caller.
pub(crate) fn exchange_by(
    caller: Caller,
    era: Era,
    number: u64,
    capabilities: &str,
    answer: Result<String, AskError>,
) -> (Exchange, Arc<Host>) {
    let host = Arc::new(Host {
        heard: Mutex::default(),
        answer,
    });
    let line: Arc<dyn Line> = Arc::clone(&host) as _;
    let introduction = introduction(era, capabilities);
    let exchange = Exchange::detached(number, caller, introduction, None, line);
    (exchange, host)
}

/// A request with this `_meta`.
pub(crate) fn exchange_with(era: Era, number: u64, meta: Option<&str>) -> Exchange {
    let line = Arc::new(Host {
        heard: Mutex::default(),
        answer: Err(AskError::Impossible),
    });
    let meta = meta.map(ToOwned::to_owned);
    let introduction = introduction(era, "{}");
    Exchange::detached(number, Caller::default(), introduction, meta, line)
}

fn introduction(era: Era, capabilities: &str) -> Introduction {
    Introduction {
        era,
        transport: Transport::Stdio,
        protocol_version: match era {
            Era::Legacy => "2025-11-25".to_owned(),
            Era::Modern => "2026-07-28".to_owned(),
        },
        client: Some(ClientInfo {
            name: "host".to_owned(),
            version: "1".to_owned(),
        }),
        capabilities: capabilities.to_owned(),
    }
}

/// A request of a legacy host that can do nothing.
pub(crate) fn exchange(number: u64) -> Exchange {
    exchange_of(Era::Legacy, number, "{}", Err(AskError::Impossible)).0
}

/// Calls a tool with these parameters besides its name, raw.
pub(crate) async fn call(
    server: &Server,
    tool: &str,
    members: &str,
    exchange: &Exchange,
) -> Result<Answer, Lost> {
    let params = format!(r#"{{"name":"{tool}"{members}}}"#);
    let asked = Asked {
        method: "tools/call",
        params: Some(&params),
        name: Some(tool),
        input_schema: None,
        kept: None,
        timeout: None,
    };
    timeout(PATIENCE, server.request(asked, exchange))
        .await
        .expect("the call takes too long")
}

/// The first text of an answer.
pub(crate) fn text(answer: Result<Answer, Lost>) -> String {
    match answer {
        Ok(Answer::Result(result)) => {
            let content = result.root().get("content").unwrap();
            let text = content.elements().next().unwrap().get("text").unwrap();
            text.as_str().unwrap().into_owned()
        }
        Ok(Answer::InputRequired(result)) => format!("input required: {}", result.root().raw()),
        Ok(Answer::Error(message)) => format!("error: {}", message.document().text()),
        Err(lost) => format!("lost: {lost}"),
    }
}

/// What `who` says, by its part before the first comma (the process), and the rest.
pub(crate) async fn who(server: &Server, exchange: &Exchange) -> (String, String) {
    let who = text(call(server, "who", "", exchange).await);
    let (process, rest) = who.split_once(", ").unwrap();
    (process.to_owned(), rest.to_owned())
}
