//! The results of requests, as JSON.

use serde_json::{Map, Value, json};

use super::call::CallResult;
use super::{Identity, PERSON_KEY};
use crate::downstream::{Era, supported};
use crate::jsonrpc::Id;

/// Where a modern result says who sent it.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Where what belongs to a subscription says so: with the JSON-RPC id of its request.
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// `InitializeResult`.
pub(super) fn initialized(identity: &Identity, version: &str) -> String {
    let mut result = json!({
        "protocolVersion": version,
        "capabilities": capabilities(),
        "serverInfo": info(identity),
    });
    add_instructions(&mut result, identity);
    result.to_string()
}

/// `DiscoverResult`.
pub(super) fn discovered(identity: &Identity) -> String {
    let mut result = json!({
        "resultType": "complete",
        "supportedVersions": supported(),
        "capabilities": capabilities(),
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": meta(identity),
    });
    add_instructions(&mut result, identity);
    result.to_string()
}

/// `ListToolsResult`, with the tools byte for byte, on the one page there is.
pub(super) fn listed(identity: &Identity, tools: &[String], era: Era) -> String {
    let tools = tools.join(",");
    // White space is all that a line end can be in JSON.
    let tools = tools.replace(['\n', '\r'], " ");
    match era {
        Era::Legacy => format!(r#"{{"tools":[{tools}]}}"#),
        Era::Modern => format!(
            r#"{{"resultType":"complete","tools":[{tools}],"ttlMs":0,"cacheScope":"private","_meta":{}}}"#,
            meta(identity)
        ),
    }
}

/// `CallToolResult`.
pub(super) fn called(identity: &Identity, result: &CallResult, era: Era) -> String {
    let mut members = Map::new();
    let content = json!([{ "type": "text", "text": result.text }]);
    members.insert("content".to_owned(), content);
    if let Some(structured) = &result.structured {
        members.insert("structuredContent".to_owned(), structured.clone());
    }
    members.insert("isError".to_owned(), result.is_error.into());
    if era == Era::Modern {
        members.insert("resultType".to_owned(), "complete".into());
        members.insert("_meta".to_owned(), meta(identity));
    }
    Value::Object(members).to_string()
}

/// The parameters of `elicitation/create`. `mode` is newer than elicitation; without it a
/// form is meant.
pub(super) fn elicitation(message: &str, schema: &Value, era: Era) -> Value {
    match era {
        Era::Legacy => json!({ "message": message, "requestedSchema": schema }),
        Era::Modern => json!({ "mode": "form", "message": message, "requestedSchema": schema }),
    }
}

/// `InputRequiredResult`.
pub(super) fn input_required(
    identity: &Identity,
    message: &str,
    schema: &Value,
    state: &str,
) -> String {
    json!({
        "resultType": "input_required",
        "inputRequests": {
            PERSON_KEY: {
                "method": "elicitation/create",
                "params": elicitation(message, schema, Era::Modern),
            },
        },
        "requestState": state,
        "_meta": meta(identity),
    })
    .to_string()
}

/// The parameters of `notifications/subscriptions/acknowledged`.
pub(super) fn acknowledged(id: &Id, tools: bool) -> String {
    let filter = if tools {
        r#"{"toolsListChanged":true}"#
    } else {
        "{}"
    };
    format!(r#"{{"_meta":{{"{SUBSCRIPTION_KEY}":{id}}},"notifications":{filter}}}"#)
}

/// The parameters of a notification on this subscription.
pub(super) fn subscribed(id: &Id) -> String {
    format!(r#"{{"_meta":{{"{SUBSCRIPTION_KEY}":{id}}}}}"#)
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": true } })
}

fn info(identity: &Identity) -> Value {
    json!({ "name": identity.name, "version": identity.version })
}

fn meta(identity: &Identity) -> Value {
    json!({ SERVER_INFO_KEY: info(identity) })
}

fn add_instructions(result: &mut Value, identity: &Identity) {
    if let (Some(instructions), Some(result)) = (&identity.instructions, result.as_object_mut()) {
        result.insert("instructions".to_owned(), instructions.as_str().into());
    }
}
