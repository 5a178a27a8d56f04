//! One conversation with a server: requests of hosts go out on it in the words of its era.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use sayso_core::json::{Document, Value};
use sayso_core::listing::Era;
use sayso_mcp::ClientInfo;
use sayso_mcp::downstream::Era as HostEra;
use sayso_mcp::jsonrpc::{Message, MessageKind};
use sayso_mcp::upstream::{self, Kept, Outbound, SendError, Upstream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::adapt::{self, Fitted};
use super::ears::{Ears, Entry, Told};
use super::launch::Launch;
use super::{Answer, Asked, Doubt, Lost};
use crate::confine::Record;
use crate::host::{Exchange, Level};

/// How long a small request of the gate's own may take, such as one that sets the log level.
pub(super) const SMALL: Duration = Duration::from_secs(10);

/// How long a process may take to end by itself.
pub(super) const CLOSING: Duration = Duration::from_secs(2);

/// The most time that a host may be asked things during one request.
const LONGEST_ASKING: Duration = Duration::from_secs(3600);

/// One conversation.
pub(super) struct Conversation {
    pub(super) upstream: Upstream,
    pub(super) ears: Arc<Ears>,
    client: ClientInfo,
    /// The capabilities that were declared.
    pub(super) declared: String,
    /// What its process tries, where that is confined.
    pub(super) record: Option<Arc<Record>>,
    level: Mutex<Option<Level>>,
    _permit: Option<OwnedSemaphorePermit>,
}

/// Why a request has no answer.
pub(super) enum Failed {
    /// It was not sent, because the session is over: another conversation may take it.
    SessionOver(String),
    Lost(Lost),
}

impl From<Lost> for Failed {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

impl Conversation {
    /// Starts the server or reaches it.
    ///
    /// # Errors
    /// When there is no server to speak with, and why.
    pub(super) async fn open(
        launch: &Launch,
        ears: Arc<Ears>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<Self, String> {
        let Launch {
            introduction,
            options,
            ..
        } = launch;
        let (target, record) = launch.prepare()?;
        let listener = Arc::clone(&ears);
        let opened = Upstream::open(&target, introduction, options, listener).await;
        let upstream = opened.map_err(|error| {
            let failure = record
                .as_ref()
                .and_then(|record| record.confined().failure());
            failure.unwrap_or_else(|| error.kind.to_string())
        })?;
        if let Some(record) = &record {
            tokio::spawn(attend(Arc::downgrade(record), record.confined().changed()));
        }
        Ok(Self {
            record,
            upstream,
            ears,
            client: introduction.client.clone(),
            declared: introduction.capabilities.clone(),
            level: Mutex::default(),
            _permit: permit,
        })
    }

    /// What a modern server is told with requests of the gate's own.
    pub(super) fn own_meta(&self) -> Option<String> {
        let told = || adapt::own(self.upstream.protocol_version(), &self.client);
        (self.upstream.era() == Era::Modern).then(|| adapt::object(&told()))
    }

    /// Whether the server declares this.
    pub(super) fn has(&self, capability: &str) -> bool {
        let declared = self
            .upstream
            .hello()
            .root()
            .at(&["capabilities", capability]);
        declared.is_some_and(|declared| !declared.is_null())
    }

    /// Sends a request of a host.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn request(
        &self,
        asked: &Asked<'_>,
        timeout: Duration,
        exchange: &Exchange,
    ) -> Result<Answer, Failed> {
        let era = self.upstream.era();
        let told = match era {
            Era::Modern => adapt::of_host(self.upstream.protocol_version(), exchange, &self.client),
            Era::Legacy => Vec::new(),
        };
        let keeps_own = exchange.era() == HostEra::Modern;
        let fitted = Fitted::read(asked.params, era, told, keeps_own).map_err(Lost::NotSent)?;
        self.set_level(exchange).await;
        let entry = self
            .ears
            .enter(exchange, fitted.token().map(ToOwned::to_owned));
        let params = fitted.finish(entry.key);
        let headers = match (asked.input_schema, fitted.arguments()) {
            (Some(schema), Some(arguments)) => upstream::parameter_headers(schema, arguments),
            _ => Vec::new(),
        };
        let kept = asked.kept.map(|what| {
            let (asked, begun) = (entry.asked_so_far(), Instant::now());
            Kept {
                what: Arc::clone(what),
                until: Arc::new(move || due(begun, timeout, asked.total().0)),
            }
        });
        let outbound = Outbound {
            kept: kept.as_ref(),
            name: asked.name,
            parameter_headers: &headers,
            ..Outbound::new(entry.key, asked.method, params.as_deref())
        };
        let sent = self.upstream.request(outbound);
        let message = drive(sent, entry, exchange, timeout).await?;
        Ok(answer(message, era))
    }

    /// Sends a small request of the gate's own, and waits for its end but not for its success.
    pub(super) async fn small(&self, method: &str, params: &str) {
        let mut outbound = Outbound::new(self.ears.next_key(), method, Some(params));
        outbound.deadline = Some(Instant::now() + SMALL);
        if let Err(error) = self.upstream.request(outbound).await {
            tracing::debug!(method, "not answered: {error}");
        }
    }

    /// Whether the server still answers, with whatever it is.
    ///
    /// # Errors
    /// When it does not, and why.
    pub(super) async fn probe(&self) -> Result<(), String> {
        let meta = self.own_meta();
        let params = meta.map(|meta| format!(r#"{{"_meta":{meta}}}"#));
        let method = match self.upstream.era() {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        };
        let mut outbound = Outbound::new(self.ears.next_key(), method, params.as_deref());
        outbound.deadline = Some(Instant::now() + SMALL);
        let answer = self.upstream.request(outbound).await;
        answer.map(drop).map_err(|error| error.to_string())
    }

    /// Sets the log level of a legacy server where the host wants another. Of a conversation that
    /// several hosts share, the most talkative level holds: each host gets what it wants of it.
    async fn set_level(&self, exchange: &Exchange) {
        let wanted = exchange.log_level();
        let wanted = wanted.as_deref().and_then(Level::read);
        let Some(wanted) = wanted.filter(|_| self.upstream.era() == Era::Legacy) else {
            return;
        };
        {
            let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
            let is_enough = |set: Level| match self.ears.session() {
                Some(_) => set == wanted,
                None => set <= wanted,
            };
            if level.is_some_and(is_enough) || !self.has("logging") {
                return;
            }
            *level = Some(wanted);
        }
        let params = format!(r#"{{"level":"{wanted}"}}"#);
        self.small("logging/setLevel", &params).await;
    }

    /// Ends the conversation, and the server if it was started for it.
    pub(super) async fn close(&self, patience: Duration) {
        let closed = self.upstream.close(patience).await;
        for note in closed.notes {
            tracing::debug!("{note}");
        }
    }
}

/// Looks at what a confined process tries while nobody asks for it.
async fn attend(record: Weak<Record>, mut changed: watch::Receiver<u64>) {
    const EVERY: Duration = Duration::from_millis(100);
    while changed.changed().await.is_ok() {
        let Some(record) = record.upgrade() else {
            return;
        };
        record.account();
        drop(record);
        sleep(EVERY).await;
    }
}

/// Waits for the answer to a request. What the server tells meanwhile goes to the host in the
/// order it came, and before the answer.
async fn drive(
    sent: impl Future<Output = Result<Message, SendError>>,
    mut entry: Entry,
    exchange: &Exchange,
    timeout: Duration,
) -> Result<Message, Failed> {
    let begun = Instant::now();
    let mut sent = pin!(sent);
    let mut due = later(begun, timeout);
    loop {
        tokio::select! {
            biased;
            Some(told) = entry.told.recv() => tell(exchange, told, due).await,
            answer = &mut sent => {
                while let Ok(told) = entry.told.try_recv() {
                    tell(exchange, told, due).await;
                }
                return answer.map_err(failed);
            }
            () = sleep_until(due) => match extended(&entry, begun, timeout) {
                Some(later) => due = later,
                None => {
                    let said = format!("the server did not answer within {} s", timeout.as_secs());
                    return Err(Lost::Unknown { why: Doubt::TimedOut, said }.into());
                }
            }
        }
    }
}

/// When the answer is due, now that the host was asked things meanwhile; none if it is overdue.
fn extended(entry: &Entry, begun: Instant, timeout: Duration) -> Option<Instant> {
    let (asked, is_open) = entry.asked_so_far().total();
    let due = due(begun, timeout, asked);
    let now = Instant::now();
    if due > now {
        Some(due)
    } else if is_open && asked < LONGEST_ASKING {
        Some(now + Duration::from_secs(1))
    } else {
        None
    }
}

/// When an answer is due of a server that could not go on while the host was asked things.
fn due(begun: Instant, timeout: Duration, asked: Duration) -> Instant {
    later(begun, timeout.saturating_add(asked.min(LONGEST_ASKING)))
}

fn later(begun: Instant, timeout: Duration) -> Instant {
    const DECADES: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);
    begun.checked_add(timeout).unwrap_or(begun + DECADES)
}

async fn tell(exchange: &Exchange, told: Told, due: Instant) {
    let notified = exchange.notify(&told.method, told.params.as_deref());
    // A host that takes nothing loses what it is told; its request goes on.
    let _ = timeout_at(due, notified).await;
}

fn failed(error: SendError) -> Failed {
    match error {
        SendError::NotSent {
            said,
            session_over: true,
        } => Failed::SessionOver(said),
        SendError::NotSent { said, .. } => Lost::NotSent(said).into(),
        SendError::Unknown { why, said } => {
            let why = match why {
                upstream::Lost::TimedOut => Doubt::TimedOut,
                upstream::Lost::ConnectionLost => Doubt::ConnectionLost,
                upstream::Lost::Malformed => Doubt::Malformed,
            };
            Lost::Unknown { why, said }.into()
        }
        SendError::Rejected { status, said } => Lost::Rejected { status, said }.into(),
    }
}

fn answer(message: Message, era: Era) -> Answer {
    if matches!(message.kind(), MessageKind::Error { .. }) {
        return Answer::Error(message);
    }
    let result = message
        .result()
        .unwrap_or_else(|| message.document().root());
    let kind = result.get("resultType").and_then(Value::as_str);
    let asks = era == Era::Modern && kind.as_deref() == Some("input_required");
    let result = Document::part(result);
    if asks {
        Answer::InputRequired(result)
    } else {
        Answer::Result(result)
    }
}
