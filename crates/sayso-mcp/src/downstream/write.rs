//! Messages to a host, each on one line with room for its end.

use std::borrow::Cow;

use crate::jsonrpc::Id;

/// What an envelope takes besides what is put into it.
const ENVELOPE: usize = 64;

/// A notification of ours. `params` is JSON.
pub(super) fn notification(method: &str, params: Option<&str>) -> String {
    let method = quoted(method);
    let params = params.map(one_line);
    let mut text = with_room(&method, params.as_deref());
    text.push_str(r#"{"jsonrpc":"2.0","method":"#);
    finish(text, &method, params.as_deref())
}

/// A request of ours. `params` is JSON.
pub(super) fn request(id: u64, method: &str, params: Option<&str>) -> String {
    let method = quoted(method);
    let params = params.map(one_line);
    let mut text = with_room(&method, params.as_deref());
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(&id.to_string());
    text.push_str(r#","method":"#);
    finish(text, &method, params.as_deref())
}

fn with_room(method: &str, params: Option<&str>) -> String {
    String::with_capacity(ENVELOPE + method.len() + params.map_or(0, str::len))
}

fn finish(mut text: String, method: &str, params: Option<&str>) -> String {
    text.push_str(method);
    if let Some(params) = params {
        text.push_str(r#","params":"#);
        text.push_str(params);
    }
    text.push('}');
    text
}

/// An answer; `key` is `result` or `error`, and `value` JSON of that.
pub(super) fn answer(id: Option<&Id>, key: &str, value: &str) -> String {
    let id = id.map_or_else(|| "null".to_owned(), Id::to_json);
    let value = one_line(value);
    let mut text = String::with_capacity(ENVELOPE + id.len() + value.len());
    for piece in [r#"{"jsonrpc":"2.0","id":"#, &id, r#",""#, key, r#"":"#] {
        text.push_str(piece);
    }
    text.push_str(&value);
    text.push('}');
    text
}

/// An error. `data` is JSON.
pub(super) fn error(code: i64, message: &str, data: Option<&str>) -> String {
    let message = quoted(message);
    let data = data.map(one_line);
    match &data {
        None => format!(r#"{{"code":{code},"message":{message}}}"#),
        Some(data) => format!(r#"{{"code":{code},"message":{message},"data":{data}}}"#),
    }
}

/// JSON on one line: line ends stand between tokens only (RFC 8259 § 2 and § 7), where a space
/// means the same.
fn one_line(json: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
        return Cow::Borrowed(json);
    }
    Cow::Owned(json.replace(['\n', '\r'], " "))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
