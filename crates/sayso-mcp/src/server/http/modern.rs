//! Requests of the modern era: each stands for itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ::http::request::Parts;
use ::http::{Response, StatusCode};
use sayso_core::json::Value;

use super::super::connection::{Connection, Step};
use super::super::event::Event;
use super::super::peer::{Peer, Transport, client_info};
use super::super::refusal::Refusal;
use super::super::request::{CLIENT_KEY, VERSION_KEY, modern_version};
use super::super::work::{Task, Work};
use super::super::{Changes, Service};
use super::body::HttpBody;
use super::head::{self, Accepted};
use super::{Closing, HttpEndpoint, Refused, accepted, body, parameters, reply};
use crate::jsonrpc::{Message, MessageKind, code};

/// How many clients are told apart.
const MAX_CLIENTS: usize = 1000;

/// The numbers of clients, by name and version: nothing else tells one request's from another's.
#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<HashMap<Option<(String, String)>, u64>>);

impl Clients {
    /// The client's number, and whether it is new.
    fn number(&self, client: Option<(String, String)>, changes: &Changes) -> (u64, bool) {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(&client) {
            return (*number, false);
        }
        if numbers.len() >= MAX_CLIENTS {
            numbers.clear();
        }
        let number = changes.next_connection();
        numbers.insert(client, number);
        (number, true)
    }
}

impl<S: Service> HttpEndpoint<S> {
    pub(super) async fn modern(
        &self,
        head: &Parts,
        message: &Message,
        accept: Accepted,
    ) -> Result<Response<HttpBody>, Box<Refused>> {
        check(head, message, accept)?;
        let connection = self.modern_connection(message);
        match connection.receive(message) {
            Step::Silent => Ok(accepted()),
            Step::Reply { text, refused } => Ok(reply(text, refused, status)),
            Step::Work(work) => {
                if let Some(refused) = self.check_parameters(head, &connection, &work).await {
                    return Ok(refused);
                }
                Ok(self.run(&connection, work, accept, Closing::Cancels).await)
            }
        }
    }

    fn modern_connection(&self, message: &Message) -> Arc<Connection<S>> {
        let client = message
            .params()
            .and_then(|params| params.at(&["_meta", CLIENT_KEY]));
        let client = client_info(client).map(|client| (client.name, client.version));
        let (number, is_new) = self.0.clients.number(client, &self.0.changes);
        let connection = self.connection(Peer::unknown(number, Transport::Http));
        if is_new {
            connection.witness(Event::Connected);
        }
        Arc::new(connection)
    }

    /// The refusal, if headers do not say what the arguments say.
    async fn check_parameters(
        &self,
        head: &Parts,
        connection: &Connection<S>,
        work: &Work,
    ) -> Option<Response<HttpBody>> {
        let Task::Call(call) = &work.task else {
            return None;
        };
        let tools = connection.service.list(&work.peer).await;
        let arguments = call.arguments.as_ref().map(|arguments| arguments.root());
        let refusal = parameters::check(&head.headers, &tools, &call.name, arguments).err()?;
        connection.finish(&work.id);
        let text = connection.refusal(&work.peer, Some(&work.id), &refusal);
        Some(body::json(status(refusal.code), text))
    }
}

/// Checks what is special to HTTP.
fn check(head: &Parts, message: &Message, accept: Accepted) -> Result<(), Box<Refused>> {
    let refuse =
        |refusal: Refusal| Err(Refused::new(status(refusal.code), refusal).with_id(message));
    let method = match message.kind() {
        MessageKind::Request { method, .. } => method,
        MessageKind::Notification { .. } => return Ok(()),
        MessageKind::Response { .. } | MessageKind::Error { .. } => {
            return refuse(Refusal::invalid_request(
                "a client sends no answers in this version of the protocol",
            ));
        }
    };
    let Some(version) = modern_version(message) else {
        let reason = format!("`_meta` lacks `{VERSION_KEY}`");
        return refuse(Refusal::invalid_params(reason));
    };
    let version = version.as_str();
    let Some(version) = version else {
        let reason = format!("`{VERSION_KEY}` is no string");
        return refuse(Refusal::invalid_params(reason));
    };
    let named = match method.as_str() {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    };
    let name = named
        .and_then(|key| message.params()?.get(key))
        .and_then(Value::as_str);
    if let Err(refusal) = head::check(&head.headers, &version, method, name.as_deref()) {
        return refuse(refusal);
    }
    if method == "subscriptions/listen" && !accept.events {
        let reason = "a subscription needs text/event-stream in `Accept`";
        let refusal = Refusal::invalid_request(reason);
        return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, refusal).with_id(message));
    }
    Ok(())
}

/// The status a refusal of the modern era comes with.
pub(super) fn status(code: i64) -> StatusCode {
    match code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        code::INTERNAL_ERROR => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    }
}
