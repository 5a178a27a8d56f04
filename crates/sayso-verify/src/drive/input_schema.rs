//! An input schema to make values by, and to hold them against: as a whole, and in its parts.

use std::cell::RefCell;
use std::collections::HashMap;

use jsonschema::{PatternOptions, Registry, ValidationOptions, Validator};
use sayso_core::reveal::reveal_line;
use sayso_core::schema_bounds;
use serde_json::{Value as Json, json};

/// What the schema is called where a part of it is referred to.
const ADDRESS: &str = "urn:sayso:input-schema";

/// Values in a schema; people write some hundred.
const MAX_VALUES: usize = 20_000;

/// Schemas that one value is made by at once, and ways to choose among them.
const MOST: usize = 64;

/// A schema within the document, and where it stands: a JSON Pointer (RFC 6901).
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pointer: String,
    pub(super) schema: &'a Json,
}

impl<'a> Part<'a> {
    /// What a keyword holds.
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Json> {
        self.schema.get(keyword)
    }

    /// The schema that a keyword holds.
    pub(super) fn below(&self, keyword: &str) -> Option<Self> {
        let schema = self.schema.get(keyword)?;
        (schema.is_object() || schema.is_boolean()).then(|| self.step(keyword, schema))
    }

    /// The schemas that a keyword holds by number, or by name.
    pub(super) fn each(&self, keyword: &str) -> Vec<(String, Self)> {
        let Some(held) = self.schema.get(keyword) else {
            return Vec::new();
        };
        let holder = self.step(keyword, held);
        let numbered = held.as_array().into_iter().flatten().enumerate();
        let numbered = numbered.map(|(number, schema)| (number.to_string(), schema));
        let named = held.as_object().into_iter().flatten();
        let named = named.map(|(name, schema)| (name.clone(), schema));
        numbered
            .chain(named)
            .map(|(name, schema)| {
                let part = holder.step(&name, schema);
                (name, part)
            })
            .collect()
    }

    fn step(&self, name: &str, schema: &'a Json) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        Self {
            pointer: format!("{}/{name}", self.pointer),
            schema,
        }
    }
}

/// A compiled input schema.
pub(super) struct InputSchema<'a> {
    text: &'a Json,
    whole: Validator,
    registry: Registry<'static>,
    /// By pointer; `None` where a part is no schema by itself.
    parts: RefCell<HashMap<String, Option<Validator>>>,
}

