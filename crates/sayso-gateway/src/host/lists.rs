//! Lists of prompts, resources and templates: those of all servers on one page, or the pages of the
//! one server there is, as it gives them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use sayso_core::json::{Splice, Value};
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::{self, Kind};
use super::exchange::Exchange;
use super::session::ListKind;
use super::{Access, Behind, Inner, Item, Judge, prompts, resources, route};
use crate::policy::Action;
use crate::server::{Answer, Asked, Items, State};

/// A list.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// The method that lists.
    pub(super) method: &'static str,
    /// The key of the array in the result.
    pub(super) key: &'static str,
    /// What notifications call it.
    pub(super) kind: ListKind,
    /// What is known of it.
    pub(super) items: fn(&State) -> Option<Arc<Items>>,
}

impl<J: Judge> Inner<J> {
    /// `prompts/list`, `resources/list`, `resources/templates/list`.
    pub(super) async fn list(
        &self,
        exchange: &Exchange,
        wanted: Wanted,
        message: &Message,
    ) -> Reply {
        let view = self.view_of_items(exchange, wanted.kind);
        let reply = match self.judge.servers().as_slice() {
            [server] => self.pass_page(exchange, server, wanted, message).await,
            _ => self.merged(exchange, wanted, message),
        };
        if matches!(reply, Reply::Result(_)) {
            exchange.session().tell(wanted.kind, view);
        }
        reply
    }

    /// A page of the only server.
    async fn pass_page(
        &self,
        exchange: &Exchange,
        server: &Arc<J::Server>,
        wanted: Wanted,
        message: &Message,
    ) -> Reply {
        let asked = Asked {
            method: wanted.method,
            params: message.params().map(Value::raw),
            name: None,
            input_schema: None,
            timeout: Some(self.options.list_timeout),
        };
        let page = match server.request(asked, exchange).await {
            Ok(Answer::Result(page)) => page,
            other => return route::reply(server.name(), other, Kind::Cacheable, exchange),
        };
        let root = page.root();
        let mut splice = Splice::new(root);
        for item in root.get_all(wanted.key).flat_map(Value::elements) {
            match self.shown(exchange, server.name(), wanted, item) {
                Some(None) => {}
                Some(Some(served)) => {
                    splice.set(item, "name", adapt::quoted(&served));
                }
                None => {
                    splice.remove(item);
                }
            }
        }
        adapt::fit(&mut splice, root, Kind::Cacheable, exchange);
        Reply::Result(splice.finish())
    }

    /// What all servers have, as it was listed last.
    fn merged(&self, exchange: &Exchange, wanted: Wanted, message: &Message) -> Reply {
        let cursor = message.params().and_then(|params| params.get("cursor"));
        if cursor.is_some_and(|cursor| !cursor.is_null()) {
            let reason = "this cursor was never given out: there is one page";
            return Reply::error(code::INVALID_PARAMS, reason);
        }
        let mut items = Vec::new();
        for server in self.judge.servers() {
            let Some(listed) = (wanted.items)(&server.state()) else {
                continue;
            };
            for item in listed.items() {
                match self.shown(exchange, server.name(), wanted, item) {
                    Some(None) => items.push(item.raw().to_owned()),
                    Some(Some(served)) => {
                        let mut splice = Splice::new(item);
                        splice.set(item, "name", adapt::quoted(&served));
                        items.push(splice.finish());
                    }
                    None => {}
                }
            }
        }
        let result = format!(r#"{{"{}":[{}]}}"#, wanted.key, items.join(","));
        Reply::Result(self.own_result(result, Kind::Cacheable, exchange))
    }

    /// `None`: the caller does not see it. `Some(Some)`: it goes by another name here.
    fn shown(
        &self,
        exchange: &Exchange,
        server: &str,
        wanted: Wanted,
        item: Value<'_>,
    ) -> Option<Option<String>> {
        let text = |key| {
            let text: Option<Value<'_>> = item.get(key);
            text.and_then(Value::as_str)
        };
        let (item, rename) = match wanted.kind {
            ListKind::Prompts | ListKind::Tools => {
                // One without a name cannot be got, and is shown as it is.
                let Some(name) = text("name") else {
                    return Some(None);
                };
                let served = self.judge.served_as(server, &name);
                let rename = (served != name).then_some(served);
                (Held::Prompt(name), rename)
            }
            ListKind::Resources => {
                let Some(uri) = text("uri").or_else(|| text("uriTemplate")) else {
                    return Some(None);
                };
                (Held::Resource(uri), None)
            }
        };
        let item = match &item {
            Held::Prompt(name) => Item::Prompt { server, name },
            Held::Resource(uri) => Item::Resource { server, uri },
        };
        let access = Access {
            action: Action::List,
            item,
        };
        self.judge.shows(exchange, access).then_some(rename)
    }

    /// A hash of what this host may see of prompts or resources.
    pub(super) fn view_of_items(&self, exchange: &Exchange, kind: ListKind) -> u64 {
        let lists: &[Wanted] = match kind {
            ListKind::Prompts => &[prompts::LIST],
            ListKind::Resources => &[resources::LIST, resources::TEMPLATES],
            ListKind::Tools => &[],
        };
        let mut hasher = DefaultHasher::new();
        for server in self.judge.servers() {
            let state = server.state();
            for wanted in lists {
                let listed = (wanted.items)(&state);
                for item in listed.iter().flat_map(|listed| listed.items()) {
                    if let Some(rename) = self.shown(exchange, server.name(), *wanted, item) {
                        (server.name(), rename, item.raw()).hash(&mut hasher);
                    }
                }
            }
        }
        hasher.finish()
    }
}

enum Held<'a> {
    Prompt(std::borrow::Cow<'a, str>),
    Resource(std::borrow::Cow<'a, str>),
}

/// A hash of a list, to see whether it changed.
pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
