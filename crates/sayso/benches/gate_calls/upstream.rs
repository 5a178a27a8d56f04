//! The server that is measured through: answers that cost next to nothing to make.

use std::convert::Infallible;
use std::io::{BufRead as _, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::Result;

/// The revision of MCP that is spoken.
pub(crate) const PROTOCOL: &str = "2025-06-18";
/// How many bytes of text `blob` gives.
pub(crate) const BLOB: usize = 64 * 1024;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Called {
    name: String,
    arguments: Option<Value>,
}

/// The results that are the same for every caller, as text.
struct Answers {
    initialize: String,
    list: String,
    blob: String,
}

impl Answers {
    fn new(tools: usize) -> Self {
        let tools: Vec<Value> = (0..tools).map(tool).collect();
        let initialize = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "bench", "version": "1"},
        });
        Self {
            initialize: initialize.to_string(),
            list: json!({ "tools": tools }).to_string(),
            blob: text(&"x".repeat(BLOB)),
        }
    }

    /// The answer to one message; none to a notification.
    fn answer(&self, message: &[u8]) -> Result<Option<String>> {
        let message: Message<'_> = serde_json::from_slice(message)?;
        let (Some(id), Some(method)) = (message.id, message.method) else {
            return Ok(None);
        };
        let made;
        let result = match method.as_str() {
            "initialize" => &self.initialize,
            "tools/list" => &self.list,
            "ping" => "{}",
            "tools/call" => {
                let called: Called =
                    serde_json::from_str(message.params.map_or("{}", RawValue::get))?;
                if called.name == "blob" {
                    &self.blob
                } else {
                    let said = called.arguments.as_ref().and_then(|all| all.get("text"));
                    made = text(said.and_then(Value::as_str).unwrap_or_default());
                    made.as_str()
                }
            }
            _ => {
                return Ok(Some(format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no such method"}}}}"#
                )));
            }
        };
        Ok(Some(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        )))
    }
}

/// A result of one text.
fn text(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

/// A tool with about 1.7 KB of description and schema. The first two are `echo` and `blob`.
fn tool(number: usize) -> Value {
    let name = match number {
        0 => "echo".to_owned(),
        1 => "blob".to_owned(),
        _ => format!("search_part_{number}"),
    };
    let mut properties = serde_json::Map::new();
    properties.insert("text".into(), json!({"type": "string", "maxLength": 4096}));
    for number in 0..8 {
        properties.insert(
            format!("filter_{number}"),
            json!({
                "type": "string",
                "description": "Keeps only what has this value in the field that the filter is for; \
                    without it, everything is kept, whatever it has there.",
            }),
        );
    }
    json!({
        "name": name,
        "title": "A tool to be measured",
        "description": "Gives back what it was given. ".repeat(6),
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

/// Serves on a free port of the loopback, which is printed.
pub(crate) async fn serve(tools: usize) -> Result<()> {
    let answers = Arc::new(Answers::new(tools));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?.port());
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        let service = hyper::service::service_fn(move |request| {
            let answers = Arc::clone(&answers);
            async move { Ok::<_, Infallible>(respond(&answers, request).await) }
        });
        let connection = hyper::server::conn::http1::Builder::new();
        tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
    }
}

async fn respond(answers: &Answers, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    if request.method() == Method::DELETE {
        return response;
    }
    if request.method() != Method::POST {
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        return response;
    }
    let body = match request.into_body().collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => Bytes::new(),
    };
    match answers.answer(&body) {
        Ok(Some(answer)) => {
            let headers = response.headers_mut();
            let json = hyper::header::HeaderValue::from_static("application/json");
            headers.insert(hyper::header::CONTENT_TYPE, json);
            *response.body_mut() = Full::new(answer.into());
        }
        Ok(None) => *response.status_mut() = StatusCode::ACCEPTED,
        Err(_) => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    response
}

/// Serves on standard input and output until the input ends.
pub(crate) fn serve_stdio(tools: usize) -> Result<()> {
    let answers = Answers::new(tools);
    let mut output = std::io::stdout().lock();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(mut answer) = answers.answer(&line)? {
            answer.push('\n');
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}
