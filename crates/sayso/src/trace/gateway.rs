//! The gate of `sayso gate` in front of a server, within this process: what it is started with, and
//! its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sayso_audit::semantics::Semantics;
use sayso_core::effective::Trust;
use sayso_gateway::gate::{Gate, Setup};
use sayso_gateway::host::{HostOptions, Hosts};
use sayso_gateway::metrics;
use sayso_gateway::policy::PolicySource;
use sayso_gateway::server::{HostChoice, Launcher};
use sayso_gateway::settings::{
    ApprovalForm, ArgumentSettings, Confine, FirstUse, GateSettings, Instances, Prefix, ServerEra,
    ServerSettings, ToolSettings,
};
use sayso_gateway::web::{self, WebOptions};
use sayso_mcp::downstream::Stop;
use sayso_mcp::{ClientInfo, HttpTarget, Target};
use sayso_store::Store;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::Answer;
use super::conversation::Conversation;
use super::experiment::begin;
use super::script::Script;
use crate::cli::EraChoice;
use crate::error::{Failure, chain};
use crate::gate::rules::Place;
use crate::gate::{confiner, open_store, store_failure, supervisor};
use crate::lock::launch;
use crate::run::RunOptions;
use crate::targets::{PlannedTarget, Source};

/// How long the gate and its server have to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Seconds a call waits for an answer that the script has somebody give.
const WAIT_FOR_ANSWER: u64 = 20;

/// Seconds it waits where the script has somebody say nothing.
const WAIT_FOR_NOTHING: u64 = 2;

/// How often the gate repeats a call of the scratch server that was lost, as the documented
/// defaults do.
const RETRIES: u32 = 2;

/// Which rules the gate has.
#[derive(Clone, Debug)]
pub(crate) struct GatePlan {
    /// The settings there are, for a server that somebody named.
    pub(crate) place: Place,
    /// The policies.
    pub(crate) policies: Vec<PolicySource>,
    /// How the rules of the linter read what is contested.
    pub(crate) semantics: Semantics,
}

/// What differs from one gate of the experiment to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Stance {
    /// Whether the scratch server's claims count.
    pub(super) trust: Trust,
    /// Which of its calls are confined.
    pub(super) confine: Confine,
    /// The values that an argument of a tool may have: tool, argument, values.
    pub(super) one_of: Option<(&'static str, &'static str, &'static str)>,
}

/// A gate in front of one server.
pub(super) struct Gateway {
    pub(super) gate: Arc<Gate>,
    pub(super) store: Arc<dyn Store>,
    /// Where clients reach it.
    target: Target,
    /// How long the caller of a call waits for what the gate says.
    pub(super) patience: Duration,
    /// What it takes the server's claims for.
    pub(super) trust: Trust,
    stop: Stop,
    serving: JoinHandle<()>,
    _folder: TempDir,
}

