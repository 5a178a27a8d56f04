//! Requests of the modern era: each stands for itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ::http::request::Parts;
use ::http::{Response, StatusCode};
use sayso_core::json::Value;

use super::super::connection::{Connection, Way, modern_version};
use super::super::outbox::{Kind, outbox};
use super::super::peer::{Principal, client_info};
use super::super::work::Tally;
use super::super::{CLIENT_KEY, Handler, Numbers, Refusal, SUBSCRIBE, VERSION_KEY};
use super::body::HttpBody;
use super::head::{self, Accepted};
use super::response::{Closing, Manners, respond};
use super::{Endpoint, Rejected, id_of, parameters, principal};
use crate::jsonrpc::{Message, MessageKind, code};

/// How many clients are told apart.
const MAX_CLIENTS: usize = 1000;

/// Nothing else tells one client's requests from another's.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Client {
    principal: Option<Arc<str>>,
    /// Name and version.
    implementation: Option<(String, String)>,
}

/// The clients that have called.
#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<HashMap<Client, (u64, Tally)>>);

impl Clients {
    /// The client's number, what runs for it, and whether it is new.
    fn find(&self, client: Client, numbers: &Numbers) -> (u64, Tally, bool) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, tally)) = known.get(&client) {
            return (*number, tally.clone(), false);
        }
        if known.len() >= MAX_CLIENTS {
            known.clear();
        }
        let (number, tally) = (numbers.next(), Tally::default());
        known.insert(client, (number, tally.clone()));
        (number, tally, true)
    }
}

impl<H: Handler> Endpoint<H> {
    pub(super) async fn modern(
        &self,
        head: &Parts,
        message: Message,
        accepted: Accepted,
    ) -> Result<Response<HttpBody>, Box<Rejected>> {
        let headers = check(head, &message, accepted)
            .map_err(|rejected| rejected.with_id(id_of(&message)))?;
        let connection = self.modern_connection(head, &message);
        let manners = Manners {
            closing: Closing::Cancels,
            refused: status,
            answered,
        };
        let (outbox, queue) = outbox(if accepted.events {
            Kind::Notices
        } else {
            Kind::Mute
        });
        let way = Way {
            outbox,
            is_own: true,
            headers,
        };
        let step = connection.receive(message, way);
        Ok(respond(&connection, step, queue, accepted, manners).await)
    }

    fn modern_connection(&self, head: &Parts, message: &Message) -> Arc<Connection<H>> {
        let client = message
            .params()
            .and_then(|params| params.at(&["_meta", CLIENT_KEY]));
        let client = Client {
            principal: principal(head).map(|Principal(name)| Arc::clone(name)),
            implementation: client_info(client).map(|client| (client.name, client.version)),
        };
        let numbers = &self.0.options.numbers;
        let (number, tally, is_new) = self.0.clients.find(client, numbers);
        let connection = self.connection(head, number, tally);
        if is_new {
            connection.handler().connected(&connection.peer());
        }
        connection
    }
}

/// Checks what is special to HTTP. What comes back are the headers for parameters.
fn check(
    head: &Parts,
    message: &Message,
    accept: Accepted,
) -> Result<Vec<(String, String)>, Box<Rejected>> {
    let refuse = |refusal: Refusal| Rejected::new(status(refusal.code), refusal);
    let method = match message.kind() {
        MessageKind::Request { method, .. } => method,
        MessageKind::Notification { .. } => return Ok(Vec::new()),
        MessageKind::Response { .. } | MessageKind::Error { .. } => {
            return Err(refuse(Refusal::invalid_request(
                "a client sends no answers in this version of the protocol",
            )));
        }
    };
    let Some(version) = modern_version(message) else {
        let reason = format!("`_meta` lacks `{VERSION_KEY}`");
        return Err(refuse(Refusal::invalid_params(reason)));
    };
    let Some(version) = version.as_str() else {
        let reason = format!("`{VERSION_KEY}` is no string");
        return Err(refuse(Refusal::invalid_params(reason)));
    };
    let named = match method.as_str() {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    };
    let name = named
        .and_then(|key| message.params()?.get(key))
        .and_then(Value::as_str);
    head::check(&head.headers, &version, method, name.as_deref()).map_err(refuse)?;
    if method == SUBSCRIBE && !accept.events {
        let reason = "a subscription needs text/event-stream in `Accept`";
        let refusal = Refusal::invalid_request(reason);
        return Err(Rejected::new(StatusCode::NOT_ACCEPTABLE, refusal));
    }
    parameters::read(&head.headers).map_err(refuse)
}

/// The status of a refusal.
fn status(code: i64) -> StatusCode {
    match code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        code::INTERNAL_ERROR => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// The status of an error of a handler (MCP 2026-07-28, "Transports", Streamable HTTP).
fn answered(code: i64) -> StatusCode {
    match code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        code::HEADER_MISMATCH
        | code::MISSING_REQUIRED_CLIENT_CAPABILITY
        | code::UNSUPPORTED_PROTOCOL_VERSION => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
