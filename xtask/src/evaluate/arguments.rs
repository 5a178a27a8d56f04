//! From arguments noted in words to an input schema, by one rule.
//!
//! `since?; ack?: list of ids to clear; mode: read|write` has three arguments. Commas and
//! semicolons outside brackets part them; a part that is more than a name, or a name and one
//! more word, without a colon goes on with the meaning before it. A name is the first word; `?`
//! after it means it may be left out. The rest is its meaning:
//!
//! - words joined by bars, or several single words in brackets, are the values of an enum;
//! - `bool`, `int`, `number`, `list`, `object` or `json` at its beginning give the type;
//!   anything else is a string;
//! - what else is said, also in brackets, becomes the description.

use serde_json::{Map, Value, json};

/// The input schema for arguments noted in words.
pub(crate) fn schema(gist: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for part in parts(gist) {
        let (name, meaning) = split(&part);
        let bare = name.trim_end_matches('?');
        if bare.is_empty() {
            continue;
        }
        if !name.ends_with('?') {
            required.push(bare.to_owned());
        }
        properties.insert(bare.to_owned(), property(meaning));
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The arguments, each with its meaning.
fn parts(gist: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let pieces = gist.split_inclusive(|character: char| {
        match character {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(character, ',' | ';')
    });
    for piece in pieces {
        let separated = piece.trim_end_matches([',', ';']);
        let text = separated.trim();
        let words = text.split_whitespace().count();
        let begins = text.contains(':') || words <= 2;
        match parts.last_mut() {
            Some(before) if !begins && before.contains(':') => {
                before.push_str(", ");
                before.push_str(text);
            }
            _ if text.is_empty() => {}
            _ => parts.push(text.to_owned()),
        }
    }
    parts
}

fn split(part: &str) -> (&str, &str) {
    let end = part.find([':', ' ', '(']).unwrap_or(part.len());
    let (name, rest) = part.split_at(end);
    (name, rest.trim_start_matches(':').trim())
}

fn property(meaning: &str) -> Value {
    let members = members(meaning);
    if !members.is_empty() {
        return json!({ "type": "string", "enum": members });
    }
    let (kind, rest) = kind(meaning);
    let description = rest
        .trim_start()
        .trim_start_matches("of ")
        .trim()
        .trim_matches(['(', ')'])
        .trim();
    let mut property = json!({ "type": kind });
    if let (Some(object), false) = (property.as_object_mut(), description.is_empty()) {
        object.insert("description".to_owned(), description.into());
    }
    property
}

fn kind(meaning: &str) -> (&'static str, &str) {
    const KINDS: [(&str, &str); 11] = [
        ("boolean", "boolean"),
        ("bool", "boolean"),
        ("integer", "integer"),
        ("int", "integer"),
        ("number", "number"),
        ("list", "array"),
        ("array", "array"),
        ("object", "object"),
        ("json", "object"),
        ("string", "string"),
        ("{", "object"),
    ];
    for (word, kind) in KINDS {
        if let Some(rest) = meaning.strip_prefix(word)
            && (word == "{" || !rest.starts_with(|character: char| character.is_alphanumeric()))
        {
            return (kind, if word == "{" { meaning } else { rest });
        }
    }
    ("string", meaning)
}

/// The values of an enum, if the meaning lists some.
fn members(meaning: &str) -> Vec<&str> {
    let word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    if meaning.contains('|') {
        let bare = meaning
            .split(['(', ')'])
            .find(|piece| piece.contains('|'))
            .unwrap_or(meaning);
        let values: Vec<&str> = bare.split('|').map(str::trim).collect();
        let values: Vec<&str> = values
            .iter()
            .map(|value| value.split_whitespace().next().unwrap_or_default())
            .collect();
        return if values.iter().all(|value| word(value)) {
            values
        } else {
            Vec::new()
        };
    }
    let Some((_, rest)) = meaning.split_once('(') else {
        return Vec::new();
    };
    let inside = rest.split(')').next().unwrap_or_default();
    let values: Vec<&str> = inside.split([',', '/']).map(str::trim).collect();
    if values.len() >= 2 && values.iter().all(|value| word(value)) {
        values
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(gist: &str, properties: Value, required: &[&str]) {
        let schema = schema(gist);
        assert_eq!(schema["properties"], properties, "{gist}");
        assert_eq!(schema["required"], json!(required), "{gist}");
    }

    #[test]
    fn arguments_in_words_become_a_schema() {
        let text = json!({ "type": "string" });
        reads("", json!({}), &[]);
        reads(
            "bucket, key, save_to_path?",
            json!({ "bucket": text, "key": text, "save_to_path": text }),
            &["bucket", "key"],
        );
        reads(
            "since?; ack?: list of request ids to clear",
            json!({ "since": text, "ack": { "type": "array", "description": "request ids to clear" } }),
            &[],
        );
        reads(
            "operation: ADD|UPDATE|DELETE, note_id?",
            json!({ "operation": { "type": "string", "enum": ["ADD", "UPDATE", "DELETE"] }, "note_id": text }),
            &["operation"],
        );
        reads(
            "mode (fast, slow)",
            json!({ "mode": { "type": "string", "enum": ["fast", "slow"] } }),
            &["mode"],
        );
        reads(
            "entities: list of {name,type}, clobber?: bool (default false)",
            json!({
                "entities": { "type": "array", "description": "{name,type}" },
                "clobber": { "type": "boolean", "description": "default false" },
            }),
            &["entities"],
        );
        reads(
            "dashboard json",
            json!({ "dashboard": { "type": "object" } }),
            &["dashboard"],
        );
    }
}
