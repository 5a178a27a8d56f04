//! A server of the legacy era that many call at once; its tools do what their names say.

#![expect(
    clippy::indexing_slicing,
    reason = "a fixture may panic, and a missing key of JSON is null"
)]

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Answer, Request, log, write};

pub(crate) fn behaviour() -> Box<dyn FnMut(&Request) -> Answer> {
    let mut gathered: Vec<Request> = Vec::new();
    Box::new(move |request| {
        if request.method != "tools/call" {
            return request.ordinary();
        }
        let message: Value = serde_json::from_str(&request.line).unwrap_or_default();
        let params = &message["params"];
        match params["name"].as_str().unwrap_or_default() {
            // Answers when there are `of` of them, the last one first.
            "gather" => {
                gathered.push(request.again());
                if Some(gathered.len() as u64) != params["arguments"]["of"].as_u64() {
                    return Answer::new();
                }
                let reversed = gathered.drain(..).rev();
                reversed.flat_map(|call| text(&call, &call.line)).collect()
            }
            "progress" => {
                for step in 1..=6 {
                    let token = &params["_meta"]["progressToken"];
                    let params = json!({ "progressToken": token, "progress": step });
                    let told = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
                    write(format!("{told}\n").as_bytes());
                    sleep(Duration::from_millis(100));
                }
                text(request, "done")
            }
            "huge" => text(request, &"x".repeat(17 << 20)),
            "noisy" => {
                let garbage = [
                    "starting\u{2026}",
                    "{\"level\":\"info\"}",
                    "{\"jsonrpc\":\"2.0\"",
                    "[1,",
                ];
                let lines = garbage.map(str::to_owned).into_iter();
                lines.chain(text(request, "heard")).collect()
            }
            // Its answer once cut short, as in a log, and then whole.
            "cut" => {
                let whole = text(request, "whole");
                let cut = whole.iter().map(|line| line.chars().take(60).collect());
                cut.chain(whole.clone()).collect()
            }
            "log" => {
                (0..20_000).for_each(|number| log(&format!("{number}: {}", "x".repeat(100))));
                text(request, "logged")
            }
            // Stops reading, and lives on.
            "deaf" => {
                text(request, "what?")
                    .iter()
                    .for_each(|line| write(format!("{line}\n").as_bytes()));
                loop {
                    sleep(Duration::from_secs(600));
                }
            }
            "unasked" => {
                let strange = r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#.to_owned();
                let again = text(request, "once");
                [vec![strange], again.clone(), again].concat()
            }
            "deep" => request.result(&format!("{}{}", "[".repeat(200), "]".repeat(200))),
            _ => text(request, &request.line),
        }
    })
}

fn text(request: &Request, text: &str) -> Answer {
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    request.result(&result.to_string())
}
