//! What a server says about itself.

use sayso_core::json::Value;
use sayso_core::listing::ServerIdentity;

use crate::page::last;

/// The key of `serverInfo` in `_meta` (MCP 2026-07-28).
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// From the result of `initialize`; `None` if it is not one.
pub(crate) fn from_handshake_result(result: Value<'_>) -> Option<ServerIdentity> {
    let version = last(result, "protocolVersion").and_then(text)?;
    Some(ServerIdentity {
        protocol_version: Some(version),
        ..read(result, last(result, "serverInfo"))
    })
}

/// From the result of `server/discover`, or what else carries `_meta` of the modern era.
pub(crate) fn from_listing_result(result: Value<'_>) -> ServerIdentity {
    read(result, result.at(&["_meta", SERVER_INFO]))
}

fn read(result: Value<'_>, info: Option<Value<'_>>) -> ServerIdentity {
    ServerIdentity {
        name: info.and_then(|info| info.get("name")).and_then(text),
        version: info.and_then(|info| info.get("version")).and_then(text),
        protocol_version: None,
        era: None,
        instructions: last(result, "instructions").and_then(text),
    }
}

fn text(value: Value<'_>) -> Option<String> {
    value.as_str().map(std::borrow::Cow::into_owned)
}
