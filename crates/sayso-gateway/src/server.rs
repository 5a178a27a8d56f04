//! The servers behind the gate: each with its own supervised conversations, none in another's way.

mod adapt;
mod backoff;
mod confined;
mod conversation;
mod core;
mod ears;
mod freshness;
mod items;
mod launch;
mod listen;
mod lists;
mod seats;
mod state;
mod stderr;
mod subscriptions;
mod supervise;

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sayso_core::json::{Document, Value};
use sayso_mcp::jsonrpc::Message;
use sayso_mcp::{ClientInfo, Supervisor};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

pub(crate) use self::confined::Held;
use self::core::{Core, Stopping};
pub use self::items::Items;
pub use self::launch::filled_in;
pub use self::state::{Phase, State};
use crate::confine::Confiner;
use crate::host::Exchange;
use crate::settings::ServerSettings;

/// One configured server: it is started, listed, watched and started again by itself. Dropping it
/// ends all conversations with it.
pub struct Server {
    core: Arc<Core>,
    confined: confined::Instances,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What all servers of a gate are started with.
#[derive(Clone, Default)]
pub struct Launcher {
    /// The program that watches over the processes of a server.
    pub supervisor: Option<Supervisor>,
    /// Who the gate says it is.
    pub client: ClientInfo,
    /// The folder that paths in the settings are counted from.
    pub folder: PathBuf,
    /// Bytes of one message of a server; 16 MiB when left out.
    pub message_bytes: Option<usize>,
    /// How old a listing gets at least before it is read again because its `ttlMs` has passed; 30 s
    /// when left out.
    pub freshness: Option<Duration>,
    /// What confines servers whose settings want that; without it nothing is confined.
    pub confiner: Option<Arc<dyn Confiner>>,
}

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launcher")
            .field("supervisor", &self.supervisor)
            .field("client", &self.client)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// How many hosts there will be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostChoice {
    /// One, over standard input and output: its session takes over the first conversation with
    /// the server, which waits a moment for what the host says it can do
    /// ([`Server::introduce`]).
    One,
    /// Any number.
    #[default]
    Many,
}

/// A request to send.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The method.
    pub method: &'a str,
    /// The parameters as JSON, with the host's `_meta` in them.
    pub params: Option<&'a str>,
    /// The name for the `Mcp-Name` header.
    pub name: Option<&'a str>,
    /// The tool's input schema, for arguments that stand in headers too (`x-mcp-header`).
    pub input_schema: Option<Value<'a>>,
    /// What is kept for as long as the server may be at work on it, also when the future was dropped:
    /// until it answered, its process or the connection ended, or the time-out passed.
    pub kept: Option<&'a Arc<dyn Any + Send + Sync>>,
    /// How long the answer is waited for, not counting the time the host is asked something;
    /// as the settings have it when left out.
    pub timeout: Option<Duration>,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The value of `result`.
    Result(Document),
    /// The whole message with the error.
    Error(Message),
    /// The value of `result` that asks for something first (MCP 2026-07-28, "Multi Round-Trip
    /// Requests").
    InputRequired(Document),
}

/// Why a server did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// The request never reached the server, and why.
    #[error("the request was not sent: {0}")]
    NotSent(String),
    /// The request may have had its effect.
    #[error("{said}")]
    Unknown {
        /// What happened.
        why: Doubt,
        /// The same in words.
        said: String,
    },
    /// HTTP itself refused the request.
    #[error("the server refused the request: {said}")]
    Rejected {
        /// The status.
        status: u16,
        /// The status and what came with it, in words.
        said: String,
    },
    /// There is no conversation with the server.
    #[error("the server is down: {reason}")]
    Down {
        /// Why.
        reason: String,
        /// When the next one is tried.
        retry_in: Option<Duration>,
    },
    /// There are as many conversations with the server as there may be.
    #[error("all instances of the server are in use")]
    Busy,
}

/// What leaves it open whether a request had its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// No answer came in time.
    TimedOut,
    /// The connection or the process ended.
    ConnectionLost,
    /// What came as the answer is none.
    Malformed,
}

