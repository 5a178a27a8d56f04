//! A host over pipes that sends lines as a test writes them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::Value;

use super::{PATIENCE, end, lines};

/// A host, and the gate it has started.
pub(crate) struct Host {
    gate: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    /// What came while something else was waited for.
    waiting: VecDeque<String>,
    last_id: u64,
}

impl Host {
    pub(super) fn start(mut command: Command, log: &Path) -> Self {
        let log = File::options().create(true).append(true).open(log);
        let mut gate = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.unwrap())
            .spawn()
            .unwrap();
        let output = lines(gate.stdout.take().unwrap());
        Self {
            input: gate.stdin.take(),
            gate,
            output,
            waiting: VecDeque::new(),
            last_id: 0,
        }
    }

    /// The handshake of the legacy era, with these capabilities. The result.
    pub(crate) fn hello(&mut self, capabilities: &str) -> Value {
        let params = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"host","version":"1"}}}}"#
        );
        let hello = self.request("initialize", &params);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        hello["result"].clone()
    }

    /// Sends a line as it stands.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        // Whoever is refused for its length may see the pipe closed.
        let _ = input.write_all(line.as_bytes());
        let _ = input.write_all(b"\n");
        let _ = input.flush();
    }

    /// Sends a request; its id.
    pub(crate) fn begin(&mut self, method: &str, params: &str) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        id
    }

    /// Sends a request, and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &str) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool. The answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &str) -> Value {
        let id = self.begin_call(tool, arguments);
        self.answer(id)
    }

    /// Begins to call a tool; the id of the request.
    pub(crate) fn begin_call(&mut self, tool: &str, arguments: &str) -> u64 {
        self.begin(
            "tools/call",
            &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#),
        )
    }

    /// The tools it is shown.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let list = self.request("tools/list", "{}");
        let tools = list["result"]["tools"].as_array();
        tools.unwrap_or_else(|| panic!("no tools: {list}")).clone()
    }

    /// The names of the tools it is shown.
    pub(crate) fn names(&mut self) -> Vec<String> {
        let tools = self.tools();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    }

    /// Tries until the tools it is shown are as wanted.
    pub(crate) fn tools_once(&mut self, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        for _ in 0..600 {
            let tools = self.tools();
            if is_so(&tools) {
                return tools;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("never came: {:?}", self.tools());
    }

    /// Waits for the answer to a request of this host's.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits for the answer to a request, as the line it is.
    pub(crate) fn answer_line(&mut self, id: u64) -> String {
        self.wait_line(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits for a message of the gate's with this method.
    pub(crate) fn told(&mut self, method: &str) -> Value {
        self.wait(|message| message["method"] == method)
    }

    /// Waits for a message.
    pub(crate) fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        serde_json::from_str(&self.wait_line(is_it)).unwrap()
    }

    /// Waits for a message, as the line it is.
    pub(crate) fn wait_line(&mut self, is_it: impl Fn(&Value) -> bool) -> String {
        let is_it = |line: &String| is_it(&serde_json::from_str(line).unwrap());
        if let Some(position) = self.waiting.iter().position(is_it) {
            return self.waiting.remove(position).unwrap();
        }
        loop {
            let line = match self.output.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(why) => panic!("{why}; so far {:?}", self.waiting),
            };
            if is_it(&line) {
                return line;
            }
            self.waiting.push_back(line);
        }
    }

    /// The messages that came and nobody waited for, those of a little while included.
    pub(crate) fn rest(&mut self, a_while: Duration) -> Vec<Value> {
        while let Ok(line) = self.output.recv_timeout(a_while) {
            self.waiting.push_back(line);
        }
        let rest = self.waiting.drain(..);
        rest.map(|line| serde_json::from_str(&line).unwrap())
            .collect()
    }

    /// Whether the gate has closed its end.
    pub(crate) fn is_closed(&mut self) -> bool {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(line) => self.waiting.push_back(line),
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }

    /// The process of the gate.
    pub(crate) fn gate(&mut self) -> &mut Child {
        &mut self.gate
    }

    /// Ends: closes its end, and waits for the gate.
    pub(crate) fn leave(mut self) {
        self.input = None;
        end(&mut self.gate);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.gate.kill();
        let _ = self.gate.wait();
    }
}
