//! The least there can be of a server over HTTP: one thread, answers ready, JSON and no streams.

use std::io::Write as _;
use std::rc::Rc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The text that `blob` returns.
pub(crate) const BLOB: usize = 64 * 1024;

/// Serves on a port of its own, which it prints.
pub(crate) fn serve(tools: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let listing: Rc<str> = listing(tools).into();
    tokio::task::LocalSet::new().block_on(&runtime, async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap().port());
        std::io::stdout().flush().unwrap();
        loop {
            let (client, _) = listener.accept().await.unwrap();
            tokio::task::spawn_local(attend(client, Rc::clone(&listing)));
        }
    });
}

fn listing(tools: usize) -> String {
    let text = "It does what its name says, and this sentence makes it as long as such a text is. "
        .repeat(8);
    let one = |name: &str| {
        let properties: Vec<String> = ["text", "other", "third", "fourth"]
            .iter()
            .map(|argument| format!(r#""{argument}":{{"type":"string","description":"{text}"}}"#))
            .collect();
        format!(
            r#"{{"name":"{name}","description":"{text}","inputSchema":{{"type":"object","properties":{{{}}}}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#,
            properties.join(",")
        )
    };
    let others = (2..tools).map(|number| one(&format!("tool_{number}")));
    let all: Vec<String> = ["echo".to_owned(), "blob".to_owned()]
        .iter()
        .map(|name| one(name))
        .chain(others)
        .collect();
    all.join(",")
}

/// A message's head and body, or `None` at the end.
pub(crate) async fn message(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            let whole = end + 4 + length.unwrap_or_default();
            while buffer.len() < whole {
                if stream.read_buf(buffer).await.ok()? == 0 {
                    return None;
                }
            }
            let body = buffer[end + 4..whole].to_vec();
            buffer.drain(..whole);
            return Some((head, body));
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

async fn attend(mut client: TcpStream, listing: Rc<str>) {
    client.set_nodelay(true).unwrap();
    let mut buffer = Vec::new();
    let blob = "b".repeat(BLOB);
    while let Some((head, body)) = message(&mut client, &mut buffer).await {
        let body = String::from_utf8_lossy(&body);
        let (status, extra, answer) = if head.starts_with("GET") {
            ("405 Method Not Allowed", "", String::new())
        } else if head.starts_with("DELETE") {
            ("200 OK", "", String::new())
        } else {
            answer(&body, &listing, &blob)
        };
        let text = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{extra}content-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        if client.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn answer(body: &str, listing: &str, blob: &str) -> (&'static str, &'static str, String) {
    let member = |name: &str| {
        let (_, behind) = body.split_once(&format!("\"{name}\":"))?;
        let value = behind.trim_start();
        let end = match value.strip_prefix('"') {
            Some(text) => text.find('"').map(|end| end + 2)?,
            None => value.find([',', '}'])?,
        };
        Some(&value[..end])
    };
    let Some(id) = member("id") else {
        return ("202 Accepted", "", String::new());
    };
    let result = match member("method") {
        Some("\"initialize\"") => {
            let version = member("protocolVersion").unwrap_or("\"2025-06-18\"");
            let result = format!(
                r#"{{"protocolVersion":{version},"capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"bench","version":"1"}}}}"#
            );
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            return ("200 OK", "mcp-session-id: one\r\n", text);
        }
        Some("\"tools/list\"") => format!(r#"{{"tools":[{listing}]}}"#),
        Some("\"tools/call\"") => {
            let text = match member("name") {
                Some("\"blob\"") => blob,
                _ => member("text").map_or("", |text| text.trim_matches('"')),
            };
            format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)
        }
        Some("\"ping\"") => "{}".to_owned(),
        _ => {
            let error = r#"{"code":-32601,"message":"unknown method"}"#;
            return (
                "200 OK",
                "",
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
            );
        }
    };
    (
        "200 OK",
        "",
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
    )
}
