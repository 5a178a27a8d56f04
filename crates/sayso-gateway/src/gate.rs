//! The gate itself: rules, servers, store, and the picture of the moment that calls are judged by.

mod evidence;
mod follow;
mod judge;
mod picture;
mod writer;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use sayso_core::digest::Digest;
use sayso_core::effective::Evidence;
use sayso_core::hint::Hints;
use sayso_core::journal::{self, Record, Timestamp};
use sayso_core::lock::{Launch, Lock, PinnedServer};
use sayso_core::rulings::Rulings;
use sayso_mcp::downstream::Stop;
use sayso_store::{EntryQuery, Store, StoreError};
use tokio::sync::{Notify, watch};

pub use self::picture::Picture;
pub use self::writer::{Settling, Writer};
use crate::call::{Context, journal_reasons};
use crate::clock::Clock;
use crate::facts::Facts;
use crate::metrics::Metrics;
use crate::pins::Compare;
use crate::policy::PolicySource;
use crate::refusal::{ReasonCode, Refusal};
use crate::server::{HostChoice, Launcher, Server};
use crate::settings::{ArgumentsKept, GateSettings, ServerSettings};
use crate::stages::exclusive::Exclusive;

/// The rules of the operator, read and checked.
#[derive(Clone)]
pub struct Rules {
    /// The settings.
    pub settings: GateSettings,
    /// What was accepted of servers.
    pub lock: Lock,
    /// What was decided about tools.
    pub rulings: Rulings,
    /// What was observed of tools at work.
    pub evidence: Observed,
    /// The policies.
    pub policies: Vec<PolicySource>,
    /// How each server is launched, as a lock has it.
    pub launches: BTreeMap<String, Launch>,
    /// How a difference between pin and listing weighs.
    pub compare: Compare,
}

/// What was observed of tools at work before the gate: by server and tool, each with the digest of the
/// definition it holds for.
pub type Observed = BTreeMap<String, BTreeMap<String, Vec<(Digest, Hints<Evidence>)>>>;

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("servers", &self.settings.servers.keys())
            .finish_non_exhaustive()
    }
}

/// A server that was started, and by which settings.
#[derive(Clone, Debug)]
struct Running {
    server: Arc<Server>,
    settings: Arc<ServerSettings>,
}

/// What is remembered between one picture and the next.
#[derive(Debug, Default)]
struct Memory {
    /// What the first use of servers pinned.
    first_pins: BTreeMap<String, PinnedServer>,
    /// What was observed, by server and tool.
    evidence: BTreeMap<String, BTreeMap<String, Hints<Evidence>>>,
    /// What the journal was told of each server's listing last.
    told: BTreeMap<String, String>,
    /// What the log was told last of tools that are not confined and should be.
    not_enforced: BTreeMap<String, BTreeMap<String, String>>,
    /// What the log was told of the policies last.
    policy_notes: Vec<String>,
    /// Whether the journal was told that a server answers.
    up: BTreeMap<String, bool>,
}

/// The gate.
pub struct Gate {
    picture: ArcSwap<Picture>,
    rules: ArcSwap<Rules>,
    servers: ArcSwap<BTreeMap<String, Running>>,
    store: Arc<dyn Store>,
    writer: Writer,
    exclusive: Exclusive,
    facts: Facts,
    metrics: Metrics,
    launcher: Launcher,
    host: HostChoice,
    views: watch::Sender<u64>,
    stale: Notify,
    memory: Mutex<Memory>,
    /// When it was started.
    began: Instant,
    clock: Clock,
    running: AtomicUsize,
    stopping: Stop,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("servers", &self.servers.load().keys())
            .finish_non_exhaustive()
    }
}

/// What a gate is started with, besides the rules.
#[derive(Clone)]
pub struct Setup {
    /// Where journal, approvals and first pins are kept.
    pub store: Arc<dyn Store>,
    /// What servers are started with.
    pub launcher: Launcher,
    /// How many hosts there will be.
    pub host: HostChoice,
    /// What is counted.
    pub metrics: Metrics,
}

