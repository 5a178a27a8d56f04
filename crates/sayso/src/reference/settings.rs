//! `configuration.md` and `sayso.schema.json`, both from the types that read `sayso.toml`.

use std::fmt::Write as _;

use schemars::Schema;
use serde_json::Value;

use super::{cell, made_from};
use crate::config::Settings;

const EXAMPLE: &str = include_str!("settings_example.toml");

pub(super) fn page() -> String {
    let mut page = format!(
        "# Configuration: `sayso.toml`\n\n{}",
        made_from("crates/sayso/src/config.rs")
    );
    page.push_str(
        "\n`sayso` reads the nearest `sayso.toml`: in the working directory or one above it, but \
         not above the root of a repository. `--settings FILE` names another, `--no-settings` reads none. \
         Options on the command line come before settings. Unknown keys, rules and values are errors.\n\n\
         Editors that know JSON Schema can use [sayso.schema.json](sayso.schema.json).\n\n## Example\n\n```toml\n",
    );
    page.push_str(EXAMPLE);
    page.push_str("```\n\n## Keys\n\n| key | type | meaning |\n|---|---|---|\n");
    let schema = schemars::schema_for!(Settings);
    rows(&mut page, "", schema.as_value(), schema.as_value());
    page
}

pub(super) fn schema() -> String {
    let schema: Schema = schemars::schema_for!(Settings);
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text + "\n"
}

/// A row for each key of a table, its own tables' keys behind it.
fn rows(page: &mut String, prefix: &str, table: &Value, root: &Value) {
    let table = resolved(table, root);
    let properties = table.get("properties").and_then(Value::as_object);
    for (key, schema) in properties.into_iter().flatten() {
        let path = format!("{prefix}{key}");
        let target = resolved(schema, root);
        let describes = schema
            .get("description")
            .or_else(|| target.get("description"));
        let meaning = describes.and_then(Value::as_str).unwrap_or_default();
        let meaning = cell(&(meaning.to_owned() + &words(target)));
        let table = |of: &Value| resolved(of, root).get("properties").is_some();
        let named = target.get("additionalProperties");
        let (shown, kind, below) = match (target.get("items"), named.filter(|of| of.is_object())) {
            (Some(items), _) if table(items) => {
                let below = Some((format!("{path}."), items));
                (format!("[[{path}]]"), "list of tables".to_owned(), below)
            }
            (_, Some(values)) if table(values) => {
                let path = format!("{path}.NAME");
                let below = Some((format!("{path}."), values));
                (format!("[{path}]"), "table".to_owned(), below)
            }
            (_, Some(values)) => {
                let kind = format!("table of {}", kind(values, root));
                (format!("[{path}]"), kind, None)
            }
            _ if table(target) => {
                let below = Some((format!("{path}."), target));
                (format!("[{path}]"), "table".to_owned(), below)
            }
            _ => (path, kind(schema, root), None),
        };
        let _ = writeln!(page, "| `{shown}` | {kind} | {meaning} |");
        if let Some((prefix, table)) = below {
            rows(page, &prefix, table, root);
        }
    }
}

/// What each of the words means, where the schema says so.
fn words(schema: &Value) -> String {
    let choices = schema.get("oneOf").and_then(Value::as_array);
    let described = choices.into_iter().flatten().filter_map(|choice| {
        let word = choice.get("const")?.as_str()?;
        let meaning = choice.get("description")?.as_str()?;
        Some(format!(" `{word}`: {}", lower_first(meaning)))
    });
    described.collect()
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// What a value may be: the words it can be, or its JSON type.
fn kind(schema: &Value, root: &Value) -> String {
    let schema = resolved(schema, root);
    let list = |key| {
        schema
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let described = list("oneOf").filter_map(|choice| choice.get("const"));
    let words: Vec<_> = list("enum")
        .chain(described)
        .filter_map(Value::as_str)
        .map(|word| format!("`\"{word}\"`"))
        .collect();
    if !words.is_empty() {
        return words.join(" or ");
    }
    if let Some(items) = schema.get("items") {
        return format!("list of {}", kind(items, root));
    }
    if schema.get("format").and_then(Value::as_str) == Some("date") {
        return "date".to_owned();
    }
    let first = match schema.get("type") {
        Some(Value::Array(types)) => types
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null"),
        Some(kind) => kind.as_str(),
        None => None,
    };
    first.unwrap_or("value").to_owned()
}

/// Follows a reference, and takes what is not null out of a choice.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(pointer.trim_start_matches('#'));
        return target.map_or(schema, |target| resolved(target, root));
    }
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let some = choices
        .into_iter()
        .flatten()
        .find(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
    some.map_or(schema, |choice| resolved(choice, root))
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLE, schema};
    use crate::config::Settings;

    #[test]
    fn the_example_is_good_and_fits_the_schema() {
        Settings::parse(EXAMPLE, "sayso.toml").unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let as_json = |text: &str| {
            serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
        };
        // A TOML date has no JSON; editors see it as a string.
        let example = EXAMPLE.replace("2027-01-31", "\"2027-01-31\"");
        if let Err(error) = validator.validate(&as_json(&example)) {
            panic!("{error}");
        }
        for wrong in [
            "[audit]\nfail = 1",
            "[audit]\nfail-on = \"fatal\"",
            "[[audit.suppressions]]\nreason = \"x\"",
            "[audit]\njobs = 0",
            "[gate]\nlisten = 8931",
            "[gate]\nwait = 0",
            "[gate]\nmax-name = 7",
            "[gate.servers.a]\ncommand = \"a\"\ntrust = \"yes\"",
            "[gate.servers.a]\ncommand = \"a\"\ntimeout = 0",
            "[gate.servers.a]\ncommand = \"a\"\ntools.b.unknown-argument = \"refuse\"",
        ] {
            assert!(!validator.is_valid(&as_json(wrong)), "{wrong}");
            assert!(Settings::parse(wrong, "sayso.toml").is_err(), "{wrong}");
        }
    }
}
