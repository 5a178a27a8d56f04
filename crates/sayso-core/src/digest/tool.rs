//! The digests of a tool: of all of it, and of each part that can change by itself.

use std::fmt;

use super::Digest;
use super::canonical::Node;
use crate::hint::Hint;
use crate::json::{Kind, Member};
use crate::tool::{AnnotationsShape, Tool};

/// A part of a tool's definition. Every member but the name is in exactly one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// What it says: `title`, `description` and `annotations.title`.
    Text,
    /// What goes in and comes out: `inputSchema` and `outputSchema`.
    Schemas,
    /// The four hints, and whatever stands under `annotations` that is no object or there twice.
    Annotations,
    /// Everything else: `icons`, `execution`, `_meta`, unknown keys, also those in `annotations`.
    Rest,
}

impl Part {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Text, Self::Schemas, Self::Annotations, Self::Rest];

    /// The part as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Schemas => "schemas",
            Self::Annotations => "annotations",
            Self::Rest => "rest",
        }
    }

    /// The part a top-level key belongs to; `annotations` itself is taken apart.
    fn of_key(key: &str) -> Self {
        match key {
            "title" | "description" => Self::Text,
            "inputSchema" | "outputSchema" => Self::Schemas,
            _ => Self::Rest,
        }
    }

    /// The part a key in `annotations` belongs to.
    fn of_annotation(key: &str) -> Self {
        match key {
            "title" => Self::Text,
            key if Hint::from_key(key).is_some() => Self::Annotations,
            _ => Self::Rest,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One value for each part.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(deny_unknown_fields)]
pub struct Parts<T> {
    /// For [`Part::Text`].
    pub text: T,
    /// For [`Part::Schemas`].
    pub schemas: T,
    /// For [`Part::Annotations`].
    pub annotations: T,
    /// For [`Part::Rest`].
    pub rest: T,
}

impl<T> Parts<T> {
    /// Makes each value from its part.
    pub fn from_fn(mut make: impl FnMut(Part) -> T) -> Self {
        Self {
            text: make(Part::Text),
            schemas: make(Part::Schemas),
            annotations: make(Part::Annotations),
            rest: make(Part::Rest),
        }
    }

    /// The value of one part.
    #[must_use]
    pub const fn get(&self, part: Part) -> &T {
        match part {
            Part::Text => &self.text,
            Part::Schemas => &self.schemas,
            Part::Annotations => &self.annotations,
            Part::Rest => &self.rest,
        }
    }
}

impl<T: PartialEq> Parts<T> {
    /// The parts that differ.
    #[must_use]
    pub fn moved(&self, other: &Self) -> Vec<Part> {
        let differs = |part: &Part| self.get(*part) != other.get(*part);
        Part::ALL.into_iter().filter(differs).collect()
    }
}

/// The digests of one tool. Two tools of one name have the same whole exactly when all
/// their parts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ToolDigest {
    /// Of the whole definition, the name included.
    pub whole: Digest,
    /// Of each part, the name in none of them: a renamed tool keeps them all.
    pub parts: Parts<Digest>,
}

impl ToolDigest {
    /// The digests of a tool as it was listed.
    #[must_use]
    pub fn of(tool: Tool<'_>) -> Self {
        Self {
            whole: Digest::of(tool.value()),
            parts: Parts::from_fn(|part| Digest::of_node(part_of(tool, part))),
        }
    }
}

/// A part as one JSON array: an object of the top-level members it has, then what it has of
/// `annotations`.
fn part_of(tool: Tool<'_>, part: Part) -> Node<'_> {
    let value = tool.value();
    if !value.is_object() {
        let own = (part == Part::Rest).then_some(Node::Value(value));
        return Node::Array(own.into_iter().collect());
    }
    // A name that readers do not agree on is no name to match tools by.
    let one_name = match value
        .get_all("name")
        .map(|name| name.kind())
        .collect::<Vec<_>>()[..]
    {
        [kind] => kind == Kind::String,
        _ => false,
    };
    let members: Vec<Member<'_>> = value
        .members()
        .filter(|member| match &*member.key {
            "annotations" => false,
            "name" => part == Part::Rest && !one_name,
            key => Part::of_key(key) == part,
        })
        .collect();
    let mut nodes = vec![Node::Object(members)];
    let claims = tool.claims();
    match (claims.shape, claims.objects.as_slice()) {
        (AnnotationsShape::Object, [annotations]) => {
            let own: Vec<Member<'_>> = annotations
                .members()
                .filter(|member| Part::of_annotation(&member.key) == part)
                .collect();
            // An empty object is still something else than none; that is told at the hints.
            if part == Part::Annotations || !own.is_empty() {
                nodes.push(Node::Object(own));
            }
        }
        (_, values) if part == Part::Annotations => {
            nodes.extend(values.iter().copied().map(Node::Value));
        }
        _ => {}
    }
    Node::Array(nodes)
}
