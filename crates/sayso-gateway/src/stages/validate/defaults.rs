//! Defaults of the input schema, written into a call.

use sayso_core::json::{Splice, Value};
use serde_json::Value as Json;

/// The text of the arguments with the defaults they leave out; nothing where they leave out none.
/// Followed is `properties` alone, into objects that are there.
pub(super) fn applied(schema: &Json, arguments: Value<'_>) -> Option<String> {
    let mut splice = Splice::new(arguments);
    fill(schema, arguments, &mut splice);
    (!splice.is_untouched()).then(|| splice.finish())
}

/// As deep as the schema is nested, which is bounded.
fn fill<'a>(schema: &Json, object: Value<'a>, splice: &mut Splice<'a>) {
    let properties = schema.get("properties").and_then(Json::as_object);
    for (name, property) in properties.into_iter().flatten() {
        match object.get(name) {
            Some(given) if given.is_object() => fill(property, given, splice),
            Some(_) => {}
            None => {
                if let Some(default) = property.get("default") {
                    splice.set(object, name, default.to_string());
                }
            }
        }
    }
}
