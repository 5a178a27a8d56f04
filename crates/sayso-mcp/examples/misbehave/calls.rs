//! A server whose tools do what their names say, in one era.

#![expect(
    clippy::indexing_slicing,
    reason = "a fixture may panic, and a missing key of JSON is null"
)]

use serde_json::{Value, json};

use crate::{Answer, Request, log};

/// What the server remembers.
#[derive(Default)]
struct Server {
    modern: bool,
    /// Whether the list has changed.
    changed: bool,
    /// The subscription to changes, by the id that asked for it.
    subscription: Option<Value>,
    /// A call that is answered only when the next message is there.
    held: Option<Request>,
    /// A call that is answered when the client has answered.
    asking: Option<Request>,
    /// What was cancelled, for `cancelled`.
    cancelled: Vec<Value>,
}

pub(crate) fn behaviour(modern: bool) -> Box<dyn FnMut(&Request) -> Answer> {
    let mut server = Server {
        modern,
        ..Server::default()
    };
    Box::new(move |request| {
        let late = server.held.take().map(|held| server.text(&held, "late"));
        [late.unwrap_or_default(), server.answer(request)].concat()
    })
}

impl Server {
    fn answer(&mut self, request: &Request) -> Answer {
        let params = params(request);
        match request.method.as_str() {
            "server/discover" if self.modern => request.result(
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}"#,
            ),
            "initialize" if self.modern => request.error(-32601, "no such method", ""),
            "tools/list" => self.list(request),
            "tools/call" => self.call(request, params["name"].as_str().unwrap_or_default()),
            "subscriptions/listen" if self.modern => {
                self.subscription = request.id.clone();
                self.notification(
                    "notifications/subscriptions/acknowledged",
                    json!({ "notifications": params["notifications"] }),
                )
            }
            "notifications/cancelled" => {
                self.cancelled.push(params["requestId"].clone());
                Answer::new()
            }
            "" => match self.asking.take() {
                Some(call) => self.text(&call, &request.line),
                None => Answer::new(),
            },
            _ => request.ordinary(),
        }
    }

    fn call(&mut self, request: &Request, tool: &str) -> Answer {
        match tool {
            "echo" => self.text(request, &request.line),
            "fail" => self.result(
                request,
                json!({ "content": [{ "type": "text", "text": "no such index" }], "isError": true }),
            ),
            "refuse" => request.error(-32602, "unknown tool: refuse", ""),
            "hold" => {
                self.held = Some(request.again());
                Answer::new()
            }
            "ignore" => Answer::new(),
            "cancelled" => self.text(request, &Value::from(self.cancelled.clone()).to_string()),
            "die" => {
                log("out of memory");
                std::process::exit(7)
            }
            "change" => {
                self.changed = true;
                let told = self.notification("notifications/tools/list_changed", json!({}));
                [told, self.text(request, "changed")].concat()
            }
            "change-quietly" => {
                self.changed = true;
                self.text(request, "changed")
            }
            "unsubscribe" => {
                let over = self.subscription.take().map(|id| {
                    let result = json!({ "resultType": "complete" });
                    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
                });
                let over: Answer = over.into_iter().collect();
                [over, self.text(request, "over")].concat()
            }
            "ask" if self.modern => request.result(
                r#"{"resultType":"input_required","inputRequests":{"sure":{"method":"elicitation/create","params":{}}},"requestState":"s"}"#,
            ),
            "ask" => {
                self.asking = Some(request.again());
                vec![r#"{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"sure?"}}"#.to_owned()]
            }
            "no-object" => request.result("5"),
            "no-content" => request.result("{}"),
            "odd-flag" => request.result(r#"{"content":[],"isError":"yes"}"#),
            "odd-type" => request.result(r#"{"content":[],"resultType":"task"}"#),
            "no-json" => vec![format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[}}}}"#, request.id())],
            other => request.error(-32602, &format!("unknown tool: {other}"), ""),
        }
    }

    fn list(&self, request: &Request) -> Answer {
        let hint = json!({ "readOnlyHint": !self.changed });
        let tool =
            json!({ "name": "echo", "inputSchema": { "type": "object" }, "annotations": hint });
        self.result(request, json!({ "tools": [tool] }))
    }

    fn text(&self, request: &Request, text: &str) -> Answer {
        let content = json!([
            { "type": "text", "text": text },
            { "type": "image", "data": "", "mimeType": "image/png" },
        ]);
        self.result(request, json!({ "content": content }))
    }

    fn result(&self, request: &Request, mut result: Value) -> Answer {
        if self.modern {
            result["resultType"] = "complete".into();
        }
        request.result(&result.to_string())
    }

    /// To everybody in the legacy era, to whoever subscribed in the modern one.
    fn notification(&self, method: &str, mut params: Value) -> Answer {
        if self.modern {
            let Some(subscription) = &self.subscription else {
                return Answer::new();
            };
            params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": subscription });
        }
        vec![json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()]
    }
}

fn params(request: &Request) -> Value {
    let message: Value = serde_json::from_str(&request.line).unwrap_or_default();
    message["params"].clone()
}