impl<'a> InputSchema<'a> {
    /// Compiles it. Nothing is fetched for it.
    ///
    /// # Errors
    /// Why nothing can be held against it, in one line that is safe to show.
    pub(super) fn compile(text: &'a Json) -> Result<Self, String> {
        let wrong = |said: String| reveal_line(&said).chars().take(300).collect::<String>();
        if count(text) > MAX_VALUES {
            return Err(format!("there are more than {MAX_VALUES} values in it"));
        }
        schema_bounds::check(text).map_err(wrong)?;
        let whole = options().build(text);
        let whole = whole.map_err(|error| wrong(error.to_string()))?;
        let registry = Registry::new()
            .retriever(Nowhere)
            .add(ADDRESS, text.clone())
            .and_then(jsonschema::RegistryBuilder::prepare)
            .map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            text,
            whole,
            registry,
            parts: RefCell::default(),
        })
    }

    pub(super) fn root(&self) -> Part<'a> {
        Part {
            pointer: String::new(),
            schema: self.text,
        }
    }

    /// Whether these are arguments the tool takes.
    pub(super) fn takes(&self, arguments: &Json) -> bool {
        arguments.is_object() && self.whole.is_valid(arguments)
    }

    /// Whether a value fits these parts, each with all that it refers to.
    pub(super) fn fits(&self, parts: &[Part<'a>], value: &Json) -> bool {
        parts.iter().all(|part| {
            let mut known = self.parts.borrow_mut();
            let validator = known
                .entry(part.pointer.clone())
                .or_insert_with(|| self.validator(&part.pointer));
            // What is none by itself is found wrong as part of the whole.
            validator.as_ref().is_none_or(|one| one.is_valid(value))
        })
    }

    fn validator(&self, pointer: &str) -> Option<Validator> {
        let reference = json!({ "$ref": format!("{ADDRESS}#{}", in_fragment(pointer)) });
        options()
            .with_registry(&self.registry)
            .build(&reference)
            .ok()
    }

    /// All that a value has to fit in one of the ways there are: a list for each, the likeliest first.
    pub(super) fn ways(&self, parts: &[Part<'a>]) -> Vec<Vec<Part<'a>>> {
        let mut open = vec![(self.together(parts.to_vec()), 0)];
        let mut ways = Vec::new();
        while let Some((parts, chosen)) = open.pop() {
            let choice = parts.iter().flat_map(choices).nth(chosen);
            match choice {
                Some(choice) if open.len() < MOST => {
                    for more in choice.into_iter().rev() {
                        let parts = parts.iter().cloned().chain(more).collect();
                        open.push((self.together(parts), chosen + 1));
                    }
                }
                _ => ways.push(parts),
            }
            if ways.len() >= MOST {
                break;
            }
        }
        ways
    }

    /// With what they refer to, and what has to hold besides.
    fn together(&self, parts: Vec<Part<'a>>) -> Vec<Part<'a>> {
        let mut all: Vec<Part<'a>> = Vec::new();
        let mut open: Vec<Part<'a>> = parts.into_iter().rev().collect();
        while let Some(part) = open.pop() {
            let is_known = all.iter().any(|known| known.pointer == part.pointer);
            if is_known || all.len() >= MOST {
                continue;
            }
            let besides = part.each("allOf").into_iter().map(|(_, part)| part);
            open.extend(besides.rev().chain(self.target(&part)));
            all.push(part);
        }
        all
    }

    /// Where a reference within the document leads.
    fn target(&self, part: &Part<'a>) -> Option<Part<'a>> {
        let reference = part.get("$ref")?.as_str()?;
        let pointer = reference.strip_prefix('#')?;
        Some(Part {
            pointer: pointer.to_owned(),
            schema: self.text.pointer(pointer)?,
        })
    }
}

/// What there is to choose from in a schema: for each choice the parts that come with it.
fn choices<'a>(part: &Part<'a>) -> Vec<Vec<Vec<Part<'a>>>> {
    let mut all = Vec::new();
    for keyword in ["anyOf", "oneOf"] {
        let mut choice: Vec<Vec<Part<'a>>> = part
            .each(keyword)
            .into_iter()
            .map(|(_, part)| vec![part])
            .collect();
        let is_null = |parts: &Vec<Part<'a>>| {
            let mut kinds = parts.iter().filter_map(|part| part.get("type"));
            kinds.any(|kind| *kind == "null")
        };
        choice.sort_by_key(is_null);
        if !choice.is_empty() {
            all.push(choice);
        }
    }
    if let Some(condition) = part.below("if") {
        let then: Vec<Part<'a>> = std::iter::once(condition)
            .chain(part.below("then"))
            .collect();
        let otherwise: Vec<Part<'a>> = part.below("else").into_iter().collect();
        all.push(vec![Vec::new(), then, otherwise]);
    }
    all
}

fn options<'r>() -> ValidationOptions<'r> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(100_000)
        .size_limit(1 << 20)
        .dfa_size_limit(1 << 20);
    // Servers hold against formats, whatever the dialect says.
    jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(patterns)
}

/// Fetches nothing.
struct Nowhere;

impl jsonschema::Retrieve for Nowhere {
    fn retrieve(
        &self,
        address: &jsonschema::Uri<String>,
    ) -> Result<Json, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{address}` is not in it, and nothing is fetched").into())
    }
}

/// A JSON Pointer as a URI's fragment (RFC 6901 §6).
fn in_fragment(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'/' | b'~' | b'-' | b'_' | b'.' => fragment.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => fragment.push(char::from(byte)),
            _ => fragment.push_str(&format!("%{byte:02X}")),
        }
    }
    fragment
}

fn count(value: &Json) -> usize {
    let elements = value.as_array().into_iter().flatten();
    let members = value.as_object().into_iter().flat_map(|all| all.values());
    1 + elements.chain(members).map(count).sum::<usize>()
}
