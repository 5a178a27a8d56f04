//! Methods the gate does not know: they are passed on, to whoever knows them.

use sayso_core::json::Value;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, MessageKind, code};

use super::adapt::Kind;
use super::exchange::Exchange;
use super::method::could_be_taken_for_another;
use super::{Access, Behind, Inner, Item, Judge, route};
use crate::policy::Action;
use crate::refusal::ReasonCode;
use crate::server::{Answer, Asked};

impl<J: Judge> Inner<J> {
    /// Asks one server after the other, until one knows the method: whoever does not has done
    /// nothing.
    pub(super) async fn pass_unknown(
        &self,
        exchange: &Exchange,
        method: &str,
        message: &Message,
    ) -> Reply {
        if could_be_taken_for_another(method) {
            let shown = sayso_core::reveal::reveal_line(method);
            let what = format!("`{shown}`, which is no method, and could be taken for one");
            let session = Some(exchange.session().id());
            let reason = ReasonCode::Malformed;
            self.judge
                .refused(exchange.caller(), session, reason, &what);
            return no_method(method);
        }
        let mut last = None;
        for server in self.judge.servers() {
            let item = Item::Method {
                server: server.name(),
                method,
            };
            let access = Access {
                action: Action::Call,
                item,
            };
            if let Err(refusal) = self.judge.admit(exchange, access).await {
                last.get_or_insert(refusal);
                continue;
            }
            let asked = Asked {
                method,
                params: message.params().map(Value::raw),
                name: None,
                input_schema: None,
                kept: None,
                timeout: None,
            };
            let answer = server.request(asked, exchange).await;
            let is_unknown = matches!(&answer, Ok(Answer::Error(error)) if is_unknown(error));
            let reply = route::reply(&*server, answer, Kind::Plain, exchange);
            if !is_unknown {
                return reply;
            }
            last = Some(reply);
        }
        last.unwrap_or_else(|| no_method(method))
    }
}

/// The error of a method that nobody has.
pub(super) fn no_method(method: &str) -> Reply {
    let method = sayso_core::reveal::reveal_line(method);
    let message = format!("there is no method `{method}` here");
    Reply::error(code::METHOD_NOT_FOUND, message)
}

fn is_unknown(message: &Message) -> bool {
    matches!(
        message.kind(),
        MessageKind::Error { error, .. } if error.code == code::METHOD_NOT_FOUND
    )
}
