//! The other side: a server that lists fixed tools, in both eras.
//!
//! Which era a request is of shows in the request: one of 2026-07-28 carries its version in
//! `_meta`, the others follow a handshake (MCP 2026-07-28, "Versioning").

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use sayso_core::json::Value;
use serde_json::json;

use crate::frames::{Frame, FrameReader};
use crate::jsonrpc::{self, Id, Message, MessageKind, NotAMessage, code};
use crate::version;

/// Bytes of a message that are read.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// A server's name and what it lists.
#[derive(Clone, Debug)]
pub struct Served {
    /// `serverInfo.name`.
    pub name: String,
    /// `serverInfo.version`.
    pub version: String,
    /// What it tells the model about itself.
    pub instructions: Option<String>,
    /// The tools, each as its JSON. They are sent byte for byte, so they must not hold a line end.
    pub tools: Vec<String>,
}

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments, of whatever kind.
    pub arguments: Option<Value<'a>>,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The text for the model.
    pub text: String,
    /// Whether the tool failed (`isError`).
    pub is_error: bool,
}

/// Serves over this process's standard input and output until the input ends. `call` is asked
/// for tools that are listed only.
///
/// # Errors
/// When a pipe breaks.
pub fn serve_stdio(served: &Served, call: impl FnMut(Call<'_>) -> CallResult) -> io::Result<()> {
    serve(served, io::stdin().lock(), io::stdout().lock(), call)
}

/// As [`serve_stdio`], over any pair of pipes.
///
/// # Errors
/// When a pipe breaks.
pub fn serve(
    served: &Served,
    mut input: impl Read,
    mut output: impl Write,
    call: impl FnMut(Call<'_>) -> CallResult,
) -> io::Result<()> {
    let mut server = Server {
        served,
        call,
        is_initialized: false,
    };
    let mut reader = FrameReader::new(MAX_MESSAGE_BYTES);
    let mut frames = VecDeque::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = input.read(&mut buffer)?;
        match buffer.get(..count) {
            None | Some([]) => reader.finish(&mut frames),
            Some(bytes) => reader.push(bytes, &mut frames),
        }
        for frame in frames.drain(..) {
            if let Some(answer) = server.answer_frame(&frame) {
                output.write_all(answer.as_bytes())?;
                output.write_all(b"\n")?;
                output.flush()?;
            }
        }
        if count == 0 {
            return Ok(());
        }
    }
}

struct Server<'a, C> {
    served: &'a Served,
    call: C,
    is_initialized: bool,
}

/// An error to answer with.
struct Refusal {
    code: i64,
    message: String,
    data: Option<serde_json::Value>,
}

impl Refusal {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    fn unknown_method(method: &str) -> Self {
        Self::new(
            code::METHOD_NOT_FOUND,
            format!("there is no method `{method}` here"),
        )
    }
}

/// The keys of `_meta` in a request of 2026-07-28.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

