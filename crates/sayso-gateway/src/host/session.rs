//! A host's session: what is remembered between its requests.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::json::{Document, Limits};
use tokio::sync::watch;

use super::logging::Level;
use crate::caller::Caller;

/// Elicitations by URL that are remembered of one session.
const MAX_ELICITATIONS: usize = 256;

/// A session of a host. It ends with its connection, or when the host ends it.
pub struct Session {
    id: u64,
    caller: Arc<Caller>,
    state: Mutex<State>,
    ended: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    log_level: Option<Level>,
    /// Resources subscribed to, by the server that has them.
    subscriptions: HashMap<String, HashSet<String>>,
    /// The hash of what the host was given last, by kind of list.
    told: HashMap<ListKind, u64>,
    elicitations: VecDeque<String>,
}

/// A list that can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ListKind {
    Tools,
    Prompts,
    Resources,
}

impl ListKind {
    pub(super) const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];

    /// What says that it changed.
    pub(super) const fn notification(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
        }
    }

    /// Its member in the filter of `subscriptions/listen`.
    pub(super) const fn filter(self) -> &'static str {
        match self {
            Self::Tools => "toolsListChanged",
            Self::Prompts => "promptsListChanged",
            Self::Resources => "resourcesListChanged",
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(super) fn new(id: u64, caller: Arc<Caller>) -> Self {
        Self {
            id,
            caller,
            state: Mutex::default(),
            ended: watch::Sender::new(false),
        }
    }

    /// The number of its connection.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whose it is.
    #[must_use]
    pub fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Resolves when it is over. The future holds nothing of the session.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.ended.subscribe();
        async move {
            // An error means that nobody has the session any more.
            let _ = ended.wait_for(|ended| *ended).await;
        }
    }

    /// The least severe log messages it wants.
    #[must_use]
    pub fn log_level(&self) -> Option<Level> {
        self.state().log_level
    }

    pub(super) fn end(&self) {
        self.ended.send_replace(true);
    }

    pub(super) fn set_log_level(&self, level: Level) {
        self.state().log_level = Some(level);
    }

    /// Whether the session has this resource of a server subscribed.
    pub(super) fn is_subscribed(&self, server: &str, uri: &str) -> bool {
        let state = self.state();
        let subscribed = state.subscriptions.get(server);
        subscribed.is_some_and(|uris| uris.contains(uri))
    }

    /// Notes a subscription. `false` when the session has `limit` of them already.
    pub(super) fn subscribe(&self, server: &str, uri: &str, limit: usize) -> bool {
        let mut state = self.state();
        let count: usize = state.subscriptions.values().map(HashSet::len).sum();
        if count >= limit {
            return false;
        }
        let uris = state.subscriptions.entry(server.to_owned()).or_default();
        uris.insert(uri.to_owned());
        true
    }

    pub(super) fn unsubscribe(&self, server: &str, uri: &str) {
        let mut state = self.state();
        if let Some(uris) = state.subscriptions.get_mut(server) {
            uris.remove(uri);
        }
    }

    /// Notes the hash of what the host was given of a list.
    pub(super) fn tell(&self, kind: ListKind, view: u64) {
        self.state().told.insert(kind, view);
    }

    /// The hash of what the host was given of a list last; none if it never listed.
    pub(super) fn told(&self, kind: ListKind) -> Option<u64> {
        self.state().told.get(&kind).copied()
    }

    /// Remembers which page of the web a person is at, so that the end of it can be told.
    pub(super) fn remember_elicitation(&self, method: &str, params: Option<&str>) {
        if method != "elicitation/create" {
            return;
        }
        let params = params.and_then(|raw| Document::parse(raw.into(), &Limits::default()).ok());
        let id = params
            .as_ref()
            .and_then(|params| params.root().get("elicitationId")?.as_str());
        if let Some(id) = id {
            self.remember_elicitation_id(&id);
        }
    }

    pub(super) fn remember_elicitation_id(&self, id: &str) {
        let mut state = self.state();
        if state.elicitations.len() >= MAX_ELICITATIONS {
            state.elicitations.pop_front();
        }
        state.elicitations.push_back(id.to_owned());
    }

    pub(super) fn knows_elicitation(&self, id: &str) -> bool {
        self.state().elicitations.iter().any(|known| known == id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
