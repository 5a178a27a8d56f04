//! A [`Value`] as the validator reads it: in place, without a second copy of it.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp};
use sayso_core::digest::canonical;
use sayso_core::json::{Kind, Value};

use super::problem::shortened;

/// [`Value`]s as the validator's representation of JSON.
#[derive(Debug)]
pub(super) struct Spans;

/// How much of a value may still be looked at. When nothing is left every value is `null`, so that
/// what runs comes to its end, and nothing it says counts.
#[derive(Debug)]
pub(super) struct Meter {
    left: Cell<u64>,
    beyond: Cell<bool>,
}

impl Meter {
    /// For telling whether a value fits.
    pub(super) fn for_verdict(value: Value<'_>) -> Self {
        Self::new(value, 200_000, 100)
    }

    /// For telling what does not: slower, and a courtesy.
    pub(super) fn for_details(value: Value<'_>) -> Self {
        Self::new(value, 10_000, 20)
    }

    fn new(value: Value<'_>, looks: u64, for_a_byte: u64) -> Self {
        let bytes = value.raw().len() as u64;
        Self {
            left: Cell::new(looks.saturating_add(bytes.saturating_mul(for_a_byte))),
            beyond: Cell::new(false),
        }
    }

    /// Why nothing that was found counts.
    pub(super) fn broken_off(&self) -> Option<&'static str> {
        if self.left.get() == 0 {
            Some("cannot be held against the schema: it would take too long")
        } else if self.beyond.get() {
            Some("cannot be held against the schema: it holds a number that is too large")
        } else {
            None
        }
    }

    fn spend(&self, looks: usize) -> bool {
        let left = self.left.get().saturating_sub(looks as u64);
        self.left.set(left);
        left > 0
    }
}

/// A value, or the name of a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instance<'a> {
    Value(Value<'a>, &'a Meter),
    Name(&'a str),
}

impl<'a> Instance<'a> {
    pub(super) fn new(value: Value<'a>, meter: &'a Meter) -> Self {
        Self::Value(value, meter)
    }

    /// The value, while it may be looked at.
    fn look(self) -> Option<(Value<'a>, &'a Meter)> {
        match self {
            Self::Value(value, meter) if meter.spend(1) => Some((value, meter)),
            _ => None,
        }
    }
}

impl Json for Spans {
    type Node<'a> = Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = String;

    // Members are found one after the other.
    const KEYS_PER_LOOKUP: usize = 2;
    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(_: &mut String, string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Name(string))
    }
}

impl<'a> Node<'a, Spans> for Instance<'a> {
    type Object = Container<'a>;
    type Array = Container<'a>;
    type Number = Number<'a>;

    fn as_object(&self) -> Option<Container<'a>> {
        let (value, meter) = self.look()?;
        value.is_object().then_some(Container { value, meter })
    }

    fn as_array(&self) -> Option<Container<'a>> {
        let (value, meter) = self.look()?;
        value.is_array().then_some(Container { value, meter })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Name(name) => Some(Cow::Borrowed(name)),
            Self::Value(..) => self.look()?.0.as_str(),
        }
    }

    fn as_number(&self) -> Option<Number<'a>> {
        let (value, meter) = self.look()?;
        let number = Number(value.as_f64()?, value.raw());
        if !number.0.is_finite() {
            meter.beyond.set(true);
        }
        Some(number)
    }

    fn as_boolean(&self) -> Option<bool> {
        self.look()?.0.as_bool()
    }

    fn is_null(&self) -> bool {
        self.json_type() == JsonType::Null
    }

    fn is_number(&self) -> bool {
        self.json_type() == JsonType::Number
    }

    fn json_type(&self) -> JsonType {
        if let Self::Name(_) = self {
            return JsonType::String;
        }
        match self.look().map_or(Kind::Null, |(value, _)| value.kind()) {
            Kind::Null => JsonType::Null,
            Kind::Bool(_) => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &serde_json::Value) -> bool {
        if let serde_json::Value::String(expected) = expected {
            return self.as_string().is_some_and(|string| string == *expected);
        }
        let Some((value, meter)) = self.look() else {
            return false;
        };
        let alike = match value.kind() {
            Kind::Object => expected.is_object(),
            Kind::Array => expected.is_array(),
            Kind::Number => expected.is_number(),
            _ => true,
        };
        alike
            && meter.spend(value.raw().len() / 8)
            && value
                .to_serde()
                .is_some_and(|value| cmp::equal(&value, expected))
    }

    /// Only for errors: long strings are cut, and what has no place in it stands for itself as
    /// well as it can. Every member has to be there, since errors look for theirs in it.
    fn to_value(&self) -> Cow<'a, serde_json::Value> {
        Cow::Owned(match self {
            Self::Name(name) => shortened(name, CUT).into(),
            Self::Value(value, _) => outline(*value),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match self {
            Self::Name(name) => NodeIdentity::tagged(name.as_ptr().addr(), u32::MAX),
            Self::Value(value, _) => {
                let document = std::ptr::from_ref(value.document());
                NodeIdentity::tagged(document.addr(), value.index())
            }
        })
    }
}

