//! The hosts in front of the gate: what they ask finds its server, and what servers say finds its
//! host, in whichever era each of them speaks.
//!
//! Nothing is decided here. What may be called, seen or read is the [`Judge`]'s, who also calls the
//! tools; everything else is passed on as it came, with those bytes changed that have to be.

mod adapt;
mod changes;
mod completion;
mod exchange;
mod handler;
mod handshake;
mod judge;
mod line;
mod listen;
mod lists;
mod logging;
mod meta;
mod method;
mod owners;
mod parked;
mod prompts;
mod resources;
mod rounds;
mod route;
mod seal;
mod session;
mod sessions;
mod slots;
mod tasks;
mod template;
mod unknown;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sayso_core::json::Value;
use sayso_mcp::ClientInfo;
use sayso_mcp::downstream::{self, Era, Stop};
use tokio::sync::mpsc;

pub use self::exchange::{AskError, Exchange, Gone, Introduction, Line, Pending};
pub use self::judge::{Access, Behind, CallReply, Item, Judge};
pub use self::logging::Level;
pub use self::seal::{Bound, NoRandomness, OpenError, Seal, Sealed};
pub use self::session::Session;
pub use self::tasks::Begun;
pub(crate) use self::tasks::no_task;

use self::adapt::Kind;
use self::exchange::{Parts, Question};
use self::line::{PeerLine, RequestLine};
use self::listen::Listens;
use self::owners::Owners;
use self::parked::Parked;
use self::sessions::{Open, Sessions};
use self::slots::Slots;
use crate::server::Phase;

/// Calls that wait for a host, and notes for calls that come again.
const MAX_WAITING: usize = 10_000;

/// How hosts are served.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Who the gate says it is.
    pub identity: ClientInfo,
    /// How long `initialize` and `server/discover` wait for servers that are being started.
    pub start_patience: Duration,
    /// How long a call waits for a modern host to come back with answers.
    pub patience: Duration,
    /// How long a list, a subscription and the like may take at a server.
    pub list_timeout: Duration,
    /// Subscriptions to resources of one session.
    pub subscriptions: usize,
    /// Ends the streams that would last for ever.
    pub stop: Stop,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            identity: ClientInfo::default(),
            start_patience: Duration::from_secs(3),
            patience: Duration::from_secs(600),
            list_timeout: Duration::from_secs(30),
            subscriptions: 1024,
            stop: Stop::default(),
        }
    }
}

/// All hosts. Clones are the same.
pub struct Hosts<J: Judge>(Arc<Inner<J>>);

struct Inner<J: Judge> {
    judge: Arc<J>,
    options: HostOptions,
    seal: Seal,
    sessions: Sessions,
    listens: Listens,
    /// What began tasks, by their ids.
    tasks: Owners<Begun>,
    /// Resources that no list has, by their URIs.
    resources: Owners<String>,
    /// What the judge wants to know when a call comes again.
    notes: Arc<Slots<String>>,
    parked: Arc<Slots<Parked>>,
    last_exchange: AtomicU64,
    stopping: Stop,
}

impl<J: Judge> Clone for Hosts<J> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<J: Judge> fmt::Debug for Hosts<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hosts")
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}

impl<J: Judge> Hosts<J> {
    /// Hosts that this judge judges. `secret` is what `requestState` is sealed with. Needs a Tokio
    /// runtime with time.
    #[must_use]
    pub fn start(judge: Arc<J>, secret: &[u8; 32], options: HostOptions) -> Self {
        let inner = Arc::new(Inner {
            judge,
            seal: Seal::new(secret),
            sessions: Sessions::default(),
            listens: Listens::default(),
            tasks: Owners::default(),
            resources: Owners::default(),
            notes: Slots::new(MAX_WAITING),
            parked: Slots::new(MAX_WAITING),
            last_exchange: AtomicU64::new(0),
            stopping: options.stop.clone(),
            options,
        });
        tokio::spawn(changes::watch(Arc::downgrade(&inner)));
        tokio::spawn(rounds::give_up(
            inner.stopping.clone(),
            Arc::downgrade(&inner.parked),
        ));
        Self(inner)
    }

