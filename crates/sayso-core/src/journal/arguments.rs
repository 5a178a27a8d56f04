//! Arguments as the journal keeps them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::digest::{Digest, canonical};
use crate::json::{Document, Kind, Limits, ParseError, Value};

/// What stands in the place of a value that is not kept.
const REPLACED: &str = "\"[redacted]\"";

/// How much of the arguments is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// All.
    Whole,
    /// All but some values.
    Redacted,
    /// Only the digest.
    Digest,
}

/// The arguments of a call, as much of them as is kept, and the digest of all of them.
///
/// The digest of a value that is easily guessed tells the value: whoever reads a journal can try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arguments {
    /// The digest of the arguments as they were judged and sent.
    pub digest: Digest,
    /// How much is kept.
    pub kept: Kept,
    /// Where values were replaced (JSON pointers).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// What is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
}

impl Arguments {
    /// All of them.
    #[must_use]
    pub fn whole(arguments: Value<'_>) -> Self {
        Self {
            digest: Digest::of(arguments),
            kept: Kept::Whole,
            replaced: Vec::new(),
            value: Some(Json::of(arguments)),
        }
    }

    /// Only their digest.
    #[must_use]
    pub fn digest_only(arguments: Value<'_>) -> Self {
        Self {
            digest: Digest::of(arguments),
            kept: Kept::Digest,
            replaced: Vec::new(),
            value: None,
        }
    }

    /// All but the values of members whose key is secret, at any depth.
    #[must_use]
    pub fn redacted(arguments: Value<'_>, mut secret: impl FnMut(&str) -> bool) -> Self {
        let mut writer = Redacting {
            text: String::new(),
            replaced: Vec::new(),
            secret: &mut secret,
        };
        writer.value(arguments);
        let Redacting { text, replaced, .. } = writer;
        if replaced.is_empty() {
            return Self::whole(arguments);
        }
        Self {
            digest: Digest::of(arguments),
            kept: Kept::Redacted,
            replaced,
            value: Json::parse(&text).ok(),
        }
    }
}

/// Writes a value again, without what is secret.
struct Redacting<'f> {
    text: String,
    replaced: Vec<String>,
    secret: &'f mut dyn FnMut(&str) -> bool,
}

impl Redacting<'_> {
    /// A document is nested no deeper than its limits allow, so neither is this.
    fn value(&mut self, value: Value<'_>) {
        match value.kind() {
            Kind::Object => {
                self.text.push('{');
                for (position, member) in value.members().enumerate() {
                    self.comma(position);
                    let text = member.value.document().text();
                    let key = text.get(member.key_span.range()).unwrap_or_default();
                    self.text.push_str(key);
                    self.text.push(':');
                    if (self.secret)(&member.key) {
                        self.replaced.push(member.value.pointer().to_string());
                        self.text.push_str(REPLACED);
                    } else {
                        self.value(member.value);
                    }
                }
                self.text.push('}');
            }
            Kind::Array => {
                self.text.push('[');
                for (position, element) in value.elements().enumerate() {
                    self.comma(position);
                    self.value(element);
                }
                self.text.push(']');
            }
            _ => self.text.push_str(value.raw()),
        }
    }

    fn comma(&mut self, position: usize) {
        if position > 0 {
            self.text.push(',');
        }
    }
}

/// A JSON value in canonical form.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

/// A text that cannot be kept as JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no JSON: {0}")]
pub struct JsonError(#[from] ParseError);

impl Json {
    /// The canonical form of a value.
    #[must_use]
    pub fn of(value: Value<'_>) -> Self {
        let (_, text) = canonical(value);
        // A canonical text is JSON; were it not, `null` says that nothing was kept.
        Self(RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// The canonical form of a text.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        Document::parse(text.to_owned(), &Limits::default())
            .map(|document| Self::of(document.root()))
            .map_err(JsonError)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The text as a document, to look into.
    ///
    /// # Errors
    /// When it is nested deeper than is read.
    pub fn document(&self) -> Result<Document, JsonError> {
        Ok(Document::parse(self.text().to_owned(), &Limits::default())?)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Json {}

impl Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}
