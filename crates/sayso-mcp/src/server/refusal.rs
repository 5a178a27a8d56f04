//! Protocol errors to answer with.

use serde_json::json;

use crate::jsonrpc::{self, Id, code};
use crate::version;

/// An error to answer with.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<serde_json::Value>,
}

impl Refusal {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(super) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        Self::new(
            code::METHOD_NOT_FOUND,
            format!("there is no method `{method}` here"),
        )
    }

    /// `UnsupportedProtocolVersionError` of 2026-07-28.
    pub(super) fn unsupported_version(requested: Option<serde_json::Value>) -> Self {
        Self {
            data: Some(json!({ "supported": supported(), "requested": requested })),
            ..Self::new(
                code::UNSUPPORTED_PROTOCOL_VERSION,
                "this protocol version is not supported",
            )
        }
    }

    /// `MissingRequiredClientCapabilityError` of 2026-07-28.
    pub(super) fn cannot_ask() -> Self {
        Self {
            data: Some(json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })),
            ..Self::new(
                code::MISSING_REQUIRED_CLIENT_CAPABILITY,
                "this call has to ask a person, and the request does not declare `elicitation`",
            )
        }
    }

    /// As an answer.
    pub(super) fn to_json(&self, id: Option<&Id>) -> String {
        jsonrpc::error_response(id, self.code, &self.message, self.data.as_ref())
    }
}

/// The versions a server speaks, newest first.
pub(super) fn supported() -> Vec<&'static str> {
    version::MODERN.into_iter().chain(version::LEGACY).collect()
}
