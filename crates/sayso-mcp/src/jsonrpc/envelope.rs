//! The envelope around a message: JSON-RPC 2.0 § 4 and § 5.

use std::borrow::Cow;

use sayso_core::json::{Kind, Value};

use super::{ErrorObject, Fault, Id, MessageKind, NotAMessage, shortest};

/// The keys of the envelope (JSON-RPC 2.0 § 4 and § 5).
const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Sorts a value.
pub(super) fn classify(root: Value<'_>) -> Result<MessageKind, NotAMessage> {
    if root.is_array() {
        let any = root
            .elements()
            .any(|element| element.get("jsonrpc").is_some());
        return Err(if any {
            NotAMessage::Invalid {
                id: None,
                fault: Fault::Batch,
            }
        } else {
            NotAMessage::NotJsonRpc
        });
    }
    let envelope = Envelope::read(root);
    let answer = envelope.result.is_some() || envelope.error.is_some();
    if envelope.version.is_none()
        && !(envelope.id.is_some() && (answer || envelope.method.is_some()))
    {
        return Err(NotAMessage::NotJsonRpc);
    }
    envelope.kind(root).map_err(|fault| NotAMessage::Invalid {
        id: envelope.id.and_then(Id::read),
        fault,
    })
}

struct Envelope<'a> {
    version: Option<Value<'a>>,
    id: Option<Value<'a>>,
    method: Option<Value<'a>>,
    params: Option<Value<'a>>,
    result: Option<Value<'a>>,
    error: Option<Value<'a>>,
}

impl<'a> Envelope<'a> {
    fn read(root: Value<'a>) -> Self {
        let [version, id, method, params, result, error] = ENVELOPE.map(|key| root.get(key));
        Self {
            version,
            id,
            method,
            params,
            result,
            error,
        }
    }

    fn kind(&self, root: Value<'_>) -> Result<MessageKind, Fault> {
        if let Some(key) = ENVELOPE
            .into_iter()
            .find(|key| root.get_all(key).nth(1).is_some())
        {
            return Err(Fault::DuplicateKey(key));
        }
        if self.version.and_then(Value::as_str).as_deref() != Some("2.0") {
            return Err(Fault::Version);
        }
        match self.method {
            Some(method) => self.call(method),
            None => self.answer(),
        }
    }

    fn call(&self, method: Value<'_>) -> Result<MessageKind, Fault> {
        if self.result.is_some() {
            return Err(Fault::RequestAndAnswer("result"));
        }
        if self.error.is_some() {
            return Err(Fault::RequestAndAnswer("error"));
        }
        if self
            .params
            .is_some_and(|params| !params.is_object() && !params.is_array())
        {
            return Err(Fault::Params);
        }
        let method = method.as_str().map(Cow::into_owned).ok_or(Fault::Method)?;
        match self.id {
            None => Ok(MessageKind::Notification { method }),
            Some(id) => Ok(MessageKind::Request {
                id: Id::read(id).ok_or(Fault::Id)?,
                method,
            }),
        }
    }

    fn answer(&self) -> Result<MessageKind, Fault> {
        match (self.result, self.error) {
            (Some(_), Some(_)) => Err(Fault::ResultAndError),
            (None, None) => Err(Fault::Nothing),
            (Some(_), None) => Ok(MessageKind::Response {
                id: self.id.and_then(Id::read).ok_or(Fault::Id)?,
            }),
            (None, Some(error)) => {
                let error = ErrorObject::read(error).ok_or(Fault::Error)?;
                // `null` when the peer could not tell which request it was (JSON-RPC 2.0 § 5);
                // MCP since 2025-11-25 leaves the key out.
                let id = match self.id {
                    None => None,
                    Some(id) if id.is_null() => None,
                    Some(id) => Some(Id::read(id).ok_or(Fault::Id)?),
                };
                Ok(MessageKind::Error { id, error })
            }
        }
    }
}

impl ErrorObject {
    fn read(value: Value<'_>) -> Option<Self> {
        let code = value.get("code")?;
        let code = if code.kind() == Kind::Number {
            shortest(code.raw()).parse().ok()?
        } else {
            return None;
        };
        let message = value.get("message").and_then(Value::as_str)?.into_owned();
        Some(Self { code, message })
    }
}
