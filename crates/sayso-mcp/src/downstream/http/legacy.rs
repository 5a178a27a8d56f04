//! Requests of the legacy era: they belong to a session that `initialize` begins.

use std::sync::Arc;

use ::http::request::Parts;
use ::http::{HeaderValue, Response, StatusCode};

use super::super::connection::{Connection, Way};
use super::super::outbox::{Kind, Outbox, outbox};
use super::super::work::Tally;
use super::super::{Ending, Handler, Refusal, StreamKind};
use super::admission::single;
use super::body::{self, HttpBody};
use super::head::Accepted;
use super::response::{Closing, Manners, respond};
use super::{Endpoint, Rejected, SESSION_HEADER, id_of, principal};
use crate::jsonrpc::{Message, MessageKind, code};

impl<H: Handler> Endpoint<H> {
    pub(super) async fn legacy(
        &self,
        head: &Parts,
        message: Message,
        accepted: Accepted,
    ) -> Result<Response<HttpBody>, Box<Rejected>> {
        if let MessageKind::Request { method, .. } = message.kind()
            && method == "initialize"
        {
            return self.initialize(head, message).await;
        }
        let connection = self
            .session(head)
            .map_err(|rejected| rejected.with_id(id_of(&message)))?;
        let manners = manners(Closing::Notes);
        let (outbox, queue) = outbox(if accepted.events {
            Kind::Conversation
        } else {
            Kind::Mute
        });
        let step = connection.receive(message, own(outbox));
        Ok(respond(&connection, step, queue, accepted, manners).await)
    }

    async fn initialize(
        &self,
        head: &Parts,
        message: Message,
    ) -> Result<Response<HttpBody>, Box<Rejected>> {
        let id = id_of(&message);
        if let Some(duplicate) = message.document().duplicates().first() {
            let refusal = Refusal::duplicate(&duplicate.key);
            return Err(Rejected::new(StatusCode::BAD_REQUEST, refusal).with_id(id));
        }
        let key = session_key().map_err(|rejected| rejected.with_id(id))?;
        let number = self.0.options.numbers.next();
        let connection = self.connection(head, number, Tally::default());
        connection.handler().connected(&connection.peer());
        let beginning = Beginning(Some(connection));
        let Some(connection) = &beginning.0 else {
            return Ok(body::broken());
        };
        // The session's name goes into the head, so that the answer has to be known before it.
        let accepted = Accepted {
            json: true,
            events: false,
        };
        let manners = manners(Closing::Cancels);
        let (outbox, queue) = outbox(Kind::Mute);
        let step = connection.receive(message, own(outbox));
        let mut response = respond(connection, step, queue, accepted, manners).await;
        if connection.legacy_peer().is_none() {
            return Ok(response);
        }
        if let Ok(value) = HeaderValue::from_str(&key) {
            response.headers_mut().insert(SESSION_HEADER, value);
        }
        if let Some(connection) = beginning.done()
            && let Some(forgotten) = self.0.sessions.add(key, connection)
        {
            forgotten.end(Ending::Forgotten);
        }
        Ok(response)
    }

    fn session(&self, head: &Parts) -> Result<Arc<Connection<H>>, Box<Rejected>> {
        if !head.headers.contains_key(SESSION_HEADER) {
            let refusal = Refusal::invalid_request("the header `Mcp-Session-Id` is missing");
            return Err(Rejected::new(StatusCode::BAD_REQUEST, refusal));
        }
        let key = single(&head.headers, &SESSION_HEADER);
        key.and_then(|key| self.0.sessions.get(key))
            // Another principal's session is as good as none.
            .filter(|connection| connection.peer().has_principal(principal(head)))
            .ok_or_else(|| {
                let refusal = Refusal::invalid_request("there is no such session (any more)");
                Rejected::new(StatusCode::NOT_FOUND, refusal)
            })
    }

    /// GET: a stream for what is not the answer to anything.
    pub(super) fn open_stream(&self, head: &Parts) -> Result<Response<HttpBody>, Box<Rejected>> {
        if !Accepted::read(&head.headers).events {
            let refusal = Refusal::invalid_request("`Accept` lacks text/event-stream");
            return Err(Rejected::new(StatusCode::NOT_ACCEPTABLE, refusal));
        }
        self.check_running()?;
        let connection = self.session(head)?;
        let (outbox, queue) = outbox(Kind::Conversation);
        let peer = connection.peer();
        // A message goes on one stream only, and that is the newest.
        if let Some(before) = connection.link().set_outbox(outbox.clone()) {
            before.end();
            connection.handler().stream_closed(&peer, StreamKind::Get);
        }
        connection.handler().stream_opened(&peer, StreamKind::Get);
        let open = Open { connection, outbox };
        Ok(body::events(queue, Box::new(open)))
    }

    /// DELETE: the session is over.
    pub(super) fn delete(&self, head: &Parts) -> Result<Response<HttpBody>, Box<Rejected>> {
        self.session(head)?;
        let key = single(&head.headers, &SESSION_HEADER).unwrap_or_default();
        if let Some(connection) = self.0.sessions.remove(key) {
            connection.end(Ending::Deleted);
        }
        Ok(body::empty(StatusCode::NO_CONTENT))
    }
}

fn own(outbox: Outbox) -> Way {
    Way {
        outbox,
        is_own: true,
        headers: Vec::new(),
    }
}

/// A session that is about to begin; dropped before it has, it is over.
struct Beginning<H: Handler>(Option<Arc<Connection<H>>>);

impl<H: Handler> Beginning<H> {
    fn done(mut self) -> Option<Arc<Connection<H>>> {
        self.0.take()
    }
}

impl<H: Handler> Drop for Beginning<H> {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            connection.end(Ending::Disconnect);
        }
    }
}

/// A GET stream that is open.
struct Open<H: Handler> {
    connection: Arc<Connection<H>>,
    outbox: Outbox,
}

impl<H: Handler> Drop for Open<H> {
    fn drop(&mut self) {
        // Whoever ended it has told so already.
        if self.connection.link().forget_outbox(&self.outbox) {
            let peer = self.connection.peer();
            self.connection
                .handler()
                .stream_closed(&peer, StreamKind::Get);
        }
    }
}

/// A name for a session that cannot be guessed.
fn session_key() -> Result<String, Box<Rejected>> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| {
        let refusal = Refusal::new(code::INTERNAL_ERROR, "there is no randomness for a session");
        Rejected::new(StatusCode::SERVICE_UNAVAILABLE, refusal)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An error of a method is an answer like any other in the legacy era.
fn manners(closing: Closing) -> Manners {
    Manners {
        closing,
        refused: |code| match code {
            code::INVALID_REQUEST | code::PARSE_ERROR => StatusCode::BAD_REQUEST,
            _ => StatusCode::OK,
        },
        answered: |_| StatusCode::OK,
    }
}
