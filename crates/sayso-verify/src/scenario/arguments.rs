//! The arguments of a step: a table, or JSON as it is to be sent.

use serde_json::Value as Json;

use crate::fixture::{Built, UnknownPlaceholder, fill, placeholders};

/// What arguments may be.
pub(super) const HINT: &str = "write a table such as `{ path = \"{workspace}/a\" }`, or the text of a JSON \
                               object between `'''` and `'''`";

/// What editors are told of them.
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for its schema")]
pub(super) enum Schema {
    /// A table.
    Table(std::collections::BTreeMap<String, Json>),
    /// JSON text.
    Text(String),
}

/// Says what is wrong with arguments.
pub(super) fn check(arguments: &toml::Value) -> Result<(), String> {
    match arguments {
        toml::Value::Table(_) => Ok(()),
        toml::Value::String(text) => {
            let members: Result<std::collections::BTreeMap<String, serde::de::IgnoredAny>, _> =
                serde_json::from_str(text);
            let wrong = |error| format!("`arguments` is no JSON object: {error}");
            members.map(|_| ()).map_err(wrong)
        }
        _ => Err("`arguments` is neither a table nor a text".to_owned()),
    }
}

/// Arguments as JSON text, with placeholders replaced.
pub(super) fn filled(
    arguments: Option<&toml::Value>,
    built: &Built,
) -> Result<String, UnknownPlaceholder> {
    match arguments {
        None => Ok("{}".to_owned()),
        Some(toml::Value::String(text)) => Ok(in_json(text, built)),
        Some(value) => Ok(as_json(value, built)?.to_string()),
    }
}

/// JSON text as it stands, but for placeholders: other braces are JSON's own.
fn in_json(text: &str, built: &Built) -> String {
    let mut text = text.to_owned();
    for (name, value) in placeholders(built) {
        let quoted = Json::String(value).to_string();
        let bare = quoted.trim_start_matches('"');
        let bare = bare.strip_suffix('"').unwrap_or(bare);
        text = text.replace(&format!("{{{name}}}"), bare);
    }
    text
}

fn as_json(value: &toml::Value, built: &Built) -> Result<Json, UnknownPlaceholder> {
    Ok(match value {
        toml::Value::String(text) => Json::String(fill(text, built)?),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(is) => (*is).into(),
        // JSON has no dates: they are texts (RFC 3339).
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => {
            let items = items.iter().map(|item| as_json(item, built));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        toml::Value::Table(members) => {
            let members = members
                .iter()
                .map(|(name, member)| Ok((name.clone(), as_json(member, built)?)));
            Json::Object(members.collect::<Result<_, UnknownPlaceholder>>()?)
        }
    })
}
