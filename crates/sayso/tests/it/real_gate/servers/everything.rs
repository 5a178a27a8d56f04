//! The server that tries everything, and a host that can be asked everything.

use serde_json::{Value, json};

use super::{Server, open_place};
use crate::gate::support::Host;
use crate::real_servers::listening;

const CAPABILITIES: &str = r#"{"sampling":{},"elicitation":{},"roots":{"listChanged":true}}"#;

/// What a host can be asked, what it answers, and what it was asked and told.
struct Conversation {
    host: Host,
    asked: Vec<Value>,
    told: Vec<Value>,
}

impl Conversation {
    fn new(host: Host) -> Self {
        let (asked, told) = (Vec::new(), Vec::new());
        Self { host, asked, told }
    }

    /// Makes a request and answers whatever comes before its own answer.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.host.begin(method, &params.to_string());
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Calls a tool.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Waits for a notification.
    fn until_told(&mut self, method: &str) -> Value {
        if let Some(told) = self.told.iter().find(|told| told["method"] == method) {
            return told.clone();
        }
        self.until(|message| message["method"] == method)
    }

    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.host.wait(|_| true);
            let Some(method) = message["method"].as_str() else {
                if is_it(&message) {
                    return message;
                }
                continue;
            };
            if message.get("id").is_some() {
                let result = match method {
                    "roots/list" => {
                        json!({ "roots": [{ "uri": "file:///srv/notes", "name": "notes" }] })
                    }
                    "sampling/createMessage" => {
                        let content = json!({ "type": "text", "text": "Swap it." });
                        json!({ "model": "a-model", "role": "assistant", "content": content, "stopReason": "endTurn" })
                    }
                    "elicitation/create" => {
                        json!({ "action": "accept", "content": { "name": "Larkspur" } })
                    }
                    other => panic!("asked {other}"),
                };
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                self.host.send(&answer.to_string());
                self.asked.push(json!([method, message["params"]]));
            } else {
                self.told.push(message.clone());
                if is_it(&message) {
                    return message;
                }
            }
        }
    }

    /// Has an argument of a prompt completed.
    fn completed(&mut self, argument: Value, context: Value) -> Value {
        let reference = json!({ "type": "ref/prompt", "name": "completable-prompt" });
        let params = json!({ "ref": reference, "argument": argument, "context": context });
        self.request("completion/complete", &params)
    }

    /// Calls what takes a while, and says how far it is.
    fn long_running(&mut self) -> Value {
        self.request(
            "tools/call",
            &json!({
                "name": "trigger-long-running-operation",
                "arguments": { "duration": 0.6, "steps": 3 },
                "_meta": { "progressToken": "how-far" },
            }),
        )
    }

    /// Has the server do everything it can.
    fn everything(mut self) -> Vec<Value> {
        let uri = "demo://resource/dynamic/text/1";
        let mut seen = vec![
            self.host.hello(CAPABILITIES)["instructions"].clone(),
            self.request("tools/list", &json!({})),
            self.call("get-roots-list", &json!({})),
            self.call(
                "trigger-sampling-request",
                &json!({ "prompt": "What now?" }),
            ),
            self.call("trigger-elicitation-request", &json!({})),
            self.call("echo", &json!({ "message": "\u{1f9ff} \u{202e}back" })),
            self.call("get-structured-content", &json!({ "location": "Chicago" })),
            self.call("get-tiny-image", &json!({})),
            self.call("get-resource-links", &json!({ "count": 3 })),
            self.request("logging/setLevel", &json!({ "level": "debug" })),
            self.call("toggle-simulated-logging", &json!({})),
            self.request("resources/subscribe", &json!({ "uri": uri })),
            self.call("toggle-subscriber-updates", &json!({})),
            self.until_told("notifications/resources/updated")["params"].clone(),
            self.request("resources/unsubscribe", &json!({ "uri": uri })),
            self.completed(json!({ "name": "department", "value": "E" }), json!({})),
            self.completed(
                json!({ "name": "name", "value": "" }),
                json!({ "arguments": { "department": "Sales" } }),
            ),
            self.request("prompts/list", &json!({})),
            self.request(
                "prompts/get",
                &json!({ "name": "args-prompt", "arguments": { "city": "Chicago" } }),
            ),
            self.request("resources/list", &json!({})),
            self.request("resources/templates/list", &json!({})),
            self.request(
                "resources/read",
                &json!({ "uri": "demo://resource/static/document/features.md" }),
            ),
            self.long_running(),
        ];
        self.until_told("notifications/message");
        let progress = self
            .told
            .iter()
            .filter(|told| told["method"] == "notifications/progress");
        seen.extend(progress.map(|told| told["params"].clone()));
        // How often it asks for the roots depends on who is faster.
        let roots = self
            .asked
            .iter()
            .filter(|asked| asked[0] == "roots/list")
            .count();
        assert!(roots > 0);
        self.asked.retain(|asked| asked[0] != "roots/list");
        seen.extend(self.asked);
        for answer in &mut seen {
            assert!(answer.get("error").is_none(), "{answer}");
            without_a_session(answer);
        }
        self.host.leave();
        seen
    }
}

