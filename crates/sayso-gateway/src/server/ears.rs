//! What a server says on one conversation, and whom it is meant for.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::json::Value;
use sayso_core::reveal::reveal_line;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, MessageKind, code};
use sayso_mcp::upstream::{Ended, Listener};
use tokio::sync::{broadcast, mpsc, watch};

use super::Event;
use super::adapt::{with_token, without_subscription};
use super::stderr::LineRate;
use crate::host::{AskError, Exchange};

/// How long a host may take to answer what a server asks: most often a person answers.
const ASKING: Duration = Duration::from_secs(600);

/// Notifications that may wait for a host that does not read. What goes past that is dropped.
const WAITING: usize = 1024;

/// The listener of one conversation.
pub(super) struct Ears {
    server: Arc<str>,
    state: Mutex<State>,
    next_key: AtomicU64,
    changed: watch::Sender<u64>,
    events: broadcast::Sender<Event>,
    lines: Mutex<LineRate>,
}

#[derive(Default)]
struct State {
    /// The session that the conversation belongs to; none while it belongs to all.
    session: Option<u64>,
    running: BTreeMap<u64, Running>,
    /// The session's host, for what the server asks between two of them.
    last: Option<Exchange>,
}

/// A request that has no answer yet.
struct Running {
    exchange: Exchange,
    /// The host's progress token, as it came.
    token: Option<String>,
    told: mpsc::Sender<Told>,
    asking: Arc<Mutex<Asking>>,
}

/// A notification for the host whose request runs.
pub(super) struct Told {
    pub(super) method: String,
    pub(super) params: Option<String>,
}

/// How long the host has been asked something.
#[derive(Default)]
struct Asking {
    open: usize,
    since: Option<Instant>,
    total: Duration,
}

/// Holds the place of a request among those that run.
pub(super) struct Entry {
    pub(super) key: u64,
    pub(super) told: mpsc::Receiver<Told>,
    asking: Arc<Mutex<Asking>>,
    ears: Arc<Ears>,
}

/// How long the host is asked things during a request; outlives it.
pub(super) struct AskedSoFar(Arc<Mutex<Asking>>);

/// Why nobody is asked.
enum Nobody {
    /// No request runs that it could be about.
    None,
    /// Requests of several hosts run.
    Several,
}

impl Ears {
    pub(super) fn new(
        server: Arc<str>,
        session: Option<u64>,
        changed: watch::Sender<u64>,
        events: broadcast::Sender<Event>,
    ) -> Self {
        Self {
            server,
            state: Mutex::new(State {
                session,
                ..State::default()
            }),
            next_key: AtomicU64::new(1),
            changed,
            events,
            lines: Mutex::default(),
        }
    }

    /// A key for a request that no host asked for.
    pub(super) fn next_key(&self) -> u64 {
        self.next_key.fetch_add(1, Ordering::Relaxed)
    }

    /// Gives the conversation to a session, or back to all.
    pub(super) fn belong_to(&self, session: Option<u64>) {
        let mut state = self.state();
        state.session = session;
        state.last = None;
    }

    /// The session that the conversation belongs to.
    pub(super) fn session(&self) -> Option<u64> {
        self.state().session
    }

    /// Who is asked while no request runs.
    pub(super) fn remember(&self, exchange: &Exchange) {
        let mut state = self.state();
        if state.session == Some(exchange.session().id()) {
            let is_same = |last: &Exchange| Arc::ptr_eq(last.session(), exchange.session());
            if !state.last.as_ref().is_some_and(is_same) {
                state.last = Some(exchange.between());
            }
        }
    }

    /// A request begins.
    pub(super) fn enter(self: &Arc<Self>, exchange: &Exchange, token: Option<String>) -> Entry {
        let key = self.next_key();
        let (sender, told) = mpsc::channel(WAITING);
        let asking = Arc::<Mutex<Asking>>::default();
        let running = Running {
            exchange: exchange.clone(),
            token,
            told: sender,
            asking: Arc::clone(&asking),
        };
        self.remember(exchange);
        self.state().running.insert(key, running);
        Entry {
            key,
            told,
            asking,
            ears: Arc::clone(self),
        }
    }