impl Gate {
    /// Starts the servers and follows what they list.
    ///
    /// Needs a runtime on a thread that lives as long as the gate.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn start(rules: Rules, setup: Setup) -> Result<Arc<Self>, StoreError> {
        let memory = Memory::read(&*setup.store).await?;
        let clock = Clock::new(latest(&*setup.store).await?);
        let gate = Arc::new(Self {
            picture: ArcSwap::from_pointee(Picture::empty(&rules)),
            rules: ArcSwap::from_pointee(rules),
            servers: ArcSwap::default(),
            writer: Writer::new(Arc::clone(&setup.store), setup.metrics.clone()),
            store: setup.store,
            exclusive: Exclusive::default(),
            facts: Facts::default(),
            metrics: setup.metrics,
            launcher: setup.launcher,
            host: setup.host,
            views: watch::Sender::new(0),
            stale: Notify::new(),
            memory: Mutex::new(memory),
            began: Instant::now(),
            clock,
            running: AtomicUsize::new(0),
            stopping: Stop::new(),
        });
        gate.start_servers();
        tokio::spawn(follow::follow(Arc::downgrade(&gate)));
        tokio::spawn(follow::forget(Arc::downgrade(&gate)));
        Ok(gate)
    }

    /// Takes up other rules. Calls that run go on by those they were judged by; servers whose
    /// settings are the same go on, too.
    pub fn reload(self: &Arc<Self>, rules: Rules) {
        self.rules.store(Arc::new(rules));
        self.start_servers();
        self.stale.notify_one();
    }

    /// Takes no new calls. Those that wait for a person or for their turn are refused now, so that
    /// only those are left that a server has.
    pub fn wind_down(&self) {
        self.stopping.stop();
    }

    /// Ends: no new calls, those that run may end within `patience`, then the servers end. Returns
    /// how many calls were still running then.
    pub async fn stop(&self, patience: Duration) -> usize {
        const STEP: Duration = Duration::from_millis(20);
        /// How long the store may take for what there is to say of the calls.
        const WRITING: Duration = Duration::from_secs(10);
        self.wind_down();
        let end = tokio::time::Instant::now() + patience;
        while self.running.load(Ordering::Relaxed) > 0 && tokio::time::Instant::now() < end {
            tokio::time::sleep(STEP).await;
        }
        let left = self.running.load(Ordering::Relaxed);
        let servers = self.servers.load_full();
        let mut ending = tokio::task::JoinSet::new();
        for running in servers.values() {
            let server = Arc::clone(&running.server);
            ending.spawn(async move { server.stop(Duration::from_secs(2)).await });
        }
        ending.join_all().await;
        let end = tokio::time::Instant::now() + WRITING;
        while self.writer.waiting() > 0 && tokio::time::Instant::now() < end {
            tokio::time::sleep(STEP).await;
        }
        left
    }

    /// The rules and tools of this moment.
    #[must_use]
    pub fn picture(&self) -> Arc<Picture> {
        self.picture.load_full()
    }

    /// Moves when what hosts may see has changed.
    #[must_use]
    pub fn views(&self) -> watch::Receiver<u64> {
        self.views.subscribe()
    }

    /// The servers, by name.
    #[must_use]
    pub fn servers(&self) -> Vec<Arc<Server>> {
        let servers = self.servers.load();
        servers
            .values()
            .map(|running| Arc::clone(&running.server))
            .collect()
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// How many calls are running.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// What tells that it ends.
    pub(crate) fn stopping(&self) -> &Stop {
        &self.stopping
    }

    pub(crate) fn exclusive(&self) -> &Exclusive {
        &self.exclusive
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        writer::now()
    }

    /// Milliseconds since the epoch, by a clock that does not go back: what expires is judged by it.
    #[must_use]
    pub fn expiry_now(&self) -> Timestamp {
        self.clock.now(self.now())
    }

    /// An id for a call that no other has.
    pub(crate) fn call_id(&self) -> String {
        use std::fmt::Write as _;
        static COUNTER: AtomicUsize = AtomicUsize::new(0);
        let mut bytes = [0_u8; 12];
        if getrandom::fill(&mut bytes).is_err() {
            let count = COUNTER.fetch_add(1, Ordering::Relaxed) as u64;
            let (first, second) = bytes.split_at_mut(8);
            first.copy_from_slice(&self.now().0.to_be_bytes());
            second.copy_from_slice(count.to_be_bytes().get(4..).unwrap_or_default());
        }
        let mut id = String::with_capacity(25);
        id.push('c');
        for byte in bytes {
            // Writing to a string does not fail.
            let _ = write!(id, "{byte:02x}");
        }
        id
    }

    /// Counts a call in, unless there are too many, or the gate is about to end.
    pub(crate) fn admit_call(&self) -> Result<InFlight<'_>, Refusal> {
        if self.stopping.is_stopped() {
            return Err(Refusal::stopping());
        }
        let in_flight = InFlight::count(self);
        let limit = self.rules.load().settings.limits.calls();
        if self.running.load(Ordering::Relaxed) > limit {
            let message = format!("{limit} calls are running already");
            return Err(Refusal::new(ReasonCode::Overloaded, message));
        }
        Ok(in_flight)
    }

    /// Writes a refusal down, and waits for that: what is denied is in the journal as surely as
    /// what is permitted.
    pub(crate) async fn refused(&self, known: journal::Call, refusal: &Refusal) {
        self.metrics.refusal(refusal.code.as_str());
        let mut call = known;
        if call.reasons.is_empty() {
            call.reasons = journal_reasons(&refusal.reasons);
        }
        let said = match &refusal.kept_back {
            Some(kept_back) => format!("{}: {kept_back}", refusal.message),
            None => refusal.message.clone(),
        };
        let record = Record::Refused(Box::new(journal::Refused {
            call,
            code: refusal.code.as_str().into(),
            remedy: Some(refusal.code.remedy().to_owned()),
            said,
        }));
        if let Err(error) = self.store.append(self.now(), record).await {
            self.metrics.record_lost();
            tracing::error!(%error, code = refusal.code.as_str(), "a refusal was not written to the journal");
        }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The latest time that the end of the journal tells: it was that late already, whatever the machine's
/// clock says now.
async fn latest(store: &dyn Store) -> Result<Timestamp, StoreError> {
    const READ: usize = 256;
    let query = EntryQuery {
        limit: READ,
        newest_first: true,
        ..EntryQuery::default()
    };
    let entries = store.entries(query).await?;
    let latest = entries.iter().map(|entry| entry.at).max();
    Ok(latest.unwrap_or(Timestamp(0)))
}

/// A call that is counted as running; dropped, it is not any more.
#[derive(Debug)]
pub(crate) struct InFlight<'a>(&'a Gate);

