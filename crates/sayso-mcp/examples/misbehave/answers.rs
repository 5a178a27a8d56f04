//! Servers that answer oddly, or not at all.

use std::thread::sleep;
use std::time::Duration;

use crate::{Answer, Request, log, tool, write};

type Behaviour = Box<dyn FnMut(&Request) -> Answer>;

/// Does `list` instead of what is ordinary when asked for tools.
fn listing(mut list: impl FnMut(&Request) -> Answer + 'static) -> Behaviour {
    Box::new(move |request| match request.method.as_str() {
        "tools/list" => list(request),
        _ => request.ordinary(),
    })
}

pub(crate) fn behaviour(name: &str, args: &[String]) -> Behaviour {
    let number = |position: usize| {
        args.get(position)
            .and_then(|arg| arg.parse().ok())
            .unwrap_or(0)
    };
    let word = args.first().cloned().unwrap_or_default();
    match name {
        "calls" => crate::calls::behaviour(false),
        "calls-modern" => crate::calls::behaviour(true),
        "crowd" => crate::crowd::behaviour(),
        "ordinary" => Box::new(Request::ordinary),
        "slow" => {
            for step in 1..=4 {
                log(&format!("downloading {step} of 4"));
                sleep(Duration::from_millis(100));
            }
            Box::new(Request::ordinary)
        }
        // A terminal between client and server.
        "terminal" => Box::new(|request| [vec![request.line.clone()], request.ordinary()].concat()),
        "parrot" => Box::new(|request| vec![request.line.clone()]),
        "silent" => {
            log("waiting for something");
            Box::new(|_| Answer::new())
        }
        "exit" => {
            log("reading settings");
            log("ACME_KEY is not set");
            std::process::exit(3)
        }
        "stderr" => stderr_flood(number(0), args.get(1).is_some_and(|arg| arg == "lines")),
        "pages" => pages(number(0)),
        "version" => versions(&word),
        _ => on_stdout(name)
            .or_else(|| paging(name))
            .or_else(|| tools(name, number(0)))
            .unwrap_or_else(|| envelope(name, word)),
    }
}

fn stderr_flood(bytes: usize, lines: bool) -> Behaviour {
    Box::new(move |request| {
        if request.method == "initialize" {
            let line = if lines {
                format!("{}\n", "e".repeat(99))
            } else {
                "e".repeat(100)
            };
            let text = line.repeat(bytes / 100);
            let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        }
        request.ordinary()
    })
}

/// What stands on standard output besides messages.
fn on_stdout(name: &str) -> Option<Behaviour> {
    let decorate: fn(String) -> String = match name {
        "banner" => |line| format!("\u{2705} started\n\u{2502} ready \u{2502}\n{line}\nbye"),
        "json-log" => |line| format!("{{\"level\":\"info\"}}\n{line}\n[1,2]"),
        "glued" => |line| format!("loading...{line}"),
        "doubled" => |line| {
            format!(
                "{line}{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{}}}}"
            )
        },
        "crlf" => |line| format!("\r\n{line}\r\n\r"),
        "cut-log" => |line| {
            let start: String = line.chars().take(60).collect();
            format!("{start}...\n{line}")
        },
        "bom" => |line| format!("\u{FEFF}{line}"),
        "storm" => |line| {
            let changed = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
            format!("{}{line}", changed.repeat(200))
        },
        "other-id-first" => {
            |line| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{{}}}}\n{line}")
        }
        "trickle" => {
            return Some(Box::new(|request| {
                for line in request.ordinary() {
                    format!("{line}\n").as_bytes().chunks(1).for_each(write);
                }
                Answer::new()
            }));
        }
        _ => return None,
    };
    Some(Box::new(move |request| {
        request.ordinary().into_iter().map(decorate).collect()
    }))
}

fn pages(count: usize) -> Behaviour {
    listing(move |request| {
        let page: usize = request.cursor.parse().unwrap_or(1);
        let tools = format!(
            "{},{}",
            tool(&format!("p{page}a")),
            tool(&format!("p{page}b"))
        );
        if page < count {
            request.page(&tools, &(page + 1).to_string())
        } else {
            request.tools(&tools)
        }
    })
}