    /// How many requests of hosts run.
    pub(super) fn running(&self) -> usize {
        self.state().running.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the request with this key something.
    fn tell(&self, key: u64, method: &str, params: impl FnOnce(&Running) -> Option<String>) {
        let state = self.state();
        let Some(running) = state.running.get(&key) else {
            return;
        };
        let told = Told {
            method: method.to_owned(),
            params: params(running),
        };
        if running.told.try_send(told).is_err() {
            tracing::debug!(
                server = &*self.server,
                method,
                "a notification was dropped: the host does not read"
            );
        }
    }

    fn progress(&self, params: Value<'_>) {
        let token = params.get("progressToken").and_then(token_number);
        if let Some(key) = token {
            self.tell(key, "notifications/progress", |running| {
                let token = running.token.as_deref()?;
                Some(with_token(params, token))
            });
        }
    }

    /// The request that something without a mark belongs to: the last one that runs, if all that
    /// run are of one session.
    fn only(&self) -> Result<u64, Nobody> {
        let state = self.state();
        let sessions: BTreeSet<u64> = state
            .running
            .values()
            .map(|running| running.exchange.session().id())
            .collect();
        match (sessions.len(), state.running.last_key_value()) {
            (1, Some((key, _))) => Ok(*key),
            (0, _) | (_, None) => Err(Nobody::None),
            _ => Err(Nobody::Several),
        }
    }

    fn is_running(&self, key: u64) -> bool {
        self.state().running.contains_key(&key)
    }

    /// Passes on what belongs to a request, or, where it belongs to none, to hosts.
    fn pass_on(&self, method: &str, params: Option<Value<'_>>, related: Option<u64>) {
        let key = related.filter(|key| self.is_running(*key));
        let key = match (key, method) {
            (None, "notifications/message") => self.only().ok(),
            (key, _) => key,
        };
        if let Some(key) = key {
            self.tell(key, method, |_| {
                params.map(|params| params.raw().to_owned())
            });
            return;
        }
        let session = self.state().session;
        let params = params.map(without_subscription);
        let event = match (method, params) {
            ("notifications/message", Some(params)) => {
                let several = matches!(self.only(), Err(Nobody::Several));
                if session.is_none() && several {
                    tracing::debug!(
                        server = &*self.server,
                        "a log message of a shared conversation was dropped: several hosts call"
                    );
                    return;
                }
                Event::Log { session, params }
            }
            ("notifications/elicitation/complete", Some(params)) => {
                Event::ElicitationComplete { session, params }
            }
            (method, params) => Event::Other {
                session,
                method: method.to_owned(),
                params,
            },
        };
        self.send(event);
    }

    fn updated(&self, params: Value<'_>) {
        if let Some(uri) = params.get("uri").and_then(Value::as_str) {
            self.send(Event::ResourceUpdated {
                session: self.state().session,
                uri: uri.into_owned(),
                params: without_subscription(params),
            });
        }
    }

    fn send(&self, event: Event) {
        // Nobody may be there to hear it.
        let _ = self.events.send(event);
    }

    /// Who is asked what the server asks.
    fn recipient(&self, related: Option<u64>) -> Result<(Exchange, Arc<Mutex<Asking>>), Nobody> {
        let key = match related.filter(|key| self.is_running(*key)) {
            Some(key) => Ok(key),
            None => self.only(),
        };
        let state = self.state();
        match key {
            Ok(key) => {
                let running = state.running.get(&key).ok_or(Nobody::None)?;
                Ok((running.exchange.clone(), Arc::clone(&running.asking)))
            }
            Err(Nobody::None) => match &state.last {
                Some(last) => Ok((last.clone(), Arc::default())),
                None => Err(Nobody::None),
            },
            Err(nobody) => Err(nobody),
        }
    }
}

impl Listener for Ears {
    fn notification(&self, message: Message, related: Option<u64>) {
        let MessageKind::Notification { method } = message.kind() else {
            return;
        };
        let params = message.params();
        match (method.as_str(), params) {
            ("notifications/progress", Some(params)) => self.progress(params),
            (
                "notifications/tools/list_changed"
                | "notifications/prompts/list_changed"
                | "notifications/resources/list_changed",
                _,
            ) => self.changed.send_modify(|count| *count += 1),
            ("notifications/resources/updated", Some(params)) => self.updated(params),
            ("notifications/progress" | "notifications/subscriptions/acknowledged", _) => {}
            (method, params) => self.pass_on(method, params, related),
        }
    }

