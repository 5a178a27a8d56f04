//! A server behind the gate: `examples/scripted_server.rs`, told what to say while it runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use super::eventually;

/// A scripted server, in all its processes.
pub(crate) struct Behind {
    folder: PathBuf,
    turns: Mutex<Map<String, Value>>,
}

impl Behind {
    pub(super) fn new(folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let turns = [("log", "log"), ("say", "say")]
            .map(|(key, file)| (key.to_owned(), json!(folder.join(file))));
        std::fs::write(folder.join("say"), "").unwrap();
        let server = Self {
            folder: folder.to_owned(),
            turns: Mutex::new(turns.into_iter().collect()),
        };
        server.does("tools/call", &[answer(&text_result("done"))]);
        server.hello("{\"tools\":{\"listChanged\":true}}", "");
        server
    }

    pub(super) fn script(&self) -> PathBuf {
        self.folder.join("script.json")
    }

    /// What is done from now on when a method comes (`tools/call NAME` for one tool): a string is a
    /// line, see `examples/scripted_server.rs` for the other steps.
    pub(crate) fn steps(&self, method: &str, steps: Value) -> &Self {
        let mut turns = self.turns.lock().unwrap();
        turns.insert(method.to_owned(), json!([steps]));
        let new = self.folder.join("script.new");
        std::fs::write(&new, Value::Object(turns.clone()).to_string()).unwrap();
        std::fs::rename(new, self.script()).unwrap();
        self
    }

    /// The lines that are said from now on when a method comes.
    pub(crate) fn does(&self, method: &str, lines: &[String]) -> &Self {
        self.steps(method, json!(lines))
    }

    /// What it says of itself from now on.
    pub(crate) fn hello(&self, capabilities: &str, more: &str) -> &Self {
        let result = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"scripted","version":"1"}}{more}}}"#
        );
        self.does("initialize", &[answer(&result)])
    }

    /// What it lists from now on, as it stands.
    pub(crate) fn lists(&self, tools: &str) -> &Self {
        self.does("tools/list", &[answer(&listing(tools))])
    }

    /// Lists something else, and tells.
    pub(crate) fn changes_to(&self, tools: &str) {
        self.lists(tools);
        self.says(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    }

    /// Says something by itself now.
    pub(crate) fn says(&self, line: &str) {
        let mut say = std::fs::File::options()
            .append(true)
            .open(self.folder.join("say"))
            .unwrap();
        say.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Every message it has seen, as it came.
    pub(crate) fn seen(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// The messages it has seen with this method, as they came.
    pub(crate) fn seen_of(&self, method: &str) -> Vec<String> {
        let mut seen = self.seen();
        seen.retain(|line| {
            let message: Value = serde_json::from_str(line).unwrap();
            message["method"] == method
        });
        seen
    }

    /// The calls it has seen, as they came.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.seen_of("tools/call")
    }

    /// The messages it has seen with this method, once there are so many.
    pub(crate) fn wait_for(&self, method: &str, at_least: usize) -> Vec<Value> {
        eventually(&format!("{at_least} {method} at the server"), || {
            self.seen_of(method).len() >= at_least
        });
        let seen = self.seen_of(method);
        seen.iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// That nothing came but what a gate asks by itself: no call in any shape.
    #[track_caller]
    pub(crate) fn saw_nothing(&self) {
        let own = [
            "initialize",
            "notifications/initialized",
            "tools/list",
            "ping",
            "notifications/cancelled",
        ];
        for line in self.seen() {
            let message: Value = serde_json::from_str(&line).unwrap();
            let method = message["method"].as_str().unwrap_or_default();
            assert!(own.contains(&method), "the server saw {line}");
        }
    }
}

/// An answer, as a line; the id stands for itself.
pub(crate) fn answer(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{result}}}"#)
}

/// An error, as a line.
pub(crate) fn error(code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$id,"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// The result of `tools/list` with these tools on one page.
pub(crate) fn listing(tools: &str) -> String {
    format!(r#"{{"tools":[{tools}]}}"#)
}

/// The result of a tool that says something.
pub(crate) fn text_result(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)
}
