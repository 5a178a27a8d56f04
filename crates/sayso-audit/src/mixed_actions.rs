//! Arguments that choose between reading and writing.

use sayso_core::json::Value;

use crate::context::ToolReading;
use crate::naming::{Verb, known, words};

/// An argument with values that read and values that write.
#[derive(Debug)]
pub(crate) struct MixedActions<'a> {
    /// The argument.
    pub(crate) argument: String,
    /// Its list of values.
    pub(crate) values: Value<'a>,
    /// A value that reads.
    pub(crate) reads: String,
    /// A value that writes.
    pub(crate) writes: String,
}

/// The first argument of a tool that chooses between reading and writing.
pub(crate) fn find<'a>(tool: &ToolReading<'a>) -> Option<MixedActions<'a>> {
    let properties = tool.tool.input_schema()?.get("properties")?;
    properties.members().find_map(|property| {
        let values = property
            .value
            .get("enum")
            .filter(|values| values.is_array())?;
        let mut reads = None;
        let mut writes = None;
        for value in values.elements().filter_map(Value::as_str) {
            match effect(&property.key, &value) {
                Some(true) => reads = reads.or(Some(value.into_owned())),
                Some(false) => writes = writes.or(Some(value.into_owned())),
                None => {}
            }
        }
        Some(MixedActions {
            argument: property.key.into_owned(),
            values,
            reads: reads?,
            writes: writes?,
        })
    })
}

/// Whether a value reads (`true`) or writes (`false`), where it says so.
fn effect(argument: &str, value: &str) -> Option<bool> {
    let method = argument.to_ascii_lowercase().contains("method");
    match value {
        "GET" | "HEAD" | "OPTIONS" if method => return Some(true),
        "POST" | "PUT" | "PATCH" | "DELETE" if method => return Some(false),
        _ => {}
    }
    let acts = matches!(
        argument.to_ascii_lowercase().as_str(),
        "action" | "operation" | "op" | "mode" | "method" | "command" | "verb" | "subcommand"
    );
    let (_, verb) = acts
        .then(|| words(value).next())
        .flatten()
        .as_deref()
        .and_then(known)?;
    Some(verb == Verb::Read)
}