impl<'a> InFlight<'a> {
    fn count(gate: &'a Gate) -> Self {
        gate.running.fetch_add(1, Ordering::Relaxed);
        gate.metrics.running().inc();
        Self(gate)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
        self.0.metrics.running().dec();
    }
}

impl Context<'_> {
    /// What is known of a call before anything of it is read.
    pub(crate) fn begin(&self) -> journal::Call {
        let introduction = self.exchange.introduction();
        let client = introduction.client.as_ref();
        journal::Call {
            call: self.id.clone(),
            caller: self.exchange.caller().name.clone(),
            client: client.map(|client| format!("{} {}", client.name, client.version)),
            era: Some(match introduction.era {
                sayso_mcp::server::Era::Legacy => "legacy".into(),
                sayso_mcp::server::Era::Modern => "modern".into(),
            }),
            session: Some(self.exchange.session().id().to_string()),
            transport: Some(match introduction.transport {
                sayso_mcp::server::Transport::Stdio => "stdio".into(),
                sayso_mcp::server::Transport::Http => "http".into(),
            }),
            ..journal::Call::default()
        }
    }

    /// Arguments as the journal keeps them.
    pub(crate) fn kept(
        &self,
        tool: &crate::catalogue::Tool,
        arguments: Option<sayso_core::json::Value<'_>>,
    ) -> Option<journal::Arguments> {
        let arguments = arguments?;
        let settings = &self.picture.rules.settings.journal;
        Some(match tool.settings.journal.unwrap_or(settings.arguments) {
            ArgumentsKept::Whole => journal::Arguments::whole(arguments),
            ArgumentsKept::Digest => journal::Arguments::digest_only(arguments),
            ArgumentsKept::Redacted => {
                journal::Arguments::redacted(arguments, |key| settings.hides(key))
            }
        })
    }
}
