//! Arguments as policies see them: typed from the input schema, as far as Cedar has such a type.

use std::collections::{BTreeMap, BTreeSet};

use cedar_policy::RestrictedExpression;
use sayso_core::digest::canonical;
use sayso_core::json::{Kind, Value};
use serde_json::json;

/// How deep schemas are followed. What lies deeper is left out.
const DEPTH: usize = 8;

/// The type of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ArgumentType {
    Boolean,
    Long,
    String,
    Set(Box<ArgumentType>),
    Record(Fields),
}

/// The members of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// What policies see.
    pub(super) typed: BTreeMap<String, Field>,
    /// What has no type here, and why.
    pub(super) left_out: BTreeMap<String, &'static str>,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) kind: ArgumentType,
    pub(super) required: bool,
    /// Whether `null` is allowed; it is the same as leaving the member out.
    pub(super) nullable: bool,
}

impl Fields {
    /// The arguments of a tool with this input schema.
    pub(super) fn of_schema(schema: Option<Value<'_>>) -> Self {
        let Some(root) = schema else {
            return Self::default();
        };
        let reader = Reader { root };
        reader.fields(reader.follow(root, DEPTH).unwrap_or(root), DEPTH)
    }

    /// The attributes as a schema in Cedar's JSON form has them.
    pub(super) fn to_schema(&self) -> serde_json::Value {
        let attributes = self.typed.iter().map(|(name, field)| {
            let mut attribute = field.kind.to_schema();
            if let Some(object) = attribute.as_object_mut() {
                let always_there = field.required && !field.nullable;
                object.insert("required".to_owned(), json!(always_there));
            }
            (name.clone(), attribute)
        });
        let attributes: serde_json::Map<_, _> = attributes.collect();
        json!({ "type": "Record", "attributes": attributes })
    }
}

impl ArgumentType {
    fn to_schema(&self) -> serde_json::Value {
        match self {
            Self::Boolean => json!({ "type": "Boolean" }),
            Self::Long => json!({ "type": "Long" }),
            Self::String => json!({ "type": "String" }),
            Self::Set(element) => json!({ "type": "Set", "element": element.to_schema() }),
            Self::Record(fields) => fields.to_schema(),
        }
    }

    /// The type as policies would write it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Boolean => "Bool".to_owned(),
            Self::Long => "Long".to_owned(),
            Self::String => "String".to_owned(),
            Self::Set(element) => format!("Set<{}>", element.describe()),
            Self::Record(fields) => {
                let members = fields.typed.iter().map(|(name, field)| {
                    let optional = if field.required && !field.nullable {
                        ""
                    } else {
                        "?"
                    };
                    format!("{name}{optional}: {}", field.kind.describe())
                });
                format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Reads types from one input schema.
struct Reader<'a> {
    root: Value<'a>,
}

impl<'a> Reader<'a> {
    fn fields(&self, schema: Value<'a>, depth: usize) -> Fields {
        let required: BTreeSet<_> = schema
            .get("required")
            .into_iter()
            .flat_map(|required| required.elements().filter_map(Value::as_str))
            .collect();
        let mut fields = Fields::default();
        for member in schema
            .get("properties")
            .into_iter()
            .flat_map(Value::members)
        {
            let name = member.key.clone().into_owned();
            match self.kind(member.value, depth) {
                Ok((kind, nullable)) => {
                    let required = required.contains(&member.key);
                    let field = Field {
                        kind,
                        required,
                        nullable,
                    };
                    fields.typed.insert(name, field);
                }
                Err(why) => {
                    fields.left_out.insert(name, why);
                }
            }
        }
        fields
    }

