//! A real gate in a place of its own, between servers that say what a test tells them and hosts
//! that send what a test writes.

mod host;
mod server;
mod web;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixtures::example;

pub(crate) use host::Host;
pub(crate) use server::{Behind, answer, error, text_result};
pub(crate) use web::{HttpAnswer, Web, modern};

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A working directory for gates, with settings, servers, lock and journal.
pub(crate) struct Place {
    place: TempDir,
    gate: String,
    servers: Vec<String>,
}

impl Place {
    /// With these lines in `[gate]`, and no server yet.
    pub(crate) fn new(gate: &str) -> Self {
        let place = TempDir::new().unwrap();
        for directory in ["gate/.git", "home"] {
            std::fs::create_dir_all(place.path().join(directory)).unwrap();
        }
        let place = Self {
            place,
            gate: gate.to_owned(),
            servers: Vec::new(),
        };
        place.write_settings();
        place
    }

    /// A gate that lets everything pass to one trusted server with these tools.
    pub(crate) fn open(tools: &str) -> (Self, Behind) {
        let mut place = Self::new("policy = [\"open.cedar\"]");
        place.write(
            "open.cedar",
            "@id(\"open\") permit (principal, action, resource);",
        );
        let server = place.server("s", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
        server.lists(tools);
        (place, server)
    }

    /// Where it is.
    pub(crate) fn directory(&self) -> PathBuf {
        self.place.path().join("gate")
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.directory().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// One more server over pipes, with these lines in its settings: a scripted one.
    pub(crate) fn server(&mut self, name: &str, settings: &str) -> Behind {
        let server = Behind::new(&self.directory().join("servers").join(name));
        let command = example("scripted_server");
        self.any_server(
            name,
            &format!(
                "command = {}\nargs = [{}]\n{settings}",
                quoted(&command),
                quoted(&server.script())
            ),
        );
        server
    }

    /// One more server that is started or reached as these lines say.
    pub(crate) fn any_server(&mut self, name: &str, settings: &str) {
        self.servers
            .push(format!("[gate.servers.{name}]\n{settings}\n"));
        self.write_settings();
    }

    /// Other lines in `[gate]`, for a gate that runs already too.
    pub(crate) fn set(&mut self, gate: &str) {
        gate.clone_into(&mut self.gate);
        self.write_settings();
    }

    /// Other servers, for a gate that runs already too.
    pub(crate) fn change_servers(&mut self, change: impl Fn(&str) -> String) {
        for server in &mut self.servers {
            *server = change(server);
        }
        self.write_settings();
    }

    fn write_settings(&self) {
        let mut text = format!("[gate]\n{}\n", self.gate);
        for server in &self.servers {
            write!(text, "\n{server}").unwrap();
        }
        // At once, for a gate that looks meanwhile.
        self.write("settings.new", &text);
        let settings = self.directory().join("sayso.toml");
        std::fs::rename(self.directory().join("settings.new"), settings).unwrap();
    }

    /// Pins what the servers list now.
    pub(crate) fn pin(&self) {
        self.run("lock --config sayso.toml");
    }

    /// Accepts what the servers list now.
    pub(crate) fn accept(&self) {
        self.run("lock --config sayso.toml --accept --yes");
    }

    /// Runs the program here; it has to succeed. What it wrote on standard output.
    pub(crate) fn run(&self, arguments: &str) -> String {
        let output = self.command(arguments).output().unwrap();
        let (stdout, stderr) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(
            output.status.success(),
            "sayso {arguments}: {stdout}\n{stderr}"
        );
        stdout
    }

    /// The program, to be run here.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.directory())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.place.path().join("home"))
            .env("USER", "operator")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// A gate for one host, and the host, which has said hello in the legacy era.
    pub(crate) fn host(&self) -> Host {
        let mut host = self.bare_host();
        host.hello("{}");
        host
    }

    /// A gate for one host that has said nothing yet.
    pub(crate) fn bare_host(&self) -> Host {
        Host::start(self.command("gate --settings sayso.toml"), &self.log())
    }

    /// A gate for one host that is started otherwise.
    pub(crate) fn host_of(&self, command: Command) -> Host {
        Host::start(command, &self.log())
    }

    /// A gate for many hosts, over HTTP.
    pub(crate) fn listening(&self) -> Web {
        Web::start(self.command("gate --settings sayso.toml --listen 127.0.0.1:0"))
    }

    /// Where gates for one host write their log.
    pub(crate) fn log(&self) -> PathBuf {
        self.directory().join("log")
    }

    /// The journal as it is now.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let lines = self.run("journal export");
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The records of one kind in the journal, once there are so many.
    pub(crate) fn records(&self, kind: &str, at_least: usize) -> Vec<Value> {
        let mut records = Vec::new();
        eventually(&format!("{at_least} {kind} in the journal"), || {
            let entries = self.journal().into_iter();
            records = entries
                .filter(|entry| entry["kind"] == kind)
                .map(|mut entry| entry["record"].take())
                .collect();
            records.len() >= at_least
        });
        records
    }

    /// The one refusal there is in the journal: its code, caller and the tool it is about (at the
    /// server, else as it was called).
    pub(crate) fn only_refusal(&self) -> (String, String, String) {
        let refusals = self.refusals(1);
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        refusals.into_iter().next().unwrap()
    }

    /// The refusals in the journal, once there are so many: code, caller and tool of each.
    pub(crate) fn refusals(&self, at_least: usize) -> Vec<(String, String, String)> {
        let records = self.records("refused", at_least).into_iter();
        records
            .map(|record| {
                let call = &record["call"];
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let tool = match &call["tool"] {
                    Value::Null => &call["served_as"],
                    tool => tool,
                };
                (text(&record["code"]), text(&call["caller"]), text(tool))
            })
            .collect()
    }

    /// That the chain of the journal holds.
    pub(crate) fn verify(&self) {
        self.run("journal verify");
    }
}

/// A path as a TOML string.
fn quoted(path: &Path) -> String {
    json!(path).to_string()
}

/// Waits until something holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never came: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A tool's definition, with more members.
pub(crate) fn tool_with(name: &str, more: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}{more}}}"#)
}

/// Why a call was refused, as the caller is told; of an error, its code and message.
pub(crate) fn reason(answer: &Value) -> String {
    if let Some(error) = answer.get("error") {
        return format!("{} {}", error["code"], error["message"].as_str().unwrap());
    }
    let meta = &answer["result"]["_meta"]["dev.sayso/refusal"];
    let reason = meta["reason"].as_str();
    reason
        .unwrap_or_else(|| panic!("no refusal: {answer}"))
        .to_owned()
}

/// Lines that come from a process, read in the background.
fn lines(output: impl std::io::Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Ends a process, waiting for it to end in order.
fn end(child: &mut Child) {
    let end = Instant::now() + PATIENCE;
    while let Ok(None) = child.try_wait() {
        if Instant::now() > end {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
