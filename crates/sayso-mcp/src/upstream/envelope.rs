//! Messages as they are sent: what is given raw stays as it is.

use std::borrow::Cow;

/// What an envelope takes besides what is put into it.
const ENVELOPE: usize = 64;

/// A request on one line, with its line end.
pub(super) fn request(id: u64, method: &str, params: Option<&str>) -> String {
    let method = quoted(method);
    let mut text = with_room(&method, params);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(&id.to_string());
    text.push_str(r#","method":"#);
    finish(text, &method, params)
}

/// A notification on one line, with its line end.
pub(super) fn notification(method: &str, params: Option<&str>) -> String {
    let method = quoted(method);
    let mut text = with_room(&method, params);
    text.push_str(r#"{"jsonrpc":"2.0","method":"#);
    finish(text, &method, params)
}

/// Tells that nobody waits for the answer to this request any more (MCP, "Cancellation").
pub(super) fn cancelled(id: u64, reason: &str) -> String {
    let params = format!(r#"{{"requestId":{id},"reason":{}}}"#, quoted(reason));
    notification("notifications/cancelled", Some(&params))
}

/// JSON without line ends, which the stdio transport cannot carry. They stand between tokens
/// only, where a space says the same.
pub(crate) fn on_one_line(json: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_some() {
        Cow::Owned(json.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(json)
    }
}

fn with_room(method: &str, params: Option<&str>) -> String {
    String::with_capacity(ENVELOPE + method.len() + params.map_or(0, str::len))
}

fn finish(mut text: String, method: &str, params: Option<&str>) -> String {
    text.push_str(method);
    if let Some(params) = params {
        text.push_str(r#","params":"#);
        text.push_str(&on_one_line(params));
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
