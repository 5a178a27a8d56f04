//! Completion: asked of whoever has the prompt or the template.

use std::sync::Arc;

use sayso_core::json::Value;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::Kind;
use super::exchange::Exchange;
use super::{Access, Behind, Inner, Item, Judge, prompts, route};
use crate::policy::Action;
use crate::server::Asked;

impl<J: Judge> Inner<J> {
    /// `completion/complete`.
    pub(super) async fn complete(&self, exchange: &Exchange, message: &Message) -> Reply {
        let Some(params) = message.params() else {
            return Reply::error(code::INVALID_PARAMS, "`ref` is missing");
        };
        let text = |path: &[&str]| params.at(path).and_then(Value::as_str);
        match text(&["ref", "type"]).as_deref() {
            Some("ref/prompt") => {
                let Some(served) = text(&["ref", "name"]) else {
                    let reason = "`ref.name` is missing or no string";
                    return Reply::error(code::INVALID_PARAMS, reason);
                };
                let Some((server, name)) = self.prompt_owner(&served) else {
                    let reason = format!("Unknown prompt: {served}");
                    return Reply::error(code::INVALID_PARAMS, reason);
                };
                let item = Item::Prompt {
                    server: server.name(),
                    name: &name,
                };
                let place = params.at(&["ref", "name"]);
                let params = prompts::renamed(params, place, &served, &name);
                self.ask_completion(exchange, &server, item, &params).await
            }
            Some("ref/resource") => {
                let Some(uri) = text(&["ref", "uri"]) else {
                    let reason = "`ref.uri` is missing or no string";
                    return Reply::error(code::INVALID_PARAMS, reason);
                };
                let Some(server) = self.resource_owner(exchange, &uri) else {
                    return route::no_resource(exchange, &uri);
                };
                let item = Item::Resource {
                    server: server.name(),
                    uri: &uri,
                };
                self.ask_completion(exchange, &server, item, params.raw())
                    .await
            }
            // A kind of reference that is newer than this.
            _ => match self.judge.servers().as_slice() {
                [server] => {
                    let item = Item::Method {
                        server: server.name(),
                        method: "completion/complete",
                    };
                    self.ask_completion(exchange, server, item, params.raw())
                        .await
                }
                _ => Reply::error(
                    code::INVALID_PARAMS,
                    "`ref.type` is neither `ref/prompt` nor `ref/resource`",
                ),
            },
        }
    }

    async fn ask_completion(
        &self,
        exchange: &Exchange,
        server: &Arc<J::Server>,
        item: Item<'_>,
        params: &str,
    ) -> Reply {
        let access = Access {
            action: Action::Complete,
            item,
        };
        if let Err(refusal) = self.judge.admit(exchange, access).await {
            return refusal;
        }
        let asked = Asked {
            method: "completion/complete",
            params: Some(params),
            name: None,
            input_schema: None,
            kept: None,
            timeout: None,
        };
        let answer = server.request(asked, exchange).await;
        route::reply(&**server, answer, Kind::Plain, exchange)
    }
}
