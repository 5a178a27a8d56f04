//! What a server's tasks and requests share: its state, and which conversation a request goes out on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use sayso_core::json::{Document, Limits, Value};
use sayso_core::listing::Era;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{Instant, timeout_at};

use super::conversation::{CLOSING, Conversation, Failed};
use super::ears::Ears;
use super::launch::{Confining, Launch};
use super::seats::Seats;
use super::subscriptions::Subscriptions;
use super::{Answer, Asked, Event, HostChoice, Launcher, Lost, Phase, State, adapt};
use crate::confine::{Attempt, Label, Turn};
use crate::host::Exchange;
use crate::settings::{Instances, ServerSettings};

/// What a conversation declares that no host's session is behind: whatever a server asks then is
/// answered at once where the host that calls cannot be asked.
const ALL: &str = r#"{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}}}"#;

/// A server that went down is waited for this long: most come back at once.
const BLIP: Duration = Duration::from_secs(3);

/// How long a request waits for a server that starts, at most.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a call may take where the settings do not say.
const TIMEOUT: Duration = Duration::from_secs(300);

pub(super) struct Core {
    pub(super) name: Arc<str>,
    pub(super) settings: ServerSettings,
    pub(super) host: HostChoice,
    /// Why there is nothing to start, where there is not.
    pub(super) launch: Result<Launch, String>,
    pub(super) state: ArcSwap<State>,
    pub(super) changes: watch::Sender<u64>,
    pub(super) events: broadcast::Sender<Event>,
    /// Moves when the server says that a list changed.
    pub(super) listed: watch::Sender<u64>,
    /// What the one host can do, once it said so.
    pub(super) introduced: watch::Sender<Option<String>>,
    pub(super) subscriptions: Subscriptions,
    pub(super) seats: Seats,
    primary: Mutex<Primary>,
    /// Somebody wants a server that is down.
    pub(super) wanted: Notify,
    /// Something went wrong that may mean that the server is down.
    pub(super) doubted: Notify,
    pub(super) stopping: watch::Sender<Stopping>,
    /// How old a listing gets at least before it is read again by itself.
    pub(super) freshness: Option<Duration>,
}

/// How far the end has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stopping {
    #[default]
    No,
    /// Nothing new begins.
    Refusing,
    /// Conversations are ended, each within this time.
    Ending(Duration),
}

/// The conversation that the lists are read on.
#[derive(Default)]
struct Primary {
    conversation: Option<Arc<Conversation>>,
    /// The session that took it over.
    owner: Option<u64>,
}

impl Core {
    pub(super) fn new(
        name: &str,
        settings: &ServerSettings,
        launcher: &Launcher,
        host: HostChoice,
    ) -> Self {
        Self {
            name: name.into(),
            launch: Launch::of(settings, launcher),
            settings: settings.clone(),
            host,
            state: ArcSwap::default(),
            changes: watch::Sender::new(0),
            events: broadcast::Sender::new(1024),
            listed: watch::Sender::new(0),
            introduced: watch::Sender::new(None),
            subscriptions: Subscriptions::default(),
            seats: Seats::new(settings.max_instances()),
            primary: Mutex::default(),
            wanted: Notify::new(),
            doubted: Notify::new(),
            stopping: watch::Sender::new(Stopping::No),
            freshness: launcher.freshness,
        }
    }

    /// A further instance of the server that `first` is of: confined, told the same, and ended
    /// with it. Its changes are changes of that one.
    pub(super) fn confined(first: &Self, confining: Confining) -> Self {
        Self {
            name: Arc::clone(&first.name),
            launch: first.launch.clone().map(|launch| Launch {
                confinement: Some(confining),
                ..launch
            }),
            settings: first.settings.clone(),
            host: first.host,
            state: ArcSwap::default(),
            changes: first.changes.clone(),
            events: first.events.clone(),
            listed: watch::Sender::new(0),
            introduced: first.introduced.clone(),
            subscriptions: Subscriptions::default(),
            seats: Seats::new(first.settings.max_instances()),
            primary: Mutex::default(),
            wanted: Notify::new(),
            doubted: Notify::new(),
            stopping: first.stopping.clone(),
            freshness: first.freshness,
        }
    }

    /// Changes the state, and says so.
    pub(super) fn update(&self, change: impl Fn(&mut State)) {
        self.state.rcu(|state| {
            let mut state = State::clone(state);
            change(&mut state);
            state
        });
        self.changes.send_modify(|count| *count += 1);
    }

    fn primary(&self) -> MutexGuard<'_, Primary> {
        self.primary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the conversation that the lists are read on.
    ///
    /// # Errors
    /// When there is no server to speak with, and why.
    pub(super) async fn open_primary(&self, launch: &Launch) -> Result<Arc<Conversation>, String> {
        let introduced = self.introduced.borrow().clone();
        let launch = launch.with_capabilities(introduced.as_deref().unwrap_or(ALL));
        let owner = self.primary().owner;
        let ears = Arc::new(self.ears(owner));
        let opened = Conversation::open(&launch, ears, None).await;
        let conversation = Arc::new(opened?);
        self.primary().conversation = Some(Arc::clone(&conversation));
        Ok(conversation)
    }

