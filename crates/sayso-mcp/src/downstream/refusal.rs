//! Protocol errors to answer with.

use serde_json::json;

use super::write;
use crate::jsonrpc::{Id, code};
use crate::version;

/// Something that was refused before it became a request, or a request that was not let through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The id of the request, where it is known.
    pub id: Option<Id>,
    /// The code of the error.
    pub code: i64,
    /// Why, in one line that is safe to show.
    pub what: String,
}

/// An error to answer with.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<serde_json::Value>,
}

impl Refusal {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        Self::new(
            code::METHOD_NOT_FOUND,
            format!("there is no method `{method}` here"),
        )
    }

    /// A key at any depth that stands more than once: two readers may read two messages.
    pub(crate) fn duplicate(key: &str) -> Self {
        let key = sayso_core::reveal::reveal_line(key);
        Self::invalid_params(format!("the key `{key}` stands more than once"))
    }

    pub(crate) fn stopping() -> Self {
        Self::new(code::INTERNAL_ERROR, "stopping: no more requests are taken")
    }

    /// `UnsupportedProtocolVersionError` of 2026-07-28.
    pub(crate) fn unsupported_version(requested: Option<serde_json::Value>) -> Self {
        Self {
            data: Some(json!({ "supported": supported(), "requested": requested })),
            ..Self::new(
                code::UNSUPPORTED_PROTOCOL_VERSION,
                "this protocol version is not supported",
            )
        }
    }

    /// `MissingRequiredClientCapabilityError` of 2026-07-28.
    pub(crate) fn cannot_ask() -> Self {
        Self {
            data: Some(json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })),
            ..Self::new(
                code::MISSING_REQUIRED_CLIENT_CAPABILITY,
                "this call has to ask a person, and the request does not declare `elicitation`",
            )
        }
    }

    /// As an answer.
    pub(crate) fn to_json(&self, id: Option<&Id>) -> String {
        let data = self.data.as_ref().map(serde_json::Value::to_string);
        let error = write::error(self.code, &self.message, data.as_deref());
        write::answer(id, "error", &error)
    }
}

/// The versions a server speaks, newest first.
pub(crate) fn supported() -> Vec<&'static str> {
    version::MODERN.into_iter().chain(version::LEGACY).collect()
}
