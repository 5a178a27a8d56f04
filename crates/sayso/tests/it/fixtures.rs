//! Servers to audit, and the report on one.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::sayso::{Ran, Sayso};

/// An example of this crate, which `cargo test` has built.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(2).unwrap();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = target.join("examples").join(file);
    assert!(
        path.exists(),
        "{} is missing: `cargo test` builds it, `cargo test --test it` does not",
        path.display()
    );
    path
}

/// Tells that a test cannot run on this machine; `cargo xtask test` ends with what was told so.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a test says why it cannot run")]
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("skipped {test}: {why}");
    if let Some(notes) = std::env::var_os("SAYSO_SKIPPED") {
        let mut notes = std::fs::File::options().append(true).open(notes).unwrap();
        let line = format!("sayso {test}: {why}\n");
        std::io::Write::write_all(&mut notes, line.as_bytes()).unwrap();
    }
}

/// A server in the background, ended with the value.
pub(crate) struct Background(Child);

impl Background {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().unwrap())
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `examples/scripted_server.rs` says, and when.
pub(crate) struct Script {
    place: TempDir,
    turns: serde_json::Map<String, Value>,
}

impl Script {
    pub(crate) fn new() -> Self {
        let place = TempDir::new().unwrap();
        let log = place.path().join("log");
        let turns = [("log".to_owned(), json!(log))].into_iter().collect();
        Self { place, turns }
    }

    /// A server that lists these tools, written as they stand.
    pub(crate) fn tools(tools: &str) -> Self {
        Self::new().then("tools/list", json!([page(tools)]))
    }

    /// With one more turn for a method.
    pub(crate) fn then(mut self, method: &str, steps: Value) -> Self {
        let turns = self.turns.entry(method).or_insert_with(|| json!([]));
        turns.as_array_mut().unwrap().push(steps);
        self
    }

    /// `sayso audit`, with these arguments, of this server.
    pub(crate) fn audit(&self, arguments: &str) -> Sayso {
        Sayso::new(&format!("audit {arguments} --"))
            .argument(example("scripted_server"))
            .argument(self.file())
    }

    /// The script as a file.
    pub(crate) fn file(&self) -> PathBuf {
        let file = self.place.path().join("script.json");
        std::fs::write(&file, Value::Object(self.turns.clone()).to_string()).unwrap();
        file
    }

    /// The messages the server got, in all its runs.
    pub(crate) fn received(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.place.path().join("log")).unwrap_or_default();
        log.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The methods of the messages the server got.
    pub(crate) fn methods(&self) -> Vec<String> {
        let received = self.received();
        let methods = received.iter().map(|message| message["method"].as_str());
        methods.map(|method| method.unwrap().to_owned()).collect()
    }
}

/// The answer to `tools/list` with the only page.
pub(crate) fn page(tools: &str) -> String {
    result(&format!(r#"{{"tools":[{tools}]}}"#))
}

/// The answer to `tools/list` with a page and the cursor of the next.
pub(crate) fn page_before(tools: &str, cursor: &str) -> String {
    result(&format!(r#"{{"tools":[{tools}],"nextCursor":"{cursor}"}}"#))
}

/// An answer; the id stands for itself.
pub(crate) fn result(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{result}}}"#)
}

/// A refusal.
pub(crate) fn refusal(code: i32, more: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$id,"error":{{"code":{code},"message":"no"{more}}}}}"#)
}

/// A tool without anything to find but that it says nothing.
pub(crate) fn tool(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)
}

/// The JSON report on one target.
pub(crate) struct Report {
    pub(crate) code: Option<i32>,
    pub(crate) all: Value,
}

impl Report {
    /// Runs it with `--format json`, which must not stand behind `--`.
    pub(crate) fn of(ran: &Ran) -> Self {
        let all = serde_json::from_str(&ran.stdout);
        Self {
            code: ran.code,
            all: all.unwrap_or_else(|error| panic!("{error}: {ran}")),
        }
    }

    /// The only target.
    pub(crate) fn target(&self) -> &Value {
        let targets = self.all["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 1);
        &targets[0]
    }

    /// The listing of the only target.
    pub(crate) fn listing(&self) -> &Value {
        let target = self.target();
        assert!(target["error"].is_null(), "{target:#}");
        &target["listing"]
    }

    /// Why the only target could not be read.
    pub(crate) fn error(&self) -> &str {
        self.target()["error"]["message"].as_str().unwrap()
    }

    pub(crate) fn tools(&self) -> &[Value] {
        self.listing()["tools"].as_array().unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> &Value {
        let mut tools = self.tools().iter();
        tools.find(|tool| tool["name"] == name).unwrap()
    }

    /// The tools' names; `-` where there is none.
    pub(crate) fn names(&self) -> Vec<&str> {
        let names = self.tools().iter().map(|tool| tool["name"].as_str());
        names.map(|name| name.unwrap_or("-")).collect()
    }

    /// Every finding with the tool it is about, `-` for the listing as a whole.
    pub(crate) fn findings(&self) -> Vec<(&str, &Value)> {
        let listing = self.listing()["findings"].as_array().unwrap().iter();
        let tools = self.names().into_iter().zip(self.tools());
        let of_tools = tools.flat_map(|(name, tool)| {
            let findings = tool["findings"].as_array().unwrap().iter();
            findings.map(move |finding| (name, finding))
        });
        listing
            .map(|finding| ("-", finding))
            .chain(of_tools)
            .collect()
    }

    /// What one rule found: a line each with the tool, the severity, the message.
    pub(crate) fn found_by(&self, rule: &str) -> String {
        self.found_where(|finding| finding["rule"] == rule)
    }

    /// What was found that is a warning or worse, a line each.
    pub(crate) fn grave(&self) -> String {
        self.found_where(|finding| finding["severity"] != "info")
    }

    fn found_where(&self, wanted: impl Fn(&Value) -> bool) -> String {
        let mut text = String::new();
        for (tool, finding) in self.findings() {
            if wanted(finding) {
                let word = |key: &str| finding[key].as_str().unwrap();
                let (severity, rule, message) = (word("severity"), word("rule"), word("message"));
                let tool = tool.escape_debug();
                writeln!(text, "{tool}: {severity}[{rule}]: {message}").unwrap();
            }
        }
        text
    }

    /// What was odd while the listing was read, a line each.
    pub(crate) fn observations(&self) -> String {
        let mut text = String::new();
        for seen in self.listing()["observations"].as_array().unwrap() {
            let word = |key: &str| seen[key].as_str().unwrap();
            writeln!(
                text,
                "{} x{}: {}",
                word("kind"),
                seen["count"],
                word("detail")
            )
            .unwrap();
        }
        text
    }
}
