//! TOML.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{Change, Keys, Refusal, chosen};

pub(super) fn edit(text: &str, places: &[Keys], change: &Change) -> Result<String, Refusal> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| error.to_string())?;
    let keys = {
        let has = |keys: &Keys, name: Option<&str>| {
            let table = table(document.as_table(), keys);
            table.is_some_and(|table| name.is_none_or(|name| table.contains_key(name)))
        };
        chosen(places, has, change)
            .or(places.first())
            .ok_or_else(|| "it is not known where its servers stand".to_owned())?
            .clone()
    };
    let mut place = None;
    for keys in places {
        let Some(table) = table_mut(document.as_table_mut(), keys) else {
            continue;
        };
        for name in &change.remove {
            if let Some(Item::Table(removed)) = table.remove(name)
                && place.is_none()
            {
                place = removed.position();
            }
        }
    }
    let mut target: &mut dyn TableLike = document.as_table_mut();
    for key in &keys {
        let made = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        target = target
            .entry(key)
            .or_insert_with(made)
            .as_table_like_mut()
            .ok_or_else(|| format!("`{key}` is no table"))?;
    }
    for (name, value) in &change.insert {
        let item = item(value, place)?;
        target.insert(name, item);
    }
    Ok(document.to_string())
}

fn table<'t>(top: &'t dyn TableLike, keys: &[String]) -> Option<&'t dyn TableLike> {
    let mut table = top;
    for key in keys {
        table = table.get(key)?.as_table_like()?;
    }
    Some(table)
}

fn table_mut<'t>(top: &'t mut dyn TableLike, keys: &[String]) -> Option<&'t mut dyn TableLike> {
    let mut table = top;
    for key in keys {
        table = table.get_mut(key)?.as_table_like_mut()?;
    }
    Some(table)
}

/// An entry with a heading of its own, where the ones before it stood.
fn item(entry: &Value, place: Option<isize>) -> Result<Item, Refusal> {
    let Value::Object(members) = entry else {
        return Ok(Item::Value(value(entry)?));
    };
    let mut table = Table::new();
    table.set_position(place);
    for (key, member) in members {
        table.insert(key, Item::Value(value(member)?));
    }
    Ok(Item::Table(table))
}

fn value(value: &Value) -> Result<toml_edit::Value, Refusal> {
    Ok(match value {
        Value::Null => return Err("TOML has no null".to_owned()),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(number)) => number.into(),
            (None, None) => return Err(format!("{number} is no number of TOML")),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(elements) => {
            let elements = elements.iter().map(self::value);
            toml_edit::Value::Array(elements.collect::<Result<Array, _>>()?)
        }
        Value::Object(members) => {
            let mut table = InlineTable::new();
            for (key, member) in members {
                table.insert(key, self::value(member)?);
            }
            toml_edit::Value::InlineTable(table)
        }
    })
}