/// What a server says by itself, to be passed on to hosts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A resource changed (`notifications/resources/updated`).
    ResourceUpdated {
        /// The one session it is meant for; none for all that subscribed.
        session: Option<u64>,
        /// Which.
        uri: String,
        /// The parameters as JSON.
        params: String,
    },
    /// A line of log that belongs to no request (`notifications/message`).
    Log {
        /// The one session it is meant for; none for all.
        session: Option<u64>,
        /// The parameters as JSON.
        params: String,
    },
    /// A person has answered what was asked by URL (`notifications/elicitation/complete`).
    ElicitationComplete {
        /// The one session it is meant for; none for all.
        session: Option<u64>,
        /// The parameters as JSON.
        params: String,
    },
    /// Any other notification.
    Other {
        /// The one session it is meant for; none for all.
        session: Option<u64>,
        /// The method.
        method: String,
        /// The parameters as JSON.
        params: Option<String>,
    },
}

impl Server {
    /// Starts a server, which goes on by itself from here. Needs a runtime, and one whose thread
    /// lives as long as the server: the supervisor takes the end of the thread that started it
    /// for the end of the gate.
    #[must_use]
    pub fn start(
        name: &str,
        settings: &ServerSettings,
        launcher: Launcher,
        host: HostChoice,
    ) -> Arc<Self> {
        let confined = confined::Instances::new(settings, launcher.confiner.as_ref());
        let core = Arc::new(Core::new(name, settings, &launcher, host));
        let task = tokio::spawn(supervise::run(Arc::clone(&core)));
        Arc::new(Self {
            core,
            confined,
            task: Mutex::new(Some(task)),
        })
    }

    /// What it is called here.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// What is known of it now.
    #[must_use]
    pub fn state(&self) -> Arc<State> {
        self.core.state.load_full()
    }

    /// Moves at each change of [`State`].
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.core.changes.subscribe()
    }

    /// What the server says by itself from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.core.events.subscribe()
    }

    /// Tells what the one host can do (a JSON object), before the first conversation is begun.
    pub fn introduce(&self, capabilities: &str) {
        if self.core.host == HostChoice::One {
            let capabilities = Some(capabilities.to_owned());
            self.core.introduced.send_replace(capabilities);
        }
    }

    /// Sends one request on the conversation that belongs to this exchange, in the words of the
    /// server's era. What the server asks or tells meanwhile goes to `exchange`. Dropping the
    /// future cancels the request at the server.
    ///
    /// # Errors
    /// When there is no answer, with what is known of the request's fate.
    pub async fn request(&self, asked: Asked<'_>, exchange: &Exchange) -> Result<Answer, Lost> {
        self.core.request(&asked, exchange).await
    }

    /// Passes a notification of a host on to the conversation of its session.
    pub async fn notify(&self, session: u64, method: &str, params: Option<&str>) {
        for core in self.cores() {
            core.notify(session, method, params).await;
        }
    }

    /// The server and its confined instances.
    fn cores(&self) -> Vec<Arc<Core>> {
        let mut cores = vec![Arc::clone(&self.core)];
        cores.extend(self.confined.cores());
        cores
    }

    /// Ends what belongs to a host's session, which is over. Needs a runtime.
    pub fn leave(&self, session: u64) {
        for core in self.cores() {
            tokio::spawn(async move { core.leave(session).await });
        }
    }

    /// Ends all conversations: what runs may go on for `patience`.
    pub async fn stop(&self, patience: Duration) {
        self.core.stopping.send_replace(Stopping::Refusing);
        let due = Instant::now() + patience;
        let running = || self.cores().iter().any(|core| core.running() > 0);
        while running() && Instant::now() < due {
            sleep(Duration::from_millis(20)).await;
        }
        let closing = conversation::CLOSING;
        self.core.stopping.send_replace(Stopping::Ending(closing));
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(task) = task {
            // A process that does not end is signalled, and signalled again: that takes its time.
            let _ = timeout(closing * 5, task).await;
        }
        self.confined.ended(closing * 5).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.core
            .stopping
            .send_replace(Stopping::Ending(Duration::ZERO));
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.core.name)
            .finish_non_exhaustive()
    }
}
