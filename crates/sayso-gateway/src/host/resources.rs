//! Resources: listed together, read and watched at whoever has them.

use sayso_core::json::Value;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::Kind;
use super::exchange::Exchange;
use super::lists::Wanted;
use super::route::{self, Attempt};
use super::session::ListKind;
use super::{Access, Behind, Inner, Item, Judge};
use crate::policy::Action;
use crate::server::{Answer, Asked};

/// `resources/list`.
pub(super) const LIST: Wanted = Wanted {
    method: "resources/list",
    key: "resources",
    kind: ListKind::Resources,
    items: |state| state.resources.clone(),
};

/// `resources/templates/list`.
pub(super) const TEMPLATES: Wanted = Wanted {
    method: "resources/templates/list",
    key: "resourceTemplates",
    kind: ListKind::Resources,
    items: |state| state.templates.clone(),
};

/// A resource a caller may read, and whose it is.
struct Found<'a, S> {
    server: std::sync::Arc<S>,
    params: Value<'a>,
    uri: std::borrow::Cow<'a, str>,
}

impl<J: Judge> Inner<J> {
    async fn find_resource<'a>(
        &self,
        exchange: &Exchange,
        message: &'a Message,
    ) -> Result<Found<'a, J::Server>, Reply> {
        let params = message.params();
        let uri = params.and_then(|params| params.get("uri")?.as_str());
        let (Some(params), Some(uri)) = (params, uri) else {
            let reason = "`uri` is missing or no string";
            return Err(Reply::error(code::INVALID_PARAMS, reason));
        };
        let Some(server) = self.resource_owner(exchange, &uri) else {
            return Err(route::no_resource(exchange, &uri));
        };
        let item = Item::Resource {
            server: server.name(),
            uri: &uri,
        };
        let access = Access {
            action: Action::Read,
            item,
        };
        self.judge.admit(exchange, access).await?;
        Ok(Found {
            server,
            params,
            uri,
        })
    }

    /// `resources/read`.
    pub(super) async fn read_resource(&self, exchange: &Exchange, message: &Message) -> Attempt {
        let found = match self.find_resource(exchange, message).await {
            Ok(found) => found,
            Err(refusal) => return refusal.into(),
        };
        let asked = Asked {
            method: "resources/read",
            params: Some(found.params.raw()),
            name: Some(&found.uri),
            input_schema: None,
            kept: None,
            timeout: None,
        };
        let answer = found.server.request(asked, exchange).await;
        route::attempt(&*found.server, answer, Kind::Cacheable, exchange)
    }

    /// `resources/subscribe` (legacy era).
    pub(super) async fn subscribe(&self, exchange: &Exchange, message: &Message) -> Reply {
        let found = match self.find_resource(exchange, message).await {
            Ok(found) => found,
            Err(refusal) => return refusal,
        };
        let session = exchange.session();
        let name = found.server.name();
        let was_subscribed = session.is_subscribed(name, &found.uri);
        // Before it is asked for, so that no update is missed.
        if !session.subscribe(name, &found.uri, self.options.subscriptions) {
            let reason = "there are too many subscriptions in this session";
            return Reply::error(code::INVALID_PARAMS, reason);
        }
        let answer = self.watch(exchange, &found, "resources/subscribe").await;
        if !matches!(answer, Reply::Result(_)) && !was_subscribed {
            session.unsubscribe(name, &found.uri);
        }
        answer
    }

    /// `resources/unsubscribe` (legacy era).
    pub(super) async fn unsubscribe(&self, exchange: &Exchange, message: &Message) -> Reply {
        let found = match self.find_resource(exchange, message).await {
            Ok(found) => found,
            Err(refusal) => return refusal,
        };
        exchange
            .session()
            .unsubscribe(found.server.name(), &found.uri);
        self.watch(exchange, &found, "resources/unsubscribe").await
    }

    async fn watch(
        &self,
        exchange: &Exchange,
        found: &Found<'_, J::Server>,
        method: &str,
    ) -> Reply {
        let asked = Asked {
            method,
            params: Some(found.params.raw()),
            name: None,
            input_schema: None,
            kept: None,
            timeout: Some(self.options.list_timeout),
        };
        let answer = found.server.request(asked, exchange).await;
        route::reply(&*found.server, answer, Kind::Plain, exchange)
    }

    /// The server of a resource that a modern host wants to watch, once it is watched.
    pub(super) async fn watch_for(&self, exchange: &Exchange, uri: &str) -> Option<String> {
        let server = self.resource_owner(exchange, uri)?;
        let item = Item::Resource {
            server: server.name(),
            uri,
        };
        let access = Access {
            action: Action::Read,
            item,
        };
        self.judge.admit(exchange, access).await.ok()?;
        let params = format!(r#"{{"uri":{}}}"#, super::adapt::quoted(uri));
        let asked = Asked {
            method: "resources/subscribe",
            params: Some(&params),
            name: None,
            input_schema: None,
            kept: None,
            timeout: Some(self.options.list_timeout),
        };
        match server.request(asked, exchange).await {
            Ok(Answer::Result(_)) => Some(server.name().to_owned()),
            _ => None,
        }
    }
}
