//! A conversation: the handshake of either era, then listings, calls and changes.

mod call;
mod changes;
mod legacy;
mod listing;
mod modern;

use sayso_core::listing::{ObservationKind, ServerIdentity};
use tokio::time::Instant;

use crate::connection::{Closing, ConnectionError, Transport};
use crate::error::{ReadErrorKind, seconds};
use crate::jsonrpc::{ErrorObject, Message, MessageKind, Outgoing, code};
use crate::options::{Progress, ReadOptions, deadline};

pub(crate) use self::call::{ToolAnswer, Unanswered};
pub(crate) use self::legacy::legacy;
pub(crate) use self::modern::modern;

/// Why a conversation gave nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It is over.
    Final(ReadErrorKind),
    /// The server's process ended, or its output did, while it was asked this.
    Closed(&'static str),
    /// The server refused the handshake as one of the modern era may do.
    PerhapsModern(ReadErrorKind),
}

impl From<ReadErrorKind> for Failure {
    fn from(kind: ReadErrorKind) -> Self {
        Self::Final(kind)
    }
}

/// One side of a conversation.
#[derive(Debug)]
pub(crate) struct Session<T> {
    connection: T,
    options: ReadOptions,
    /// When the first answer is due.
    start: Instant,
    next_id: u64,
    /// Who answered; known after the handshake.
    server: ServerIdentity,
    /// Whether the server declares that it has tools; `None` where it declares nothing at all.
    has_tools: Option<bool>,
    /// What every request of the modern era carries.
    meta: Option<serde_json::Value>,
    /// What a person should know besides the listing.
    notes: Vec<String>,
    /// How many changes of the list were told of already.
    changes_told: usize,
    /// The server does not tell of changes.
    cannot_listen: bool,
    /// What the client declares that it can do, as a JSON object.
    capabilities: serde_json::Value,
    /// The version to ask for first, if not the newest.
    preferred_version: Option<&'static str>,
    /// The answer to `initialize` or `server/discover`.
    hello: Option<Message>,
}

/// An answer: a result, or an error with its whole message.
pub(crate) enum Answer {
    Result(Message),
    Error(ErrorObject, Message),
}

impl<T: Transport> Session<T> {
    pub(crate) fn new(connection: T, options: &ReadOptions, start: Instant) -> Self {
        Self {
            connection,
            options: options.clone(),
            start,
            next_id: 0,
            server: ServerIdentity::default(),
            has_tools: None,
            meta: None,
            notes: Vec::new(),
            changes_told: 0,
            cannot_listen: false,
            capabilities: serde_json::json!({}),
            preferred_version: None,
            hello: None,
        }
    }

    /// Introduces the client with these capabilities, and asks for this version first.
    pub(crate) fn introduced(
        mut self,
        capabilities: serde_json::Value,
        preferred_version: Option<&'static str>,
    ) -> Self {
        self.capabilities = capabilities;
        self.preferred_version = preferred_version;
        self
    }

    /// The answer to the handshake, once.
    pub(crate) fn take_hello(&mut self) -> Option<Message> {
        self.hello.take()
    }

    /// The connection, when no more is to be asked over this session.
    pub(crate) fn into_connection(self) -> T {
        self.connection
    }

    /// Tells how far the conversation is.
    pub(crate) fn tell(&self, progress: Progress<'_>) {
        self.options.tell(progress);
    }

    /// Who answered.
    pub(crate) fn server(&self) -> &ServerIdentity {
        &self.server
    }

    /// What a person should know besides.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How the server's process ended by itself, if it did.
    pub(crate) fn exit(&self) -> Option<String> {
        self.connection.exit()
    }

    /// The last lines on standard error so far.
    pub(crate) fn stderr_tail(&self) -> Vec<String> {
        self.connection.stderr_tail()
    }

    /// Ends the conversation: what a person should know, and how it ended.
    pub(crate) async fn close(self) -> (Vec<String>, Closing) {
        (self.notes, self.connection.close().await)
    }

    /// Notes what a person should know, once.
    fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// When an answer to a question asked now is due.
    fn request_deadline(&self) -> Instant {
        deadline(Instant::now(), self.options.request_timeout)
    }

    async fn ask(
        &mut self,
        method: &'static str,
        params: Option<serde_json::Map<String, serde_json::Value>>,
        deadline: Instant,
    ) -> Result<Answer, Failure> {
        let params = match &self.meta {
            None => params,
            Some(meta) => {
                let mut params = params.unwrap_or_default();
                params.insert("_meta".to_owned(), meta.clone());
                Some(params)
            }
        };
        let id = self.next_id();
        let request = Outgoing::request(id, method, params.map(Into::into));
        let asked = Instant::now();
        let answer = match self.connection.request(&request, deadline).await {
            Ok(answer) => answer,
            Err(error) => {
                // The conversation may go on, and the answer still come.
                self.connection.inbox().give_up(id.into());
                return Err(failure(error, method, asked));
            }
        };
        // Those of a listing are told with their place.
        let duplicates = answer.document().duplicates();
        for duplicate in duplicates.iter().filter(|_| method != listing::LIST) {
            let detail = format!("`{}` in the answer to `{method}`", duplicate.key);
            self.connection
                .inbox()
                .observe(ObservationKind::DuplicateKey, &detail);
        }
        Ok(match answer.kind().clone() {
            MessageKind::Error { error, .. } => Answer::Error(error, answer),
            _ => Answer::Result(answer),
        })
    }
}

fn failure(error: ConnectionError, request: &'static str, asked: Instant) -> Failure {
    Failure::Final(match error {
        ConnectionError::Closed => return Failure::Closed(request),
        ConnectionError::TimedOut(heard) => ReadErrorKind::NeverAnswered {
            request,
            waited: asked.elapsed(),
            heard,
        },
        ConnectionError::TooLong { max_bytes } => ReadErrorKind::TooLong { request, max_bytes },
        ConnectionError::InvalidAnswer(fault) => ReadErrorKind::InvalidAnswer { request, fault },
        ConnectionError::BrokenAnswer { error, excerpt } => ReadErrorKind::BrokenAnswer {
            request,
            error,
            excerpt,
        },
        ConnectionError::Io(error) => ReadErrorKind::Io(error),
        ConnectionError::Http(error) => ReadErrorKind::Http(error),
        ConnectionError::NotListening(_) => return Failure::Closed(request),
    })
}

/// Whether the server has tools, by its `capabilities`; `None` where there are none to see.
fn declares_tools(result: sayso_core::json::Value<'_>) -> Option<bool> {
    let capabilities = result.get("capabilities")?;
    Some(
        capabilities
            .get("tools")
            .is_some_and(|tools| !tools.is_null()),
    )
}

/// The client as requests name it.
fn client_info(options: &ReadOptions) -> serde_json::Value {
    serde_json::json!({ "name": options.client.name, "version": options.client.version })
}

/// A clear sign that a handshake is not what the server wants. One of the modern era misses
/// the method, `_meta`, a version it knows, or the headers that say so.
fn refuses_handshake(error: &ErrorObject) -> bool {
    matches!(
        error.code,
        code::METHOD_NOT_FOUND
            | code::INVALID_PARAMS
            | code::UNSUPPORTED_PROTOCOL_VERSION
            | code::HEADER_MISMATCH
    )
}