    fn request(
        &self,
        message: Message,
        related: Option<u64>,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send>> {
        let recipient = self.recipient(related);
        Box::pin(async move {
            let MessageKind::Request { method, .. } = message.kind() else {
                return error(code::INVALID_REQUEST, "this is not a request");
            };
            if method == "ping" {
                return Reply::Result("{}".to_owned());
            }
            let (exchange, asking) = match recipient {
                Ok(recipient) => recipient,
                Err(Nobody::None) => {
                    return error(code::METHOD_NOT_FOUND, "no host is there to be asked");
                }
                Err(Nobody::Several) => {
                    let text = "several hosts share this conversation, and it cannot be told which one is meant";
                    return error(code::METHOD_NOT_FOUND, text);
                }
            };
            let _asking = Asked::begin(asking);
            let params = message.params().map(Value::raw);
            reply(method, exchange.ask(method, params, ASKING).await)
        })
    }

    fn stderr(&self, line: &str) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let admitted = lines.admit(Instant::now());
        drop(lines);
        let Some(dropped) = admitted else { return };
        if dropped > 0 {
            tracing::warn!(target: "server", server = &*self.server, "{dropped} lines of standard error were left out");
        }
        let short: String = line.chars().take(2000).collect();
        let shown = reveal_line(&short);
        tracing::info!(target: "server", server = &*self.server, "{shown}");
    }

    fn closed(&self, how: &Ended) {
        tracing::debug!(server = &*self.server, "conversation over: {how}");
    }
}

fn error(code: i64, message: &str) -> Reply {
    Reply::Error {
        code,
        message: message.to_owned(),
        data: None,
    }
}

fn reply(method: &str, answer: Result<String, AskError>) -> Reply {
    match answer {
        Ok(result) => Reply::Result(result),
        Err(AskError::Refused(error)) => Reply::Raw(error),
        Err(AskError::Impossible) => {
            let text = format!("{method} is not available: the host declares no such capability");
            error(code::METHOD_NOT_FOUND, &text)
        }
        Err(AskError::TimedOut) => error(code::INTERNAL_ERROR, "the host did not answer in time"),
        Err(AskError::Gone) => error(code::INTERNAL_ERROR, "the host is gone"),
    }
}

/// A progress token of ours: a number, in whatever spelling it comes back.
fn token_number(token: Value<'_>) -> Option<u64> {
    token.raw().parse().ok().or_else(|| {
        let text = token.as_f64().map(|number| format!("{number:.0}"));
        text.or_else(|| token.as_str().map(Into::into))?
            .parse()
            .ok()
    })
}

/// While it lives, the host is asked something.
struct Asked(Arc<Mutex<Asking>>);

impl Asked {
    fn begin(asking: Arc<Mutex<Asking>>) -> Self {
        let mut state = asking.lock().unwrap_or_else(PoisonError::into_inner);
        state.open += 1;
        state.since.get_or_insert_with(Instant::now);
        drop(state);
        Self(asking)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.open = state.open.saturating_sub(1);
        if state.open == 0
            && let Some(since) = state.since.take()
        {
            state.total += since.elapsed();
        }
    }
}

impl Entry {
    /// How long the host is asked things during the request.
    pub(super) fn asked_so_far(&self) -> AskedSoFar {
        AskedSoFar(Arc::clone(&self.asking))
    }
}

impl AskedSoFar {
    /// How long the host was asked something so far, and whether it is being asked now.
    pub(super) fn total(&self) -> (Duration, bool) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let running = state.since.map(|since| since.elapsed()).unwrap_or_default();
        (state.total + running, state.open > 0)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.ears.state().running.remove(&self.key);
    }
}
