//! What policies can see: the schema they are validated against.

use cedar_policy::Schema;
use sayso_core::hint::Claim;
use serde_json::{Value, json};

use super::arguments::Fields;
use super::facts::PinState;

/// The schema, with the arguments of one kind of tool.
///
/// # Errors
/// When arguments cannot be in one.
pub(super) fn schema(arguments: &Fields) -> Result<Schema, String> {
    Schema::from_json_value(document(arguments)).map_err(|error| error.to_string())
}

/// The schema in Cedar's JSON form.
fn document(arguments: &Fields) -> Value {
    let server = json!({ "type": "Entity", "name": "Server" });
    let text = json!({ "type": "String" });
    let words = json!({ "type": "Words" });
    let applies = |resources: &[&str], context: Value| {
        json!({ "appliesTo": {
            "principalTypes": ["Caller"],
            "resourceTypes": resources,
            "context": context,
        }})
    };
    json!({ "": {
        "commonTypes": {
            "Hints": hints(&json!({ "type": "Boolean" })),
            "Words": hints(&text),
            "Session": record(&[
                ("readPrivate", json!({ "type": "Boolean" })),
                ("readUntrusted", json!({ "type": "Boolean" })),
            ]),
        },
        "entityTypes": {
            "Group": {},
            "Caller": { "memberOfTypes": ["Group"], "shape": record(&[("name", text.clone())]) },
            "Server": { "shape": record(&[("name", text.clone()), ("trust", text.clone())]) },
            "Tool": { "memberOfTypes": ["Server"], "shape": record(&[
                ("name", text.clone()),
                ("server", server.clone()),
                ("servedAs", text.clone()),
                ("trust", text.clone()),
                ("pin", text.clone()),
                ("undo", json!({ "type": "String", "required": false })),
                ("labels", json!({ "type": "Set", "element": text })),
                ("effective", json!({ "type": "Hints" })),
                ("provenance", words.clone()),
                ("claimed", words.clone()),
                ("ruled", words.clone()),
                ("observed", words),
            ])},
            "Prompt": { "memberOfTypes": ["Server"], "shape": record(&[
                ("name", text.clone()),
                ("server", server.clone()),
            ])},
            "Resource": { "memberOfTypes": ["Server"], "shape": record(&[
                ("uri", text),
                ("server", server),
            ])},
        },
        "actions": {
            "list": applies(&["Tool", "Prompt", "Resource"], context(None)),
            "call": applies(&["Tool"], context(Some(arguments))),
            "read": applies(&["Resource"], context(None)),
            "get": applies(&["Prompt"], context(None)),
            "complete": applies(&["Prompt", "Resource"], context(None)),
        },
    }})
}

fn record(attributes: &[(&str, Value)]) -> Value {
    let attributes = attributes
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), kind.clone()));
    let attributes: serde_json::Map<_, _> = attributes.collect();
    json!({ "type": "Record", "attributes": attributes })
}

fn hints(kind: &Value) -> Value {
    let names = ["readOnly", "destructive", "idempotent", "openWorld"];
    record(&names.map(|name| (name, kind.clone())))
}

fn context(arguments: Option<&Fields>) -> Value {
    let mut attributes = vec![
        ("confirmed", json!({ "type": "Boolean" })),
        ("now", json!({ "type": "Extension", "name": "datetime" })),
        ("transport", json!({ "type": "String" })),
        ("session", json!({ "type": "Session" })),
    ];
    attributes.extend(arguments.map(|fields| ("arguments", fields.to_schema())));
    record(&attributes)
}

/// The values a string attribute can have, by the names that lead to it; `None` where it can have
/// any.
pub(super) fn words(path: &[String]) -> Option<Vec<&'static str>> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let words = match path.as_slice() {
        ["trust"] | ["server", "trust"] => vec!["trusted", "untrusted"],
        ["pin"] => PinState::ALL.map(PinState::as_str).to_vec(),
        ["claimed", _] => Claim::ALL.map(Claim::as_str).to_vec(),
        ["ruled", _] => vec!["true", "false", "none"],
        ["observed", _] => vec!["untested", "consistent", "contradicted"],
        ["provenance", _] => vec![
            "claimed",
            "default",
            "distrusted",
            "ruled",
            "case",
            "contradicted",
        ],
        _ => return None,
    };
    Some(words)
}

/// The values `context.transport` can have.
pub(super) const TRANSPORTS: [&str; 2] = ["stdio", "http"];
