//! What a server says of a subscription (MCP 2026-07-28, "Subscriptions").

use sayso_core::json::Value;

use crate::connection::ConnectionError;
use crate::jsonrpc::{Id, Message, MessageKind};

/// The key of the subscription's id in `_meta`.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// A word about a subscription.
#[derive(Debug)]
pub(crate) enum Word {
    /// The server took it up and tells of changes of its tools.
    Acknowledged,
    /// It is over, or never was.
    Over(ConnectionError),
}

/// What a message says about the subscription that was asked for with `id`; `None` where it is
/// about something else.
pub(crate) fn word(message: &Message, id: &Id) -> Option<Word> {
    let over = |how: String| Some(Word::Over(ConnectionError::NotListening(how)));
    if message.answers(id) {
        return match message.kind() {
            MessageKind::Error { error, .. } => {
                over(format!("refused `subscriptions/listen`: {error}"))
            }
            _ => over("ended the subscription".to_owned()),
        };
    }
    let MessageKind::Notification { method } = message.kind() else {
        return None;
    };
    let params = message.params();
    let at = |keys: &[&str]| params.and_then(|params| params.at(keys));
    match method.as_str() {
        "notifications/cancelled" if is_id(at(&["requestId"]), id) => {
            over("ended the subscription".to_owned())
        }
        "notifications/subscriptions/acknowledged"
            if is_id(at(&["_meta", SUBSCRIPTION_ID]), id) =>
        {
            let tools = at(&["notifications", "toolsListChanged"]);
            if tools.and_then(Value::as_bool) == Some(true) {
                Some(Word::Acknowledged)
            } else {
                over("does not tell of changes of its list".to_owned())
            }
        }
        _ => None,
    }
}

fn is_id(value: Option<Value<'_>>, id: &Id) -> bool {
    value.and_then(Id::read).as_ref() == Some(id)
}