fn paging(name: &str) -> Option<Behaviour> {
    let first = |request: &Request| request.page(&tool("first"), "second");
    Some(match name {
        "repeating-cursor" => listing(|request| {
            request.page(&format!("{},{},{}", tool("a"), tool("b"), tool("c")), "p2")
        }),
        "stuck-cursor" => listing(move |request| match request.cursor.as_str() {
            "" => first(request),
            _ => request.page(&tool("last"), "second"),
        }),
        "endless" => listing(|request| {
            let page: usize = request.cursor.parse().unwrap_or(0);
            request.page(&tool(&format!("t{page}")), &(page + 1).to_string())
        }),
        "endless-same" => listing(|request| {
            let page: usize = request.cursor.parse().unwrap_or(0);
            request.page(&tool("t"), &(page + 1).to_string())
        }),
        "odd-cursor" => listing(|request| request.result(r#"{"tools":[],"nextCursor":7}"#)),
        "empty-cursor" => listing(|request| request.page(&tool("a"), "")),
        "crash-mid-list" => listing(move |request| match request.cursor.as_str() {
            "" => first(request),
            _ => {
                log("out of memory");
                std::process::exit(7)
            }
        }),
        "hang-mid-list" => listing(move |request| match request.cursor.as_str() {
            "" => first(request),
            _ => Answer::new(),
        }),
        "error-mid-list" => listing(move |request| match request.cursor.as_str() {
            "" => first(request),
            _ => request.error(-32603, "lost the rest", ""),
        }),
        "oversize-mid-list" => listing(move |request| match request.cursor.as_str() {
            "" => first(request),
            _ => loop {
                write(&[b'x'; 1 << 16]);
            },
        }),
        "differing" => {
            let mut calls = 0;
            listing(move |request| {
                calls += 1;
                if calls == 1 {
                    request.tools(&format!("{},{},{}", tool("a"), tool("b"), tool("c")))
                } else {
                    let changed =
                        r#"{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}}"#;
                    request.tools(&format!("{},{},{changed}", tool("d"), tool("c")))
                }
            })
        }
        "reordered" => {
            let mut calls = 0;
            listing(move |request| {
                calls += 1;
                let (a, b) = (r#"{"name":"a","x":1}"#, r#"{"name":"b"}"#);
                if calls == 1 {
                    request.tools(&format!("{a},{b}"))
                } else {
                    request.tools(&format!(r#"{b},{{"x":1,"name":"a"}}"#))
                }
            })
        }
        _ => return None,
    })
}

/// Odd tools.
fn tools(name: &str, size: usize) -> Option<Behaviour> {
    let tools = match name {
        "bad-tool" => [
            r#"{"name":"good","inputSchema":{"type":"object"}}"#,
            r#"{"name":"hint","annotations":{"readOnlyHint":"true"}}"#,
            r#"{"name":"null","annotations":null,"inputSchema":null}"#,
            r#"{"name":"twice","annotations":{"readOnlyHint":true,"readOnlyHint":false}}"#,
            r#"{"inputSchema":{}}"#,
            r#"{"name":7}"#,
            "null",
            r#""tool""#,
        ]
        .join(","),
        "duplicate-names" => format!(
            "{},{}",
            tool("a"),
            r#"{"name":"a","annotations":{"readOnlyHint":true}}"#
        ),
        "odd-names" => [
            "a.b",
            "a/b",
            "Query all",
            "\u{1F525}go",
            "line\\n",
            "\u{202E}rtl",
            "",
        ]
        .map(tool)
        .join(","),
        // One tool of the size asked for, in one line.
        "big" => format!(r#"{{"name":"big","description":"{}"}}"#, "d".repeat(size)),
        "many" => (0..size)
            .map(|number| tool(&format!("tool_{number}")))
            .collect::<Vec<_>>()
            .join(","),
        _ => return None,
    };
    Some(listing(move |request| request.tools(&tools)))
}

fn versions(version: &str) -> Behaviour {
    let version = version.to_owned();
    Box::new(move |request| match request.method.as_str() {
        "initialize" => request.hello(&version),
        _ => request.ordinary(),
    })
}

const SUPPORTS_OLD: &str = r#","data":{"supported":["2024-11-05","2023-01-01"],"requested":"x"}"#;
const SUPPORTS_MODERN: &str = r#","data":{"supported":["2026-07-28"],"requested":"x"}"#;

/// Answers that are wrong as messages, and refusals.
fn envelope(name: &str, word: String) -> Behaviour {
    match name {
        "refuses-version" => {
            Box::new(
                |request| match (request.method.as_str(), request.version.as_str()) {
                    ("initialize", version) if version != "2024-11-05" => {
                        request.error(-32602, "unsupported", SUPPORTS_OLD)
                    }
                    _ => request.ordinary(),
                },
            )
        }
        "strict" => strict(),
        "asks" => asks(),
        "modern-only" | "modern-only-plain" | "modern-only-meta" | "modern-only-header" => {
            modern_only(word, name)
        }
        "cannot-read" => Box::new(|request| {
            let nobody = Request {
                id: None,
                ..Request::default()
            };
            match request.method.as_str() {
                "initialize" => nobody.error(-32700, "what?", ""),
                _ => request.ordinary(),
            }
        }),
        "dies-when-discovered" | "silent-when-discovered" | "refuses-discovery" => {
            let name = name.to_owned();
            Box::new(
                move |request| match (request.method.as_str(), name.as_str()) {
                    ("server/discover", "dies-when-discovered") => std::process::exit(1),
                    ("server/discover", "silent-when-discovered") => Answer::new(),
                    ("server/discover", _) => {
                        request.error(word.parse().unwrap_or(-32601), "what?", "")
                    }
                    _ => request.ordinary(),
                },
            )
        }
        "no-tools" => Box::new(|request| match request.method.as_str() {
            "initialize" => request.result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#),
            _ if request.id.is_some() => request.error(-32601, "no such method", ""),
            _ => Answer::new(),
        }),
        "list-error" => listing(|request| request.error(-32603, "no \\u001b[31mnetwork", "")),
        "no-version" => Box::new(|request| request.result("{}")),
        other => {
            let other = other.to_owned();
            listing(move |request| wrong_envelope(&other, request))
        }
    }
}

fn wrong_envelope(name: &str, request: &Request) -> Answer {
    let id = request.id();
    let result = format!(r#"{{"tools":[{}]}}"#, tool("a"));
    let line = match name {
        "other-id" => format!(r#"{{"jsonrpc":"2.0","id":{id}99,"result":{result}}}"#),
        "string-id" => format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{result}}}"#),
        "float-id" => format!(r#"{{"jsonrpc":"2.0","id":{id}.0,"result":{result}}}"#),
        "two-ids" => format!(r#"{{"jsonrpc":"2.0","id":{id},"id":{id},"result":{result}}}"#),
        "batch" => format!(r#"[{{"jsonrpc":"2.0","id":{id},"result":{result}}}]"#),
        "broken-json" => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"a",}}]}}}}"#)
        }
        "tools-object" => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":{{}}}}}}"#),
        "two-tools-keys" => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[],"tools":[{}]}}}}"#,
            tool("a")
        ),
        "endless-line" => loop {
            write(&[b'x'; 1 << 16]);
        },
        "input-required" => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"input_required"}}}}"#)
        }
        other => {
            log(&format!("no such behaviour: {other}"));
            std::process::exit(100)
        }
    };
    vec![line]
}

