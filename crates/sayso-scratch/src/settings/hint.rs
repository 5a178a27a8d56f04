//! What is sent for a hint.

use serde_json::value::RawValue;

use super::{DEFAULT, Key, SettingsError};
use sayso_core::suggest::nearest;

/// The word for a key that is not sent.
const OMITTED: &str = "omitted";

/// What is sent under a key of a listing entry: nothing, one JSON value, or the key several
/// times. A client may expect a boolean; what is sent may be any JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HintSetting(Vec<String>);

impl HintSetting {
    /// The key is not sent.
    #[must_use]
    pub const fn omitted() -> Self {
        Self(Vec::new())
    }

    /// A boolean is sent.
    #[must_use]
    pub fn declared(value: bool) -> Self {
        Self(vec![value.to_string()])
    }

    /// `omitted`, or JSON values with commas between them: `false`, `null`, `"true"`; two make
    /// the key appear twice.
    pub(super) fn parse(key: Key, text: &str) -> Result<Self, SettingsError> {
        if text == OMITTED {
            return Ok(Self::omitted());
        }
        let values: Result<Vec<Box<RawValue>>, _> = serde_json::from_str(&format!("[{text}]"));
        match values {
            Ok(values) if !values.is_empty() => Ok(Self(
                // Without line ends: an entry is sent on one line.
                values
                    .iter()
                    .map(|value| value.get().replace(['\n', '\r'], " "))
                    .collect(),
            )),
            _ => {
                let error = SettingsError::new(format!("`{key}` cannot be `{text}`"));
                let words = ["true", "false", "null", OMITTED, DEFAULT];
                Err(match nearest(text, words) {
                    Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                    None => error.hint(format!(
                        "write `true`, `false`, `{OMITTED}`, `{DEFAULT}` or JSON such as `null`, `1` or `\"true\"`; two values with a comma send the key twice"
                    )),
                })
            }
        }
    }

    /// The values sent, each as its JSON text.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
