//! One request of a host, as those who work on it see it: who asks, and the way back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use sayso_core::json::{Document, Limits, Value};
use sayso_mcp::ClientInfo;
use sayso_mcp::downstream::{Era, Transport};
use tokio::sync::{mpsc, oneshot};

use super::session::Session;
use super::{logging, meta};
use crate::caller::Caller;

/// A future that borrows.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The host takes nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host takes nothing any more")]
pub struct Gone;

/// Why a host did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// It cannot be asked this: it does not say that it can, or there is no way to ask it.
    #[error("the host cannot be asked this")]
    Impossible,
    /// It took too long.
    #[error("the host did not answer in time")]
    TimedOut,
    /// It is gone, or does not want the answer to its own request any more.
    #[error("the host is gone")]
    Gone,
    /// It answered with an error: the raw `error` object.
    #[error("the host answered with an error: {0}")]
    Refused(String),
}

/// The way back to a host, for one request of it or for its connection.
pub trait Line: Send + Sync + 'static {
    /// Sends a notification. `params` is raw JSON.
    fn notify<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
    ) -> Pending<'a, Result<(), Gone>>;

    /// Sends a request (legacy era only); the answer is the raw result.
    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
        timeout: Duration,
    ) -> Pending<'a, Result<String, AskError>>;

    /// Resolves when the host takes nothing any more.
    fn closed(&self) -> Pending<'_, ()>;

    /// The way back for what belongs to no request; `None` where that is this one.
    fn between(&self) -> Option<Arc<dyn Line>> {
        None
    }
}

/// What a host says about itself: in `initialize`, or in the `_meta` of a request.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Which era it speaks.
    pub era: Era,
    /// How it is connected.
    pub transport: Transport,
    /// The protocol version that was agreed on.
    pub protocol_version: String,
    /// Its name and version, in its own words.
    pub client: Option<ClientInfo>,
    /// Its capabilities: a raw JSON object.
    pub capabilities: String,
}

/// One request of a host. Cheap to clone; may outlive the request, and then everything fails.
#[derive(Clone)]
pub struct Exchange(Arc<Inner>);

struct Inner {
    number: u64,
    caller: Arc<Caller>,
    session: Arc<Session>,
    introduction: Arc<Introduction>,
    capabilities: OnceLock<Option<Document>>,
    meta: Option<String>,
    note: Option<String>,
    line: Mutex<Option<Arc<dyn Line>>>,
    questions: Option<mpsc::Sender<Question>>,
}

/// Something a modern host is asked while its call is parked.
pub(super) struct Question {
    pub(super) method: String,
    pub(super) params: Option<String>,
    pub(super) answer: oneshot::Sender<Result<String, AskError>>,
}

/// What an exchange is made of.
pub(super) struct Parts {
    pub(super) number: u64,
    pub(super) caller: Arc<Caller>,
    pub(super) session: Arc<Session>,
    pub(super) introduction: Arc<Introduction>,
    pub(super) meta: Option<String>,
    pub(super) note: Option<String>,
    pub(super) line: Arc<dyn Line>,
    pub(super) questions: Option<mpsc::Sender<Question>>,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("number", &self.0.number)
            .field("caller", &self.0.caller)
            .field("session", &self.0.session.id())
            .finish_non_exhaustive()
    }
}

impl Exchange {
    pub(super) fn of(parts: Parts) -> Self {
        Self(Arc::new(Inner {
            number: parts.number,
            caller: parts.caller,
            session: parts.session,
            introduction: parts.introduction,
            capabilities: OnceLock::new(),
            meta: parts.meta,
            note: parts.note,
            line: Mutex::new(Some(parts.line)),
            questions: parts.questions,
        }))
    }

    /// An exchange that belongs to no connection of [`Hosts`](super::Hosts): for whoever asks
    /// servers by themselves, and for tests. A modern host behind it cannot be asked anything.
    #[must_use]
    pub fn detached(
        number: u64,
        caller: Caller,
        introduction: Introduction,
        meta: Option<String>,
        line: Arc<dyn Line>,
    ) -> Self {
        let caller = Arc::new(caller);
        let session = Arc::new(Session::new(number, Arc::clone(&caller)));
        Self::of(Parts {
            number,
            caller,
            session,
            introduction: Arc::new(introduction),
            meta,
            note: None,
            line,
            questions: None,
        })
    }

