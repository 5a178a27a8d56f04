//! A subschema with its local references followed.

use std::collections::{BTreeMap, HashSet};

use crate::json::{Kind, Value};

/// How many references are followed from one subschema.
const MOST_REFERENCES: usize = 32;

/// What stands at each keyword: more than one value where a key is repeated, or where a subschema
/// and what it refers to both have it.
pub(super) type Keywords<'a> = BTreeMap<String, Vec<Value<'a>>>;

/// What one subschema says.
pub(super) enum Subschema<'a> {
    /// `false`: no value is allowed.
    Nothing,
    /// Constraints; none for `true`, `{}` or a subschema that is not there.
    Keywords(Keywords<'a>),
    /// No schema.
    Malformed,
}

impl<'a> Subschema<'a> {
    pub(super) fn read(schema: Option<Value<'a>>, root: Option<Value<'a>>) -> Self {
        let mut keywords = Keywords::new();
        let mut pending: Vec<Value<'a>> = schema.into_iter().collect();
        let mut seen = HashSet::new();
        while let Some(schema) = pending.pop() {
            if !seen.insert(schema.index()) {
                continue;
            }
            match schema.kind() {
                Kind::Bool(true) => {}
                Kind::Bool(false) => return Self::Nothing,
                Kind::Object => {
                    for member in schema.members() {
                        let follow = member.key == "$ref" && seen.len() < MOST_REFERENCES;
                        let target = root
                            .filter(|_| follow)
                            .and_then(|root| resolve(member.value, root));
                        match target {
                            Some(target) => pending.push(target),
                            None => keywords
                                .entry(member.key.into_owned())
                                .or_default()
                                .push(member.value),
                        }
                    }
                }
                _ => return Self::Malformed,
            }
        }
        Self::Keywords(keywords)
    }
}

/// What a reference into the same schema points at; `None` for any other and where nothing stands.
fn resolve<'a>(reference: Value<'_>, root: Value<'a>) -> Option<Value<'a>> {
    let reference = reference.as_str()?;
    let fragment = reference.strip_prefix('#')?;
    if fragment.is_empty() {
        return Some(root);
    }
    // An anchor or an escaped pointer stays a reference, and is compared as text.
    let pointer = fragment
        .strip_prefix('/')
        .filter(|pointer| !pointer.contains('%'))?;
    pointer.split('/').try_fold(root, |value, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match value.kind() {
            Kind::Object => value.get(&step),
            Kind::Array => value.elements().nth(step.parse().ok()?),
            _ => None,
        }
    })
}
