//! What kind of value a schema asks for.

use serde_json::Value as Json;

use super::input_schema::Part;

/// The kinds that all of the parts allow, null last; what is likeliest where none names any.
pub(super) fn of(way: &[Part<'_>]) -> Vec<&'static str> {
    let mut lists = way.iter().filter_map(|part| match part.get("type")? {
        Json::String(kind) => Some(vec![kind.as_str()]),
        Json::Array(kinds) => Some(kinds.iter().filter_map(Json::as_str).collect()),
        _ => None,
    });
    let Some(first) = lists.next() else {
        return vec![likeliest(way)];
    };
    let mut kinds: Vec<&'static str> = first.into_iter().filter_map(known).collect();
    for list in lists {
        // Every integer is a number.
        for kind in &mut kinds {
            if *kind == "number" && !list.contains(&"number") && list.contains(&"integer") {
                *kind = "integer";
            }
        }
        let allows =
            |kind: &str| list.contains(&kind) || (kind == "integer" && list.contains(&"number"));
        kinds.retain(|kind| allows(kind));
    }
    kinds.sort_by_key(|kind| *kind == "null");
    kinds
}

fn known(kind: &str) -> Option<&'static str> {
    const KINDS: [&str; 7] = [
        "object", "array", "string", "number", "integer", "boolean", "null",
    ];
    KINDS.into_iter().find(|known| *known == kind)
}

fn likeliest(way: &[Part<'_>]) -> &'static str {
    let has = |keywords: &[&str]| {
        way.iter()
            .any(|part| keywords.iter().any(|word| part.get(word).is_some()))
    };
    if has(&["properties", "required", "minProperties", "propertyNames"]) {
        "object"
    } else if has(&["items", "prefixItems", "minItems", "contains"]) {
        "array"
    } else if has(&[
        "minimum",
        "maximum",
        "multipleOf",
        "exclusiveMinimum",
        "exclusiveMaximum",
    ]) {
        "number"
    } else {
        "string"
    }
}
