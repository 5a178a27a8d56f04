//! Servers that people use, each once by itself and once behind the gate: the host is to see no
//! difference but those that are set.

mod everything;
#[cfg(unix)]
mod together;

use std::path::{Path, PathBuf};
use std::process::Command;

use sayso_core::json::{Document, Limits};
use serde_json::json;

use crate::gate::support::{Host, Place, modern};
use crate::real_servers::{npm, python, repository};

/// A gate that changes nothing it need not change, and lets everything pass.
const OPEN: &str = "policy = [\"open.cedar\"]\nhints = \"as-claimed\"";

/// A place for such a gate.
fn open_place() -> Place {
    let place = Place::new(OPEN);
    let policy = "@id(\"open\") permit (principal, action, resource);";
    place.write("open.cedar", policy);
    place
}

/// A server as it is started.
struct Server {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

impl Server {
    fn new(program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            environment: Vec::new(),
        }
    }

    fn node(server: &str, arguments: &[&str]) -> Self {
        let program = npm(server);
        Self::new("node", &[&[program.to_str().unwrap()], arguments].concat())
    }

    fn env(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// As the gate's settings have it.
    fn settings(&self) -> String {
        let environment = self.environment.iter();
        let environment: String = environment
            .map(|(name, value)| format!("env.{name} = {}\n", json!(value)))
            .collect();
        format!(
            "command = {}\nargs = {}\ntrust = \"trusted\"\n{environment}",
            json!(self.program),
            json!(self.arguments)
        )
    }

    /// Without a gate.
    fn command(&self, place: &Place) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(place.directory())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", place.directory())
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A member of a message, byte for byte.
fn member(line: &str, path: &[&str]) -> String {
    let document = Document::parse(line.to_owned(), &Limits::default()).unwrap();
    let member = document.root().at(path);
    member.unwrap_or_else(|| panic!("{line}")).raw().to_owned()
}

/// The result of a request, byte for byte, or else the error.
fn asked(host: &mut Host, method: &str, params: &str) -> String {
    let id = host.begin(method, params);
    let line = host.answer_line(id);
    let document = Document::parse(line.clone(), &Limits::default()).unwrap();
    match document.root().at(&["result"]) {
        Some(result) => result.raw().to_owned(),
        None => member(&line, &["error"]),
    }
}

/// Every list that a server may have.
const LISTS: [(&str, &str); 4] = [
    ("tools", "tools/list"),
    ("prompts", "prompts/list"),
    ("resources", "resources/list"),
    ("resources", "resources/templates/list"),
];

/// Asks a server for everything it lists and more, by itself and behind the gate, and holds what
/// comes back to be the same, byte for byte.
fn same(servers: [Server; 2], requests: &[(&str, &str)]) {
    let [alone, behind] = servers;
    let mut place = open_place();
    place.any_server("server", &behind.settings());
    place.pin();
    let mut direct = place.host_of(alone.command(&place));
    let hello = direct.hello("{}");
    let mut gated = place.bare_host();
    let capabilities = gated.hello("{}")["capabilities"].clone();
    for name in hello["capabilities"].as_object().unwrap().keys() {
        assert!(!capabilities[name].is_null(), "{name}: {capabilities}");
    }
    let lists = LISTS.into_iter();
    let lists = lists.filter(|(capability, _)| !hello["capabilities"][capability].is_null());
    let lists = lists.map(|(_, method)| (method, "{}"));
    for (method, params) in lists.chain(requests.iter().copied()) {
        let [one, other] = [&mut direct, &mut gated].map(|host| asked(host, method, params));
        assert_eq!(one, other, "{method} {params}");
    }
    gated.leave();
    place.verify();
}

fn call(tool: &str, arguments: impl serde::Serialize) -> String {
    json!({ "name": tool, "arguments": json!(arguments) }).to_string()
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn filesystem() {
    let folder = tempfile::tempdir().unwrap();
    let allowed = folder.path().canonicalize().unwrap();
    std::fs::write(allowed.join("note.txt"), "Swapped.\nTwice.\n").unwrap();
    let server = || Server::node("filesystem", &[allowed.to_str().unwrap()]);
    let path = |name: &str| allowed.join(name);
    let calls = [
        call("read_text_file", json!({ "path": path("note.txt") })),
        call("list_directory", json!({ "path": allowed })),
        call(
            "write_file",
            json!({ "path": path("new.txt"), "content": "\u{e9}\u{0}\n" }),
        ),
        call(
            "read_text_file",
            json!({ "path": path("new.txt"), "head": 1 }),
        ),
        call(
            "search_files",
            json!({ "path": allowed, "pattern": "*.txt" }),
        ),
        call("directory_tree", json!({ "path": allowed })),
        call("read_text_file", json!({ "path": path("missing.txt") })),
        call(
            "read_text_file",
            json!({ "path": Path::new("/etc/passwd") }),
        ),
    ];
    same(
        [server(), server()],
        &calls.each_ref().map(|call| ("tools/call", call.as_str())),
    );
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn memory() {
    let folder = tempfile::tempdir().unwrap();
    let server = |file: &str| {
        let file = folder.path().join(file);
        Server::node("memory", &[]).env("MEMORY_FILE_PATH", file.to_str().unwrap())
    };
    let entity =
        json!({ "name": "Larkspur", "entityType": "tenant", "observations": ["pays late"] });
    let calls = [
        call("create_entities", json!({ "entities": [entity] })),
        call("read_graph", json!({})),
        call("search_nodes", json!({ "query": "late" })),
        call("delete_entities", json!({ "entityNames": ["Larkspur"] })),
        call("open_nodes", json!({ "names": ["Larkspur"] })),
    ];
    same(
        [server("alone.jsonl"), server("behind.jsonl")],
        &calls.each_ref().map(|call| ("tools/call", call.as_str())),
    );
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn sequential_thinking() {
    let thought = json!({ "thought": "First.", "nextThoughtNeeded": true, "thoughtNumber": 1, "totalThoughts": 2 });
    let thinks = call("sequentialthinking", thought);
    let server = || Server::node("sequential-thinking", &[]);
    same([server(), server()], &[("tools/call", &thinks)]);
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let server = |file: &str| {
        let file = folder.path().join(file);
        let arguments = ["--db-path", file.to_str().unwrap()];
        Server::new(python("python-sqlite", "mcp-server-sqlite"), &arguments)
    };
    let query = |tool: &str, query: &str| call(tool, json!({ "query": query }));
    let calls = [
        query("create_table", "CREATE TABLE notes (page TEXT, text TEXT)"),
        query(
            "write_query",
            "INSERT INTO notes VALUES ('on-call', 'Swapped.')",
        ),
        query("read_query", "SELECT * FROM notes"),
        call("list_tables", json!({})),
        call("describe_table", json!({ "table_name": "notes" })),
        query("read_query", "DROP TABLE notes"),
    ];
    let mut requests: Vec<_> = calls
        .iter()
        .map(|call| ("tools/call", call.as_str()))
        .collect();
    let prompt = r#"{"name":"mcp-demo","arguments":{"topic":"on-call"}}"#;
    requests.push(("prompts/get", prompt));
    requests.push(("resources/read", r#"{"uri":"memo://insights"}"#));
    same([server("alone.db"), server("behind.db")], &requests);
}

/// The result of a request in an era, as a line.
fn in_era(host: &mut Host, is_modern: bool, id: u64, method: &str, params: &str) -> String {
    if is_modern {
        host.send(&modern(id, method, params));
    } else {
        host.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
    }
    host.answer_line(id)
}

/// A server that speaks both eras lists and gives the same behind the gate as by itself, byte for
/// byte, whichever era the host speaks.
fn same_in_every_pair(server: &Server, requests: &[(&str, &str, &str)]) {
    let mut place = open_place();
    place.any_server("server", &server.settings());
    place.pin();
    let answers = |mut host: Host, is_modern: bool| -> Vec<String> {
        if !is_modern {
            host.hello("{}");
        }
        let requests = (100..).zip(requests.iter());
        let answers = requests.map(|(id, (method, params, wanted))| {
            let line = in_era(&mut host, is_modern, id, method, params);
            member(&line, &["result", wanted])
        });
        let answers = answers.collect();
        host.leave();
        answers
    };
    for (era, is_modern) in [("legacy", false), ("modern", true)] {
        let alone = answers(place.host_of(server.command(&place)), is_modern);
        let settings = server.settings();
        place.change_servers(|_| format!("[gate.servers.server]\nera = \"{era}\"\n{settings}\n"));
        for host_is_modern in [false, true] {
            let behind = answers(place.bare_host(), host_is_modern);
            assert_eq!(behind, alone, "server {era}, host modern: {host_is_modern}");
        }
    }
    place.verify();
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn git_in_every_pair_of_eras() {
    let repository = repository();
    let path = repository.path().to_str().unwrap();
    let server = Server::new(python("python", "mcp-server-git"), &["--repository", path]);
    let status = call("git_status", json!({ "repo_path": path }));
    let log = call("git_log", json!({ "repo_path": path }));
    same_in_every_pair(
        &server,
        &[
            ("tools/list", "{}", "tools"),
            ("tools/call", &status, "content"),
            // There is no commit yet: this fails.
            ("tools/call", &log, "isError"),
            ("tools/call", &log, "content"),
        ],
    );
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn time_in_every_pair_of_eras() {
    let server = Server::new(python("python", "mcp-server-time"), &[]).env("TZ", "Etc/UTC");
    let converts = call(
        "convert_time",
        json!({ "source_timezone": "Etc/UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" }),
    );
    same_in_every_pair(
        &server,
        &[
            ("tools/list", "{}", "tools"),
            ("tools/call", &converts, "content"),
        ],
    );
}
