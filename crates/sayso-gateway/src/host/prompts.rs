//! Prompts: listed together, got from whoever has them.

use sayso_core::json::{Splice, Value};
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::{self, Kind};
use super::exchange::Exchange;
use super::lists::Wanted;
use super::route::{self, Attempt};
use super::session::ListKind;
use super::{Access, Behind, Inner, Item, Judge};
use crate::policy::Action;
use crate::server::Asked;

/// `prompts/list`.
pub(super) const LIST: Wanted = Wanted {
    method: "prompts/list",
    key: "prompts",
    kind: ListKind::Prompts,
    items: |state| state.prompts.clone(),
};

impl<J: Judge> Inner<J> {
    /// `prompts/get`.
    pub(super) async fn get_prompt(&self, exchange: &Exchange, message: &Message) -> Attempt {
        let params = message.params();
        let served = params.and_then(|params| params.get("name")?.as_str());
        let (Some(params), Some(served)) = (params, served) else {
            return Reply::error(code::INVALID_PARAMS, "`name` is missing or no string").into();
        };
        let unknown = || {
            let message = format!("Unknown prompt: {served}");
            Reply::error(code::INVALID_PARAMS, message)
        };
        let Some((server, name)) = self.prompt_owner(&served) else {
            return unknown().into();
        };
        let item = Item::Prompt {
            server: server.name(),
            name: &name,
        };
        let access = Access {
            action: Action::Get,
            item,
        };
        if let Err(refusal) = self.judge.admit(exchange, access).await {
            return refusal.into();
        }
        let params = renamed(params, params.get("name"), &served, &name);
        let asked = Asked {
            method: "prompts/get",
            params: Some(&params),
            name: Some(&name),
            input_schema: None,
            kept: None,
            timeout: None,
        };
        let answer = server.request(asked, exchange).await;
        route::attempt(&*server, answer, Kind::Plain, exchange)
    }
}

/// The parameters with the name that the server knows.
pub(super) fn renamed<'a>(
    params: Value<'a>,
    place: Option<Value<'a>>,
    served: &str,
    name: &str,
) -> String {
    match place {
        Some(place) if served != name => {
            let mut splice = Splice::new(params);
            splice.replace(place, adapt::quoted(name));
            splice.finish()
        }
        _ => params.raw().to_owned(),
    }
}
