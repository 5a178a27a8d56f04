//! Whether an input schema is one: structural checks, fast enough for every tool of every listing.
//!
//! What is called [`Fault::Invalid`] breaks the meta-schema of the dialect the schema names
//! (JSON Schema draft-07, 2019-09 or 2020-12), or MCP's own demand that the root has `type: "object"`;
//! a test holds that against the `jsonschema` crate. Other dialects are checked at the root only.

use std::collections::{HashMap, HashSet};

use sayso_core::json::{Kind, Value};

/// How many faults of one schema are told; the rest would follow from the first.
const MOST: usize = 8;

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// MCP's own schema for `inputSchema` does not allow it: `type` has to be `"object"`.
    Root,
    /// The meta-schema does not allow it.
    Invalid,
    /// A reference inside the schema leads nowhere.
    Dangling,
    /// A reference leads outside the schema.
    External,
}

/// One thing wrong with a schema.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// Where.
    pub at: Value<'a>,
    /// What kind of fault it is.
    pub fault: Fault,
    /// What is wrong, as a lower-case sentence without a full stop.
    pub message: String,
}

/// The dialect, as far as it matters here, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dialect {
    /// Draft-06 or older, or nothing known: keywords mean other things there.
    Foreign,
    /// Draft-07.
    Draft7,
    /// 2019-09.
    Draft2019,
    /// None named. MCP then reads 2020-12 (since 2025-11-25), but much of what is in use was
    /// written for draft-07, so what the two disagree on is let be.
    Unnamed,
    /// 2020-12, where `items` is one schema and tuples are `prefixItems`.
    Draft2020,
}

impl Dialect {
    fn of(schema: Value<'_>) -> Self {
        let Some(uri) = schema.get("$schema").and_then(Value::as_str) else {
            return Self::Unnamed;
        };
        let uri = uri.trim_end_matches('#');
        match uri
            .strip_prefix("https://")
            .or_else(|| uri.strip_prefix("http://"))
        {
            Some("json-schema.org/draft/2020-12/schema") => Self::Draft2020,
            Some("json-schema.org/draft/2019-09/schema") => Self::Draft2019,
            Some("json-schema.org/draft-07/schema") => Self::Draft7,
            _ => Self::Foreign,
        }
    }
}

/// What is wrong with an input schema, in no particular order.
#[must_use]
pub fn check(schema: Value<'_>) -> Vec<Problem<'_>> {
    let mut checker = Checker {
        root: schema,
        dialect: Dialect::of(schema),
        own_ids: false,
        problems: Vec::new(),
    };
    if !schema.is_object() {
        let message = format!(
            "`inputSchema` is {}, not an object",
            schema.kind().describe()
        );
        checker.add(schema, Fault::Root, message);
        return checker.problems;
    }
    checker.root_type();
    if checker.dialect == Dialect::Foreign {
        return checker.problems;
    }
    let mut references = Vec::new();
    let mut pending = vec![schema];
    while let Some(subschema) = pending.pop() {
        checker.subschema(subschema, &mut pending, &mut references);
        if checker.problems.len() >= MOST {
            break;
        }
    }
    let mut pointers = Pointers {
        root: schema,
        many: references.len() > FEW,
        children: HashMap::new(),
    };
    for reference in references {
        if checker.problems.len() >= MOST {
            break;
        }
        checker.reference(reference, &mut pointers);
    }
    checker.problems.truncate(MOST);
    checker.problems
}

struct Checker<'a> {
    root: Value<'a>,
    dialect: Dialect,
    /// Whether a subschema has an `$id`, which changes what its references are relative to.
    own_ids: bool,
    problems: Vec<Problem<'a>>,
}

impl<'a> Checker<'a> {
    fn add(&mut self, at: Value<'a>, fault: Fault, message: impl Into<String>) {
        self.problems.push(Problem {
            at,
            fault,
            message: message.into(),
        });
    }

    fn invalid(&mut self, at: Value<'a>, message: impl Into<String>) {
        self.add(at, Fault::Invalid, message);
    }

    /// MCP `Tool.inputSchema`: an object whose `type` is the string `object`.
    fn root_type(&mut self) {
        match self.root.get("type") {
            None => {
                let combined = ["anyOf", "oneOf", "allOf", "$ref"]
                    .into_iter()
                    .find(|key| self.root.get(key).is_some());
                let message = match combined {
                    Some(key) => {
                        format!("the root of the schema has `{key}` but no `type: \"object\"`")
                    }
                    None => "the root of the schema has no `type: \"object\"`".to_owned(),
                };
                self.add(self.root, Fault::Root, message);
            }
            Some(kind) if kind.as_str().as_deref() == Some("object") => {}
            Some(kind) => {
                let message = format!(
                    "the root's `type` is {}, not \"object\"",
                    crate::excerpt::brief(kind)
                );
                self.add(kind, Fault::Root, message);
            }
        }
    }