/// Over HTTP the server names the session, which is another behind the gate.
fn without_a_session(answer: &mut Value) {
    let texts = answer.pointer_mut("/result/content/0/text");
    if let Some(Value::String(text)) = texts
        && let Some((before, rest)) = text.split_once("for session ")
    {
        let after = rest.split_once(' ').map_or("", |(_, after)| after);
        *text = format!("{before}for this session {after}");
    }
}

fn everything_by_itself() -> Vec<Value> {
    let place = open_place();
    let command = Server::node("everything", &[]).command(&place);
    Conversation::new(place.host_of(command)).everything()
}

fn everything_behind_the_gate(settings: &str) -> Vec<Value> {
    let mut place = open_place();
    // It lists more to a host that can do more than the one that pins.
    place.any_server(
        "everything",
        &format!("{settings}\nfirst-use = \"trust-once\""),
    );
    let seen = Conversation::new(place.bare_host()).everything();
    place.verify();
    seen
}

#[track_caller]
fn assert_same(alone: &[Value], behind: &[Value]) {
    for (one, other) in alone.iter().zip(behind) {
        assert_eq!(one, other);
    }
    assert_eq!(alone.len(), behind.len());
    // Two questions and three steps of progress.
    let [.., first, second, third, sampling, elicitation] = alone else {
        panic!("{alone:?}");
    };
    for (step, progress) in (1..).zip([first, second, third]) {
        assert_eq!(
            progress,
            &json!({ "progress": step, "total": 3, "progressToken": "how-far" })
        );
    }
    assert_eq!(sampling[0], "sampling/createMessage");
    assert_eq!(elicitation[0], "elicitation/create");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn everything_goes_through() {
    let alone = everything_by_itself();
    let stdio = Server::node("everything", &[]).settings();
    assert_same(&alone, &everything_behind_the_gate(&stdio));
    let (_server, address) = listening("streamableHttp");
    let http = format!("url = \"http://{address}/mcp\"\ntrust = \"trusted\"");
    assert_same(&alone, &everything_behind_the_gate(&http));
}

/// Begins a task, waits for its end, and takes its result.
fn task(mut conversation: Conversation) -> Value {
    conversation.host.hello(CAPABILITIES);
    conversation.request("tools/list", &json!({}));
    let begun = conversation.request(
        "tools/call",
        &json!({
            "name": "simulate-research-query",
            "arguments": { "topic": "larkspur" },
            "task": { "ttl": 60_000 },
        }),
    );
    let id = &begun["result"]["task"]["taskId"];
    assert!(id.is_string(), "{begun}");
    let got = conversation.request("tasks/get", &json!({ "taskId": id }));
    assert_eq!(got["result"]["status"], "working", "{got}");
    let result = conversation.request("tasks/result", &json!({ "taskId": id }));
    conversation.host.leave();
    result["result"]["content"].clone()
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn a_task_goes_through() {
    let server = Server::node("everything", &[]);
    let place = open_place();
    let alone = task(Conversation::new(place.host_of(server.command(&place))));
    let mut place = open_place();
    place.any_server(
        "everything",
        &format!("{}\nfirst-use = \"trust-once\"", server.settings()),
    );
    let behind = task(Conversation::new(place.bare_host()));
    assert!(alone[0]["text"].as_str().unwrap().contains("larkspur"));
    assert_eq!(alone, behind);
}