impl GatePlan {
    /// Starts a gate in front of a server.
    ///
    /// # Errors
    /// When the rules cannot be read, or the gate cannot be started.
    pub(super) async fn start(
        &self,
        server: &PlannedTarget,
        stance: Option<&Stance>,
        script: &Script,
        options: &RunOptions,
    ) -> Result<Gateway, Failure> {
        let folder = tempfile::Builder::new().prefix("sayso-trace-").tempdir();
        let folder = folder
            .map_err(|error| Failure::usage("cannot make a temporary folder").source(error))?;
        let place = self.place(server, stance, script, options, &folder)?;
        let mut rules = place.read(self.semantics)?;
        rules.policies.clone_from(&self.policies);
        rules.launches = BTreeMap::from([(server.name.clone(), launch::of(server))]);
        let behind = rules.settings.servers.get(&server.name);
        let trust = behind.map(|server| server.trust).unwrap_or_default();
        let patience = behind.map_or(Duration::ZERO, |behind| patience(&rules.settings, behind));
        let store = open_store(&place)?;
        let secret = store.secret("request-state").await.map_err(store_failure)?;
        let (registry, metrics) = metrics::registry();
        let identity = ClientInfo {
            name: "sayso".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let setup = Setup {
            store: Arc::clone(&store),
            launcher: Launcher {
                supervisor: Some(supervisor()?),
                client: identity.clone(),
                folder: place.folder.clone(),
                message_bytes: None,
                freshness: None,
                confiner: Some(confiner()?),
            },
            host: HostChoice::Many,
            metrics,
        };
        let gate = Gate::start(rules, setup).await.map_err(store_failure)?;
        let stop = Stop::new();
        let host_options = HostOptions {
            identity,
            stop: stop.clone(),
            ..HostOptions::default()
        };
        let hosts = Hosts::start(Arc::clone(&gate), &secret, host_options);
        let listener = web::bind("127.0.0.1:0")
            .await
            .map_err(|error| Failure::usage(error.to_string()))?;
        let address = listener
            .local_addr()
            .map_err(|error| Failure::usage("the gate cannot be reached").source(error))?;
        let url = format!("http://{address}{}", web::PATH);
        let target = HttpTarget::new(&url).map_err(|error| Failure::usage(chain(&error)))?;
        let web_options = WebOptions {
            patience: PATIENCE,
            stop: stop.clone(),
            ..WebOptions::default()
        };
        let serving = tokio::spawn(web::serve(listener, hosts, registry, web_options));
        Ok(Gateway {
            gate,
            store,
            target: Target::Http(target),
            patience,
            trust,
            stop,
            serving,
            _folder: folder,
        })
    }

    /// The settings: those there are, with this server alone, and with a store that goes.
    fn place(
        &self,
        server: &PlannedTarget,
        stance: Option<&Stance>,
        script: &Script,
        options: &RunOptions,
        folder: &TempDir,
    ) -> Result<Place, Failure> {
        let base = match stance {
            Some(_) => Place {
                settings: GateSettings::default(),
                folder: folder.path().to_owned(),
            },
            None => self.place.clone(),
        };
        let set = base.settings.servers.get(&server.name).cloned();
        let mut behind = match (stance, set) {
            (Some(stance), _) => of_scratch(stance),
            (None, Some(set)) => set,
            (None, None) => ServerSettings {
                first_use: FirstUse::TrustOnce,
                ..ServerSettings::default()
            },
        };
        reach(&mut behind, server)?;
        behind.era = match options.era {
            EraChoice::Auto | EraChoice::Both => ServerEra::Auto,
            EraChoice::Legacy => ServerEra::Legacy,
            EraChoice::Modern => ServerEra::Modern,
        };
        behind.timeout = Some(seconds(script.timeout));
        for call in &script.calls {
            if let Some(timeout) = call.timeout {
                let tool = behind.tools.entry(call.tool.clone()).or_default();
                tool.timeout = Some(seconds(timeout).max(tool.timeout.unwrap_or_default()));
            }
        }
        let answers = script.calls.iter().map(|call| call.person);
        let is_silent = answers
            .chain([Some(script.person)])
            .any(|answer| answer.unwrap_or(script.person) == Answer::Nothing);
        Ok(Place {
            settings: GateSettings {
                listen: None,
                store: Some(folder.path().join("sayso.db")),
                policy: Vec::new(),
                approval: ApprovalForm::Terminal,
                wait: Some(if is_silent {
                    WAIT_FOR_NOTHING
                } else {
                    WAIT_FOR_ANSWER
                }),
                // Calls are made by the names that the server has for its tools.
                prefix: Prefix::Never,
                max_name: None,
                servers: BTreeMap::from([(server.name.clone(), behind)]),
                ..base.settings
            },
            folder: base.folder,
        })
    }
}

impl Gateway {
    /// A bare client's conversation with it.
    ///
    /// # Errors
    /// When the policies cannot be used, or the server's tools not be served, or it cannot be reached.
    pub(super) async fn connect(&self, options: &RunOptions) -> Result<Conversation, Failure> {
        let conversation = begin(&self.target, options).await;
        // What is wrong with its rules says more than what a client sees of that.
        self.check()?;
        conversation
    }