    /// The conversation that the lists are read on is over.
    pub(super) fn drop_primary(&self) -> Option<Arc<Conversation>> {
        self.primary().conversation.take()
    }

    fn ears(&self, session: Option<u64>) -> Ears {
        Ears::new(
            Arc::clone(&self.name),
            session,
            self.listed.clone(),
            self.events.clone(),
        )
    }

    /// Sends one request.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn request(
        &self,
        asked: &Asked<'_>,
        exchange: &Exchange,
    ) -> Result<Answer, Lost> {
        self.watched(asked, exchange, None, &mut Vec::new()).await
    }

    /// Sends one request to a confined instance; into `tried` goes what it tried and was refused
    /// meanwhile.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn watched(
        &self,
        asked: &Asked<'_>,
        exchange: &Exchange,
        label: Option<&Label>,
        tried: &mut Vec<Attempt>,
    ) -> Result<Answer, Lost> {
        let answer = self.attempt(asked, exchange, label, tried).await;
        // A process that ends is noticed; behind a URL nothing tells but a request.
        if matches!(
            &answer,
            Err(Lost::NotSent(_) | Lost::Unknown { .. } | Lost::Down { .. })
        ) {
            self.doubted.notify_one();
        }
        answer
    }

    async fn attempt(
        &self,
        asked: &Asked<'_>,
        exchange: &Exchange,
        label: Option<&Label>,
        tried: &mut Vec<Attempt>,
    ) -> Result<Answer, Lost> {
        let set = self.settings.timeout.map_or(TIMEOUT, Duration::from_secs);
        let timeout = asked.timeout.unwrap_or(set);
        let mut over = None;
        for _ in 0..2 {
            let conversation = self.conversation(exchange).await?;
            let turn = match (&conversation.record, label) {
                (Some(record), Some(label)) => Some(record.begin(label.clone()).await),
                _ => None,
            };
            let sent = self.send(&conversation, asked, timeout, exchange).await;
            tried.extend(turn.iter().flat_map(Turn::found));
            drop(turn);
            match sent {
                Ok(answer) => return Ok(answer),
                Err(Failed::Lost(lost)) => return Err(lost),
                // Nothing was sent: a new conversation may take it.
                Err(Failed::SessionOver(said)) => over = Some(said),
            }
            conversation.close(Duration::ZERO).await;
        }
        Err(Lost::NotSent(over.unwrap_or_default()))
    }

    async fn send(
        &self,
        conversation: &Conversation,
        asked: &Asked<'_>,
        timeout: Duration,
        exchange: &Exchange,
    ) -> Result<Answer, Failed> {
        let is_modern = conversation.upstream.era() == Era::Modern;
        match asked.method {
            // A modern server is told the level with each request.
            "logging/setLevel" if is_modern => Ok(Answer::Result(nothing()?)),
            "resources/subscribe" | "resources/unsubscribe" => {
                let subscribes = asked.method == "resources/subscribe";
                let Some(uri) = uri(asked) else {
                    return conversation.request(asked, timeout, exchange).await;
                };
                let session = exchange.session().id();
                let nobody_left = !subscribes && self.subscriptions.remove(&uri, session);
                let others = conversation.ears.session().is_none() && !nobody_left;
                // A modern server is told by the stream that is held open for all of them.
                let answer = if is_modern || !subscribes && others {
                    Answer::Result(nothing()?)
                } else {
                    conversation.request(asked, timeout, exchange).await?
                };
                if subscribes && matches!(answer, Answer::Result(_)) {
                    self.subscriptions.add(&uri, session);
                }
                Ok(answer)
            }
            _ => conversation.request(asked, timeout, exchange).await,
        }
    }

    /// The conversation that a request of this exchange goes out on.
    async fn conversation(&self, exchange: &Exchange) -> Result<Arc<Conversation>, Lost> {
        let primary = self.ready().await?;
        let is_shared =
            primary.upstream.era() == Era::Modern || self.settings.instances == Instances::Shared;
        if is_shared || self.takes_over(&primary, exchange) {
            return Ok(primary);
        }
        let launch = self.launch.as_ref().map_err(|reason| Lost::Down {
            reason: reason.clone(),
            retry_in: None,
        })?;
        let session = exchange.session().id();
        let ears = || self.ears(Some(session));
        let (conversation, is_new) = self.seats.take(exchange, launch, ears).await?;
        if is_new {
            self.subscribe_again(&conversation, Some(session)).await;
        }
        Ok(conversation)
    }

    /// Whether the first conversation is this session's own: of the one host there is.
    fn takes_over(&self, conversation: &Conversation, exchange: &Exchange) -> bool {
        if self.host != HostChoice::One {
            return false;
        }
        let session = exchange.session().id();
        let mut primary = self.primary();
        match primary.owner {
            Some(owner) => owner == session,
            None if conversation.declared == exchange.capabilities() => {
                primary.owner = Some(session);
                conversation.ears.belong_to(Some(session));
                conversation.ears.remember(exchange);
                true
            }
            None => false,
        }
    }

    /// The first conversation, once the server answers.
    ///
    /// # Errors
    /// When it does not.
    pub(super) async fn ready(&self) -> Result<Arc<Conversation>, Lost> {
        let mut changes = self.changes.subscribe();
        let begun = Instant::now();
        let start = self.launch.as_ref().map_or(PATIENCE, Launch::start_timeout);
        loop {
            changes.borrow_and_update();
            if *self.stopping.borrow() != Stopping::No {
                return Err(down("the gate is stopping", None));
            }
            let state = self.state.load_full();
            let (due, reason, retry_in) = match &state.phase {
                Phase::Ready => match self.alive() {
                    Some(conversation) => return Ok(conversation),
                    None => (begun + BLIP, "it has just gone down", None),
                },
                Phase::Starting => (begun + start.min(PATIENCE), "it is still starting", None),
                Phase::Down {
                    since,
                    found,
                    reason,
                    retry_in,
                } => {
                    self.wanted.notify_one();
                    let retry_in = retry_in.map(|wait| wait.saturating_sub(found.elapsed()));
                    let gone = since.elapsed();
                    // What a jail said no to once it will say no to again.
                    let is_refused = self.is_confined() && state.hello.is_none();
                    if retry_in.is_none() || gone >= BLIP || is_refused {
                        return Err(down(reason, retry_in));
                    }
                    let due = Instant::now() + BLIP.saturating_sub(gone);
                    (due, reason.as_str(), retry_in)
                }
            };
            if timeout_at(due, changes.changed()).await.is_err() {
                return Err(down(reason, retry_in));
            }
        }
    }

    fn is_confined(&self) -> bool {
        let launch = self.launch.as_ref();
        launch.is_ok_and(|launch| launch.confinement.is_some())
    }

    fn alive(&self) -> Option<Arc<Conversation>> {
        let primary = self.primary();
        let conversation = primary.conversation.as_ref();
        let alive = conversation.filter(|conversation| !conversation.upstream.is_closed());
        alive.map(Arc::clone)
    }

    /// Subscribes again to what this session, or any, wants to be told of.
    pub(super) async fn subscribe_again(&self, conversation: &Conversation, session: Option<u64>) {
        if conversation.upstream.era() == Era::Modern {
            return;
        }
        for uri in self.subscriptions.of(session) {
            let params = format!(r#"{{"uri":{}}}"#, adapt::quoted(&uri));
            conversation.small("resources/subscribe", &params).await;
        }
    }

    /// Passes a host's notification on.
    pub(super) async fn notify(&self, session: u64, method: &str, params: Option<&str>) {
        let own = match self.seats.get(session).await {
            Some(conversation) => Some(conversation),
            None => self.alive().filter(|conversation| {
                let owner = conversation.ears.session();
                // On a shared conversation it could not be told whose roots are meant.
                let fits = owner.is_none() && method != "notifications/roots/list_changed";
                owner == Some(session) || fits
            }),
        };
        if let Some(conversation) = own
            && conversation.upstream.era() == Era::Legacy
            && let Err(error) = conversation.upstream.notify(method, params).await
        {
            tracing::debug!(server = &*self.name, method, "not sent: {error}");
        }
    }

    /// Ends what belongs to a session.
    pub(super) async fn leave(&self, session: u64) {
        let unwanted = self.subscriptions.leave(session);
        self.seats.leave(session, CLOSING).await;
        let alive = self.alive();
        {
            let mut primary = self.primary();
            if primary.owner == Some(session) {
                primary.owner = None;
                if let Some(conversation) = &primary.conversation {
                    conversation.ears.belong_to(None);
                }
            }
        }
        if let Some(conversation) = alive.filter(|it| it.upstream.era() == Era::Legacy) {
            for uri in unwanted {
                let params = format!(r#"{{"uri":{}}}"#, adapt::quoted(&uri));
                conversation.small("resources/unsubscribe", &params).await;
            }
        }
    }

    /// How many requests of hosts run.
    pub(super) fn running(&self) -> usize {
        let primary = self.alive();
        primary.map_or(0, |conversation| conversation.ears.running()) + self.seats.running()
    }

    /// Ends all conversations.
    pub(super) async fn close(&self, patience: Duration) {
        let primary = self.drop_primary();
        let closing = async {
            if let Some(conversation) = primary {
                conversation.close(patience).await;
            }
        };
        tokio::join!(closing, self.seats.close(patience));
    }
}

fn down(reason: &str, retry_in: Option<Duration>) -> Lost {
    Lost::Down {
        reason: reason.to_owned(),
        retry_in,
    }
}

fn uri(asked: &Asked<'_>) -> Option<String> {
    let params = Document::parse(asked.params?.to_owned(), &Limits::default()).ok()?;
    let uri = params.root().get("uri").and_then(Value::as_str)?;
    Some(uri.into_owned())
}

/// An empty result.
fn nothing() -> Result<Document, Lost> {
    let empty = Document::parse("{}".to_owned(), &Limits::default());
    empty.map_err(|error| Lost::NotSent(error.to_string()))
}
