//! Values by a JSON Schema: those it names itself before those that are made up.

use serde_json::{Map, Value as Json, json};

use super::name;
use crate::fixture::Built;

/// How deep values are made, and references followed.
const DEEPEST: usize = 8;

/// The argument nothing can be made up for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missing(pub(super) String);

/// Makes values for one tool.
pub(super) struct Maker<'a> {
    pub(super) root: &'a Json,
    pub(super) built: &'a Built,
    pub(super) tool: &'a str,
    pub(super) description: &'a str,
}

impl<'a> Maker<'a> {
    /// The properties of a schema, in its order.
    pub(super) fn properties(&self, schema: &'a Json) -> impl Iterator<Item = (&'a str, &'a Json)> {
        let members = schema.get("properties").and_then(Json::as_object);
        members
            .into_iter()
            .flatten()
            .map(|(name, of)| (name.as_str(), of))
    }

    /// Arguments: those that must be given, or all.
    pub(super) fn object(&self, schema: &'a Json, all: bool) -> Result<Map<String, Json>, Missing> {
        self.members(schema, all, 0)
    }

    fn members(
        &self,
        schema: &'a Json,
        all: bool,
        depth: usize,
    ) -> Result<Map<String, Json>, Missing> {
        let required = schema.get("required").and_then(Json::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
        };
        let mut made = Map::new();
        for (name, of) in self.properties(schema) {
            let needed = is_required(name);
            if !needed && !all {
                continue;
            }
            match self.value(name, of, depth + 1) {
                Ok(value) => {
                    made.insert(name.to_owned(), value);
                }
                // What nobody asks for can be left out.
                Err(_) if !needed => {}
                Err(missing) => return Err(missing),
            }
        }
        // What must be given and is not described may be anything.
        let named = required.into_iter().flatten().filter_map(Json::as_str);
        for name in named {
            if !made.contains_key(name) {
                made.insert(name.to_owned(), self.text(name, &Json::Null)?);
            }
        }
        Ok(made)
    }

    fn value(&self, name: &str, schema: &'a Json, depth: usize) -> Result<Json, Missing> {
        if depth > DEEPEST {
            return Err(Missing(name.to_owned()));
        }
        let schema = self.resolved(schema);
        if let Some(value) = schema.get("const") {
            return Ok(value.clone());
        }
        let first = |key: &str| {
            schema
                .get(key)
                .and_then(Json::as_array)
                .and_then(|all| all.first())
        };
        if let Some(value) = first("enum").or_else(|| first("examples")) {
            return Ok(value.clone());
        }
        if let Some(value) = schema
            .get("default")
            .filter(|value| !value.is_null() && *value != "")
        {
            return Ok(value.clone());
        }
        for key in ["anyOf", "oneOf"] {
            let choices = schema.get(key).and_then(Json::as_array);
            for choice in choices.into_iter().flatten() {
                if !self.is_kind(choice, "null")
                    && let Ok(value) = self.value(name, choice, depth + 1)
                {
                    return Ok(value);
                }
            }
        }
        if let Some(part) = first("allOf") {
            return self.value(name, part, depth + 1);
        }
        match kind(schema) {
            "boolean" => Ok(Json::Bool(false)),
            "integer" | "number" => Ok(number(schema)),
            "null" => Ok(Json::Null),
            "array" => self.array(name, schema, depth),
            "object" => self.members(schema, false, depth).map(Json::Object),
            _ => self.text(name, schema),
        }
    }

    fn array(&self, name: &str, schema: &'a Json, depth: usize) -> Result<Json, Missing> {
        let least = schema
            .get("minItems")
            .and_then(Json::as_u64)
            .unwrap_or(1)
            .clamp(1, 8);
        let item = match schema.get("items") {
            Some(item) => self.value(name, item, depth + 1)?,
            None => self.text(name, schema)?,
        };
        let count = usize::try_from(least).unwrap_or(1);
        Ok(Json::Array(vec![item; count]))
    }

    fn text(&self, name: &str, schema: &Json) -> Result<Json, Missing> {
        let about = schema
            .get("description")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let about = format!("{about} {}", self.description);
        let made = match schema.get("format").and_then(Json::as_str) {
            Some("date-time") => Some("2024-01-01T12:00:00Z".to_owned()),
            Some("date") => Some("2024-01-01".to_owned()),
            Some("email") => Some("nobody@example.invalid".to_owned()),
            Some("uuid") => None,
            _ => name::text(name, &about, self.tool, self.built),
        };
        let bound = |key: &str| {
            schema
                .get(key)
                .and_then(Json::as_u64)
                .and_then(|n| usize::try_from(n).ok())
        };
        let mut made = made.ok_or_else(|| Missing(name.to_owned()))?;
        if let Some(least) = bound("minLength").filter(|least| *least < 4096) {
            while made.chars().count() < least {
                made.push('x');
            }
        }
        if let Some(most) = bound("maxLength") {
            made = made.chars().take(most).collect();
        }
        Ok(Json::String(made))
    }

    /// Whether a value of this kind fits.
    pub(super) fn is_kind(&self, schema: &'a Json, wanted: &str) -> bool {
        kind(self.resolved(schema)) == wanted
    }

    /// The choices a schema names, but for the first.
    pub(super) fn choices(&self, schema: &'a Json) -> Vec<Json> {
        let choices = self.resolved(schema).get("enum").and_then(Json::as_array);
        choices
            .map(|all| all.iter().skip(1).cloned().collect())
            .unwrap_or_default()
    }

    /// The schema that a reference within the document leads to.
    fn resolved(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        for _ in 0..DEEPEST {
            let reference = schema.get("$ref").and_then(Json::as_str);
            let target = reference
                .and_then(|reference| reference.strip_prefix('#'))
                .and_then(|pointer| self.root.pointer(pointer));
            match target {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }
}

/// The type a schema names, the first that is not null.
fn kind(schema: &Json) -> &str {
    match schema.get("type") {
        Some(Json::String(kind)) => kind,
        Some(Json::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Json::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

/// A small number within bounds.
fn number(schema: &Json) -> Json {
    let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
    let step = |value: f64| {
        if kind(schema) == "integer" {
            value + 1.0
        } else {
            value + 0.5
        }
    };
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(step));
    let most = bound("maximum");
    let mut number = 1.0_f64;
    if let Some(least) = least {
        number = number.max(least);
    }
    if let Some(most) = most {
        number = number.min(most);
    }
    if kind(schema) == "integer" && number.abs() < 9e15 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is small and whole, or is made so"
        )]
        let whole = number.ceil() as i64;
        return json!(whole);
    }
    json!(number)
}