    fn subschema(
        &mut self,
        schema: Value<'a>,
        pending: &mut Vec<Value<'a>>,
        references: &mut Vec<Value<'a>>,
    ) {
        let is_root = schema.index() == self.root.index();
        for member in schema.members() {
            let value = member.value;
            let key = &*member.key;
            match key {
                "type" => self.type_names(value, is_root),
                "properties" | "patternProperties" | "definitions" => {
                    self.map_of_schemas(key, value, pending)
                }
                "$defs" | "dependentSchemas" if self.dialect >= Dialect::Draft2019 => {
                    self.map_of_schemas(key, value, pending);
                }
                "items" if value.is_array() && self.dialect < Dialect::Draft2020 => {
                    self.list_of_schemas(key, value, false, pending);
                }
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames" => {
                    self.one_schema(key, value, pending);
                }
                "unevaluatedItems" | "unevaluatedProperties"
                    if self.dialect >= Dialect::Draft2019 =>
                {
                    self.one_schema(key, value, pending);
                }
                "allOf" | "anyOf" | "oneOf" => self.list_of_schemas(key, value, true, pending),
                "prefixItems" if self.dialect >= Dialect::Unnamed => {
                    self.list_of_schemas(key, value, true, pending)
                }
                "required" => self.required(value),
                "$ref" => {
                    references.push(value);
                    self.scalar(key, value);
                }
                "$id" => {
                    self.own_ids |= !is_root;
                    self.scalar(key, value);
                }
                _ => self.scalar(key, value),
            }
        }
    }

    /// Keywords whose value is no schema.
    fn scalar(&mut self, key: &str, value: Value<'a>) {
        match key {
            "enum" | "examples" => self.expect(key, value, value.is_array(), "an array"),
            "$ref" | "$id" | "$schema" | "$comment" | "title" | "description" | "pattern"
            | "format" | "contentEncoding" | "contentMediaType" => {
                self.expect(key, value, value.kind() == Kind::String, "a string");
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => {
                let whole = value
                    .as_f64()
                    .is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
                self.expect(key, value, whole, "a whole number from 0");
            }
            "minimum" | "maximum" => {
                self.expect(key, value, value.kind() == Kind::Number, "a number")
            }
            "exclusiveMinimum" | "exclusiveMaximum" => self.exclusive(key, value),
            "multipleOf" => {
                let positive = value.as_f64().is_some_and(|number| number > 0.0);
                self.expect(key, value, positive, "a number above 0");
            }
            "uniqueItems" | "readOnly" => {
                self.expect(key, value, value.as_bool().is_some(), "`true` or `false`");
            }
            _ => {}
        }
    }

    fn expect(&mut self, key: &str, value: Value<'a>, right: bool, what: &str) {
        if !right {
            let message = format!("`{key}` is {}, not {what}", crate::excerpt::brief(value));
            self.invalid(value, message);
        }
    }

    fn exclusive(&mut self, key: &str, value: Value<'a>) {
        if value.as_bool().is_some() {
            let message = format!(
                "`{key}` is a boolean, as in draft-04; since draft-06 it is the bound itself"
            );
            self.invalid(value, message);
        } else {
            self.expect(key, value, value.kind() == Kind::Number, "a number");
        }
    }

    fn type_names(&mut self, value: Value<'a>, is_root: bool) {
        const NAMES: [&str; 7] = [
            "array", "boolean", "integer", "null", "number", "object", "string",
        ];
        let unknown = |value: Value<'a>| match value.as_str() {
            Some(name) => !NAMES.contains(&&*name),
            None => true,
        };
        if value.is_array() {
            let mut seen = HashSet::new();
            let mut any = false;
            for element in value.elements() {
                any = true;
                if unknown(element) {
                    self.invalid(
                        element,
                        format!(
                            "{} is no type JSON Schema knows",
                            crate::excerpt::brief(element)
                        ),
                    );
                } else if !seen.insert(element.raw()) {
                    self.invalid(element, "`type` lists a type twice");
                }
            }
            if !any {
                self.invalid(value, "`type` is an empty list");
            }
        } else if unknown(value) && !is_root {
            self.invalid(
                value,
                format!(
                    "`type` is {}, which JSON Schema does not know",
                    crate::excerpt::brief(value)
                ),
            );
        }
    }

    fn one_schema(&mut self, key: &str, value: Value<'a>, pending: &mut Vec<Value<'a>>) {
        match value.kind() {
            Kind::Object => pending.push(value),
            Kind::Bool(_) => {}
            _ => {
                let message = format!("`{key}` is {}, not a schema", crate::excerpt::brief(value));
                self.invalid(value, message);
            }
        }
    }

    fn map_of_schemas(&mut self, key: &str, value: Value<'a>, pending: &mut Vec<Value<'a>>) {
        if !value.is_object() {
            self.expect(key, value, false, "an object of schemas");
            return;
        }
        for member in value.members() {
            match member.value.kind() {
                Kind::Object => pending.push(member.value),
                Kind::Bool(_) => {}
                Kind::Array if key == "properties" && member.key == "required" => self.invalid(
                    member.value,
                    "`required` stands inside `properties`, where it declares an argument called \"required\"",
                ),
                _ => {
                    let what = crate::excerpt::brief(member.value);
                    self.invalid(member.value, format!("`{}` in `{key}` is {what}, not a schema", member.key));
                }
            }
        }
    }

    fn list_of_schemas(
        &mut self,
        key: &str,
        value: Value<'a>,
        not_empty: bool,
        pending: &mut Vec<Value<'a>>,
    ) {
        if !value.is_array() {
            self.expect(key, value, false, "a list of schemas");
            return;
        }
        let mut any = false;
        for element in value.elements() {
            any = true;
            self.one_schema(key, element, pending);
        }
        if !any && not_empty {
            self.invalid(value, format!("`{key}` is an empty list"));
        }
    }

    fn required(&mut self, value: Value<'a>) {
        if let Some(answer) = value.as_bool() {
            let message = format!(
                "`required` is {answer}: a schema says `required` about its own properties, as a list of names"
            );
            self.invalid(value, message);
            return;
        }
        if !value.is_array() {
            self.expect("required", value, false, "a list of names");
            return;
        }
        let mut seen = HashSet::new();
        for element in value.elements() {
            match element.as_str() {
                None => self.invalid(
                    element,
                    format!(
                        "`required` lists {}, not a name",
                        crate::excerpt::brief(element)
                    ),
                ),
                Some(name) => {
                    if !seen.insert(name.clone()) {
                        self.invalid(element, format!("`required` lists `{name}` twice"));
                    }
                }
            }
        }
    }

    /// Follows `#/…`; tells of what leads nowhere or out of the schema.
    fn reference(&mut self, value: Value<'a>, pointers: &mut Pointers<'a>) {
        let Some(reference) = value.as_str() else {
            return;
        };
        if let Some(fragment) = reference.strip_prefix('#') {
            if fragment.starts_with('/') && !self.own_ids && !pointers.lead_somewhere(fragment) {
                self.add(
                    value,
                    Fault::Dangling,
                    format!("`$ref` points at `{reference}`, which is not there"),
                );
            }
        } else if !self.own_ids && self.root.get("$id").is_none() {
            self.add(
                value,
                Fault::External,
                format!("`$ref` points outside the schema, at `{reference}`"),
            );
        }
    }
}

