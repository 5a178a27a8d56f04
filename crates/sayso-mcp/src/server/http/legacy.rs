//! Requests of the legacy era: they belong to a session that `initialize` begins.

use std::sync::Arc;

use ::http::request::Parts;
use ::http::{HeaderValue, Response, StatusCode};
use tokio::sync::oneshot;

use super::super::connection::{Connection, Step};
use super::super::event::{Ending, Event, StreamKind};
use super::super::outbox::Outbox;
use super::super::peer::Transport;
use super::super::refusal::Refusal;
use super::super::{Service, TOOLS_CHANGED, changes::Listener, reply as results};
use super::admission::single;
use super::body::HttpBody;
use super::head::Accepted;
use super::sessions::Session;
use super::{Closing, HttpEndpoint, Refused, SESSION_HEADER, accepted, body, reply};
use crate::jsonrpc::{Message, MessageKind, code};

impl<S: Service> HttpEndpoint<S> {
    pub(super) async fn legacy(
        &self,
        head: &Parts,
        message: &Message,
        accept: Accepted,
    ) -> Result<Response<HttpBody>, Box<Refused>> {
        if let MessageKind::Request { method, .. } = message.kind()
            && method == "initialize"
        {
            return self.initialize(message);
        }
        let session = self
            .session(head)
            .map_err(|refused| refused.with_id(message))?;
        let connection = &session.connection;
        match connection.receive(message) {
            Step::Silent => Ok(accepted()),
            Step::Reply { text, refused } => Ok(reply(text, refused, status)),
            Step::Work(work) => Ok(self.run(connection, work, accept, Closing::Notes).await),
        }
    }

    fn initialize(&self, message: &Message) -> Result<Response<HttpBody>, Box<Refused>> {
        if let Some(duplicate) = message.document().duplicates().first() {
            let reason = format!("the key `{}` stands more than once", duplicate.key);
            let refusal = Refusal::invalid_params(reason);
            return Err(Refused::new(StatusCode::BAD_REQUEST, refusal).with_id(message));
        }
        let key = session_key().map_err(|refused| refused.with_id(message))?;
        let (service, changes) = (Arc::clone(&self.0.service), self.0.changes.clone());
        let connection = Arc::new(Connection::numbered(service, changes, Transport::Http));
        connection.witness(Event::Connected);
        let Step::Reply { text, .. } = connection.receive(message) else {
            // `initialize` is always answered at once.
            return Ok(accepted());
        };
        let mut response = body::json(StatusCode::OK, text);
        if let Ok(value) = HeaderValue::from_str(&key) {
            response.headers_mut().insert(SESSION_HEADER, value);
        }
        if let Some(forgotten) = self.0.sessions.add(key, Session::new(connection)) {
            forgotten.end(Ending::Forgotten);
        }
        Ok(response)
    }

    fn session(&self, head: &Parts) -> Result<Arc<Session<S>>, Box<Refused>> {
        if !head.headers.contains_key(SESSION_HEADER) {
            let refusal = Refusal::invalid_request("the header `Mcp-Session-Id` is missing");
            return Err(Refused::new(StatusCode::BAD_REQUEST, refusal));
        }
        let key = single(&head.headers, &SESSION_HEADER);
        key.and_then(|key| self.0.sessions.get(key)).ok_or_else(|| {
            let refusal = Refusal::invalid_request("there is no such session (any more)");
            Refused::new(StatusCode::NOT_FOUND, refusal)
        })
    }

    /// GET: a stream for what is not the answer to anything.
    pub(super) fn open_stream(&self, head: &Parts) -> Result<Response<HttpBody>, Box<Refused>> {
        if !Accepted::read(&head.headers).events {
            let refusal = Refusal::invalid_request("`Accept` lacks text/event-stream");
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, refusal));
        }
        let session = self.session(head)?;
        let (outbox, queue) = Outbox::new(false);
        let stopped = session.begin_stream();
        let connection = Arc::clone(&session.connection);
        // From here on, so that no change gets lost before the stream is open.
        let changes = connection.changes.subscribe();
        tokio::spawn(tell_changes(connection, changes, outbox, stopped));
        Ok(body::events(None, queue, Box::new(())))
    }

    /// DELETE: the session is over.
    pub(super) fn delete(&self, head: &Parts) -> Result<Response<HttpBody>, Box<Refused>> {
        self.session(head)?;
        let key = single(&head.headers, &SESSION_HEADER).unwrap_or_default();
        if let Some(session) = self.0.sessions.remove(key) {
            session.end(Ending::Deleted);
        }
        Ok(body::empty(StatusCode::NO_CONTENT))
    }
}

/// Sends changes until the client closes the stream, or it is stopped.
async fn tell_changes<S: Service>(
    connection: Arc<Connection<S>>,
    mut changes: Listener,
    outbox: Outbox,
    mut stopped: oneshot::Receiver<()>,
) {
    loop {
        tokio::select! {
            // Whoever stopped it says so.
            _ = &mut stopped => return,
            () = outbox.closed() => break,
            () = changes.changed() => {}
        }
        connection.witness(Event::Notified {
            method: TOOLS_CHANGED,
        });
        if outbox.send(results::tools_changed(None)).await.is_err() {
            break;
        }
    }
    connection.witness(Event::StreamClosed {
        kind: StreamKind::Get,
    });
}

/// A name for a session that cannot be guessed.
fn session_key() -> Result<String, Box<Refused>> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| {
        let refusal = Refusal::new(code::INTERNAL_ERROR, "there is no randomness for a session");
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, refusal)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The status a refusal of the legacy era comes with: an error of a method is an answer like
/// any other there.
pub(super) fn status(code: i64) -> StatusCode {
    match code {
        code::INVALID_REQUEST | code::PARSE_ERROR => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
