//! Calls that are made up: arguments from a tool's input schema and from what the fixture has.
//!
//! A made-up call is to be one that works, and that shows what a tool does: first the plainest, then
//! variants in a fixed order, as many as asked for. What cannot be made up, such as the number of a thing
//! that is elsewhere, is not guessed. What is made is held against the whole schema before it is sent, and
//! not sent where it does not fit.

mod input_schema;
mod kind;
mod name;
mod number;
mod text;
mod value;
mod variant;

use std::collections::BTreeSet;

use sayso_core::json::Value;
use serde_json::Value as Json;

use crate::fixture::Built;
use input_schema::InputSchema;
use value::Maker;

/// A call to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// What is special about it, in words.
    pub step: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// Whether it is made a second time, to see whether that changes something further.
    pub repeat: bool,
    /// Whether it only prepares what comes after it, and is not judged.
    pub is_setup: bool,
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

/// Calls of a tool, by its definition: the plainest first, and up to `explore` variants of it. Each is
/// one that the tool's input schema takes.
#[must_use]
pub fn calls_for(tool: Value<'_>, built: &Built, explore: usize) -> Made {
    let definition: Json = serde_json::from_str(tool.raw()).unwrap_or_default();
    let text = |key: &str| {
        definition
            .get(key)
            .and_then(Json::as_str)
            .unwrap_or_default()
    };
    let anything = Json::Bool(true);
    let schema = definition.get("inputSchema").unwrap_or(&anything);
    let schema = match InputSchema::compile(schema) {
        Ok(schema) => schema,
        Err(why) => {
            let why = format!("nothing can be held against its input schema: {why}");
            return Made::Nothing { why };
        }
    };
    let maker = Maker::new(schema, built, text("name"), text("description"));
    let plain = match maker.arguments(false).or_else(|_| maker.arguments(true)) {
        Ok(plain) => plain,
        Err(missing) => {
            let why = missing.to_string();
            return Made::Nothing { why };
        }
    };
    let mut calls = Vec::new();
    if explore > 0 {
        let full = maker.arguments(true).unwrap_or_default().into_iter();
        calls.extend(
            full.take(1)
                .map(|full| ("every argument given".to_owned(), full)),
        );
        if let Some(plain) = plain.first() {
            calls.extend(variant::variants(&maker, plain));
        }
    }
    let ways = plain.into_iter().enumerate().map(|(place, arguments)| {
        let step = match place {
            0 => "plain".to_owned(),
            place => format!("plain, way {}", place + 1),
        };
        (step, arguments)
    });
    let mut ways = ways.collect::<Vec<_>>().into_iter();
    let calls = ways.next().into_iter().chain(calls).chain(ways);
    let mut known = BTreeSet::new();
    let calls = calls
        .map(|(step, arguments)| (step, Json::Object(arguments)))
        .filter(|(_, arguments)| maker.schema.takes(arguments))
        .map(|(step, arguments)| Call {
            tool: text("name").to_owned(),
            step,
            arguments: arguments.to_string(),
            repeat: true,
            is_setup: false,
        })
        .filter(|call| known.insert(call.arguments.clone()))
        .take(explore.saturating_add(1));
    Made::Calls(calls.collect())
}
