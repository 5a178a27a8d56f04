//! Where a value stands in a configuration.

use std::fmt;

use serde::Deserialize;
use thiserror::Error;

use super::document::Node;

/// A JSON pointer (RFC 6901) with one addition: a segment `*` stands for every
/// key of a table, as in `/projects/*/mcpServers`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pointer {
    segments: Vec<Segment>,
}

#[derive(Clone, PartialEq, Eq)]
enum Segment {
    Key(String),
    AnyKey,
}

/// A pointer that is not one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a pointer\nhint: write `/key` or `/outer/inner`, with `~1` for a slash in a key"
)]
pub struct PointerError(String);

/// What a pointer found.
pub(super) struct Found<'n> {
    /// The value.
    pub(super) node: &'n Node,
    /// The key that the `*` stood for.
    pub(super) wildcard: Option<&'n str>,
}

impl Pointer {
    /// Every value the pointer leads to, in the order of the document. `within`
    /// narrows a `*` to that one key.
    pub(super) fn find<'n>(&self, root: &'n Node, within: Option<&str>) -> Vec<Found<'n>> {
        let mut found = vec![Found {
            node: root,
            wildcard: None,
        }];
        for segment in &self.segments {
            found = match segment {
                Segment::Key(key) => found
                    .into_iter()
                    .filter_map(|at| {
                        let node = at.node.member(key)?;
                        Some(Found { node, ..at })
                    })
                    .collect(),
                Segment::AnyKey => found
                    .iter()
                    .flat_map(|at| at.node.members())
                    .filter(|member| within.is_none_or(|key| key == member.key))
                    .map(|member| Found {
                        node: &member.value,
                        wildcard: Some(&member.key),
                    })
                    .collect(),
            };
        }
        found
    }

    /// The first value the pointer leads to.
    pub(super) fn first<'n>(&self, root: &'n Node) -> Option<&'n Node> {
        self.find(root, None)
            .into_iter()
            .next()
            .map(|found| found.node)
    }

    /// Whether the pointer has a `*`.
    #[must_use]
    pub fn has_wildcard(&self) -> bool {
        self.segments.contains(&Segment::AnyKey)
    }

    /// The keys from the outermost in; `None` when one of them is a `*`.
    #[must_use]
    pub fn keys(&self) -> Option<Vec<&str>> {
        let keys = self.segments.iter().map(|segment| match segment {
            Segment::Key(key) => Some(key.as_str()),
            Segment::AnyKey => None,
        });
        keys.collect()
    }

    /// The first key, when it is not a `*`.
    pub(super) fn first_key(&self) -> Option<&str> {
        match self.segments.first()? {
            Segment::Key(key) => Some(key),
            Segment::AnyKey => None,
        }
    }

    /// The keys joined by dots, as a person writes them: `requestOptions.headers`.
    pub(super) fn dotted(&self) -> String {
        let keys: Vec<&str> = self
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Key(key) => key.as_str(),
                Segment::AnyKey => "*",
            })
            .collect();
        keys.join(".")
    }
}

impl TryFrom<String> for Pointer {
    type Error = PointerError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let Some(keys) = text.strip_prefix('/') else {
            return Err(PointerError(text));
        };
        let segments: Vec<Segment> = keys
            .split('/')
            .map(|key| match key {
                "*" => Segment::AnyKey,
                key => Segment::Key(key.replace("~1", "/").replace("~0", "~")),
            })
            .collect();
        if segments.contains(&Segment::Key(String::new())) {
            return Err(PointerError(text));
        }
        Ok(Self { segments })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            match segment {
                Segment::Key(key) => {
                    write!(formatter, "/{}", key.replace('~', "~0").replace('/', "~1"))?;
                }
                Segment::AnyKey => formatter.write_str("/*")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}
