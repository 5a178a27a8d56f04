//! What the headers of a request say.

use ::http::HeaderMap;
use ::http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::Refusal;
use super::admission::single;
use crate::jsonrpc::code;

/// Which version of the protocol a request is of.
const VERSION_HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD_HEADER: HeaderName = HeaderName::from_static("mcp-method");
const NAME_HEADER: HeaderName = HeaderName::from_static("mcp-name");

/// How a client will have its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepted {
    /// Without the header, JSON: a client that says nothing may not know streams.
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let mut accepted = Self {
            json: !headers.contains_key(ACCEPT),
            events: false,
        };
        let values = headers.get_all(ACCEPT).iter();
        for range in values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
        {
            let media = range.split(';').next().unwrap_or_default().trim();
            match media.to_ascii_lowercase().as_str() {
                "*/*" => (accepted.json, accepted.events) = (true, true),
                "application/json" | "application/*" => accepted.json = true,
                "text/event-stream" | "text/*" => accepted.events = true,
                _ => {}
            }
        }
        accepted
    }
}

/// JSON is UTF-8 (RFC 8259, section 8.1): a body that says it is something else is not read as
/// what it does not say it is.
pub(super) fn content_type_is_json(headers: &HeaderMap) -> bool {
    single(headers, &CONTENT_TYPE).is_some_and(|value| {
        let mut parts = value.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let is_utf8 = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim().trim_matches('"');
            !name.trim().eq_ignore_ascii_case("charset") || value.eq_ignore_ascii_case("utf-8")
        };
        media.eq_ignore_ascii_case("application/json") && parts.all(is_utf8)
    })
}

/// The version the headers say, if they say one.
pub(super) fn protocol_version(headers: &HeaderMap) -> Option<&str> {
    single(headers, &VERSION_HEADER)
}

/// Holds the standard headers of the modern era against the message (MCP 2026-07-28, "Transports",
/// Streamable HTTP, Server Validation).
pub(super) fn check(
    headers: &HeaderMap,
    version: &str,
    method: &str,
    name: Option<&str>,
) -> Result<(), Refusal> {
    check_one(
        headers,
        &VERSION_HEADER,
        "MCP-Protocol-Version",
        version,
        false,
    )?;
    check_one(headers, &METHOD_HEADER, "Mcp-Method", method, false)?;
    match name {
        Some(name) => check_one(headers, &NAME_HEADER, "Mcp-Name", name, true),
        None => Ok(()),
    }
}

fn check_one(
    headers: &HeaderMap,
    header: &HeaderName,
    label: &str,
    expected: &str,
    may_be_encoded: bool,
) -> Result<(), Refusal> {
    if !headers.contains_key(header) {
        return Err(mismatch(format!("the header `{label}` is missing")));
    }
    let Some(value) = single(headers, header) else {
        let reason = format!("the header `{label}` stands more than once or is unreadable");
        return Err(mismatch(reason));
    };
    let value = if may_be_encoded {
        decode(value).ok_or_else(|| mismatch(format!("the header `{label}` is badly encoded")))?
    } else {
        value.to_owned()
    };
    if value == expected {
        Ok(())
    } else {
        Err(mismatch(format!(
            "the header `{label}` does not say what the message says"
        )))
    }
}

/// `HeaderMismatchError`.
pub(super) fn mismatch(reason: String) -> Refusal {
    Refusal::new(code::HEADER_MISMATCH, reason)
}

/// The value a header stands for: `=?base64?…?=` is UTF-8 in Base64, all else is itself.
pub(super) fn decode(value: &str) -> Option<String> {
    let encoded = value
        .strip_prefix("=?base64?")
        .and_then(|value| value.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}