    /// The type a schema allows, and whether it allows `null` besides.
    fn kind(&self, schema: Value<'a>, depth: usize) -> Result<(ArgumentType, bool), &'static str> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err("it is nested too deep");
        };
        let schema = self
            .follow(schema, depth)
            .ok_or("its `$ref` leads nowhere")?;
        for choice in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(choice) {
                return self.one_of(choices, depth);
            }
        }
        let types: Vec<_> = match schema.get("type") {
            Some(types) if types.is_array() => types.elements().filter_map(Value::as_str).collect(),
            Some(one) => one.as_str().into_iter().collect(),
            None => return of_values(schema).ok_or("its schema names no type"),
        };
        let nullable = types.iter().any(|name| name == "null");
        let mut others = types.iter().filter(|name| *name != "null");
        let (Some(name), None) = (others.next(), others.next()) else {
            return Err("its schema allows several types");
        };
        let kind = match name.as_ref() {
            "string" => ArgumentType::String,
            "boolean" => ArgumentType::Boolean,
            "integer" => ArgumentType::Long,
            "number" => return Err("policies have no fractions"),
            "array" => {
                let items = schema.get("items").ok_or("its items have no type")?;
                match self.kind(items, depth)? {
                    (_, true) => return Err("its items can be null"),
                    (element, false) => ArgumentType::Set(Box::new(element)),
                }
            }
            "object" if schema.get("properties").is_some() => {
                ArgumentType::Record(self.fields(schema, depth))
            }
            "object" => return Err("its members are not in the schema"),
            _ => return Err("its type is not one of JSON Schema"),
        };
        Ok((kind, nullable))
    }

    /// The one type that all choices have, `null` aside.
    fn one_of(
        &self,
        choices: Value<'a>,
        depth: usize,
    ) -> Result<(ArgumentType, bool), &'static str> {
        let mut nullable = false;
        let mut found: Option<ArgumentType> = None;
        for choice in choices.elements() {
            let only_null = choice
                .get("type")
                .and_then(Value::as_str)
                .is_some_and(|name| name == "null");
            if only_null {
                nullable = true;
                continue;
            }
            let (kind, null) = self.kind(choice, depth)?;
            nullable |= null;
            match &found {
                Some(other) if *other != kind => return Err("its schema allows several types"),
                Some(_) => {}
                None => found = Some(kind),
            }
        }
        let found = found.ok_or("its schema names no type")?;
        Ok((found, nullable))
    }

    /// The schema a `$ref` into the same document leads to.
    fn follow(&self, schema: Value<'a>, depth: usize) -> Option<Value<'a>> {
        let mut schema = schema;
        for _ in 0..=depth {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
                return Some(schema);
            };
            let steps = reference.strip_prefix("#/")?;
            schema = steps.split('/').try_fold(self.root, |value, step| {
                value.get(&step.replace("~1", "/").replace("~0", "~"))
            })?;
        }
        None
    }
}

/// The type of the values a schema without `type` lists.
fn of_values(schema: Value<'_>) -> Option<(ArgumentType, bool)> {
    let values: Vec<Value<'_>> = match (schema.get("enum"), schema.get("const")) {
        (Some(values), _) => values.elements().collect(),
        (None, value) => value.into_iter().collect(),
    };
    let nullable = values.iter().any(|value| value.is_null());
    let mut kinds =
        values
            .iter()
            .filter(|value| !value.is_null())
            .map(|value| match value.kind() {
                Kind::String => Some(ArgumentType::String),
                Kind::Bool(_) => Some(ArgumentType::Boolean),
                Kind::Number => whole(*value).map(|_| ArgumentType::Long),
                _ => None,
            });
    let first = kinds.next()??;
    kinds
        .all(|kind| kind.as_ref() == Some(&first))
        .then_some((first, nullable))
}

/// A number that is whole and fits, whatever its spelling: `1.0` and `1e2` are whole.
pub(super) fn whole(value: Value<'_>) -> Option<i64> {
    /// Up to here a double holds every whole number.
    const EXACT: u64 = 1 << 53;
    if value.kind() != Kind::Number {
        return None;
    }
    value.raw().parse().ok().or_else(|| {
        let number: i64 = canonical(value).1.parse().ok()?;
        (number.unsigned_abs() <= EXACT).then_some(number)
    })
}

/// Why arguments cannot be shown to policies: which argument, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    path: Vec<String>,
    problem: &'static str,
}

impl Mismatch {
    fn here(problem: &'static str) -> Self {
        Self {
            path: Vec::new(),
            problem,
        }
    }

    fn within(mut self, name: &str) -> Self {
        self.path.insert(0, name.to_owned());
        self
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.path.as_slice() {
            [] => write!(f, "the arguments: {}", self.problem),
            path => write!(f, "argument `{}` {}", path.join("."), self.problem),
        }
    }
}

/// What a policy reads of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Read {
    /// Nothing.
    #[default]
    Nothing,
    /// Of these members what stands beside them.
    Members(BTreeMap<String, Read>),
    /// All there is.
    Whole,
}

impl Read {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }

    /// Adds what lies at the end of a path.
    pub(super) fn add_path(&mut self, path: &[String]) {
        match (path, &mut *self) {
            (_, Self::Whole) => {}
            ([], _) => *self = Self::Whole,
            ([first, rest @ ..], Self::Members(members)) => {
                members.entry(first.clone()).or_default().add_path(rest);
            }
            ([_, ..], Self::Nothing) => {
                *self = Self::Members(BTreeMap::new());
                self.add_path(path);
            }
        }
    }

    /// Adds what another reads.
    pub(super) fn add(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Whole, _) | (_, Self::Nothing) => {}
            (_, Self::Whole) => *self = Self::Whole,
            (Self::Nothing, Self::Members(_)) => *self = other.clone(),
            (Self::Members(own), Self::Members(others)) => {
                for (name, read) in others {
                    own.entry(name.clone()).or_default().add(read);
                }
            }
        }
    }

    /// What is read of a member.
    fn of(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Nothing => None,
            Self::Members(members) => members.get(name),
            Self::Whole => Some(self),
        }
    }
}

impl Fields {
    /// The record policies see of these arguments, as far as they read it.
    ///
    /// # Errors
    /// What is read and has no type here, or another one than the schema says: a policy that looks
    /// for it must not be passed by.
    pub(super) fn record(
        &self,
        arguments: Option<Value<'_>>,
        read: &Read,
    ) -> Result<RestrictedExpression, Mismatch> {
        match arguments {
            Some(arguments) if !arguments.is_object() => Err(Mismatch::here("no object")),
            Some(arguments) => self.value(arguments, read),
            None => new_record(Vec::new()),
        }
    }

