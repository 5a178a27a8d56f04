//! Arguments that stand in headers too: `x-mcp-header` in a tool's input schema, `Mcp-Param-…`
//! in the request (MCP 2026-07-28, "Transports", Streamable HTTP, Server Validation).

use ::http::{HeaderMap, HeaderName};
use sayso_core::json::{Document, Kind, Limits, Value};

use super::super::refusal::Refusal;
use super::head::{decoded, mismatch};

/// Holds the headers against the arguments of a call.
pub(super) fn check(
    headers: &HeaderMap,
    tools: &[String],
    tool: &str,
    arguments: Option<Value<'_>>,
) -> Result<(), Refusal> {
    let limits = Limits::default();
    let mut tools = tools
        .iter()
        .filter(|text| text.contains("x-mcp-header"))
        .filter_map(|text| Document::parse(text.clone(), &limits).ok());
    let is_called = |document: &Document| {
        let name = document.root().get("name").and_then(Value::as_str);
        name.as_deref() == Some(tool)
    };
    match tools.find(is_called) {
        Some(tool) => check_schema(headers, tool.root().get("inputSchema"), arguments),
        None => Ok(()),
    }
}

/// Goes down `properties`; a document's depth is limited.
fn check_schema(
    headers: &HeaderMap,
    schema: Option<Value<'_>>,
    value: Option<Value<'_>>,
) -> Result<(), Refusal> {
    let Some(properties) = schema.and_then(|schema| schema.get("properties")) else {
        return Ok(());
    };
    for property in properties.members() {
        let value = value.and_then(|value| value.get(&property.key));
        let schema = property.value;
        if let Some(name) = schema.get("x-mcp-header").and_then(Value::as_str) {
            check_one(headers, &name, value.filter(|value| !value.is_null()))?;
        }
        check_schema(headers, Some(schema), value)?;
    }
    Ok(())
}

fn check_one(headers: &HeaderMap, name: &str, value: Option<Value<'_>>) -> Result<(), Refusal> {
    let label = format!("Mcp-Param-{name}");
    let Ok(header) = HeaderName::from_bytes(label.as_bytes()) else {
        // The tool is at fault, not the call.
        return Ok(());
    };
    let sent: Vec<_> = headers.get_all(&header).iter().collect();
    let Ok(sent) = decoded(&sent) else {
        let reason = format!("the header `{label}` stands more than once or is unreadable");
        return Err(mismatch(reason));
    };
    match (sent, value) {
        (None, None) => Ok(()),
        (Some(sent), Some(value)) if is_same(&sent, value) => Ok(()),
        (None, Some(_)) => Err(mismatch(format!("the header `{label}` is missing"))),
        (Some(_), _) => Err(mismatch(format!(
            "the header `{label}` does not say what the message says"
        ))),
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
