//! A conversation that ends in a listing.

mod legacy;
mod listing;
mod modern;

use sayso_core::listing::{Listing, ObservationKind};
use tokio::time::Instant;

use crate::connection::{ConnectionError, Transport};
use crate::error::{ReadErrorKind, seconds};
use crate::jsonrpc::{ErrorObject, Message, MessageKind, Outgoing, code};
use crate::options::{ReadOptions, deadline};

pub(crate) use self::legacy::legacy;
pub(crate) use self::modern::modern;

/// What a conversation gave.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) listing: Listing,
    /// What a person should know besides.
    pub(crate) notes: Vec<String>,
}

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
pub(crate) struct Session<'a, T> {
    connection: &'a mut T,
    options: &'a ReadOptions,
    /// When the first answer is due.
    start: Instant,
    next_id: u64,
    /// What every request of the modern era carries.
    meta: Option<serde_json::Value>,
    /// What a person should know besides the listing.
    notes: Vec<String>,
}

/// An answer: a result, or an error with its whole message.
pub(crate) enum Answer {
    Result(Message),
    Error(ErrorObject, Message),
}

impl<'a, T: Transport> Session<'a, T> {
    pub(crate) fn new(connection: &'a mut T, options: &'a ReadOptions, start: Instant) -> Self {
        Self {
            connection,
            options,
            start,
            next_id: 0,
            meta: None,
            notes: Vec::new(),
        }
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
        self.next_id += 1;
        let request = Outgoing::request(self.next_id, method, params.map(Into::into));
        let asked = Instant::now();
        let answer = self.connection.request(&request, deadline).await;
        let answer = answer.map_err(|error| failure(error, method, asked))?;
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