    /// How many sessions there are.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.sessions.all().len()
    }

    /// How the gate is, as JSON: a server that is down does not make the others less well.
    #[must_use]
    pub fn health(&self, is_stopping: bool) -> String {
        let servers: serde_json::Map<String, serde_json::Value> = self
            .0
            .judge
            .servers()
            .iter()
            .map(|server| {
                let phase = match server.state().phase {
                    Phase::Starting => "starting",
                    Phase::Ready => "ready",
                    Phase::Down { .. } => "down",
                };
                (server.name().to_owned(), phase.into())
            })
            .collect();
        serde_json::json!({
            "status": if is_stopping { "stopping" } else { "ok" },
            "sessions": self.sessions(),
            "servers": servers,
        })
        .to_string()
    }

    /// How many calls wait for a modern host to come back with answers.
    #[must_use]
    pub fn parked(&self) -> usize {
        self.0.parked.len()
    }
}

impl<J: Judge> Inner<J> {
    fn number(&self) -> u64 {
        self.last_exchange.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn until(&self, life: Duration) -> i64 {
        let life = i64::try_from(life.as_millis()).unwrap_or(i64::MAX);
        self.judge.now().saturating_add(life)
    }

    /// The session of a request's host.
    fn open(&self, peer: &downstream::Peer) -> Open {
        let seen = self
            .sessions
            .of(peer, || self.judge.caller(peer.principal()));
        if seen.is_new {
            for server in self.judge.servers() {
                server.introduce(&seen.open.introduction.capabilities);
            }
        }
        if let Some(forgotten) = seen.forgotten {
            self.release(&forgotten);
        }
        seen.open
    }

    /// Ends all that belongs to a session.
    fn release(&self, session: &Session) {
        session.end();
        self.parked
            .retain(|parked| parked.session() != Some(session.id()));
        for server in self.judge.servers() {
            server.leave(session.id());
        }
    }

    fn exchange(
        &self,
        request: &downstream::Request,
        note: Option<String>,
        questions: Option<mpsc::Sender<Question>>,
    ) -> Exchange {
        let open = self.open(&request.peer);
        let meta = request.message.params().and_then(|it| it.get("_meta"));
        Exchange::of(Parts {
            number: self.number(),
            caller: Arc::new(self.judge.caller(request.peer.principal())),
            session: open.session,
            introduction: open.introduction,
            meta: meta.map(|meta: Value<'_>| meta.raw().to_owned()),
            note,
            line: Arc::new(RequestLine(request.exchange.clone())),
            questions,
        })
    }

    /// An exchange for what belongs to no request of a session.
    fn exchange_of(&self, open: &Open) -> Exchange {
        Exchange::of(Parts {
            number: self.number(),
            caller: Arc::clone(open.session.caller()),
            session: Arc::clone(&open.session),
            introduction: Arc::clone(&open.introduction),
            meta: None,
            note: None,
            line: Arc::new(PeerLine(open.peer.clone())),
            questions: None,
        })
    }

    /// `serverInfo`.
    fn own_info(&self) -> String {
        let ClientInfo { name, version } = &self.options.identity;
        serde_json::json!({ "name": name, "version": version }).to_string()
    }

    /// `_meta` of a modern result that the gate gives itself.
    fn own_meta(&self) -> String {
        format!(r#"{{"{}":{}}}"#, meta::SERVER_INFO, self.own_info())
    }

    /// A result of the gate itself, written in the words of the legacy era, for this host.
    fn own_result(&self, result: String, kind: Kind, exchange: &Exchange) -> String {
        if exchange.era() == Era::Legacy {
            return result;
        }
        let Some(open) = result.trim_end().strip_suffix('}') else {
            return result;
        };
        let is_empty = open.trim_end().ends_with('{');
        let comma = if is_empty { "" } else { "," };
        let cache = match kind {
            Kind::Cacheable => r#","ttlMs":0,"cacheScope":"private""#,
            Kind::Plain => "",
        };
        format!(r#"{open}{comma}"resultType":"complete"{cache}}}"#)
    }
}
