//! YAML into the common tree.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Member, Node, Parsed, Position, Value};

/// How deep lists and tables may be nested. Hosts need less than ten; the
/// parser recurses, and 64 levels are too much for a thread's 2 MiB.
const MAX_DEPTH: usize = 24;

/// Parses a YAML document.
pub(super) fn parse(text: &str) -> Parsed {
    let options = serde_saphyr::options! {
        // Snippets would put the surrounding lines, secrets among them, into errors.
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
    };
    let parsed: Result<Option<Yaml>, _> = serde_saphyr::from_str_with_options(text, options);
    match parsed {
        Ok(root) => Ok(root
            .map(|root| root.0)
            .filter(|root| !matches!(root.value, Value::Null))),
        Err(error) => {
            let at = error.location().map_or(Position::START, position_of);
            Err((at, yaml_reason(&error)))
        }
    }
}

/// The kind of error only: the library's own texts may quote the document.
fn yaml_reason(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error::{
        AliasError, AliasExpansionLimitExceeded, AliasReplayLimitExceeded,
        AliasReplayStackDepthExceeded,
    };

    match error.without_snippet() {
        AliasError { error, .. } => yaml_reason(error),
        AliasExpansionLimitExceeded { .. }
        | AliasReplayLimitExceeded { .. }
        | AliasReplayStackDepthExceeded { .. } => "its aliases unfold to too much".to_owned(),
        serde_saphyr::Error::DuplicateMappingKey { .. } => {
            "a key stands twice in a table".to_owned()
        }
        serde_saphyr::Error::Budget { .. } => "it is nested too deep or too large".to_owned(),
        serde_saphyr::Error::MultipleDocuments { .. } => "it has more than one document".to_owned(),
        _ => "its syntax is wrong here".to_owned(),
    }
}

fn position_of(location: serde_saphyr::Location) -> Position {
    let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).max(1);
    Position {
        line: index(location.line()),
        column: index(location.column()),
    }
}

/// A YAML value on its way to a [`Node`].
struct Yaml(Node);

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<YamlValue>::deserialize(deserializer)?;
        let at = position_of(spanned.referenced);
        Ok(Self(Node {
            at,
            value: spanned.value.0,
        }))
    }
}

struct YamlValue(Value);

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor).map(Self)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(Yaml(element)) = access.next_element()? {
            elements.push(element);
        }
        Ok(Value::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = access.next_key::<serde_saphyr::Spanned<String>>()? {
            let Yaml(value) = access.next_value()?;
            members.push(Member {
                at: position_of(key.referenced),
                key: key.value,
                value,
            });
        }
        Ok(Value::Table(members))
    }
}