/// With more references than this, each object and list on their ways is put in a table once.
const FEW: usize = 16;

/// Follows JSON pointers in their URI fragment form (RFC 6901 §6).
struct Pointers<'a> {
    root: Value<'a>,
    many: bool,
    children: HashMap<u32, HashMap<String, Value<'a>>>,
}

impl<'a> Pointers<'a> {
    fn lead_somewhere(&mut self, fragment: &str) -> bool {
        let mut value = self.root;
        for step in fragment.split('/').skip(1) {
            let step = percent_decode(step).map(|step| step.replace("~1", "/").replace("~0", "~"));
            match step.and_then(|step| self.child(value, &step)) {
                Some(child) => value = child,
                None => return false,
            }
        }
        true
    }

    fn child(&mut self, value: Value<'a>, step: &str) -> Option<Value<'a>> {
        if self.many {
            return self
                .children
                .entry(value.index())
                .or_insert_with(|| children(value))
                .get(step)
                .copied();
        }
        match value.kind() {
            Kind::Object => value.get(step),
            Kind::Array => step
                .parse()
                .ok()
                .and_then(|index| value.elements().nth(index)),
            _ => None,
        }
    }
}

/// Everything directly inside a value, by the step that leads there.
fn children(value: Value<'_>) -> HashMap<String, Value<'_>> {
    let mut children = HashMap::new();
    for member in value.members() {
        children
            .entry(member.key.into_owned())
            .or_insert(member.value);
    }
    children.extend(
        value
            .elements()
            .enumerate()
            .map(|(position, element)| (position.to_string(), element)),
    );
    children
}

fn percent_decode(step: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(step.len());
    let mut rest = step.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}
