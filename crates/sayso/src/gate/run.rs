//! From the rules to the end of the gate.

use std::sync::Arc;
use std::time::Duration;

use sayso_audit::semantics::Semantics;
use sayso_core::journal::{self, Record};
use sayso_gateway::gate::{Gate, Setup};
use sayso_gateway::host::{HostOptions, Hosts};
use sayso_gateway::metrics::{self, Registry};
use sayso_gateway::server::{HostChoice, Launcher};
use sayso_gateway::settings::{Durability, GateSettings};
use sayso_gateway::web::{self, WebOptions};
use sayso_mcp::downstream::{Limits, Options, Stop, serve_stdio};
use sayso_mcp::{ClientInfo, Supervisor};
use sayso_store::sqlite::{self, Role, SqliteStore};
use sayso_store::{Store, StoreError};

use super::confine::confiner;
use super::follow::{Reload, reload_on_change};
use super::rules::Place;
use super::stopping::end;
use crate::cli::SUPERVISE;
use crate::error::{Failure, Outcome};

/// How long calls may go on once the gate is told to end.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What is run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Where the rules are.
    pub(crate) place: Place,
    /// How the rules of the linter read what is contested.
    pub(crate) semantics: Semantics,
    /// Where hosts are listened for; standard input and output where nowhere.
    pub(crate) listen: Option<String>,
    /// Reads settings again when they change.
    pub(crate) reload: Option<Reload>,
}

/// Runs a gate to its end.
pub(crate) fn run(plan: Plan) -> Outcome {
    // One thread: calls are short, and the supervisors of servers end with the thread that
    // started them.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| Failure::usage("cannot run").source(error))?;
    let outcome = runtime.block_on(serve(plan));
    // A read of standard input cannot be called off.
    runtime.shutdown_background();
    outcome
}

async fn serve(plan: Plan) -> Outcome {
    let rules = plan.place.read(plan.semantics)?;
    let settings = rules.settings.clone();
    let store = open(&plan.place)?;
    let (registry, metrics) = metrics::registry();
    let client = ClientInfo {
        name: "sayso".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let setup = Setup {
        store: Arc::clone(&store),
        launcher: Launcher {
            supervisor: Some(supervisor()?),
            client: client.clone(),
            folder: plan.place.folder.clone(),
            message_bytes: Some(settings.limits.message_bytes()),
            freshness: None,
            confiner: Some(confiner()?),
        },
        host: match plan.listen {
            Some(_) => HostChoice::Many,
            None => HostChoice::One,
        },
        metrics,
    };
    let secret = store.secret("request-state").await.map_err(store_failure)?;
    let gate = Gate::start(rules, setup).await.map_err(store_failure)?;
    let stop = Stop::new();
    let hosts = Hosts::start(
        Arc::clone(&gate),
        &secret,
        HostOptions {
            identity: client,
            stop: stop.clone(),
            ..HostOptions::default()
        },
    );
    let listens = plan.listen.as_deref().unwrap_or("stdio");
    journal(&*store, &gate, started(listens)).await;
    if let Some(reload) = plan.reload {
        tokio::spawn(reload_on_change(
            Arc::clone(&gate),
            reload,
            Arc::clone(&store),
        ));
    }
    let served = async {
        match &plan.listen {
            None => serve_pipes(hosts, &settings, stop.clone()).await,
            Some(address) => serve_web(address, hosts, &settings, registry, stop.clone()).await,
        }
    };
    let ended = end(Box::pin(served), &gate, &stop).await?;
    let closing = async {
        journal(&*store, &gate, stopped(ended.reason, ended.running)).await;
        store.close().await
    };
    match tokio::time::timeout(ended.patience, closing).await {
        Ok(closed) => closed.map_err(store_failure)?,
        Err(_) => tracing::error!("the last of the journal was not written in time"),
    }
    Ok(ended.code)
}

async fn serve_pipes(
    hosts: Hosts<Gate>,
    settings: &GateSettings,
    stop: Stop,
) -> Result<String, Failure> {
    let limits = Limits {
        message_bytes: settings.limits.message_bytes(),
        depth: settings.limits.depth(),
        max_running: settings.limits.requests(),
        stop,
        end_patience: PATIENCE,
        ..Limits::default()
    };
    let ending = serve_stdio(Arc::new(hosts), limits).await;
    ending
        .map(|ending| ending.to_string())
        .map_err(|error| Failure::usage("cannot serve on standard input and output").source(error))
}

async fn serve_web(
    address: &str,
    hosts: Hosts<Gate>,
    settings: &GateSettings,
    registry: Arc<Registry>,
    stop: Stop,
) -> Result<String, Failure> {
    let options = WebOptions {
        endpoint: Options {
            hosts: settings.hosts.clone(),
            origins: settings.origins.clone(),
            max_sessions: settings.limits.sessions(),
            message_bytes: settings.limits.message_bytes(),
            depth: settings.limits.depth(),
            max_running: settings.limits.requests(),
            ..Options::default()
        },
        connections: settings.limits.connections(),
        patience: PATIENCE,
        stop,
    };
    let listener = web::bind(address)
        .await
        .map_err(|error| Failure::usage(error.to_string()))?;
    let bound = listener.local_addr();
    let bound = bound.map_or_else(|_| address.to_owned(), |bound| bound.to_string());
    super::tell(&format!("the gate is at http://{bound}{}", web::PATH));
    web::serve(listener, hosts, registry, options).await;
    Ok("the listener ended".to_owned())
}

/// Opens the store for a gate.
pub(crate) fn open(place: &Place) -> Result<Arc<dyn Store>, Failure> {
    let store = SqliteStore::open(&sqlite::Options {
        path: place.store(),
        role: Role::Gate,
        durability: match place.settings.journal.durability {
            Durability::Process => sqlite::Durability::Process,
            Durability::Power => sqlite::Durability::Power,
        },
    });
    Ok(Arc::new(store.map_err(store_failure)?))
}

pub(crate) fn store_failure(error: StoreError) -> Failure {
    let hint = error.hint().map(str::to_owned);
    Failure::usage(error.to_string()).hint_if_known(hint)
}

/// What watches over the processes of servers.
pub(crate) fn supervisor() -> Result<Supervisor, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage("cannot find this program's own file").source(error))?;
    Ok(Supervisor {
        program,
        args: vec![SUPERVISE.into()],
    })
}

fn started(listens: &str) -> Record {
    Record::Started(journal::Started {
        listens: vec![listens.to_owned()],
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..journal::Started::default()
    })
}

fn stopped(reason: String, running: usize) -> Record {
    Record::Stopped(journal::Stopped {
        reason,
        running: running as u64,
    })
}

pub(super) async fn journal(store: &dyn Store, gate: &Gate, record: Record) {
    if let Err(error) = store.append(gate.now(), record).await {
        tracing::error!(%error, "an entry was not written to the journal");
    }
}