/// Characters of a string that errors may show.
const CUT: usize = 200;

/// As deep as the value, which its reader bounds.
fn outline(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool(boolean) => boolean.into(),
        Kind::Number => {
            let number = value.as_f64().unwrap_or_default();
            Number(number, value.raw()).to_number().into_owned().into()
        }
        Kind::String => shortened(&value.as_str().unwrap_or_default(), CUT).into(),
        Kind::Array => value.elements().map(outline).collect(),
        Kind::Object => {
            let members = value.members();
            let members = members.map(|member| (member.key.into_owned(), outline(member.value)));
            members.collect::<serde_json::Map<_, _>>().into()
        }
    }
}

/// An object or an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Container<'a> {
    value: Value<'a>,
    meter: &'a Meter,
}

impl<'a> Object<'a, Spans> for Container<'a> {
    type Node = Instance<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = Box<dyn Iterator<Item = (Cow<'a, str>, Instance<'a>)> + 'a>;

    fn len(&self) -> usize {
        self.value.members().count()
    }

    fn is_empty(&self) -> bool {
        self.value.members().next().is_none()
    }

    fn get(&self, key: &String) -> Option<Instance<'a>> {
        let value = self.value.get(key)?;
        Some(Instance::new(value, self.meter))
    }

    fn members(&self) -> Self::MembersIter {
        let meter = self.meter;
        let members = self.value.members();
        Box::new(members.map(move |member| (member.key, Instance::new(member.value, meter))))
    }
}

impl<'a> Array<'a, Spans> for Container<'a> {
    type Node = Instance<'a>;
    type ElementsIter = Box<dyn Iterator<Item = Instance<'a>> + 'a>;

    fn len(&self) -> usize {
        self.value.elements().count()
    }

    fn elements(&self) -> Self::ElementsIter {
        let meter = self.meter;
        let elements = self.value.elements();
        Box::new(elements.map(move |element| Instance::new(element, meter)))
    }

    fn is_unique(&self) -> bool {
        let mut seen = HashSet::new();
        let mut elements = self.value.elements();
        self.meter.spend(self.value.raw().len() / 8)
            && elements.all(|element| seen.insert(canonical(element).1))
    }
}

/// A number and how it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a>(f64, &'a str);

impl JsonNumber for Number<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.1.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.1.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.1)
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let read = serde_json::from_str(self.1).ok();
        // What is out of range is told by the meter; the limit stands for it until then.
        let limit = || serde_json::Number::from_f64(f64::MAX.copysign(self.0));
        Cow::Owned(read.or_else(limit).unwrap_or_else(|| 0.into()))
    }

    fn is_integer(&self) -> bool {
        self.is_written_as_integer() || self.0.fract() == 0.0
    }
}