    fn value(&self, object: Value<'_>, read: &Read) -> Result<RestrictedExpression, Mismatch> {
        let mut shown = Vec::new();
        for member in object.members() {
            let name = member.key.as_ref();
            let Some(read) = read.of(name) else {
                continue;
            };
            let Some(field) = self.typed.get(name) else {
                return Err(Mismatch::here("has no type that policies know").within(name));
            };
            if field.nullable && member.value.is_null() {
                continue;
            }
            let value = field.kind.value(member.value, read);
            shown.push((name.to_owned(), value.map_err(|inner| inner.within(name))?));
        }
        new_record(shown)
    }

    /// That what is read fits.
    ///
    /// # Errors
    /// As [`Fields::record`].
    pub(super) fn fit(&self, arguments: Option<Value<'_>>, read: &Read) -> Result<(), Mismatch> {
        match arguments {
            Some(_) if read.is_nothing() => Ok(()),
            Some(arguments) if !arguments.is_object() => Err(Mismatch::here("no object")),
            Some(arguments) => self.fits(arguments, read),
            None => Ok(()),
        }
    }

    fn fits(&self, object: Value<'_>, read: &Read) -> Result<(), Mismatch> {
        for member in object.members() {
            let name = member.key.as_ref();
            let Some(read) = read.of(name) else {
                continue;
            };
            let Some(field) = self.typed.get(name) else {
                return Err(Mismatch::here("has no type that policies know").within(name));
            };
            if object.get_all(name).nth(1).is_some() {
                return Err(Mismatch::here("is there twice").within(name));
            }
            if field.nullable && member.value.is_null() {
                continue;
            }
            let fits = field.kind.fits(member.value, read);
            fits.map_err(|inner| inner.within(name))?;
        }
        Ok(())
    }

    /// What is read and left out, with the reason.
    pub(super) fn unreadable(&self, read: &Read) -> Vec<(String, &'static str)> {
        let mut found = Vec::new();
        let left_out = self.left_out.iter();
        let read_here = left_out.filter(|(name, _)| read.of(name).is_some());
        found.extend(read_here.map(|(name, why)| (name.clone(), *why)));
        for (name, field) in &self.typed {
            if let (ArgumentType::Record(fields), Some(read)) = (&field.kind, read.of(name)) {
                let inside = fields.unreadable(read);
                found.extend(
                    inside
                        .into_iter()
                        .map(|(inner, why)| (format!("{name}.{inner}"), why)),
                );
            }
        }
        found
    }
}

fn new_record(
    members: Vec<(String, RestrictedExpression)>,
) -> Result<RestrictedExpression, Mismatch> {
    RestrictedExpression::new_record(members).map_err(|_| Mismatch::here("a name is there twice"))
}

impl ArgumentType {
    /// Whether a value is of this type, as far as it is read.
    fn fits(&self, value: Value<'_>, read: &Read) -> Result<(), Mismatch> {
        let right = match self {
            Self::Boolean => value.as_bool().is_some(),
            Self::Long => whole(value).is_some(),
            Self::String => value.kind() == Kind::String,
            Self::Set(_) => value.is_array(),
            Self::Record(_) => value.is_object(),
        };
        match self {
            _ if !right => Err(Mismatch::here(self.expected())),
            Self::Set(element) => value
                .elements()
                .try_for_each(|value| element.fits(value, &Read::Whole)),
            Self::Record(fields) => fields.fits(value, read),
            Self::Boolean | Self::Long | Self::String => Ok(()),
        }
    }

    const fn expected(&self) -> &'static str {
        match self {
            Self::Boolean => "is not a boolean",
            Self::Long => "is not a whole number of 64 bits",
            Self::String => "is not a string",
            Self::Set(_) => "is not an array",
            Self::Record(_) => "is not an object",
        }
    }

    /// A value of this type.
    fn value(&self, value: Value<'_>, read: &Read) -> Result<RestrictedExpression, Mismatch> {
        let wrong = || Mismatch::here(self.expected());
        Ok(match self {
            Self::Boolean => RestrictedExpression::new_bool(value.as_bool().ok_or_else(wrong)?),
            Self::Long => RestrictedExpression::new_long(whole(value).ok_or_else(wrong)?),
            Self::String => {
                RestrictedExpression::new_string(value.as_str().ok_or_else(wrong)?.into_owned())
            }
            Self::Set(_) if !value.is_array() => return Err(wrong()),
            Self::Set(element) => {
                let elements = value
                    .elements()
                    .map(|value| element.value(value, &Read::Whole));
                RestrictedExpression::new_set(elements.collect::<Result<Vec<_>, _>>()?)
            }
            Self::Record(_) if !value.is_object() => return Err(wrong()),
            Self::Record(fields) => return fields.value(value, read),
        })
    }
}