    /// A number no other exchange of this process has.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// The session it belongs to. The modern era has none over HTTP: there, requests of clients
    /// of one name and version count as one session.
    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.0.session
    }

    /// Which era the host speaks.
    #[must_use]
    pub fn era(&self) -> Era {
        self.0.introduction.era
    }

    /// How the host is connected.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.0.introduction.transport
    }

    /// What the host said about itself.
    #[must_use]
    pub fn introduction(&self) -> &Introduction {
        &self.0.introduction
    }

    /// The host's capabilities: a raw JSON object, byte for byte as it sent them.
    #[must_use]
    pub fn capabilities(&self) -> &str {
        &self.0.introduction.capabilities
    }

    /// The same, read; `None` where the host sent none.
    #[must_use]
    pub fn capability(&self, path: &[&str]) -> Option<Value<'_>> {
        let read = || Document::parse(self.capabilities().to_owned(), &Limits::default()).ok();
        let capabilities = self.0.capabilities.get_or_init(read);
        capabilities.as_ref()?.root().at(path)
    }

    /// The request's `params._meta`: a raw JSON object.
    #[must_use]
    pub fn meta(&self) -> Option<&str> {
        self.0.meta.as_deref()
    }

    /// What the judge gave along when it answered this very call with
    /// [`CallReply::InputRequired`](super::CallReply::InputRequired): same caller, same tool,
    /// same arguments. It is handed out once only, and not after a restart.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }

    /// The least severe log messages the host wants, as the era has it: set for the session, or in
    /// the request's `_meta`.
    #[must_use]
    pub fn log_level(&self) -> Option<String> {
        match self.era() {
            Era::Legacy => self.0.session.log_level().map(|level| level.to_string()),
            Era::Modern => {
                let meta = Document::parse(self.0.meta.clone()?, &Limits::default()).ok()?;
                let level = meta.root().get(meta::LOG_LEVEL)?.as_str()?;
                Some(level.into_owned())
            }
        }
    }

    /// Whether the host says that it can be asked this. `params` tells the ways of eliciting apart.
    #[must_use]
    pub fn can_be_asked(&self, method: &str, params: Option<&str>) -> bool {
        let declared = match method {
            "elicitation/create" => return self.can_elicit(params),
            "sampling/createMessage" => self.capability(&["sampling"]),
            "roots/list" => self.capability(&["roots"]),
            // What the specification does not know is asked as it is: in the legacy era a host
            // answers what it does not know itself.
            _ => return self.era() == Era::Legacy,
        };
        declared.is_some_and(Value::is_object)
    }

    /// `elicitation: {}` is forms only (MCP 2025-11-25, "Elicitation", capabilities).
    fn can_elicit(&self, params: Option<&str>) -> bool {
        let Some(declared) = self
            .capability(&["elicitation"])
            .filter(|it| it.is_object())
        else {
            return false;
        };
        let params = params.and_then(|raw| Document::parse(raw.into(), &Limits::default()).ok());
        let mode = params
            .as_ref()
            .and_then(|params| params.root().get("mode")?.as_str());
        match mode.as_deref() {
            None | Some("form") => {
                declared.get("form").is_some() || declared.members().next().is_none()
            }
            Some(mode) => declared.get(mode).is_some(),
        }
    }

    /// Sends the host a notification on the stream of this request. `params` is raw JSON. Log
    /// messages it does not want, and what comes while the call is parked, it is not sent.
    ///
    /// # Errors
    /// When the host takes nothing any more.
    pub async fn notify(&self, method: &str, params: Option<&str>) -> Result<(), Gone> {
        if method == "notifications/message" && !self.wants_log(params) {
            return Ok(());
        }
        match self.line() {
            Some(line) => line.notify(method, params).await,
            None => Ok(()),
        }
    }

    fn wants_log(&self, params: Option<&str>) -> bool {
        let wanted = self.log_level();
        match (self.era(), wanted) {
            (Era::Legacy, None) => true,
            // Without a level in the request there are no log messages (MCP 2026-07-28, "Logging").
            (Era::Modern, None) => false,
            (_, Some(wanted)) => logging::is_wanted(&wanted, params),
        }
    }

    /// Asks the host. `params` and the result are raw JSON. A modern host gets its request answered
    /// with `input_required`, and this waits until it comes again with the answer.
    ///
    /// # Errors
    /// When the host cannot be asked this, is gone, takes too long, or answers with an error.
    pub async fn ask(
        &self,
        method: &str,
        params: Option<&str>,
        timeout: Duration,
    ) -> Result<String, AskError> {
        if !self.can_be_asked(method, params) {
            return Err(AskError::Impossible);
        }
        self.0.session.remember_elicitation(method, params);
        match (self.era(), &self.0.questions) {
            (Era::Legacy, _) => {
                let line = self.line().ok_or(AskError::Gone)?;
                line.ask(method, params, timeout).await
            }
            (Era::Modern, None) => Err(AskError::Impossible),
            (Era::Modern, Some(questions)) => {
                let (answer, answered) = oneshot::channel();
                let question = Question {
                    method: method.to_owned(),
                    params: params.map(str::to_owned),
                    answer,
                };
                let asked = async {
                    questions
                        .send(question)
                        .await
                        .map_err(|_| AskError::Impossible)?;
                    answered.await.unwrap_or(Err(AskError::TimedOut))
                };
                tokio::time::timeout(timeout, asked)
                    .await
                    .unwrap_or(Err(AskError::TimedOut))
            }
        }
    }

    /// Resolves when the host takes nothing any more; never while a call is parked.
    pub async fn closed(&self) {
        match self.line() {
            Some(line) if self.0.questions.is_none() => line.closed().await,
            _ => std::future::pending().await,
        }
    }

    /// The same host between two of its requests: what its session's server asks then reaches it on
    /// its connection.
    pub(crate) fn between(&self) -> Self {
        let inner = &self.0;
        let line = self.line();
        let line = line.map(|line| line.between().unwrap_or(line));
        Self(Arc::new(Inner {
            number: inner.number,
            caller: Arc::clone(&inner.caller),
            session: Arc::clone(&inner.session),
            introduction: Arc::clone(&inner.introduction),
            capabilities: OnceLock::new(),
            meta: None,
            note: None,
            line: Mutex::new(line),
            questions: None,
        }))
    }

    /// The same request, with what the judge wants to know when it goes on.
    pub(super) fn with_note(&self, note: Option<String>) -> Self {
        let inner = &self.0;
        Self(Arc::new(Inner {
            number: inner.number,
            caller: Arc::clone(&inner.caller),
            session: Arc::clone(&inner.session),
            introduction: Arc::clone(&inner.introduction),
            capabilities: OnceLock::new(),
            meta: inner.meta.clone(),
            note,
            line: Mutex::new(self.line()),
            questions: inner.questions.clone(),
        }))
    }

    /// From now on this is the way back; `None` while the call is parked.
    pub(super) fn connect(&self, line: Option<Arc<dyn Line>>) {
        *self.0.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }

    fn line(&self) -> Option<Arc<dyn Line>> {
        let line = self.0.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.clone()
    }
}
