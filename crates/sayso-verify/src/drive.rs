//! Calls that are made up: arguments from a tool's input schema and from what the fixture has.
//!
//! A made-up call is to be one that works, and that shows what a tool does: first the plainest, then
//! variants in a fixed order, as many as asked for. What cannot be made up, such as the number of a thing
//! that is elsewhere, is not guessed.

mod name;
mod schema;

use std::collections::BTreeSet;

use sayso_core::json::Value;
use serde_json::{Map, Value as Json};

use crate::fixture::{Built, Known};
use schema::{Maker, Missing};

/// A call to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// What is special about it, in words.
    pub step: String,
    /// The arguments, as JSON text.
    pub arguments: String,
}

/// What came of making up calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// These.
    Calls(Vec<Call>),
    /// None, and why.
    Nothing {
        /// The argument that cannot be made up.
        why: String,
    },
}

/// Calls of a tool, by its definition: the plainest first, and up to `explore` variants of it.
#[must_use]
pub fn calls_for(tool: Value<'_>, built: &Built, explore: usize) -> Made {
    let definition: Json = serde_json::from_str(tool.raw()).unwrap_or_default();
    let text = |key: &str| {
        definition
            .get(key)
            .and_then(Json::as_str)
            .unwrap_or_default()
    };
    let schema = definition.get("inputSchema").cloned().unwrap_or_default();
    let maker = Maker {
        root: &schema,
        built,
        tool: text("name"),
        description: text("description"),
    };
    let plain = match maker.object(&schema, false) {
        Ok(plain) => plain,
        Err(Missing(argument)) => {
            let why = format!("nothing can be made up for `{argument}`");
            return Made::Nothing { why };
        }
    };
    let mut calls = vec![("plain".to_owned(), plain.clone())];
    if let Ok(full) = maker.object(&schema, true) {
        calls.push(("every argument given".to_owned(), full));
    }
    calls.extend(variants(&maker, &schema, &plain));
    let mut known = BTreeSet::new();
    let mut calls: Vec<Call> = calls
        .into_iter()
        .map(|(step, arguments)| Call {
            tool: text("name").to_owned(),
            step,
            arguments: Json::Object(arguments).to_string(),
        })
        .filter(|call| known.insert(call.arguments.clone()))
        .collect();
    calls.truncate(explore.saturating_add(1));
    Made::Calls(calls)
}

/// Variants of the plainest call, one argument at a time.
fn variants(
    maker: &Maker<'_>,
    schema: &Json,
    plain: &Map<String, Json>,
) -> Vec<(String, Map<String, Json>)> {
    let mut variants = Vec::new();
    let mut with = |step: String, name: &str, value: Json| {
        let mut arguments = plain.clone();
        arguments.insert(name.to_owned(), value);
        variants.push((step, arguments));
    };
    for (name, of) in maker.properties(schema) {
        for other in maker.choices(of) {
            with(format!("{name} = {other}"), name, other);
        }
    }
    for (name, of) in maker.properties(schema) {
        if maker.is_kind(of, "boolean") {
            let now = plain.get(name).and_then(Json::as_bool);
            let other = !now.unwrap_or(false);
            with(format!("{name} = {other}"), name, Json::Bool(other));
        }
    }
    for (name, of) in maker.properties(schema) {
        if !maker.is_kind(of, "string") || !name::is_path(name) {
            continue;
        }
        let others = [
            (Known::OtherFile, "is there already"),
            (Known::Ignored, "is ignored by git"),
            (Known::Outside, "leads out of the workspace"),
            (Known::NewFile, "is not there"),
        ];
        for (known, words) in others {
            if let Some(value) = maker.built.value(known) {
                with(
                    format!("{name} {words}"),
                    name,
                    Json::String(value.to_owned()),
                );
            }
        }
    }
    variants
}
