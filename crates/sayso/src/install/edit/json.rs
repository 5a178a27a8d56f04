//! JSON, with comments or without.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::{Change, Keys, Refusal, chosen};

/// What hosts read: comments and trailing commas, and nothing else that is not JSON.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn edit(text: &str, places: &[Keys], change: &Change) -> Result<String, Refusal> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())?;
    let top = root
        .object_value()
        .ok_or_else(|| "it is no JSON object".to_owned())?;
    let has = |keys: &Keys, name: Option<&str>| {
        let table = table(&top, keys);
        table.is_some_and(|table| name.is_none_or(|name| table.get(name).is_some()))
    };
    let keys = chosen(places, has, change)
        .or(places.first())
        .ok_or_else(|| "it is not known where its servers stand".to_owned())?;
    let mut index = None;
    for place in places {
        let Some(table) = table(&top, place) else {
            continue;
        };
        for name in &change.remove {
            if let Some(entry) = table.get(name) {
                if place == keys && index.is_none() {
                    index = Some(entry.property_index());
                }
                entry.remove();
            }
        }
    }
    let mut target = top;
    for key in keys {
        target = target
            .object_value_or_create(key)
            .ok_or_else(|| format!("`{key}` is no table"))?;
    }
    let first = index.unwrap_or_else(|| target.properties().len());
    for (offset, (name, value)) in change.insert.iter().enumerate() {
        target.insert(first + offset, name, input(value));
    }
    Ok(root.to_string())
}

/// The file as data.
pub(super) fn read(text: &str) -> Result<Value, Refusal> {
    let value: Option<Value> =
        jsonc_parser::parse_to_serde_value(text, &OPTIONS).map_err(|error| error.to_string())?;
    Ok(value.unwrap_or_else(|| Value::Object(serde_json::Map::new())))
}

fn table(top: &CstObject, keys: &[String]) -> Option<CstObject> {
    let mut table = top.clone();
    for key in keys {
        table = table.object_value(key)?;
    }
    Some(table)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}
