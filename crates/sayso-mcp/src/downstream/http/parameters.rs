//! Arguments that stand in headers too: `x-mcp-header` in a tool's input schema, `Mcp-Param-…`
//! in the request (MCP 2026-07-28, "Transports", Streamable HTTP, Server Validation).

use ::http::HeaderMap;
use sayso_core::json::{Kind, Value};

use super::super::{Refusal, Reply};
use super::head::{decode, mismatch};
use crate::jsonrpc::code;

const PREFIX: &str = "mcp-param-";

/// A header that does not say what stands in the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HeaderMismatch(String);

impl From<HeaderMismatch> for Reply {
    fn from(HeaderMismatch(reason): HeaderMismatch) -> Self {
        Self::error(code::HEADER_MISMATCH, reason)
    }
}

/// The `Mcp-Param-…` headers of a request, decoded.
pub(super) fn read(headers: &HeaderMap) -> Result<Vec<(String, String)>, Refusal> {
    let parameters = headers.iter().filter_map(|(name, value)| {
        let name = name.as_str();
        name.starts_with(PREFIX).then_some((name, value))
    });
    parameters
        .map(|(name, value)| {
            let value = value.to_str().ok().and_then(decode);
            let value = value.ok_or_else(|| {
                mismatch(format!(
                    "the header `{name}` is unreadable or badly encoded"
                ))
            })?;
            Ok((name.to_owned(), value))
        })
        .collect()
}

/// Holds the headers of a call, as [`Request::headers`](super::super::Request) has them, against
/// its arguments: what the tool's input schema marks with `x-mcp-header` has to stand in both or
/// in neither, and be the same. Headers of which the schema says nothing may say anything.
///
/// # Errors
/// The first that does not fit.
pub fn check_parameter_headers(
    input_schema: Value<'_>,
    arguments: Option<Value<'_>>,
    headers: &[(String, String)],
) -> Result<(), HeaderMismatch> {
    // Goes down `properties`; a document's depth is limited.
    let Some(properties) = input_schema.get("properties") else {
        return Ok(());
    };
    for property in properties.members() {
        let value = arguments.and_then(|arguments| arguments.get(&property.key));
        let schema = property.value;
        if let Some(name) = schema.get("x-mcp-header").and_then(Value::as_str) {
            check_one(headers, &name, value.filter(|value| !value.is_null()))?;
        }
        check_parameter_headers(schema, value, headers)?;
    }
    Ok(())
}

fn check_one(
    headers: &[(String, String)],
    name: &str,
    value: Option<Value<'_>>,
) -> Result<(), HeaderMismatch> {
    let label = format!("Mcp-Param-{name}");
    if ::http::HeaderName::from_bytes(label.as_bytes()).is_err() {
        // The tool is at fault, not the call.
        return Ok(());
    }
    let mut sent = headers
        .iter()
        .filter(|(given, _)| given.eq_ignore_ascii_case(&label))
        .map(|(_, value)| value);
    let refuse = |what: &str| Err(HeaderMismatch(format!("the header `{label}` {what}")));
    match (sent.next(), sent.next(), value) {
        (_, Some(_), _) => refuse("stands more than once"),
        (None, None, None) => Ok(()),
        (Some(sent), None, Some(value)) if is_same(sent, value) => Ok(()),
        (None, None, Some(_)) => refuse("is missing"),
        (Some(_), None, _) => refuse("does not say what the message says"),
    }
}

fn is_same(sent: &str, value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String => value.as_str().as_deref() == Some(sent),
        Kind::Number => {
            sent == value.raw()
                || sent
                    .parse()
                    .is_ok_and(|sent: f64| value.as_f64() == Some(sent))
        }
        _ => sent == value.raw(),
    }
}
