//! What a request asks for.
//!
//! Which era it is of shows in the request: one of 2026-07-28 carries its version in `_meta`,
//! the others follow a handshake (MCP 2026-07-28, "Versioning").

use std::borrow::Cow;

use sayso_core::json::{Document, Value};

use super::call::{Call, PersonAnswer};
use super::connection::{Connection, Step};
use super::event::{Event, StreamKind};
use super::peer::{Era, Introduction, Peer, client_info};
use super::refusal::Refusal;
use super::work::{Task, Work};
use super::{PERSON_KEY, Service, reply};
use crate::jsonrpc::{self, Id, Message};
use crate::version;

/// The keys of `_meta` in a request of 2026-07-28.
pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// A refusal, and who is refused.
type Refused = (Peer, Refusal);

/// The version a modern request says it is of.
pub(super) fn modern_version(message: &Message) -> Option<Value<'_>> {
    message.params()?.at(&["_meta", VERSION_KEY])
}

impl<S: Service> Connection<S> {
    pub(super) fn request(
        &self,
        id: &Id,
        method: &str,
        message: &Message,
    ) -> Result<Step, Refused> {
        if let Some(duplicate) = message.document().duplicates().first() {
            // Two readers may read two different requests.
            let reason = format!("the key `{}` stands more than once", duplicate.key);
            return Err((self.peer(), Refusal::invalid_params(reason)));
        }
        match modern_version(message) {
            Some(version) => self.modern(id, method, message, version),
            None => self.legacy(id, method, message),
        }
    }

    fn legacy(&self, id: &Id, method: &str, message: &Message) -> Result<Step, Refused> {
        let params = message.params();
        match method {
            "initialize" => return Ok(done(id, &self.initialize(params))),
            "ping" => {
                self.witness(Event::Received { method });
                return Ok(done(id, "{}"));
            }
            "server/discover" => {
                let reason = format!("`_meta` lacks `{VERSION_KEY}`");
                return Err((self.peer(), Refusal::invalid_params(reason)));
            }
            _ => {}
        }
        let Some(peer) = self.legacy_peer() else {
            return Err((
                self.peer(),
                Refusal::invalid_request("send `initialize` first"),
            ));
        };
        self.set_hearing();
        let step = match method {
            "tools/list" => self.list(&peer, id, params),
            "tools/call" => self.call(&peer, id, params),
            other => self.unknown(&peer, other),
        };
        step.map_err(|refusal| (peer, refusal))
    }

    fn modern(
        &self,
        id: &Id,
        method: &str,
        message: &Message,
        version: Value<'_>,
    ) -> Result<Step, Refused> {
        let params = message.params();
        let version = self.known_version(version)?;
        let meta = |key| params.and_then(|params| params.at(&["_meta", key]));
        let Some(capabilities) = meta(CAPABILITIES_KEY).filter(|value| value.is_object()) else {
            let reason = format!("`_meta` lacks `{CAPABILITIES_KEY}`");
            return Err((self.peer(), Refusal::invalid_params(reason)));
        };
        let peer = self.peer().introduced(Introduction {
            era: Era::Modern,
            protocol_version: version,
            client: client_info(meta(CLIENT_KEY)),
            capabilities: Some(Document::part(capabilities)),
        });
        self.introduce(&peer);
        let step = match method {
            "server/discover" => {
                self.service.witness(&peer, Event::Discovered);
                Ok(done(id, &reply::discovered(&self.service.identity())))
            }
            "tools/list" => self.list(&peer, id, params),
            "tools/call" => self.call(&peer, id, params),
            "subscriptions/listen" => self.listen(&peer, id, params),
            other => self.unknown(&peer, other),
        };
        step.map_err(|refusal| (peer, refusal))
    }

    fn known_version(&self, version: Value<'_>) -> Result<String, Refused> {
        let asked = version.as_str();
        match version::MODERN
            .into_iter()
            .find(|known| asked.as_deref() == Some(known))
        {
            Some(known) => Ok(known.to_owned()),
            None => Err((
                self.peer(),
                Refusal::unsupported_version(version.to_serde()),
            )),
        }
    }