    fn check(&self) -> Result<(), Failure> {
        let picture = self.gate.picture();
        if let Err(refusal) = picture.catalogue() {
            let why = refusal.kept_back.unwrap_or(refusal.message);
            return Err(Failure::usage(why).hint("`sayso policy check` says more"));
        }
        match picture.left_out.values().next() {
            Some(why) => Err(Failure::usage(why.clone())),
            None => Ok(()),
        }
    }

    /// Ends it and its server.
    pub(super) async fn end(self) {
        self.stop.stop();
        let _ = tokio::time::timeout(PATIENCE, self.serving).await;
        self.gate.stop(PATIENCE).await;
        // The file goes with the folder.
        let _ = self.store.close().await;
    }
}

/// What is set about the scratch server.
fn of_scratch(stance: &Stance) -> ServerSettings {
    let mut settings = ServerSettings {
        trust: stance.trust,
        confine: stance.confine,
        first_use: FirstUse::TrustOnce,
        instances: Instances::Shared,
        retries: RETRIES,
        ..ServerSettings::default()
    };
    if let Some((tool, argument, value)) = stance.one_of {
        let allowed = ArgumentSettings {
            one_of: Some(vec![value.into()]),
            ..ArgumentSettings::default()
        };
        let tool_settings = ToolSettings {
            arguments: BTreeMap::from([(argument.to_owned(), allowed)]),
            ..ToolSettings::default()
        };
        settings.tools.insert(tool.to_owned(), tool_settings);
    }
    settings
}

/// How a server is started or reached, as settings have it.
fn reach(settings: &mut ServerSettings, server: &PlannedTarget) -> Result<(), Failure> {
    let plain = |(name, value): &(String, String)| match value.contains("${") {
        false => Ok((name.clone(), value.clone())),
        true => Err(Failure::usage(format!(
            "the value of `{name}` has `${{` in it, which the gate would fill in"
        ))),
    };
    match &server.source {
        Source::Process(process) => {
            settings.command = Some(process.program.clone());
            settings.args.clone_from(&process.arguments);
            settings.env = process
                .environment
                .iter()
                .map(plain)
                .collect::<Result<_, _>>()?;
            let directory = process.directory.as_ref();
            settings.cwd = directory
                .map(std::path::absolute)
                .transpose()
                .map_err(|error| {
                    Failure::usage("the folder of the server cannot be found").source(error)
                })?;
            settings.url = None;
        }
        Source::Http(http) => {
            settings.command = None;
            settings.url = Some(http.url.clone());
            settings.headers = http.headers.iter().map(plain).collect::<Result<_, _>>()?;
            if let Some(token) = &http.bearer {
                let (name, value) =
                    plain(&("Authorization".to_owned(), format!("Bearer {token}")))?;
                settings.headers.insert(name, value);
            }
        }
        Source::Saved(_) | Source::StandardInput | Source::Unreadable(_) => {
            return Err(Failure::usage("it is no live server"));
        }
    }
    Ok(())
}

/// Whole seconds, and no fewer than one.
fn seconds(duration: Duration) -> u64 {
    let more = u64::from(duration.subsec_nanos() > 0);
    duration.as_secs().saturating_add(more).max(1)
}

/// How long a call may take in all: until somebody answered, and every attempt.
fn patience(settings: &GateSettings, server: &ServerSettings) -> Duration {
    const SLACK: Duration = Duration::from_secs(30);
    let tools = server.tools.values();
    let timeout = tools.filter_map(|tool| tool.timeout).max();
    let timeout = server
        .timeout()
        .max(Duration::from_secs(timeout.unwrap_or_default()));
    let tools = server.tools.values();
    let retries = tools
        .filter_map(|tool| tool.retries)
        .chain([server.retries])
        .max();
    let attempts = retries.unwrap_or_default().saturating_add(2);
    let running = timeout.saturating_mul(attempts);
    settings
        .wait()
        .saturating_add(running)
        .saturating_add(SLACK)
}
