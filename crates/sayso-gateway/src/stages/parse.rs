//! The request, read strictly: one way to understand it, or none.

use std::borrow::Cow;

use sayso_core::json::{Kind, Value};
use sayso_core::reveal::reveal_line;
use sayso_mcp::jsonrpc::Message;

use crate::refusal::{ReasonCode, Refusal};

/// The longest idempotency key, in bytes.
const MAX_KEY: usize = 256;

/// A `tools/call` as it came. Everything in it is a view on the one text that was read.
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// `params`.
    pub params: Value<'a>,
    /// `params.name`.
    pub name: Value<'a>,
    /// `params.arguments`, an object where it is there.
    pub arguments: Option<Value<'a>>,
}

impl<'a> Parsed<'a> {
    /// Reads the parameters of a `tools/call`.
    ///
    /// # Errors
    /// When a key stands twice anywhere, or something is not of its kind.
    pub fn read(message: &'a Message) -> Result<Self, Refusal> {
        let refuse = |what: String| Err(Refusal::new(ReasonCode::Malformed, what));
        if let Some(duplicate) = message.document().duplicates().first() {
            let key = reveal_line(&duplicate.key).into_owned();
            return refuse(format!("the key `{key}` stands more than once"));
        }
        let Some(params) = message.params().filter(|params| params.is_object()) else {
            return refuse("`params` is no object".to_owned());
        };
        let Some(name) = params
            .get("name")
            .filter(|name| name.kind() == Kind::String)
        else {
            return refuse("`params.name` is no string".to_owned());
        };
        if let Some(key) = other_spelling(params) {
            let key = reveal_line(&key).into_owned();
            return refuse(format!(
                "some readers would take `params.{key}` for another member"
            ));
        }
        for key in ["arguments", "_meta"] {
            if params.get(key).is_some_and(|value| !value.is_object()) {
                return refuse(format!("`params.{key}` is no object"));
            }
        }
        let parsed = Self {
            params,
            name,
            arguments: params.get("arguments"),
        };
        if parsed
            .idempotency_value()
            .is_some_and(|key| key.as_str().is_none_or(|key| !fits(&key)))
        {
            return refuse(format!(
                "the idempotency key is no string of 1 to {MAX_KEY} bytes"
            ));
        }
        Ok(parsed)
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> Cow<'a, str> {
        self.name.as_str().unwrap_or_default()
    }

    /// The key by which the caller tells that a call is the same as an earlier one:
    /// `params.idempotencyKey` (SEP-3182), or `dev.sayso/idempotency-key` in `_meta`.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<Cow<'a, str>> {
        self.idempotency_value().and_then(Value::as_str)
    }

    fn idempotency_value(&self) -> Option<Value<'a>> {
        let own = self.params.get("idempotencyKey");
        own.or_else(|| self.params.at(&["_meta", "dev.sayso/idempotency-key"]))
    }
}

/// A member that only the case of its letters keeps apart from one that is judged: readers who do
/// not tell them apart would take the one for the other.
fn other_spelling(params: Value<'_>) -> Option<String> {
    const JUDGED: [&str; 6] = [
        "name",
        "arguments",
        "_meta",
        "task",
        "inputResponses",
        "requestState",
    ];
    let mut keys = params.members().map(|member| member.key.into_owned());
    keys.find(|key| {
        !JUDGED.contains(&key.as_str()) && JUDGED.iter().any(|judged| same_letters(key, judged))
    })
}

/// Whether two names differ in the case of their letters at most.
pub(super) fn same_letters(one: &str, other: &str) -> bool {
    // By way of capitals, since `ſ` has one that is a letter of ASCII, and `K` is one.
    let folded = |text: &str| text.to_uppercase().to_lowercase();
    one == other || folded(one) == folded(other)
}

fn fits(key: &str) -> bool {
    !key.is_empty() && key.len() <= MAX_KEY
}

#[cfg(test)]
mod tests {
    use sayso_core::json::{Document, Limits};
    use sayso_mcp::jsonrpc::Message;

    use super::Parsed;

    fn read(params: &str) -> Result<String, String> {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let document = Document::parse(text, &Limits::default()).unwrap();
        let message = Message::classify(document).unwrap();
        let parsed = Parsed::read(&message).map_err(|refusal| refusal.message)?;
        Ok(parsed.tool().into_owned())
    }

    #[test]
    fn odd_shapes_are_refused() {
        assert_eq!(
            read(r#"{"name":"a","arguments":{"x":1},"more":[]}"#).unwrap(),
            "a"
        );
        assert_eq!(read(r#"{"name":"a"}"#).unwrap(), "a");
        for odd in [
            r"[]",
            r"{}",
            r#"{"name":1}"#,
            r#"{"name":"a","arguments":[]}"#,
            r#"{"name":"a","arguments":null}"#,
            r#"{"name":"a","_meta":"x"}"#,
            r#"{"name":"a","name":"b"}"#,
            r#"{"name":"a","arguments":{"x":{"y":1,"y":2}}}"#,
            r#"{"name":"a","n\u0061me":"b"}"#,
            r#"{"name":"a","Name":"b"}"#,
            r#"{"name":"a","Arguments":{}}"#,
            r#"{"name":"a","tas\u212a":{}}"#,
            r#"{"name":"a","idempotencyKey":1}"#,
            r#"{"name":"a","idempotencyKey":""}"#,
        ] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}