impl<C: FnMut(Call<'_>) -> CallResult> Server<'_, C> {
    fn answer_frame(&mut self, frame: &Frame) -> Option<String> {
        match frame {
            Frame::Message(message) => self.answer(message),
            Frame::Unclassified(unclassified) => {
                let (id, reason) = match &unclassified.reason {
                    NotAMessage::NotJsonRpc => (None, "not a JSON-RPC message".to_owned()),
                    NotAMessage::Invalid { id, fault } => (id.as_ref(), fault.to_string()),
                };
                Some(jsonrpc::error_response(
                    id,
                    code::INVALID_REQUEST,
                    &reason,
                    None,
                ))
            }
            Frame::TooLong => {
                let reason = format!("a message of more than {MAX_MESSAGE_BYTES} bytes");
                Some(jsonrpc::error_response(
                    None,
                    code::INVALID_REQUEST,
                    &reason,
                    None,
                ))
            }
            Frame::Noise(_) | Frame::Glued(_) | Frame::Broken { .. } => Some(
                jsonrpc::error_response(None, code::PARSE_ERROR, "not one line of JSON", None),
            ),
            Frame::ByteOrderMark => None,
        }
    }

    fn answer(&mut self, message: &Message) -> Option<String> {
        let MessageKind::Request { id, method } = message.kind() else {
            return None;
        };
        let params = message.params();
        let version = params.and_then(|params| params.at(&["_meta", VERSION_KEY]));
        let outcome = match version {
            Some(version) => self.modern(method, params, version),
            None => self.legacy(method, params),
        };
        Some(encode(id, outcome))
    }

    fn legacy(&mut self, method: &str, params: Option<Value<'_>>) -> Result<String, Refusal> {
        match method {
            "initialize" => {
                self.is_initialized = true;
                let asked = params
                    .and_then(|params| params.get("protocolVersion"))
                    .and_then(Value::as_str);
                let version = version::LEGACY
                    .into_iter()
                    .find(|version| asked.as_deref() == Some(version))
                    .unwrap_or(version::LATEST_LEGACY);
                let mut result = json!({
                    "protocolVersion": version,
                    "capabilities": { "tools": {} },
                    "serverInfo": self.info(),
                });
                self.add_instructions(&mut result);
                Ok(result.to_string())
            }
            "ping" => Ok("{}".to_owned()),
            "server/discover" => Err(Refusal::new(
                code::INVALID_PARAMS,
                format!("`_meta` lacks `{VERSION_KEY}`"),
            )),
            _ if !self.is_initialized => Err(Refusal::new(
                code::INVALID_REQUEST,
                "send `initialize` first",
            )),
            "tools/list" => {
                let tools = self.tools(params)?;
                Ok(format!(r#"{{"tools":{tools}}}"#))
            }
            "tools/call" => Ok(serde_json::Value::Object(self.called(params)?).to_string()),
            other => Err(Refusal::unknown_method(other)),
        }
    }

    fn modern(
        &mut self,
        method: &str,
        params: Option<Value<'_>>,
        version: Value<'_>,
    ) -> Result<String, Refusal> {
        if !version::MODERN
            .iter()
            .any(|known| version.as_str().as_deref() == Some(known))
        {
            return Err(Refusal {
                data: Some(json!({ "supported": supported(), "requested": version.to_serde() })),
                ..Refusal::new(
                    code::UNSUPPORTED_PROTOCOL_VERSION,
                    "this protocol version is not supported",
                )
            });
        }
        if params
            .and_then(|params| params.at(&["_meta", CAPABILITIES_KEY]))
            .is_none()
        {
            return Err(Refusal::new(
                code::INVALID_PARAMS,
                format!("`_meta` lacks `{CAPABILITIES_KEY}`"),
            ));
        }
        match method {
            "server/discover" => {
                let mut result = json!({
                    "resultType": "complete",
                    "supportedVersions": supported(),
                    "capabilities": { "tools": {} },
                    "ttlMs": 0,
                    "cacheScope": "private",
                    "_meta": { "io.modelcontextprotocol/serverInfo": self.info() },
                });
                self.add_instructions(&mut result);
                Ok(result.to_string())
            }
            "tools/list" => {
                let tools = self.tools(params)?;
                Ok(format!(
                    r#"{{"resultType":"complete","tools":{tools},"ttlMs":0,"cacheScope":"private"}}"#
                ))
            }
            "tools/call" => {
                let mut result = self.called(params)?;
                result.insert("resultType".to_owned(), "complete".into());
                Ok(serde_json::Value::Object(result).to_string())
            }
            other => Err(Refusal::unknown_method(other)),
        }
    }

    fn info(&self) -> serde_json::Value {
        json!({ "name": self.served.name, "version": self.served.version })
    }

    fn add_instructions(&self, result: &mut serde_json::Value) {
        if let (Some(instructions), Some(result)) =
            (&self.served.instructions, result.as_object_mut())
        {
            result.insert("instructions".to_owned(), instructions.as_str().into());
        }
    }

    /// All tools as one array, on the one page there is.
    fn tools(&self, params: Option<Value<'_>>) -> Result<String, Refusal> {
        if params.and_then(|params| params.get("cursor")).is_some() {
            return Err(Refusal::new(
                code::INVALID_PARAMS,
                "this cursor was never given out",
            ));
        }
        Ok(format!("[{}]", self.served.tools.join(",")))
    }

    fn called(
        &mut self,
        params: Option<Value<'_>>,
    ) -> Result<serde_json::Map<String, serde_json::Value>, Refusal> {
        let name = params
            .and_then(|params| params.get("name"))
            .and_then(Value::as_str);
        let Some(name) = name.filter(|name| self.has(name)) else {
            return Err(Refusal::new(code::INVALID_PARAMS, "there is no such tool"));
        };
        let arguments = params.and_then(|params| params.get("arguments"));
        let result = (self.call)(Call {
            name: &name,
            arguments,
        });
        let content = json!([{ "type": "text", "text": result.text }]);
        let members = [("content", content), ("isError", result.is_error.into())];
        Ok(members
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect())
    }

    fn has(&self, name: &str) -> bool {
        self.served.tools.iter().any(|tool| {
            let tool: Option<serde_json::Value> = serde_json::from_str(tool).ok();
            tool.is_some_and(|tool| {
                tool.get("name").and_then(serde_json::Value::as_str) == Some(name)
            })
        })
    }
}

fn supported() -> Vec<&'static str> {
    version::MODERN.into_iter().chain(version::LEGACY).collect()
}

fn encode(id: &Id, outcome: Result<String, Refusal>) -> String {
    match outcome {
        Ok(result) => jsonrpc::response(id, &result),
        Err(refusal) => jsonrpc::error_response(
            Some(id),
            refusal.code,
            &refusal.message,
            refusal.data.as_ref(),
        ),
    }
}

#[cfg(test)]
mod tests;
