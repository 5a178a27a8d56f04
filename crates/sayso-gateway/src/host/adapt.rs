//! Results in the words of the host's era, with nothing in them that only a gate can say.

use sayso_core::json::{Document, Splice, Value};
use sayso_core::listing::Era as ServerEra;
use sayso_mcp::downstream::Era;

use super::exchange::Exchange;
use super::meta;

/// What a result is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something that clients may keep for a while (MCP 2026-07-28, "Caching"): a list, or what
    /// was read.
    Cacheable,
    /// Anything else.
    Plain,
}

/// Keys of the specification that servers set in the `_meta` of a result: who they are, and what
/// task it belongs to (MCP 2025-11-25, "Tasks").
const SET_BY_SERVERS: [&str; 3] = [
    meta::SERVER_INFO,
    "io.modelcontextprotocol/related-task",
    "io.modelcontextprotocol/model-immediate-response",
];

/// Keys that only the modern era has in a result.
const MODERN_ONLY: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// A result of a server of this era for this host. Whatever need not change keeps its bytes.
pub(super) fn result(
    result: Value<'_>,
    kind: Kind,
    server: Option<ServerEra>,
    exchange: &Exchange,
) -> String {
    let mut splice = Splice::new(result);
    fit(&mut splice, result, kind, server, exchange);
    splice.finish()
}

/// As [`result`], where something else is changed as well.
pub(super) fn fit<'a>(
    splice: &mut Splice<'a>,
    result: Value<'a>,
    kind: Kind,
    server: Option<ServerEra>,
    exchange: &Exchange,
) {
    clean(splice, result, exchange);
    let is_modern = server == Some(ServerEra::Modern);
    match exchange.era() {
        Era::Legacy if is_modern => {
            for member in MODERN_ONLY.iter().flat_map(|key| result.get_all(key)) {
                splice.remove(member);
            }
        }
        Era::Legacy => {}
        Era::Modern => {
            let said = result.get("resultType").and_then(Value::as_str);
            // A server of the legacy era does not know what this would say.
            if said.is_none() || !is_modern && said.as_deref() != Some("complete") {
                splice.set(result, "resultType", r#""complete""#);
            }
            if kind == Kind::Cacheable {
                if result.get("ttlMs").is_none() || !is_modern {
                    splice.set(result, "ttlMs", "0");
                }
                // What one caller may see another may not.
                let scope = result.get("cacheScope").and_then(Value::as_str);
                if scope.as_deref() != Some("private") {
                    splice.set(result, "cacheScope", r#""private""#);
                }
            }
        }
    }
}

/// Takes out of `_meta` what belongs to another hop (MCP 2026-07-28, "Base protocol"): a key of the
/// specification stays where servers set it, or where it is that of an extension the host declares.
fn clean<'a>(splice: &mut Splice<'a>, result: Value<'a>, exchange: &Exchange) {
    for meta in result.get_all("_meta") {
        for member in meta.members() {
            let is_foreign = member.key.starts_with(meta::PREFIX)
                && !SET_BY_SERVERS.contains(&&*member.key)
                && exchange.capability(&["extensions", &member.key]).is_none();
            if is_foreign {
                splice.remove(member.value);
            }
        }
    }
}

/// The id of the task that a result stands for: of the legacy era (`task.taskId`), or of the
/// modern one (`resultType: "task"`).
pub(super) fn task_id(result: Value<'_>) -> Option<String> {
    let id = match result.get("task") {
        Some(task) if task.is_object() => task.get("taskId"),
        _ if result.get("resultType").and_then(Value::as_str).as_deref() == Some("task") => {
            result.get("taskId")
        }
        _ => None,
    };
    Some(id?.as_str()?.into_owned())
}

/// A document that is known to be JSON of our own making.
pub(super) fn parse(text: String) -> Option<Document> {
    let limits = sayso_core::json::Limits {
        max_bytes: usize::MAX,
        max_values: usize::MAX,
        ..sayso_core::json::Limits::default()
    };
    Document::parse(text, &limits).ok()
}

/// A string as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