    fn initialize(&self, params: Option<Value<'_>>) -> String {
        let param = |key| params.and_then(|params: Value<'_>| params.get(key));
        let asked = param("protocolVersion").and_then(Value::as_str);
        let agreed = version::LEGACY
            .into_iter()
            .find(|version| asked.as_deref() == Some(version))
            .unwrap_or(version::LATEST_LEGACY);
        let peer = self.peer().introduced(Introduction {
            era: Era::Legacy,
            protocol_version: agreed.to_owned(),
            client: client_info(param("clientInfo")),
            capabilities: param("capabilities").map(Document::part),
        });
        self.introduce_legacy(&peer);
        let asked = asked.as_deref();
        self.service
            .witness(&peer, Event::Initialized { asked, agreed });
        reply::initialized(&self.service.identity(), agreed)
    }

    fn unknown(&self, peer: &Peer, method: &str) -> Result<Step, Refusal> {
        self.service.witness(peer, Event::Received { method });
        Err(Refusal::unknown_method(method))
    }

    fn list(&self, peer: &Peer, id: &Id, params: Option<Value<'_>>) -> Result<Step, Refusal> {
        let cursor = params.and_then(|params| params.get("cursor"));
        let text = cursor.map(|cursor| cursor.as_str().unwrap_or(Cow::Borrowed(cursor.raw())));
        let event = Event::Listed {
            request_id: &id.to_json(),
            cursor: text.as_deref(),
        };
        self.service.witness(peer, event);
        if cursor.is_some() {
            return Err(Refusal::invalid_params(
                "this cursor was never given out: there is one page",
            ));
        }
        self.work(peer, id, Task::List)
    }

    fn call(&self, peer: &Peer, id: &Id, params: Option<Value<'_>>) -> Result<Step, Refusal> {
        let param = |key| params.and_then(|params: Value<'_>| params.get(key));
        let Some(name) = param("name").and_then(Value::as_str) else {
            return Err(Refusal::invalid_params("`name` is missing or no string"));
        };
        let request_id = id.to_json();
        let arguments = param("arguments");
        let event = Event::Called {
            request_id: &request_id,
            name: &name,
            arguments,
        };
        self.service.witness(peer, event);
        if arguments.is_some_and(|arguments| !arguments.is_object() && !arguments.is_null()) {
            return Err(Refusal::invalid_params("`arguments` is no object"));
        }
        let is_modern = peer.era() == Some(Era::Modern);
        let responses = param("inputResponses").filter(|_| is_modern);
        let person = responses
            .and_then(|responses| responses.get(PERSON_KEY))
            .map(PersonAnswer::read);
        if let Some(answer) = &person {
            let event = Event::PersonAnswered {
                request_id: &request_id,
                answer,
            };
            self.service.witness(peer, event);
        }
        let state = param("requestState").filter(|_| is_modern);
        let call = Call {
            request_id,
            name: name.into_owned(),
            arguments: arguments.map(Document::part),
            person,
            request_state: state.and_then(Value::as_str).map(Cow::into_owned),
        };
        self.work(peer, id, Task::Call(Box::new(call)))
    }

    fn listen(&self, peer: &Peer, id: &Id, params: Option<Value<'_>>) -> Result<Step, Refusal> {
        let filter = params.and_then(|params| params.get("notifications"));
        let Some(filter) = filter.filter(|filter| filter.is_object()) else {
            return Err(Refusal::invalid_params(
                "`notifications` is missing or no object",
            ));
        };
        let tools = filter.get("toolsListChanged").and_then(Value::as_bool);
        let task = Task::Listen {
            tools: tools.unwrap_or(false),
            // From here on, so that no change gets lost before the stream is open.
            changes: self.changes.subscribe(),
        };
        let step = self.work(peer, id, task)?;
        let kind = StreamKind::Subscription;
        self.service.witness(peer, Event::StreamOpened { kind });
        Ok(step)
    }

    fn work(&self, peer: &Peer, id: &Id, task: Task) -> Result<Step, Refusal> {
        let stopped = self.begin(id, matches!(task, Task::Listen { .. }))?;
        Ok(Step::Work(Work {
            peer: peer.clone(),
            id: id.clone(),
            task,
            stopped,
        }))
    }
}

fn done(id: &Id, result: &str) -> Step {
    Step::Reply {
        text: jsonrpc::response(id, result),
        refused: None,
    }
}