/// Refuses everything before the handshake is finished.
fn strict() -> Behaviour {
    let mut state = 0;
    Box::new(move |request| {
        match (request.method.as_str(), state) {
            ("initialize", 0) | ("notifications/initialized", 1) => state += 1,
            (_, 2) => {}
            _ => {
                return request.error(
                    -32602,
                    "received request before initialization was complete",
                    "",
                );
            }
        }
        request.ordinary()
    })
}

/// Asks the client for roots and a ping, and lists when both are answered.
fn asks() -> Behaviour {
    let mut waiting = None;
    let mut answers = 0;
    Box::new(move |request| {
        match request.method.as_str() {
            "tools/list" => {
                waiting = request.id.clone();
                return vec![
                    r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#.to_owned(),
                    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned(),
                ];
            }
            "" => answers += 1,
            _ => return request.ordinary(),
        }
        let listed = Request {
            id: waiting.clone(),
            ..Request::default()
        };
        if answers == 2 {
            listed.tools(&tool("a"))
        } else {
            Answer::new()
        }
    })
}

/// Knows no handshake; says so in one of the ways that happen.
fn modern_only(mark: String, name: &str) -> Behaviour {
    let name = name.to_owned();
    Box::new(move |request| {
        if request.modern.is_empty() {
            return match name.as_str() {
                "modern-only" => {
                    request.error(-32022, "unsupported protocol version", SUPPORTS_MODERN)
                }
                "modern-only-plain" => request.error(-32601, "method not found", ""),
                "modern-only-header" => request.error(-32020, "header mismatch", ""),
                _ => request.error(-32602, "missing _meta", ""),
            };
        }
        match request.method.as_str() {
            "server/discover" => request.result(
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern","version":"2"}}}"#,
            ),
            "tools/list" if request.cursor.is_empty() => {
                request.result(&format!(r#"{{"resultType":"complete","tools":[{}],"nextCursor":"n","ttlMs":0,"cacheScope":"private"}}"#, tool("a")))
            }
            "tools/list" => {
                request.result(&format!(r#"{{"resultType":"complete","tools":[{}],"ttlMs":0,"cacheScope":"private"}}"#, tool(&format!("b{mark}"))))
            }
            _ => request.error(-32601, "no such method", ""),
        }
    })
}
