//! The headers of the protocol, and how a text stands in one.

use base64::Engine as _;
use reqwest::header::{HeaderName, HeaderValue};

pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A header's value; `None` for a text that cannot be one.
pub(crate) fn header_value(text: &str) -> Option<HeaderValue> {
    HeaderValue::try_from(text).ok()
}

/// A text of any kind as a header's value (MCP 2026-07-28, "Value Encoding"): as it is, or in
/// Base64 where a header cannot hold it or it would be taken for Base64.
pub(crate) fn encoded_value(text: &str) -> Option<HeaderValue> {
    let plain = text.trim() == text && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if plain && !(text.starts_with("=?base64?") && text.ends_with("?=")) {
        return header_value(text);
    }
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    header_value(&format!("=?base64?{encoded}?="))
}

#[cfg(test)]
mod tests {
    use super::encoded_value;

    #[test]
    fn what_a_header_cannot_hold_is_encoded() {
        let value = |text| encoded_value(text).unwrap().to_str().unwrap().to_owned();
        assert_eq!(value("us-west1"), "us-west1");
        assert_eq!(value("two words"), "two words");
        assert_eq!(value(""), "");
        assert_eq!(value(" padded "), "=?base64?IHBhZGRlZCA=?=");
        assert_eq!(value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
        assert_eq!(value("größe"), "=?base64?Z3LDtsOfZQ==?=");
        assert_eq!(value("=?base64?eA==?="), "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
    }
}
