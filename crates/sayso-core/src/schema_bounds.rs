//! How much work a schema asks for at one place of a value, found before it is compiled.
//!
//! `allOf` with two references to a schema that again has two asks for 2ⁿ checks of one value.
//! Schemas people write stay far below a thousand.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// Subschemas that one place of a value may be held against.
const MAX_WORK: u64 = 4096;
/// Subschemas that may stand between a schema and its last reference.
const MAX_CHAIN: usize = 256;

/// Keywords whose schemas are for the same place of a value.
const SAME_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Keywords that hold schemas by names, which are no keywords.
const NAMED: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];
/// Keywords that hold data.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// Says whether a schema asks for no more than what is worth doing. The text it was read from has to have
/// been bounded in its depth.
///
/// # Errors
/// What is wrong with a schema that asks for too much, or that has a reference to what is not in it: one
/// clause, to stand behind a name.
pub fn check(root: &Value) -> Result<(), String> {
    let mut schemas = Vec::new();
    collect(root, &mut schemas);
    let mut resources = HashMap::new();
    for schema in &schemas {
        if let Some(id) = schema.get("$id").and_then(Value::as_str) {
            resources.insert(id.trim_end_matches('#'), *schema);
        }
    }
    let mut bounds = Bounds {
        root,
        schemas: &schemas,
        resources,
        known: HashMap::new(),
        open: HashSet::new(),
    };
    for schema in &schemas {
        bounds.work(schema)?;
    }
    Ok(())
}

/// Every schema in a schema, itself included. The text's own depth bounds the recursion.
fn collect<'s>(schema: &'s Value, into: &mut Vec<&'s Value>) {
    let Value::Object(members) = schema else {
        return;
    };
    into.push(schema);
    for (key, value) in members {
        match value {
            _ if DATA.contains(&key.as_str()) => {}
            Value::Object(named) if NAMED.contains(&key.as_str()) => {
                for schema in named.values() {
                    collect(schema, into);
                }
            }
            Value::Array(list) => {
                for schema in list {
                    collect(schema, into);
                }
            }
            other => collect(other, into),
        }
    }
}

struct Bounds<'s> {
    root: &'s Value,
    schemas: &'s [&'s Value],
    resources: HashMap<&'s str, &'s Value>,
    /// By address: what is known of a schema.
    known: HashMap<*const Value, u64>,
    /// By address: what is being looked at.
    open: HashSet<*const Value>,
}

impl<'s> Bounds<'s> {
    fn work(&mut self, schema: &'s Value) -> Result<u64, String> {
        let address = std::ptr::from_ref(schema);
        if let Some(work) = self.known.get(&address) {
            return Ok(*work);
        }
        if self.open.len() >= MAX_CHAIN {
            return Err(format!(
                "more than {MAX_CHAIN} of its references hang on each other"
            ));
        }
        if !self.open.insert(address) {
            return Err("one of its references leads back to itself".to_owned());
        }
        let mut work = 1_u64;
        for next in self.same_place(schema)? {
            work = work.saturating_add(self.work(next)?);
        }
        self.open.remove(&address);
        if work > MAX_WORK {
            return Err(format!(
                "its references multiply: one value would be held against more than {MAX_WORK} subschemas"
            ));
        }
        self.known.insert(address, work);
        Ok(work)
    }

    fn same_place(&self, schema: &'s Value) -> Result<Vec<&'s Value>, String> {
        let mut next = Vec::new();
        for keyword in SAME_PLACE {
            match schema.get(keyword) {
                Some(Value::Array(list)) => next.extend(list),
                Some(one) => next.push(one),
                None => {}
            }
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            if let Some(Value::Object(named)) = schema.get(keyword) {
                next.extend(named.values().filter(|value| value.is_object()));
            }
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = schema.get(keyword).and_then(Value::as_str) {
                next.push(self.target(reference).ok_or_else(|| {
                    format!("its `{keyword}` `{reference}` leads out of it or to nothing, and nothing is fetched")
                })?);
            }
        }
        Ok(next)
    }

    fn target(&self, reference: &str) -> Option<&'s Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if base.is_empty() {
            self.root
        } else {
            let named = |(id, _): &(&&str, &&Value)| {
                **id == base || id.rsplit_once('/').is_some_and(|(_, name)| name == base)
            };
            self.resources
                .iter()
                .find(named)
                .map(|(_, schema)| *schema)?
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return resource.pointer(&percent_decoded(fragment));
        }
        let is_named = |schema: &&&Value| {
            ["$anchor", "$dynamicAnchor", "$id"].iter().any(|keyword| {
                let name = schema.get(*keyword).and_then(Value::as_str);
                name.is_some_and(|name| name.trim_start_matches('#') == fragment)
            })
        };
        self.schemas.iter().find(is_named).copied()
    }
}

/// The fragment of a URI as it is meant (RFC 3986 §2.1); what is no escape stays.
fn percent_decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let escaped = behind.split_at_checked(2).and_then(|(digits, after)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, after))
        });
        match escaped {
            Some((byte, after)) if *first == b'%' => {
                bytes.push(byte);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| fragment.to_owned())
}
