//! Which server answers for what, and what becomes of its answer.

use std::sync::Arc;

use sayso_core::json::Value;
use sayso_core::reveal::reveal_line;
use sayso_mcp::downstream::{Era, Reply};
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::{self, Kind};
use super::exchange::Exchange;
use super::{Access, Behind, Inner, Item, Judge, template};
use crate::policy::Action;
use crate::server::{Answer, Lost, State};

/// JSON-RPC error of a resource that is not there, in the legacy era (MCP 2025-11-25, "Resources").
const RESOURCE_NOT_FOUND: i64 = -32002;

/// How many of the `_` in a prompt's name may be the end of a prefix.
const MAX_PREFIXES: usize = 32;

/// What an attempt at a request came to.
pub(super) enum Attempt {
    /// The answer.
    Done(Reply),
    /// A modern server has to know more first.
    InputRequired {
        /// The value of `result`.
        result: sayso_core::json::Document,
        /// What the judge wants to know next time.
        note: Option<String>,
    },
}

impl From<Reply> for Attempt {
    fn from(reply: Reply) -> Self {
        Self::Done(reply)
    }
}

/// What a server's answer means for the host, where it may ask for input first.
pub(super) fn attempt(
    server: &impl Behind,
    answer: Result<Answer, Lost>,
    kind: Kind,
    exchange: &Exchange,
) -> Attempt {
    match answer {
        Ok(Answer::InputRequired(result)) => Attempt::InputRequired { result, note: None },
        other => Attempt::Done(reply(server, other, kind, exchange)),
    }
}

/// What a server's answer means for the host.
pub(super) fn reply(
    server: &impl Behind,
    answer: Result<Answer, Lost>,
    kind: Kind,
    exchange: &Exchange,
) -> Reply {
    match answer {
        Ok(Answer::Result(result)) => {
            let era = server.state().era;
            Reply::Result(adapt::result(result.root(), kind, era, exchange))
        }
        Ok(Answer::Error(message)) => error(&message),
        Ok(Answer::InputRequired(_)) => Reply::error(
            code::INTERNAL_ERROR,
            format!(
                "server `{}` asks for input where the protocol has none",
                server.name()
            ),
        ),
        Err(lost) => Reply::error(
            code::INTERNAL_ERROR,
            format!(
                "server `{}`: {}",
                server.name(),
                reveal_line(&lost.to_string())
            ),
        ),
    }
}

/// A server's error, byte for byte.
fn error(message: &Message) -> Reply {
    match message.document().root().get("error") {
        Some(error) => Reply::Raw(error.raw().to_owned()),
        None => Reply::error(code::INTERNAL_ERROR, "the server's error cannot be read"),
    }
}

/// The error of a resource that is not there, or not for this caller.
pub(super) fn no_resource(exchange: &Exchange, uri: &str) -> Reply {
    let code = match exchange.era() {
        Era::Legacy => RESOURCE_NOT_FOUND,
        Era::Modern => code::INVALID_PARAMS,
    };
    Reply::Error {
        code,
        message: "Resource not found".to_owned(),
        data: Some(format!(r#"{{"uri":{}}}"#, adapt::quoted(uri))),
    }
}

impl<J: Judge> Inner<J> {
    /// The server of this name.
    pub(super) fn server(&self, name: &str) -> Option<Arc<J::Server>> {
        let servers = self.judge.servers();
        servers.into_iter().find(|server| server.name() == name)
    }

    /// The server that has a prompt, and what the prompt is called there.
    pub(super) fn prompt_owner(&self, served: &str) -> Option<(Arc<J::Server>, String)> {
        let servers = self.judge.servers();
        for server in &servers {
            let state = server.state();
            let found = prompt_names(&state)
                .find(|name| self.judge.served_as(server.name(), name) == served);
            if let Some(name) = found {
                return Some((Arc::clone(server), name));
            }
        }
        // One that is not listed: whoever would have it by this name.
        let behind = served.match_indices('_').take(MAX_PREFIXES);
        let names = behind.filter_map(|(at, _)| served.get(at + 1..));
        let mut owners = names.chain([served]).flat_map(|name| {
            let has =
                |server: &&Arc<J::Server>| self.judge.served_as(server.name(), name) == served;
            let found = servers.iter().filter(has);
            found.map(|server| (Arc::clone(server), name.to_owned()))
        });
        let owner = owners.next()?;
        owners.next().is_none().then_some(owner)
    }

    /// The server that has a resource: the one that lists it, else the one with a template it
    /// fits, else the one that spoke of it to this caller, else the one there is.
    pub(super) fn resource_owner(&self, exchange: &Exchange, uri: &str) -> Option<Arc<J::Server>> {
        let servers = self.judge.servers();
        let is_shown = |server: &Arc<J::Server>| {
            let item = Item::Resource {
                server: server.name(),
                uri,
            };
            let access = Access {
                action: Action::List,
                item,
            };
            self.judge.shows(exchange, access)
        };
        let find = |lists: fn(&State, &str) -> bool| {
            let with = |server: &&Arc<J::Server>| lists(&server.state(), uri);
            let mut all = servers.iter().filter(with);
            let first = all.clone().next();
            all.find(|server| is_shown(server)).or(first).cloned()
        };
        let only = || match servers.as_slice() {
            [server] => Some(Arc::clone(server)),
            _ => None,
        };
        let spoken_of = || {
            let name = self.resources.get(&exchange.caller().name, uri)?;
            servers.iter().find(|server| server.name() == name).cloned()
        };
        find(lists_resource)
            .or_else(|| find(has_template))
            .or_else(spoken_of)
            .or_else(only)
    }
}

fn prompt_names(state: &State) -> impl Iterator<Item = String> + '_ {
    let prompts = state.prompts.iter().flat_map(|items| items.items());
    prompts.filter_map(|prompt| Some(prompt.get("name")?.as_str()?.into_owned()))
}

fn lists_resource(state: &State, uri: &str) -> bool {
    let mut resources = state.resources.iter().flat_map(|items| items.items());
    resources.any(|resource| text(resource, "uri").is_some_and(|listed| listed == uri))
}

fn has_template(state: &State, uri: &str) -> bool {
    let mut templates = state.templates.iter().flat_map(|items| items.items());
    templates.any(|listed| {
        let listed = text(listed, "uriTemplate");
        // A template itself is what completion refers to.
        listed.is_some_and(|listed| listed == uri || template::fits(&listed, uri))
    })
}

fn text<'a>(value: Value<'a>, key: &str) -> Option<std::borrow::Cow<'a, str>> {
    value.get(key)?.as_str()
}
