//! Lists of prompts, resources and templates: those of all servers on one page, or the pages of the
//! one server there is, as it gives them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use sayso_core::json::{Document, Splice, Value};
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};
use tokio::task::JoinSet;

use super::adapt::{self, Kind};
use super::exchange::Exchange;
use super::session::ListKind;
use super::{Access, Behind, Inner, Item, Judge, prompts, resources, route};
use crate::policy::Action;
use crate::server::{Answer, Asked, Items, Phase, State};

/// Pages of one list of one server.
const MAX_PAGES: usize = 1000;

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
        self: &Arc<Self>,
        exchange: &Exchange,
        wanted: Wanted,
        message: &Message,
    ) -> Reply {
        let view = self.view_of_items(exchange, wanted.kind);
        let reply = match self.judge.servers().as_slice() {
            [server] => self.pass_page(exchange, server, wanted, message).await,
            _ => self.merged(exchange, wanted, message).await,
        };
        if matches!(reply, Reply::Result(_)) {
            exchange.session().tell(wanted.kind, view);
        }
        reply
    }

    /// A page of the only server.
    async fn pass_page(
        self: &Arc<Self>,
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
            kept: None,
            timeout: Some(self.options.list_timeout),
        };
        let page = match server.request(asked, exchange).await {
            Ok(Answer::Result(page)) => page,
            // What it had is still known.
            Err(_) if (wanted.items)(&server.state()).is_some() => {
                return self.merged(exchange, wanted, message).await;
            }
            other => return route::reply(&**server, other, Kind::Cacheable, exchange),
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
        let era = server.state().era;
        adapt::fit(&mut splice, root, Kind::Cacheable, era, exchange);
        Reply::Result(splice.finish())
    }

    /// What all servers have. One that says when its list changes is not asked again.
    async fn merged(
        self: &Arc<Self>,
        exchange: &Exchange,
        wanted: Wanted,
        message: &Message,
    ) -> Reply {
        let cursor = message.params().and_then(|params| params.get("cursor"));
        if cursor.is_some_and(|cursor| !cursor.is_null()) {
            let reason = "this cursor was never given out: there is one page";
            return Reply::error(code::INVALID_PARAMS, reason);
        }
        let servers = self.judge.servers();
        let mut asking = JoinSet::new();
        for (place, server) in servers.iter().enumerate() {
            if server.state().phase == Phase::Ready && !is_kept(&server.state(), wanted) {
                let (server, exchange) = (Arc::clone(server), exchange.clone());
                let timeout = self.options.list_timeout;
                asking.spawn(async move {
                    let pages = pages(&*server, &exchange, wanted.method, timeout);
                    // A slow one shows what it had before.
                    let pages = tokio::time::timeout(timeout, pages).await;
                    (place, pages.ok().flatten())
                });
            }
        }
        let mut fresh: HashMap<usize, Vec<Document>> = HashMap::new();
        while let Some(asked) = asking.join_next().await {
            if let Ok((place, Some(pages))) = asked {
                fresh.insert(place, pages);
            }
        }
        let mut items = Vec::new();
        for (place, server) in servers.iter().enumerate() {
            match fresh.get(&place) {
                Some(pages) => {
                    let listed = pages
                        .iter()
                        .flat_map(|page| page.root().get_all(wanted.key))
                        .flat_map(Value::elements);
                    let listed = listed.inspect(|item| {
                        if let Some(uri) = item.get("uri").and_then(Value::as_str) {
                            let caller = &exchange.caller().name;
                            self.resources
                                .remember(caller, &uri, server.name().to_owned());
                        }
                    });
                    self.add(&mut items, exchange, server.name(), wanted, listed);
                }
                None => {
                    if let Some(listed) = (wanted.items)(&server.state()) {
                        self.add(&mut items, exchange, server.name(), wanted, listed.items());
                    }
                }
            }
        }
        let result = format!(r#"{{"{}":[{}]}}"#, wanted.key, items.join(","));
        Reply::Result(self.own_result(result, Kind::Cacheable, exchange))
    }

    /// Adds what the caller sees of a server's items, by the names they have here.
    fn add<'a>(
        &self,
        items: &mut Vec<String>,
        exchange: &Exchange,
        server: &str,
        wanted: Wanted,
        listed: impl Iterator<Item = Value<'a>>,
    ) {
        for item in listed {
            match self.shown(exchange, server, wanted, item) {
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

/// Whether what is known of a list is kept up to date: its server says when it changes.
fn is_kept(state: &State, wanted: Wanted) -> bool {
    let capability = match wanted.kind {
        ListKind::Tools => "tools",
        ListKind::Prompts => "prompts",
        ListKind::Resources => "resources",
    };
    let hello = state.hello.as_ref();
    let says = hello.and_then(|hello| {
        hello
            .root()
            .at(&["capabilities", capability, "listChanged"])?
            .as_bool()
    });
    let has = hello.is_some_and(|hello| hello.root().at(&["capabilities", capability]).is_some());
    !has || says == Some(true)
}

/// All pages of a list of a server; `None` where they are not to be had.
pub(super) async fn pages<S: Behind>(
    server: &S,
    exchange: &Exchange,
    method: &str,
    timeout: Duration,
) -> Option<Vec<Document>> {
    let mut pages = Vec::new();
    let mut cursor: Option<String> = None;
    while pages.len() < MAX_PAGES {
        let params = cursor
            .as_deref()
            .map(|cursor| format!(r#"{{"cursor":{}}}"#, adapt::quoted(cursor)));
        let asked = Asked {
            method,
            params: params.as_deref(),
            name: None,
            input_schema: None,
            kept: None,
            timeout: Some(timeout),
        };
        let Ok(Answer::Result(page)) = server.request(asked, exchange).await else {
            return None;
        };
        let next = page.root().get("nextCursor").and_then(Value::as_str);
        let next = next.map(std::borrow::Cow::into_owned);
        pages.push(page);
        if next.is_none() || next == cursor {
            return Some(pages);
        }
        cursor = next;
    }
    Some(pages)
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
