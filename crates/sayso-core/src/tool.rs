//! A tool as a server listed it: a view on its own bytes.

use std::borrow::Cow;

use crate::hint::{Claim, Hint, Hints};
use crate::json::{Kind, Member, Value};

/// One entry of a listing. The entry may be anything, also no object: nothing is lost on the way in.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    value: Value<'a>,
    page: usize,
    position: usize,
}

impl<'a> Tool<'a> {
    /// The tool that stands at `value`, on a page and at a position of its listing (both from 0).
    #[must_use]
    pub fn new(value: Value<'a>, page: usize, position: usize) -> Self {
        Self {
            value,
            page,
            position,
        }
    }

    /// The tool's own bytes and where they stand.
    #[must_use]
    pub fn value(self) -> Value<'a> {
        self.value
    }

    /// The page it came on, from 0.
    #[must_use]
    pub fn page(self) -> usize {
        self.page
    }

    /// Its place in the whole listing, from 0.
    #[must_use]
    pub fn position(self) -> usize {
        self.position
    }

    /// The name, if there is one and it is a string.
    #[must_use]
    pub fn name(self) -> Option<Cow<'a, str>> {
        self.string("name")
    }

    /// The name, or `#N` by position where there is none to show.
    #[must_use]
    pub fn label(self) -> Cow<'a, str> {
        self.name()
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| Cow::Owned(format!("#{}", self.position + 1)))
    }

    /// The top-level title (MCP 2025-06-18 and later).
    #[must_use]
    pub fn title(self) -> Option<Cow<'a, str>> {
        self.string("title")
    }

    /// The title inside `annotations`.
    #[must_use]
    pub fn annotation_title(self) -> Option<Cow<'a, str>> {
        self.value
            .at(&["annotations", "title"])
            .and_then(Value::as_str)
    }

    /// The description.
    #[must_use]
    pub fn description(self) -> Option<Cow<'a, str>> {
        self.string("description")
    }

    /// The input schema, of whatever kind.
    #[must_use]
    pub fn input_schema(self) -> Option<Value<'a>> {
        self.value.get("inputSchema")
    }

    /// What the tool claims about itself.
    #[must_use]
    pub fn claims(self) -> Claims<'a> {
        Claims::read(self.value)
    }

    fn string(self, key: &str) -> Option<Cow<'a, str>> {
        self.value.get(key).and_then(Value::as_str)
    }
}

/// What stands under `annotations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationsShape {
    /// No such key.
    Absent,
    /// `null`.
    Null,
    /// An object: the only shape the specification knows.
    Object,
    /// Something else.
    Malformed(Kind),
    /// The key more than once.
    Duplicated,
}

/// One hint's claim and the values that make it, so that a finding can point at them.
#[derive(Clone, Debug)]
pub struct LocatedClaim<'a> {
    /// The state on the wire.
    pub claim: Claim,
    /// Every value under the key, in the order they stand: none when absent, several when duplicated.
    pub values: Vec<Value<'a>>,
}

/// Everything a tool claims about itself.
#[derive(Clone, Debug)]
pub struct Claims<'a> {
    /// What stands under `annotations`.
    pub shape: AnnotationsShape,
    /// Every `annotations` value, in the order they stand.
    pub objects: Vec<Value<'a>>,
    /// The claim for each hint.
    pub hints: Hints<LocatedClaim<'a>>,
}

impl<'a> Claims<'a> {
    fn read(tool: Value<'a>) -> Self {
        let objects: Vec<Value<'a>> = tool.get_all("annotations").collect();
        let shape = match objects.as_slice() {
            [] => AnnotationsShape::Absent,
            [one] => match one.kind() {
                Kind::Object => AnnotationsShape::Object,
                Kind::Null => AnnotationsShape::Null,
                other => AnnotationsShape::Malformed(other),
            },
            _ => AnnotationsShape::Duplicated,
        };
        let hints = Hints::from_fn(|hint| {
            let values: Vec<Value<'a>> = objects
                .iter()
                .flat_map(|object| object.get_all(hint.key()))
                .collect();
            let claim = match values.as_slice() {
                [] => Claim::Absent,
                // One of several readers picks this object, another the other one.
                [_] if objects.len() > 1 => Claim::Duplicated,
                [one] => match one.kind() {
                    Kind::Null => Claim::Null,
                    Kind::Bool(value) => Claim::from_boolean(value),
                    _ => Claim::Malformed,
                },
                _ => Claim::Duplicated,
            };
            LocatedClaim { claim, values }
        });
        Self {
            shape,
            objects,
            hints,
        }
    }

    /// The states alone.
    #[must_use]
    pub fn states(&self) -> Hints<Claim> {
        self.hints.map(|_, located| located.claim)
    }

    /// Whether at least one hint is a boolean.
    #[must_use]
    pub fn any_boolean(&self) -> bool {
        self.hints
            .iter()
            .any(|(_, located)| located.claim.boolean().is_some())
    }

    /// The members of `annotations` that the specification does not know.
    pub fn unknown_members(&self) -> impl Iterator<Item = Member<'a>> {
        self.objects
            .iter()
            .flat_map(|object| object.members())
            .filter(|member| member.key != "title" && Hint::from_key(&member.key).is_none())
    }
}
