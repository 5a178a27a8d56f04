//! An MCP server that goes wrong in one way, by its first argument. What else stands on its
//! command line is a mark that tests look for.

mod answers;
mod calls;
mod crowd;
#[cfg(unix)]
mod processes;

use std::io::{BufRead as _, Write as _};

use serde_json::Value;

/// What a server does with a request: the lines to write, each without its line end.
type Answer = Vec<String>;

fn main() {
    let mut args = std::env::args().skip(1);
    let behaviour = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    #[cfg(unix)]
    if processes::run(&behaviour, &rest) {
        return;
    }
    serve(&mut answers::behaviour(&behaviour, &rest));
}

/// Answers each request as `answer` says, until the input ends.
fn serve(answer: &mut dyn FnMut(&Request) -> Answer) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let request = Request {
            line: line.clone(),
            id: message.get("id").cloned(),
            method: text(&message, "/method"),
            cursor: text(&message, "/params/cursor"),
            version: text(&message, "/params/protocolVersion"),
            modern: text(
                &message,
                "/params/_meta/io.modelcontextprotocol~1protocolVersion",
            ),
        };
        for line in answer(&request) {
            write(format!("{line}\n").as_bytes());
        }
    }
}

fn text(message: &Value, pointer: &str) -> String {
    let value = message.pointer(pointer).and_then(Value::as_str);
    value.unwrap_or_default().to_owned()
}

/// Writes at once, whatever becomes of it.
fn write(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(bytes);
    let _ = stdout.flush();
}

fn log(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A message from the client; what is absent is empty.
#[derive(Default)]
struct Request {
    line: String,
    id: Option<Value>,
    method: String,
    cursor: String,
    version: String,
    modern: String,
}

impl Request {
    /// To be answered later.
    fn again(&self) -> Self {
        Self {
            id: self.id.clone(),
            line: self.line.clone(),
            ..Self::default()
        }
    }

    fn id(&self) -> Value {
        self.id.clone().unwrap_or(Value::Null)
    }

    fn result(&self, result: &str) -> Answer {
        vec![format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            self.id()
        )]
    }

    fn error(&self, code: i32, message: &str, data: &str) -> Answer {
        let error = format!(r#"{{"code":{code},"message":"{message}"{data}}}"#);
        vec![format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#,
            self.id()
        )]
    }

    fn tools(&self, tools: &str) -> Answer {
        self.result(&format!(r#"{{"tools":[{tools}]}}"#))
    }

    fn page(&self, tools: &str, next: &str) -> Answer {
        self.result(&format!(r#"{{"tools":[{tools}],"nextCursor":"{next}"}}"#))
    }

    /// What an ordinary server answers.
    fn ordinary(&self) -> Answer {
        match self.method.as_str() {
            "initialize" => self.hello(&self.version),
            "tools/list" => self.tools(&tool("a")),
            _ if self.id.is_some() => self.error(-32601, "no such method", ""),
            _ => Answer::new(),
        }
    }

    fn hello(&self, version: &str) -> Answer {
        self.result(&format!(
            r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"misbehave","version":"1"}}}}"#
        ))
    }
}

fn tool(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)
}
